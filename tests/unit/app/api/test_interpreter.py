"""`from app import Interpreter`: messages in and out, code only where a function allows it, a model
named for it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app import Interpreter
from app.api.background import Background
from app.domain.copilot import Offer
from app.domain.errors import DeskpilotError, SetupError
from app.domain.events import Call, CallResult
from app.domain.language_model import Llm
from app.domain.stream import Chunk
from app.services.conversation.profile import Talking, find_profile
from tests.unit.app.services.scripted import COPILOT, Scripted, found

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator
    from pathlib import Path

    from app.domain.conversation import Turn
    from app.domain.events import Item

USER = {"role": "user", "type": "message", "content": "Do it"}


async def coder(turns: list[Turn]) -> AsyncGenerator[Item, None]:
    results = [i for i in turns[-1].items if isinstance(i, CallResult)]
    if turns[-1].question == "Do it" and not results:
        yield Chunk("assistant", "message", "I run it.")
        yield Call(
            "run_code", {"language": "shell", "code": "echo asked"}, '{"type": "confirmation"}'
        )
    else:
        yield Chunk("assistant", "message", f"{len(turns)} turns, {len(results)} results")


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every terminal that is begun have a copilot that follows the script."""
    begin = Background.begin

    def begun(self: Background) -> Any:
        deskpilot = begin(self)
        deskpilot.turns._copilots = Scripted(coder)
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
    assert [kind for _, kind, _ in contents(agent.chat("Do it"))] == ["message", "code", "message"]


def test_messages_may_be_assigned_and_what_is_wrong_is_raised(agent: Interpreter) -> None:
    agent.messages = [
        USER | {"content": "first"},
        {"role": "assistant", "type": "message", "content": "one"},
    ]
    assert contents(agent.chat("second")) == [("assistant", "message", "2 turns, 0 results")]
    agent.messages = [{"role": "nobody"}]
    with pytest.raises(DeskpilotError, match="This is no LMC message"):
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
    offer = await Talking(llm, Manage()).offered(Offer(), ours)
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
        await Talking(llm, Manage()).offered(Offer(), COPILOT) == Offer()
    )  # strangers learn nothing of it
    assert (
        await Talking(Llm(model="smollm2-135m"), Manage()).offered(Offer(), ours)
    ).model == "smollm2-135m"
    with pytest.raises(SetupError):
        await Talking(Llm(api_key="k"), Manage()).offered(Offer(), ours)
    assert len(sent) == 1
    await Talking(Llm(model="m", api_key="k", api_version="2024-10-21"), Manage()).offered(
        Offer(), ours
    )
    assert sent[-1][2]["models"][0]["credentials"]["api_version"] == "2024-10-21"


def test_a_profile_is_yaml_and_never_a_program(tmp_path: Path) -> None:
    (tmp_path / "fast.yaml").write_text(
        "version: 0.2.5\nauto_run: true\nllm:\n  model: smollm2-135m\n  temperature: 0\n"
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
    for name, told in (
        ("evil", "cannot be read"),
        ("odd", "llm has no colour"),
        ("list", "holds no profile"),
        ("code.py", "is not run"),
        ("../fast", "no name of a profile"),
        ("none", "There is no profile none"),
    ):
        with pytest.raises(SetupError, match=told):
            find_profile(name, tmp_path)
