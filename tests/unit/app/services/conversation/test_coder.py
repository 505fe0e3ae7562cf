"""Code of a turn is shown, and runs only once a person allows it; what it prints becomes part of
the conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from app.adapters.copilots.lmc import lmc_messages
from app.domain.code import HEAD, REFUSED, TAIL, TOLD, Limits
from app.domain.conversation import Caps
from app.domain.events import CallResult, CopilotCall, Ended
from app.domain.stream import Chunk, Message, fold
from app.services.consents import Consent, Consents
from app.services.conversation.calls import Round
from app.services.conversation.code import Coder
from app.services.conversation.exchange import turns_of
from app.services.conversation.turns import Turns
from app.tools.code import scripts
from app.tools.code.computer import Computer
from app.tools.code.isolation import Isolation
from tests.unit.app.services.scripted import Scripted

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.conversation import Turn
    from app.domain.events import Item
    from tests.unit.app.services.scripted import Terminal

Say = Callable[[Consents], object]
LIMITS = Limits(seconds=60, disk=16 << 20, grace=0.5)


def run_code(code: str, language: str = "shell") -> CopilotCall:
    return CopilotCall("run_code", {"language": language, "code": code}, '{"type": "confirmation"}')


def tool_call(code: str, language: str = "shell") -> CopilotCall:
    parameters = {"language": language, "code": code}
    called = {"server_id": "deskpilot", "tool_name": "run_code", "parameters": parameters}
    return CopilotCall("execute_agent_tool", called, "{}")


@dataclass
class Desk:
    """A terminal whose copilot runs code, and a person who answers as `say` does."""

    terminal: Terminal
    computer: Computer
    say: Say | None
    consents: Consents = field(default_factory=Consents)
    asked: list[Consent] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.say is not None:
            self.consents.subscribe(self._on_consent)

    def _on_consent(self, consent: Consent | None) -> None:
        if consent is not None and self.say is not None:
            self.asked.append(consent)
            asyncio.get_running_loop().call_soon(self.say, self.consents)

    async def run(
        self, *calls: CopilotCall, conversation: str = "", words: str = "Done."
    ) -> tuple[Turn, list[Item]]:
        """Let the copilot make calls one after the other, then say some words."""

        async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
            done = sum(isinstance(i, CallResult) for i in turns[-1].items)
            yield calls[done] if done < len(calls) else Chunk("assistant", "message", words)

        terminal, port = self.terminal, Scripted(script)
        turns = Turns(terminal.store, port, terminal.widgets, terminal.tasks, Caps())
        turns.run_code_with(Coder(self.computer, self.consents, terminal.widgets.sources))
        uid = conversation or (await self.terminal.store.new_conversation("t")).id
        turn = turns.new_turn(uid, "q", None)

        async def find() -> Any:
            from tests.unit.app.services.scripted import COPILOT

            return COPILOT

        from app.domain.copilot import RequestOffer

        async with asyncio.timeout(60):
            return turn, [item async for item in turns.run([], turn, find, RequestOffer())]


@asynccontextmanager
async def desk(terminal: Terminal, folder: Path, say: Say | None) -> AsyncGenerator[Desk]:
    made = Desk(terminal, Computer(folder, LIMITS), say)
    try:
        yield made
    finally:
        await made.computer.aclose()


def is_there(folder: Path, name: str) -> bool:
    return any(folder.rglob(name))


def kept_output(folder: Path, printed: str) -> str:
    (path,) = folder.rglob("output/*.txt")
    assert str(path) in printed
    return path.read_text()


def messages(turn: Turn) -> list[tuple[str, str, Any]]:
    return [(i.role, i.type, i.content) for i in turn.items if isinstance(i, Message)]


def results(turn: Turn) -> list[CallResult]:
    return [i for i in turn.items if isinstance(i, CallResult)]


@pytest.mark.parametrize("call", [run_code, tool_call])
async def test_before_a_yes_nothing_has_happened_and_a_no_leaves_one_refusal(
    terminal: Terminal, tmp_path: Path, call: Callable[[str], CopilotCall]
) -> None:
    seen: list[bool] = []

    def deny(consents: Consents) -> None:
        seen.append(is_there(tmp_path, "sentinel"))
        consents.answer(False)

    async with desk(terminal, tmp_path, deny) as made:
        turn, items = await made.run(call("touch sentinel"))
    assert seen == [False]
    assert not is_there(tmp_path, "sentinel")
    assert [r.content for r in results(turn)] == [REFUSED]
    assert messages(turn) == [
        ("assistant", "code", "touch sentinel"),
        ("computer", "console", REFUSED),
        ("assistant", "message", "Done."),
    ]
    kept = await terminal.kept(turn)
    assert messages(kept) == messages(turn)
    # read back from a list of LMC messages, it is a call that was refused, not code that ran
    told = [{"role": "user", "type": "message", "content": "q"}]
    told += [item.as_dict() for item in kept.items[:-2] if isinstance(item, Message)]
    (again,) = turns_of(told, "c")
    assert [(r.content, r.failed) for r in results(again)] == [(REFUSED, True)]
    assert lmc_messages([kept], 1000, [])[1:3] == [
        {"role": "assistant", "type": "code", "format": "shell", "content": "touch sentinel"},
        {
            "role": "computer",
            "type": "console",
            "format": "output",
            "content": REFUSED,
            "recipient": "assistant",
        },
    ]
    (asked,) = [i for i in items if isinstance(i, Chunk) and i.type == "confirmation"]
    assert asked.as_dict() == {
        "role": "computer", "type": "confirmation", "format": "execution",
        "content": {"type": "code", "format": "shell", "content": "touch sentinel"},
    }  # fmt: skip


async def test_where_nobody_can_be_asked_nothing_runs(terminal: Terminal, tmp_path: Path) -> None:
    async with desk(terminal, tmp_path, None) as made:
        turn, _ = await made.run(run_code("touch sentinel"))
    assert results(turn)[0].failed
    assert not is_there(tmp_path, "sentinel")


async def test_code_that_was_edited_is_what_runs_and_what_is_kept(
    terminal: Terminal, tmp_path: Path
) -> None:
    edit = lambda consents: consents.answer(True, code="touch mended; echo mended")  # noqa: E731
    async with desk(terminal, tmp_path, edit) as made:
        turn, items = await made.run(run_code("touch sentinel"))
        assert not is_there(tmp_path, "sentinel")
        assert is_there(tmp_path, "mended")
    assert messages(turn)[:2] == [
        ("assistant", "code", "touch mended; echo mended"),
        ("computer", "console", "mended\n"),
    ]
    await terminal.store.read([turn])
    kept = (await terminal.store.turns(turn.conversation_id))[0]
    assert messages(kept) == messages(turn)
    assert isinstance(items[-1], Ended)
    assert items[-1].state == "done"


async def test_allowed_for_the_conversation_it_is_asked_once(
    terminal: Terminal, tmp_path: Path
) -> None:
    always = lambda consents: consents.answer(True, always=True)  # noqa: E731
    async with desk(terminal, tmp_path, always) as made:
        turn, items = await made.run(run_code("echo 1"), run_code("echo 2"))
        assert len(made.asked) == 1
        await made.run(run_code("echo 1"), conversation=turn.conversation_id)
        assert len(made.asked) == 1
        await made.run(run_code("echo 1"))
        assert len(made.asked) == 2
    assert sum(isinstance(i, Chunk) and i.type == "confirmation" for i in items) == 1


async def test_the_stream_folds_into_what_is_kept_and_the_confirmation_is_not(
    terminal: Terminal, tmp_path: Path
) -> None:
    allow = lambda consents: consents.answer(True)  # noqa: E731
    code = "from IPython.display import HTML, Image, display\nprint('before')\n"
    code += "display(Image(b'\\x89PNG', format='png'))\ndisplay(HTML('<b>x</b>'))\nprint('after')"
    async with desk(terminal, tmp_path, allow) as made:
        turn, items = await made.run(run_code(code, "python"), run_code("true"))
    chunks = [item for item in items if isinstance(item, Chunk)]
    kept = [replace(i, id=None, created_at=None) for i in turn.items if isinstance(i, Message)]
    assert fold(chunks) == kept
    assert [(m.role, m.type, m.format, m.recipient) for m in kept] == [
        ("assistant", "code", "python", None),
        ("computer", "console", "output", None),
        ("computer", "image", "base64.png", None),
        ("computer", "code", "html", "user"),
        ("computer", "console", "output", None),
        ("assistant", "code", "shell", None),
        ("computer", "console", "output", None),  # it printed nothing, and that is kept, too
        ("assistant", "message", None, None),
    ]
    assert kept[6].content == ""
    flags = [c for c in chunks if c.type == "console" and (c.start or c.end)]
    assert flags
    assert all(c.format is None and c.content is None for c in flags)
    told = results(turn)[0].content
    assert told.startswith(
        "The code ran.\nIt printed:\nbefore\nafter\nThe person was shown a picture, a page."
    )


async def test_much_output_is_whole_on_disk_and_bounded_for_model_and_person(
    terminal: Terminal, tmp_path: Path
) -> None:
    allow = lambda consents: consents.answer(True)  # noqa: E731
    async with desk(terminal, tmp_path, allow) as made:
        code = "printf begin; head -c 100000 /dev/zero | tr '\\0' x; printf end"
        turn, _ = await made.run(run_code(code))
    told = results(turn)[0].content
    assert len(told) < TOLD + 200
    assert "begin" in told
    assert told.endswith("end")
    (printed,) = [content for role, _, content in messages(turn) if role == "computer"]
    assert len(printed) < HEAD + TAIL + 500
    assert kept_output(tmp_path, printed) == f"begin{'x' * 100_000}end"


async def test_an_error_and_a_language_nobody_knows_are_told(
    terminal: Terminal, tmp_path: Path
) -> None:
    allow = lambda consents: consents.answer(True)  # noqa: E731
    async with desk(terminal, tmp_path, allow) as made:
        turn, _ = await made.run(
            run_code("echo no >&2; exit 3"), run_code("puts 1", "ruby"), run_code(" ")
        )
    first, second, third = results(turn)
    assert first.failed
    assert first.content == "The code ended with an error.\nIt printed:\nno"
    assert second.content.startswith("The code was not run: 'ruby' is no language that runs here")
    assert third.content.startswith("The code was not run: there is none.")
    assert len(made.asked) == 1
    assert ("assistant", "code", "puts 1") in messages(turn)
    assert ("computer", "console", second.content) in messages(turn)


async def test_a_page_is_shown_once_it_is_allowed(terminal: Terminal, tmp_path: Path) -> None:
    allow = lambda consents: consents.answer(True)  # noqa: E731
    async with desk(terminal, tmp_path, allow) as made:
        turn, _ = await made.run(run_code("<h1>Hi</h1>", "html"))
        assert len(made.asked) == 1
    shown = [i for i in turn.items if isinstance(i, Message) and i.recipient == "user"]
    assert [(m.role, m.type, m.format, m.content) for m in shown] == [
        ("computer", "code", "html", "<h1>Hi</h1>")
    ]
    assert results(turn)[0].content.endswith("The person was shown a page.")


@pytest.mark.parametrize("language", ["r", "javascript", "shell"])
async def test_without_its_interpreter_code_is_never_said_to_have_run(
    terminal: Terminal, tmp_path: Path, language: str, monkeypatch: Any
) -> None:
    allow = lambda consents: consents.answer(True)  # noqa: E731
    monkeypatch.setattr(scripts.shutil, "which", lambda _: None)
    async with desk(terminal, tmp_path, allow) as made:
        turn, _ = await made.run(run_code("1", language))
    (result,) = results(turn)
    assert result.failed
    assert result.content.startswith("The code was not run: there is no ")
    assert "Install" in result.content
    told = [{"role": "user", "type": "message", "content": "q"}]
    told += [item.as_dict() for item in turn.items[:-2] if isinstance(item, Message)]
    assert results(turns_of(told, "c")[0])[0].content.startswith("The code was not run")


async def test_only_code_that_computes_in_a_sandbox_may_be_allowed_by_voice(
    terminal: Terminal, tmp_path: Path, monkeypatch: Any
) -> None:
    deny = lambda consents: consents.answer(False)  # noqa: E731
    async with desk(terminal, tmp_path, deny) as made:
        for boxed, safe in ((True, True), (False, False)):
            isolation = Isolation("/usr/bin/bwrap") if boxed else Isolation(why="not here")

            async def found(isolation: Isolation = isolation) -> Isolation:
                return isolation

            monkeypatch.setattr(made.computer, "isolation", found)
            await made.run(run_code("print(2 + 2)", "python"), run_code("open('x', 'w')", "python"))
            computes, writes = made.asked[-2:]
            assert computes.safe is safe
            assert not writes.safe
            assert computes.code is not None
            assert computes.code.boxed is boxed
            assert computes.code.limits.startswith("60 s, 4 GB of memory")


async def test_what_a_person_takes_to_answer_is_not_the_turns_time() -> None:
    async with asyncio.timeout(100) as clock:
        before = clock.when()
        Round(None, None, None, None, clock).waited(50)  # type: ignore[arg-type]
        after = clock.when()
        await asyncio.sleep(0)
    assert before is not None
    assert after is not None
    assert after - before == pytest.approx(50)
