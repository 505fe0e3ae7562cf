"""`from app import Interpreter`: messages in and out, code only where a function allows it, a model
named for it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app import Interpreter
from app.api import LOOPS, Background
from app.domain.code import REFUSED
from app.domain.copilot import RequestOffer
from app.domain.errors import DeskpilotError, SetupError
from app.domain.events import CallResult, CopilotCall
from app.domain.model import Llm
from app.domain.stream import Chunk
from app.services.models.profiles import ModelLoan, find_profile
from tests.unit.app.services.scripted import COPILOT, Scripted, found

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from app.domain.conversation import Turn
    from app.domain.events import Item
    from tests.unit.app.services.scripted import Script

USER = {"role": "user", "type": "message", "content": "Do it"}


async def coder(turns: list[Turn]) -> AsyncGenerator[Item, None]:
    results = [i for i in turns[-1].items if isinstance(i, CallResult)]
    if turns[-1].question == "Do it" and not results:
        yield Chunk("assistant", "message", "I run it.")
        yield CopilotCall(
            "run_code", {"language": "shell", "code": "echo asked"}, '{"type": "confirmation"}'
        )
    else:
        yield Chunk("assistant", "message", f"{len(turns)} turns, {len(results)} results")


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every terminal that is begun have a copilot that follows the script."""
    follow(monkeypatch, coder)


