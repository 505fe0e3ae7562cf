"""Code written by a copilot: ask for consent, run it, and choose the tables that it is allowed to
read."""

from __future__ import annotations

import keyword
import re
import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from app.domain.code import (
    LANGUAGES,
    NOT_RUN,
    REFUSED,
    SHOWN,
    Clip,
    language_of,
    only_computes,
    unwrapped,
)
from app.domain.errors import ComputerError, NotStarted
from app.domain.events import RUN_CODE, Artifact, CallResult
from app.domain.stream import Chunk
from app.domain.tool import TERMINAL
from app.services.consents import Consent, Proposal
from app.tools.code.process import CodeFailure, CurrentLine, PrintedText

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
    from pathlib import Path

    from app.data.sources import Sources
    from app.domain.code import Language
    from app.domain.conversation import Turn
    from app.domain.events import CopilotCall, Item
    from app.services.consents import ConsentAnswer, Consents
    from app.services.conversation.recorder import Recorder
    from app.tools.code.computer import Computer
    from app.tools.code.process import DisplayedOutput, Piece


NAME = re.compile(r"\W+")


def name_for(title: str, taken: Iterable[str] = ()) -> str:
    """Return a table's name in Python."""
    name = NAME.sub("_", title).strip("_").lower() or "table"
    name = f"table_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
    free, number, known = name, 2, set(taken)
    while free in known:
        free, number = f"{name}_{number}", number + 1
    return free


def names_of(sources: Sources, uids: Iterable[str]) -> dict[str, str]:
    """Return the tables among widgets, with their names in code."""
    found: dict[str, str] = {}
    for uid in uids:
        if uid in sources:
            found[name_for(sources.source(uid).profile.name, found)] = uid
    return found


def writer(sources: Sources, uids: Iterable[str]) -> Callable[[Path], dict[str, Path]]:
    """Return a function that writes tables to a folder. Existing files are not written again.

    Raises: ComputerError, when the function is called.
    """
    wanted = list(uids)

    def write(folder: Path) -> dict[str, Path]:
        import duckdb

        from app.data.export import write_parquet

        made: dict[str, Path] = {}
        for name, uid in names_of(sources, wanted).items():
            table = sources.source(uid).table
            made[name] = folder / f"{name}-{table.hash}.parquet"
            try:
                if not made[name].exists():
                    write_parquet(table, made[name])
            except (OSError, duckdb.Error) as error:
                raise ComputerError(
                    f"The table {name} cannot be passed to the code.",
                    "Free some disk space, or detach it.",
                ) from error
        return made

    return write


TOOL: dict[str, Any] = {
    "server_id": TERMINAL,
    "name": RUN_CODE,
    "url": "deskpilot:code",
    "description": (
        "Runs code on the person's machine once they allow it, and returns what it printed. Python"
        " keeps its variables in a conversation; attached tables are pandas DataFrames there, by"
        " their names. Pictures that are shown go to the person. There is no network."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "language": {"type": "string", "enum": list(LANGUAGES)},
            "code": {"type": "string"},
        },
        "required": ["language", "code"],
    },
}


def code_of(call: CopilotCall) -> tuple[str, str] | None:
    """Return the language and the text of the code in a call, or None for any other call."""
    told = call.arguments
    if call.function == "execute_agent_tool":
        if (told.get("server_id"), told.get("tool_name")) != (TERMINAL, RUN_CODE):
            return None
        inner = told.get("parameters")
        told = inner if isinstance(inner, dict) else {}
    elif call.function != RUN_CODE:
        return None
    code = told.get("code")
    return str(told.get("language") or ""), code if isinstance(code, str) else ""


