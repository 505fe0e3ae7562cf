"""Skills: those a question calls, those a copilot reads by itself, those it proposes, in every
dialect.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openbb_ai.models import QueryRequest
from typer.testing import CliRunner

from app.adapters.system.json_file import JsonFile
from app.cli.commands import app
from app.domain.copilot import Copilot, called_in, slug_of, without_skill
from app.domain.errors import UnknownSkill
from app.services.conversation.skills import Skills
from app.services.conversation.turns import Turns
from backends.protocol.parser import parse_request
from tests.contract.scripted_peer import (
    PEER,
    Peer,
    Terminal,
    call,
    results,
    said,
    terminal,
    without,
)
from tests.contract.test_copilot_requests import Request2024

OLD = replace(without(PEER, hasFunctionCalling=True), dialect="2024")
LMC = Copilot("l", "LMC", "http://127.0.0.1:9/", "lmc")
TEXT = "# Brief\n\nAnswer in one line."


@pytest.fixture
async def skills(tmp_path: Path) -> Skills:
    made = Skills(JsonFile(tmp_path / "skills.json"))
    await made.put("brief", "", TEXT)
    await made.put("Long Answers!", "much", "Say more.")
    return made


@pytest.fixture
async def here(skills: Skills) -> AsyncIterator[Terminal]:
    async with terminal() as made:
        made.turns_of = lambda port, caps: Turns(
            made.store, port, made.widgets, made.tasks, caps, skills=skills
        )
        yield made


async def test_a_skill_that_is_called_goes_along_once_and_its_name_is_no_part_of_the_question(
    here: Terminal,
) -> None:
    peer = Peer(
        lambda body: said("ok") if results(body) else call("get_widget_data", widget_uuid="x")
    )
    turn, _ = await here.ask(peer, "/skill:brief What is it?")
    first, second = peer.asked
    QueryRequest.model_validate(first)
    assert first["messages"][0]["content"] == "What is it?"
    assert first["selected_skills"] == [
        {"slug": "brief", "description": "Brief", "contentMarkdown": TEXT, "source": "forced_slash"}
    ]
    listed = [(s["slug"], s["description"]) for s in first["skills_catalog"]]
    assert listed == [("brief", "Brief"), ("long-answers", "much")]
    assert all(s["updatedAt"] for s in first["skills_catalog"])
    assert "selected_skills" not in second
    assert second["skills_catalog"] == first["skills_catalog"]
    assert turn.question == "/skill:brief What is it?"


async def test_a_copilot_reads_a_skill_it_was_told_of_and_no_other(
    here: Terminal, skills: Skills
) -> None:
    await skills.propose("secret", "", "Not kept.")
    for slug, status in (("long-answers", "success"), ("secret", "error"), ("gone", "error")):
        here.said.clear()
        peer = Peer(
            lambda body, s=slug: said("ok") if results(body) else call("get_skill_content", slug=s)
        )
        await here.ask(peer)
        QueryRequest.model_validate(peer.asked[1])
        (entry,) = results(peer.asked[1])[0]["data"]
        assert entry["status"] == status
        told = {
            "slug": slug,
            "description": "much",
            "contentMarkdown": "Say more.",
            "source": "model_selected",
        }
        assert (entry.get("data") == {"skill": told}) == (status == "success")
        assert ("There is no skill" in entry["message"]) == (status == "error")


async def test_what_a_copilot_proposes_is_kept_by_the_person_only(
    here: Terminal, skills: Skills
) -> None:
    def script(body: dict[str, Any]) -> bytes:
        return (
            said("ok")
            if results(body)
            else call("save_skill", name="Tables first", instructions="Use tables.")
        )

    peer = Peer(script)
    await here.ask(peer)
    (entry,) = results(peer.asked[1])[0]["data"]
    assert entry["status"] == "success"
    assert "the person decides" in entry["message"]
    assert [s.slug for s in await skills.all()] == ["brief", "long-answers"]
    assert [s.slug for s in await skills.all(proposed=True)] == ["tables-first"]
    _, ended = await here.ask(peer, "/skill:tables-first now")
    assert (ended.state, "is not saved yet" in ended.text) == ("failed", True)
    await skills.accept("tables-first")
    await here.ask(peer, "/skill:tables-first now")
    assert peer.asked[-1]["selected_skills"][0]["contentMarkdown"] == "Use tables."


async def test_a_proposal_takes_the_place_of_nothing_that_is_kept(
    here: Terminal, skills: Skills
) -> None:
    peer = Peer(
        lambda body: (
            said("ok") if results(body) else call("save_skill", name="brief", instructions="Lie.")
        )
    )
    await here.ask(peer)
    (entry,) = results(peer.asked[1])[0]["data"]
    assert entry["status"] == "error"
    assert (await skills.get("brief")).content == TEXT


async def test_an_unknown_skill_is_told_before_anybody_is_asked(here: Terminal) -> None:
    peer = Peer(lambda _: said("ok"))
    _, ended = await here.ask(peer, "/skill:none What?")
    assert (ended.state, ended.text, ended.remedy) == (
        "failed", "There is no skill 'none'.", "Available: brief, long-answers.",
    )  # fmt: skip
    assert peer.asked == []


async def test_copilots_that_know_no_skills_are_told_its_text(here: Terminal) -> None:
    peer = Peer(lambda _: said("ok"))
    await here.ask(peer, "/skill:brief What?", copilot=OLD)
    Request2024.model_validate(peer.asked[0])
    assert [c["data"]["content"] for c in peer.asked[0]["context"]] == [TEXT]
    assert not {"skills_catalog", "selected_skills"} & set(peer.asked[0])
    here.said.clear()
    await here.ask(peer, "/skill:brief What?", copilot=LMC)
    assert peer.asked[1]["messages"] == [
        {"role": "user", "type": "message", "content": f"{TEXT}\n\nWhat?"}
    ]


async def test_names_stay_here_unless_a_copilot_elsewhere_may_see_all(here: Terminal) -> None:
    peer = Peer(lambda _: said("ok"))
    await here.ask(
        peer, "/skill:brief What?", copilot=replace(PEER, query_url="http://far.example/q")
    )
    assert "skills_catalog" not in peer.asked[0]
    assert peer.asked[0]["selected_skills"][0]["slug"] == "brief"


async def test_our_own_copilot_is_told_the_text_with_each_request(here: Terminal) -> None:
    peer = Peer(
        lambda body: said("ok") if results(body) else call("get_widget_data", widget_uuid="x")
    )
    await here.ask(peer, "/skill:brief What?", copilot=replace(PEER, is_ours=True))
    assert [parse_request(body).skills for body in peer.asked] == [[TEXT], [TEXT]]


async def test_what_cannot_be_kept_is_refused(skills: Skills) -> None:
    for name, text in (("???", "text"), ("name", "  "), ("name", "x" * 50_001)):
        with pytest.raises(UnknownSkill):
            await skills.put(name, "", text)


@pytest.mark.parametrize(
    ("question", "slug", "rest"),
    [
        ("/skill:brief What?", "brief", "What?"),
        ("/skill:brief", "brief", "Use the skill brief."),
        ("Say /skill:brief to me", "", "Say /skill:brief to me"),
        ("/skills are many", "", "/skills are many"),
    ],
)
def test_only_the_beginning_of_a_question_calls_a_skill(
    question: str, slug: str, rest: str
) -> None:
    assert (called_in(question), without_skill(question)) == (slug, rest)


def test_slugs_are_of_letters_digits_and_hyphens() -> None:
    assert [slug_of(n) for n in ("Brief", "A  b!c", "简体", "-x-")] == ["brief", "a-b-c", "", "x"]


def test_the_shell_keeps_lists_shows_and_forgets(home: Path, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        return CliRunner().invoke(app, ["skills", *words]).output

    assert "There are no skills yet" in run("list")
    (tmp_path / "Short answers.md").write_text(TEXT)
    assert "/skill:short-answers" in run("add", str(tmp_path / "Short answers.md"))
    assert "short-answers  Brief" in run("list")
    assert run("show", "short-answers").strip() == TEXT
    assert "There is no skill 'gone'" in run("show", "gone")
    assert "Removed" in run("remove", "short-answers")
    assert "There are no skills yet" in run("list")