def follow(monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    begin = Background.begin

    def begun(self: Background) -> Any:
        deskpilot = begin(self)
        deskpilot.turns._copilots = Scripted(script)
        deskpilot.copilots.local = found  # type: ignore[method-assign]
        return deskpilot

    monkeypatch.setattr(Background, "begin", begun)


@pytest.fixture
def agent(scripted: None) -> Iterator[Interpreter]:
    with Interpreter() as made:
        yield made


def contents(messages: list[dict[str, Any]]) -> list[tuple[str, str, Any]]:
    return [(m["role"], m["type"], m["content"]) for m in messages]


def test_without_a_function_that_allows_it_the_answer_ends_with_the_confirmation(
    agent: Interpreter,
) -> None:
    chunks = list(agent.chat("Do it", stream=True))
    assert chunks[0] == {"role": "assistant", "type": "message", "start": True}
    assert chunks[-1]["type"] == "confirmation"
    assert chunks[-1]["content"] == {"type": "code", "format": "shell", "content": "echo asked"}
    assert agent.messages == [
        USER,
        {"role": "assistant", "type": "message", "content": "I run it."},
        {"role": "assistant", "type": "code", "format": "shell", "content": "echo asked"},
    ]
    # the program is the computer: it appends what came of it, and goes on
    output = {"role": "computer", "type": "console", "format": "output", "content": "mine"}
    assert contents(agent.chat([*agent.messages, output])) == [
        ("assistant", "message", "1 turns, 1 results")
    ]
    assert contents(agent.chat("And now?")) == [("assistant", "message", "2 turns, 0 results")]
    agent.reset()
    assert agent.messages == []


def test_what_the_function_allows_runs_and_what_it_edits_runs_instead(agent: Interpreter) -> None:
    asked: list[tuple[str, str]] = []

    def allow(language: str, code: str) -> bool | str:
        asked.append((language, code))
        return "echo edited"

    agent.approve = allow
    assert contents(agent.chat("Do it")) == [
        ("assistant", "message", "I run it."),
        ("assistant", "code", "echo edited"),
        ("computer", "console", "edited\n"),
        ("assistant", "message", "1 turns, 1 results"),
    ]
    assert asked == [("shell", "echo asked")]
    agent.reset()
    agent.approve = lambda *_: False
    assert contents(agent.chat("Do it")) == [
        ("assistant", "message", "I run it."),
        ("assistant", "code", "echo asked"),
        ("computer", "console", REFUSED),
        ("assistant", "message", "1 turns, 1 results"),
    ]


def test_what_code_wrote_and_printed_is_there_when_the_talk_has_ended(scripted: None) -> None:
    with Interpreter(approve=lambda *_: "echo Washington > file.txt; seq 1 9000") as agent:
        (printed,) = [m["content"] for m in agent.chat("Do it") if m["type"] == "console"]
        folder = agent.folder
    assert folder is not None
    assert (folder / "file.txt").read_text() == "Washington\n"
    (named,) = re.findall(r"all of it is in (\S+\.txt)", printed)
    assert Path(named).read_text().splitlines()[-1] == "9000"


def test_in_a_loop_the_copilot_is_told_to_go_on_until_it_says_that_it_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    answers = iter(["First step done.", "Second step done.", "All good. The task is done.", "?"])

    async def steps(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        asked.append(turns[-1].question)
        yield Chunk("assistant", "message", next(answers))

    follow(monkeypatch, steps)
    with Interpreter(loop=True) as agent:
        said = [m["content"] for m in agent.chat("Tidy up")]
        assert said == ["First step done.", "Second step done.", "All good. The task is done."]
        assert asked == ["Tidy up", agent.loop_message, agent.loop_message]
        assert [m["content"] for m in agent.messages] == ["Tidy up", *said]  # not what was told
        assert all(phrase in agent.loop_message for phrase in agent.loop_breakers)


def test_a_loop_ends_where_the_copilot_repeats_itself_waits_for_code_or_never_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    async def talk(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        asked.append(turns[-1].question)
        if turns[0].question == "code":
            yield CopilotCall(
                "run_code", {"language": "shell", "code": "ls"}, '{"type": "confirmation"}'
            )
            return
        again = turns[0].question == "again"
        yield Chunk("assistant", "message", "Hm." if again else f"Step {len(asked)}.")

    follow(monkeypatch, talk)
    with Interpreter(loop=True) as agent:
        for question, times in (("again", 2), ("code", 1), ("ever on", LOOPS + 1)):
            asked.clear()
            agent.messages = []
            agent.chat(question)
            assert len(asked) == times
        agent.loop = False
        asked.clear()
        agent.chat("once")
        assert asked == ["once"]


def test_messages_may_be_assigned_and_what_is_wrong_is_raised(agent: Interpreter) -> None:
    agent.messages = [
        USER | {"content": "first"},
        {"role": "assistant", "type": "message", "content": "one"},
    ]
    assert contents(agent.chat("second")) == [("assistant", "message", "2 turns, 0 results")]
    agent.messages = [{"role": "nobody"}]
    with pytest.raises(DeskpilotError, match="This is not an LMC message"):
        agent.chat("x")


def test_leaving_the_stream_early_keeps_what_was_said(agent: Interpreter) -> None:
    stream = agent.chat("Do it", stream=True)
    next(stream)
    next(stream)
    stream.close()
    assert contents(agent.messages) == [
        ("user", "message", "Do it"),
        ("assistant", "message", "I run it."),
    ]


def test_settings_of_the_model_have_the_names_of_the_guide_and_nothing_else() -> None:
    llm = Interpreter().llm
    llm.model, llm.api_key, llm.api_base, llm.api_version = "m", "k", "http://127.0.0.1:1/v1", None
    llm.supports_vision, llm.supports_functions = True, False
    llm.max_tokens, llm.context_window, llm.temperature = 100, 8000, 0.2
    assert "k'" not in repr(llm)
    assert llm.credentials() == {
        "base_url": "http://127.0.0.1:1/v1", "api_key": "k", "vision": "true", "tools": "false", "context_size": "8000",
    }  # fmt: skip
    for name, value in (("temperature", "hot"), ("max_tokens", True), ("colour", 1)):
        with pytest.raises(SetupError):
            setattr(llm, name, value)


async def test_a_model_elsewhere_is_lent_to_the_service_for_this_session_only() -> None:
    sent: list[tuple[str, str, dict[str, Any]]] = []

    class Manage:
        async def send(
            self, method: str, path: str, body: dict[str, Any] | None = None
        ) -> dict[str, Any]:
            sent.append((method, path, body or {}))
            return {}

    from dataclasses import replace

    ours = replace(COPILOT, is_ours=True)
    llm = Llm(
        model="gpt",
        api_base="https://models.example/v1",
        api_key="k",
        temperature=0.5,
        max_tokens=9,
    )
    offer = await ModelLoan(llm, Manage()).offered(RequestOffer(), ours)
    assert offer.model == "session/gpt"
    assert json.loads(offer.options["deskpilot-llm"]) == {"temperature": 0.5, "max_tokens": 9}
    ((method, path, body),) = sent
    assert (method, path, body["provider"]) == (
        "PUT",
        "/v1/manage/lent/session",
        "openai_compatible",
    )
    assert body["models"][0]["host"] == "models.example"
    assert (
        await ModelLoan(llm, Manage()).offered(RequestOffer(), COPILOT) == RequestOffer()
    )  # strangers learn nothing of it
    assert (
        await ModelLoan(Llm(model="smollm2-135m"), Manage()).offered(RequestOffer(), ours)
    ).model == "smollm2-135m"
    with pytest.raises(SetupError):
        await ModelLoan(Llm(api_key="k"), Manage()).offered(RequestOffer(), ours)
    assert len(sent) == 1
    await ModelLoan(Llm(model="m", api_key="k", api_version="2024-10-21"), Manage()).offered(
        RequestOffer(), ours
    )
    assert sent[-1][2]["models"][0]["credentials"]["api_version"] == "2024-10-21"


def test_a_profile_is_yaml_and_never_a_program(tmp_path: Path) -> None:
    (tmp_path / "fast.yaml").write_text(
        "version: 0.2.5\nauto_run: true\nloop: true\nllm:\n  model: smollm2-135m\n  temperature: 0\n"
    )
    (tmp_path / "evil.yaml").write_text("llm: !!python/object/apply:os.system ['touch /tmp/evil']")
    (tmp_path / "odd.yml").write_text("llm:\n  colour: red\n")
    (tmp_path / "list.yaml").write_text("- 1\n")
    (tmp_path / "code.py").write_text("raise SystemExit")
    found = find_profile("fast", tmp_path)
    assert (found.llm.model, found.llm.temperature, found.left_out) == (
        "smollm2-135m",
        0,
        ["auto_run"],
    )
    assert found.loop
    for name, told in (
        ("evil", "cannot be read"),
        ("odd", "llm has no colour"),
        ("list", "contains no profile"),
        ("code.py", "are not run"),
        ("../fast", "not a valid profile name"),
        ("none", "There is no profile none"),
    ):
        with pytest.raises(SetupError, match=told):
            find_profile(name, tmp_path)