class CodeOutput:
    """Collects the output of code. path: the file for the complete output."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._clip = Clip()
        self._file: TextIO | None = None

    def take(self, text: str) -> str:
        """Add output, and return the part to show now.

        Raises: ComputerError if it cannot be written to the file.
        """
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("w", encoding="utf-8", errors="replace")
            self._file.write(text)
        except OSError as error:
            raise ComputerError(
                "The code's output cannot be saved.", "Free some disk space."
            ) from error
        return self._clip.take(text)

    def close(self) -> str:
        """Close the file, and return the remaining output to show."""
        if self._file is not None:
            self._file.close()
        return self._clip.rest(str(self.path))

    def for_model(self) -> str:
        """Return the beginning and the end of the output."""
        return self._clip.for_model()


# maximum number of items displayed by one run, and of characters in each
MOST_SHOWN, MOST_BYTES = 20, 8_000_000
NAMES = {
    "base64.png": "a picture",
    "base64.jpeg": "a picture",
    "html": "a page",
    "plotly": "a chart",
}


@dataclass
class Coder:
    """Runs code that copilots propose."""

    computer: Computer
    consents: Consents
    sources: Sources

    async def run(
        self,
        call: CopilotCall,
        turn: Turn,
        offered: list[str],
        recorder: Recorder,
        waited: Callable[[float], None],
    ) -> AsyncGenerator[Item, None]:
        """Yield the events of a call, with its result last. offered: the widgets whose tables the
        code is allowed to read.

        waited: a function called with the number of seconds that the user took to reply.
        """
        found = code_of(call) or ("", "")
        name, code = unwrapped(*found)
        if code != found[1]:  # the code as run, so that the stored code matches it
            recorder.edit_code(code)
        language = language_of(name)
        if language is None or not code.strip():
            for out in written(turn, recorder, language or name, code) if code.strip() else ():
                yield out
            why = "there is none" if language else f"{name!r} is no language that runs here"
            there = ", ".join(LANGUAGES)
            for out in refused(call, f"{NOT_RUN}: {why}. Available: {there}.", recorder):
                yield out
            return
        for out in written(turn, recorder, language, code):
            yield out
        if turn.conversation_id not in self.consents.allowed:
            content = {"type": "code", "format": language, "content": code}
            yield Chunk("computer", "confirmation", content, "execution")
            answer = await self._asked(language, code, waited)
            if not answer.allowed:
                for out in refused(call, REFUSED, recorder):
                    yield out
                return
            if answer.always:
                self.consents.allowed.add(turn.conversation_id)
            if answer.code is not None and answer.code != code:
                code = answer.code
                recorder.edit_code(code)
        path = (
            self.computer.folder_of(turn.conversation_id)
            / "output"
            / f"{turn.id}-{len(turn.items)}.txt"
        )
        run = Run(call, language, recorder, CodeOutput(path))
        pieces = self.computer.run(
            turn.conversation_id, language, code, writer(self.sources, offered)
        )
        async with aclosing(run.items(pieces)) as items:
            async for item in items:
                yield item

    def folder(self, conversation: str) -> Path:
        """Return the working folder for a conversation's code."""
        return self.computer.files_of(conversation)

    async def leave(self, conversation: str) -> None:
        """End a conversation's Python process. Its files and output are kept."""
        self.consents.allowed.discard(conversation)
        await self.computer.leave(conversation)

    async def forget(self, conversation: str) -> None:
        """End a conversation's Python process, and remove its folder."""
        self.consents.allowed.discard(conversation)
        await self.computer.forget(conversation)

    async def _asked(
        self, language: Language, code: str, waited: Callable[[float], None]
    ) -> ConsentAnswer:
        """Ask the user. The time that the user takes to reply does not count towards the copilot's
        time.
        """
        isolation = await self.computer.isolation()
        boxed = bool(isolation.bubblewrap)
        proposal = Proposal(language, code, boxed, self.computer.limits.words())
        consent = Consent(
            f"Run this {SHOWN[language]} code?", boxed and only_computes(language, code), proposal
        )
        began = time.monotonic()
        try:
            return await self.consents.answered(consent)
        finally:
            waited(time.monotonic() - began)


def refused(call: CopilotCall, text: str, recorder: Recorder) -> Iterator[Item]:
    """Yield the items for code that is not run: the computer's message to the copilot, which is
    stored like any other message, and the result of the call.
    """
    yield from recorder.chunks(Chunk("computer", "console", text, "output", "assistant"))
    yield from recorder.end_message()
    yield from recorder.event(CallResult(call.function, text, True, 0.0))


