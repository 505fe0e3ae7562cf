"""`deskpilot ask`: answer one question, typed or recorded, on stdout and optionally as
audio.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.system.wav_file import WavFile
from app.bootstrap import build
from app.cli.approval import ShellConsents
from app.cli.data import file_meant
from app.cli.documents import documents_meant
from app.cli.screen import printable
from app.domain.copilot import Copilot
from app.domain.errors import StoreInUse
from app.domain.events import (
    CallResult,
    Citations,
    Ended,
    Item,
    Recalled,
    Status,
    Thinking,
    as_dict,
    name_of,
)
from app.domain.stream import Chunk
from app.services.conversation.turns import offer_for
from app.services.dashboard.table_notes import add_tables
from app.services.deskpilot import Deskpilot
from app.services.voice.dictation import dictated
from app.services.voice.speech import Manner

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from app.services.voice.script import SpokenPart


@dataclass(frozen=True)
class AskRequest:
    """The arguments of the command."""

    question: str
    widgets: list[Path]
    copilot: str | None
    model: str | None
    allowed_hosts: frozenset[str]
    today: str | None
    as_json: bool
    voice_in: Path | None = None
    voice_out: Path | None = None
    pages: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


async def run_ask(request: AskRequest) -> int:
    """Answer and return the exit status: 0 answered, 1 failed.

    Raises: DeskpilotError.
    """
    try:
        async with build() as deskpilot:
            return await answer(deskpilot, request)
    except StoreInUse:
        # The window holds the conversations; a question from the shell is answered and not kept.
        async with build(None) as deskpilot:
            return await answer(deskpilot, request)


async def answer(deskpilot: Deskpilot, request: AskRequest) -> int:
    """Ask and print; speak if a file for it is named."""
    printer = JsonPrinter() if request.as_json else PlainPrinter(with_table=bool(request.widgets))
    if sys.stdin.isatty():  # somebody sits there who can be asked before something is done
        ShellConsents(deskpilot.dashboard.consents).begin()
    files = [await file_meant(path) for path in request.widgets]
    widgets = [one for path in files for one in await add_tables(deskpilot.widgets, path)]
    widgets += [await deskpilot.pages.add(url) for url in request.pages]
    widgets += [await documents_meant(deskpilot, named) for named in request.documents]
    if request.voice_in is not None:
        request = replace(request, question=await dictated(deskpilot.sound, request.voice_in))
        printer.heard(request.question)
    if left := deskpilot.pages.missing(request.question):
        printer.offered(left)
    items = asked(deskpilot, request, [widget.uuid for widget in widgets])
    if request.voice_out is None:
        return await printed(printer, items, lambda _: None)
    with WavFile(request.voice_out) as file:
        chosen = await deskpilot.voice.choices.load()
        manner = Manner(chosen.voice, speed=chosen.speed)
        saying, spoken = deskpilot.speech.begin(
            file, manner=manner, tell=printer.spoken, heard_live=False
        )
        try:
            status = await printed(printer, items, saying.item)
            saying.finish()
            await spoken
        finally:
            deskpilot.speech.stop()
            await asyncio.wait({spoken})  # nothing is written once the file is closed
        if saying.failed is not None:
            raise saying.failed
    return status


async def asked(
    deskpilot: Deskpilot, request: AskRequest, widgets: list[str]
) -> AsyncGenerator[Item]:
    """Yield the events in the turn of a question."""
    options: dict[str, object] = {"deskpilot-today": request.today} if request.today else {}
    if not request.copilot:
        options |= await deskpilot.corrections.options()
    offer = offer_for(deskpilot.widgets, widgets, options=options, model=request.model)
    conversation = await deskpilot.history.begin(request.question)
    turn = deskpilot.turns.new_turn(conversation.id, request.question, None)

    async def find() -> Copilot:
        if request.copilot:
            return await deskpilot.copilots.at(request.copilot, request.allowed_hosts)
        return await deskpilot.copilots.local()

    async with aclosing(deskpilot.turns.run([], turn, find, offer)) as items:
        async for item in items:
            yield item


async def printed(
    printer: JsonPrinter | PlainPrinter, items: AsyncGenerator[Item], also: Callable[[Item], None]
) -> int:
    """Print events as they happen; return the exit status."""
    ended = Ended("failed")
    try:
        async with aclosing(items):
            async for item in items:
                printer.item(item)
                also(item)
                if isinstance(item, Ended):
                    ended = item
    except asyncio.CancelledError:
        printer.item(Ended("stopped", "Stopped."))
        raise
    if ended.state == "done":
        return 0
    print(printable(f"{ended.text} {ended.remedy}".strip()), file=sys.stderr)
    return 1


def text_of(chunk: Chunk) -> str:
    """Return the printable part of a chunk: words, and code with its output in fences;
    no pictures.
    """
    if chunk.type == "message":
        return chunk.content or ""
    if chunk.type not in ("code", "console") or chunk.format == "active_line":
        return ""
    if chunk.start:
        return f"\n```{(chunk.format or '') if chunk.type == 'code' else ''}\n"
    return "\n```\n" if chunk.end else chunk.content or ""


class JsonPrinter:
    """One JSON object a line: LMC chunks unchanged, everything else as `{"event": …}`."""

    def item(self, item: Item) -> None:
        """Print one item."""
        if isinstance(item, Chunk):
            line: dict[str, Any] = item.as_dict()
        elif isinstance(item, Thinking | Recalled):
            line = {"event": type(item).__name__.lower(), **asdict(item)}
        else:
            line = {"event": name_of(item), **as_dict(item)}
        self._print(line)

    def heard(self, question: str) -> None:
        """Print the transcript of a recording."""
        self._print({"event": "heard", "text": question})

    def offered(self, urls: list[str]) -> None:
        """Print the addresses of the question that may go along, and do not."""
        self._print({"event": "offered", "urls": urls})

    def spoken(self, piece: SpokenPart) -> None:
        """Print the text for the voice. start, end: its place in the answer, in characters."""
        told = {
            "text": piece.said,
            "start": piece.start,
            "end": piece.end,
            "language": piece.language,
        }
        self._print({"event": "spoken", **told})

    def _print(self, line: dict[str, Any]) -> None:
        print(json.dumps(line, ensure_ascii=False), flush=True)


class PlainPrinter:
    """The answer on stdout: its words as they come, then a line for each cited cell. Warnings on
    stderr.
    """

    def __init__(self, *, with_table: bool = False) -> None:
        self._citations: list[str] = []
        self._warnings: list[str] = []
        self._said = False
        self._unfounded = with_table  # until something was read from the table, or asked about it

    def item(self, item: Item) -> None:
        """Print items that belong to the answer."""
        if isinstance(item, CallResult | Citations) or (
            isinstance(item, Status) and (item.details or item.reading or item.thought)
        ):
            self._unfounded = False
        if isinstance(item, Chunk):
            self._said = self._said or bool(item.content)
            sys.stdout.write(printable(text_of(item)))
            sys.stdout.flush()
        elif isinstance(item, Citations):
            for number, citation in enumerate(item.citations, len(self._citations) + 1):
                where = citation.words()
                if (passage := citation.passage) is not None:
                    label = f" ({passage.label})" if passage.label else ""
                    where = f"{passage.path}, page {passage.page}{label}"
                self._citations.append(printable(f"[{number}] {where}"))
        elif isinstance(item, Recalled):  # what was printed cannot be taken back
            sys.stdout.write("\n\n---\n\n")
        elif isinstance(item, Status) and item.level == "WARNING":
            self._warnings.append(printable(item.message))
        elif isinstance(item, Ended):
            self._end()

    def heard(self, question: str) -> None:
        """Print the transcript of a recording, apart from the answer."""
        print(f"Heard: {printable(question)}", file=sys.stderr)

    def offered(self, urls: list[str]) -> None:
        """Say below the answer which addresses of the question may go along, and did not."""
        self._warnings += [
            f"Not fetched: {printable(u)}. To attach it, add --widget {printable(u)}" for u in urls
        ]

    def spoken(self, piece: SpokenPart) -> None:
        """Print nothing: it is in the answer."""

    def _end(self) -> None:
        if self._said:
            sys.stdout.write("\n" + "".join(f"{line}\n" for line in self._citations))
            sys.stdout.flush()
        if self._said and self._unfounded:
            self._warnings.append("Not answered from your data: these words are the model's own.")
        for warning in self._warnings:  # below the answer, not in it
            print(warning, file=sys.stderr)