def written(turn: Turn, recorder: Recorder, language: str, code: str) -> Iterator[Item]:
    """Add code that was only in a call to the conversation, and yield the new chunks."""
    messages = [item for item in turn.items if getattr(item, "type", "") == "code"]
    last: Any = messages[-1] if messages else None
    if (
        last is not None
        and (last.role, last.content) == ("assistant", code)
        and last in turn.items[-3:]
    ):
        return
    yield from recorder.chunks(Chunk("assistant", "code", code, language))
    yield from recorder.end_message()


@dataclass
class Run:
    """One run of code, whose events are converted to chunks."""

    call: CopilotCall
    language: Language
    recorder: Recorder
    transcript: CodeOutput
    shown: list[str] = field(default_factory=list[str])
    failed: bool = False
    error: ComputerError | None = None

    async def items(self, pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[Item, None]:
        """Yield the items of a run, with the result of the call last."""
        began = time.perf_counter()
        for out in self.recorder.chunks(Chunk("computer", "console", start=True)):
            yield out
        try:
            async with aclosing(pieces) as found:
                async for piece in found:
                    for out in self._items_of(piece):
                        yield out
        except ComputerError as error:
            self.failed, self.error = True, error
        finally:
            rest = self.transcript.close()
        if self.error is not None:
            rest += f"{self.error}\n" if rest.endswith("\n") or not rest else f"\n{self.error}\n"
        for out in self._ended(rest, round(time.perf_counter() - began, 4)):
            yield out

    def _items_of(self, piece: Piece) -> Iterator[Item]:
        if isinstance(piece, PrintedText):
            if now := self.transcript.take(piece.text):
                yield from self.recorder.chunks(Chunk("computer", "console", now, "output"))
        elif isinstance(piece, CurrentLine):
            yield from self.recorder.chunks(line(piece.number))
        elif isinstance(piece, CodeFailure):
            self.failed = True
            if piece.text:
                self.error = ComputerError(piece.text, piece.remedy)
        else:
            yield from self._shown(piece)

    def _shown(self, piece: DisplayedOutput) -> Iterator[Item]:
        """Show an item to the user, or show a message instead if the item is too large or there are
        too many.
        """
        if len(self.shown) >= MOST_SHOWN or len(str(piece.content)) > MOST_BYTES:
            said = self.transcript.take(f"({NAMES[piece.format]} more was too much to show)\n")
            yield from self.recorder.chunks(Chunk("computer", "console", said, "output"))
            return
        self.shown.append(NAMES[piece.format])
        if piece.format == "plotly":
            figure: dict[str, Any] = piece.content if isinstance(piece.content, dict) else {}
            drawn = {
                "chartType": "plotly",
                "data": figure.get("data") or [],
                "layout": figure.get("layout") or {},
            }
            yield from self.recorder.event(Artifact("chart", title_of(figure), [], drawn))
        elif piece.format == "html":
            yield from self.recorder.chunks(
                Chunk("computer", "code", piece.content, "html", "user")
            )
        else:
            yield from self.recorder.chunks(Chunk("computer", "image", piece.content, piece.format))

    def _ended(self, rest: str, seconds: float) -> Iterator[Item]:
        if rest:
            yield from self.recorder.chunks(Chunk("computer", "console", rest, "output"))
        yield from self.recorder.chunks(line(None))
        yield from self.recorder.end_message()
        yield from self.recorder.event(
            CallResult(self.call.function, self._told(), self.failed, max(seconds, 1e-4))
        )

    def _told(self) -> str:
        """Return the report for the copilot."""
        printed = self.transcript.for_model().strip()
        if isinstance(self.error, NotStarted):
            return str(self.error)
        parts = ["The code ended with an error." if self.failed else "The code ran."]
        parts += [str(self.error)] if self.error is not None else []
        parts += [f"It printed:\n{printed}"] if printed else ["It printed nothing."]
        parts += [f"The person was shown {', '.join(self.shown)}."] if self.shown else []
        return "\n".join(parts)


def line(number: int | None) -> Chunk:
    """Return the chunk that reports which line is being run."""
    return Chunk("computer", "console", None if number is None else str(number), "active_line")


def title_of(figure: dict[str, Any]) -> str:
    """Return the title of a figure."""
    layout = figure.get("layout")
    title = layout.get("title") if isinstance(layout, dict) else None
    text = title.get("text") if isinstance(title, dict) else title
    return text if isinstance(text, str) and text else "Chart"
