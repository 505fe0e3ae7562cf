"""What copilots think aloud, kept apart from what they answer: each thought becomes a step that
holds it.
"""

from __future__ import annotations

import re
import time
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from app.domain.conversation import Caps
from app.domain.errors import Capped, DeskpilotError
from app.domain.events import Call, Recalled, Status, Thinking
from app.domain.stream import Chunk, Message
from app.domain.thoughts import begun, ended, is_begun, thought_in

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Offer
    from app.domain.events import Event, Item
    from app.services.ports import AskPort


MARKS = {  # what opens a thought at the beginning of a line, and what closes it
    "<think>": "</think>",  # Qwen, DeepSeek, SmolLM3 and most others
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "[THINK]": "[/THINK]",  # Mistral
}
LONGEST = 200  # characters of a line that could be a fence
ENDS = tuple(MARKS.values())
END = re.compile("|".join(map(re.escape, ENDS)))
QUOTES = ("", *"\"'`([{“‘«„「『")
TAIL = max(map(len, (*MARKS, *ENDS))) - 1  # characters of a mark that may still come
FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")


class Piece(NamedTuple):
    """Words of the answer, or a part of a thought; `closed` comes once behind each thought.
    `recalled`: all that was said so far is one.
    """

    kind: Literal["said", "thought", "closed", "recalled"]
    text: str = ""


class Reading:
    """Takes the words of one answer. A mark counts at the beginning of a line, outside of fences:
    elsewhere it is quoted. A thought that is never closed lasts to the end. Many templates open it
    in the prompt: where nothing has opened one, what closes one makes a thought of all that was
    said.

    opened: whether marks that open a thought are looked for; else only those that close one nothing
    has opened.
    """

    def __init__(self, *, opened: bool = True) -> None:
        self._opens = MARKS if opened else dict[str, str]()
        self._seen = False  # something that opens a thought: what closes one is its end, or words
        self._tail = ""  # the last that was said, in which a mark may begin
        self._held = ""
        self._closes = ""  # of the thought that is open
        self._line = ""  # of the answer, as far as it was passed on
        self._ticks = 0  # in that line
        self._fence = ""
        self._bare = True  # nothing was said yet, or nothing since a thought
        self._behind = False  # a thought, whose end the answer does not begin with an empty line

    @property
    def thinks(self) -> bool:
        """Whether a thought is open."""
        return bool(self._closes)

    def feed(self, text: str) -> list[Piece]:
        """Return what a piece settles."""
        self._held += text
        made: list[Piece] = []
        while self._held and (self._think(made) if self._closes else self._say(made)):
            pass
        return made

    def finish(self) -> list[Piece]:
        """Return what is left, at the end of the answer; the next one begins anew."""
        kind = "thought" if self._closes else "said"
        made = [Piece(kind, self._held)] if self._held else []
        made += [Piece("closed")] if self._closes else []
        self._held = self._closes = self._line = self._fence = ""
        self._ticks = 0
        self._bare, self._behind, self._seen, self._tail = True, False, False, ""
        return made

    def _think(self, made: list[Piece]) -> bool:
        """Take what is thought; return whether more can be settled."""
        thought, mark, rest = self._held.partition(self._closes)
        if mark:
            made += [Piece("thought", thought), Piece("closed")]
            self._held, self._closes, self._line = rest, "", ""
            self._bare = self._behind = True
            return True
        keep = next(
            (n for n in range(len(self._closes) - 1, 0, -1) if thought.endswith(self._closes[:n])),
            0,
        )
        settled = thought[: len(thought) - keep]
        self._held = thought[len(settled) :]
        if settled:
            made.append(Piece("thought", settled))
        return False

    def _say(self, made: list[Piece]) -> bool:
        """Take the next line, or its beginning; return whether more can be settled."""
        if not self._line and not self._fence:
            lead = self._held.lstrip() if self._bare else self._held.lstrip(" \t")
            opens = next((mark for mark in self._opens if lead.startswith(mark)), None)
            if opens is not None:
                self._held, self._closes = lead.removeprefix(opens), MARKS[opens]
                self._seen = True
                return True
            if (self._behind and not lead) or any(mark.startswith(lead) for mark in self._opens):
                return False  # it may become one
            if self._behind:
                self._held, self._behind = lead, False
        line, newline, _ = self._held.partition("\n")
        if (end := self._end_in(line)) is not None:
            kept = 0 if newline else len(line) - end.start()
            if not kept or end.end() < len(line) or not (self._line + line[: end.start()]).strip():
                return self._recall(end, made) or self._pass(line[: end.end()], "", made)
        else:
            kept = 0 if newline or self._seen else begun_in(line)
        return self._pass(line[: len(line) - kept], newline, made) and not kept

    def _recall(self, end: re.Match[str], made: list[Piece]) -> bool:
        """Take what closes a thought that nothing has opened; return whether that is what it is,
        and no word.
        """
        before, after = (self._line + self._held[: end.start()])[-1:], self._held[end.end() :][:1]
        glued = (
            not before.isspace() and before not in QUOTES and bool(after) and not after.isspace()
        )
        alone = not (self._line + self._held[: end.start()]).strip() or after in ("", "\n", "\r")
        if not alone and not glued:
            return False
        made += [Piece("said", self._held[: end.start()]), Piece("recalled")]
        self._held, self._line, self._fence, self._ticks = self._held[end.end() :], "", "", 0
        self._seen = self._bare = self._behind = True
        return True

    def _pass(self, line: str, newline: str, made: list[Piece]) -> bool:
        """Say the beginning of what is held, and remember of it what matters to what follows;
        return whether more is held.
        """
        made += [Piece("said", line + newline)] if line or newline else []
        self._held = self._held[len(line) + len(newline) :]
        self._line += line if len(self._line) < LONGEST else ""
        self._ticks += line.count("`")
        self._bare = self._bare and not line and not newline
        around = self._tail + line
        self._seen = self._seen or any(mark in around for mark in MARKS)
        self._tail = around[-TAIL:]
        if newline:
            self._end_line()
        return bool(self._held)

    def _end_in(self, line: str) -> re.Match[str] | None:
        """Return what may close a thought that nothing has opened; nothing for what is quoted as
        code is.

        line: what stands behind `self._line`.
        """
        found = None if self._seen else END.search(line)
        if found is None or any(mark in self._tail + line[: found.start()] for mark in MARKS):
            return None
        before = line[: found.start()]
        quoted = (
            bool((self._line + before).strip())
            if self._fence
            else (self._ticks + before.count("`")) % 2
        )
        return None if quoted else found

    def _end_line(self) -> None:
        mark = FENCE.match(self._line)
        if mark and not self._fence:
            self._fence = mark[1]
        elif mark and mark[1].startswith(self._fence) and self._line.strip() == mark[1]:
            self._fence = ""
        self._line, self._ticks = "", 0


def begun_in(line: str) -> int:
    """Return how many characters at the end of a line may be the beginning of what closes a
    thought.
    """
    return next(
        (
            n
            for n in range(min(TAIL, len(line)), 0, -1)
            if any(mark.startswith(line[-n:]) for mark in ENDS)
        ),
        0,
    )


class Apart:
    """Asks copilots; what they think aloud is kept out of their words, and so out of what is
    spoken, cited and sent back to them.
    """

    def __init__(self, port: AskPort, caps: Caps = Caps()) -> None:  # noqa: B008 - frozen
        self._port, self._caps = port, caps

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: Offer
    ) -> AsyncGenerator[Item, None]:
        """Yield an answer, its thoughts as steps.

        Raises: CopilotError; Capped for a thought without end.
        """
        told = Told(self._caps.characters, ours=copilot.is_ours)
        async with aclosing(self._port.ask(copilot, turns, offer)) as answer:
            try:
                async for item in answer:
                    for passed in told.take(item):
                        yield passed
            except DeskpilotError:
                for passed in told.finish():  # what was thought before it broke off is kept
                    yield passed
                raise
        for passed in told.finish():
            yield passed


class Told:
    """The items of one answer on their way. limit: characters of all thoughts together. ours: its
    service keeps them apart by the marks of each model, as far as anything marks where they begin.
    """

    def __init__(self, limit: int, *, ours: bool = False) -> None:
        self._reading, self._limit, self._ours = Reading(opened=not ours), limit, ours
        self._words = Chunk("assistant", "message", "")
        self._began: float | None = (
            None  # of the thought, or of the words that may turn out to be one
        )
        self._thought: list[str] = []

    def take(self, item: Item) -> Iterator[Item]:
        """Yield what an item brings."""
        if is_words(item):
            assert isinstance(item, Chunk)
            self._words = item
            yield from self._items(self._reading.feed(item.content))
            return
        if self._ours and isinstance(item, Status) and item.hidden and is_begun(item):
            yield Thinking(thought_in(item))
            return
        if isinstance(item, Chunk | Call) or not self._reading.thinks:
            yield from self.finish()  # a step within a thought does not end it
        self._began = None if isinstance(item, Call) else self._began
        yield item

    def finish(self) -> Iterator[Item]:
        """Yield what is left."""
        yield from self._items(self._reading.finish())

    def _items(self, pieces: list[Piece]) -> Iterator[Item]:
        for kind, parts in groupby(pieces, lambda piece: piece.kind):
            yield from self._item(kind, "".join(part.text for part in parts))

    def _item(self, kind: str, text: str) -> Iterator[Item]:
        if kind == "said":
            self._began = time.monotonic() if self._began is None else self._began
            yield replace(self._words, content=text)
        elif kind == "recalled":
            yield Recalled(self._seconds())
        elif kind == "thought":
            yield from self._think(text)
        elif self._thought:
            thought, self._thought = "".join(self._thought), []
            yield ended(thought, self._seconds())

    def _think(self, text: str) -> Iterator[Item]:
        if not self._thought:
            text = text.lstrip()  # models that need not think leave it empty
            if not text:
                return
            self._began = time.monotonic()
            yield begun()
        self._thought.append(text)
        self._limit -= len(text)
        if self._limit < 0:
            raise Capped(
                "The answer grew without end and was closed.",
                "Use another copilot.",
                cap="characters",
            )
        yield Thinking(text)

    def _seconds(self) -> int:
        """Return how long a thought took, at least a second; what follows begins anew."""
        began, self._began = self._began, None
        return max(1, round(time.monotonic() - began)) if began is not None else 1


def is_words(item: Item) -> bool:
    """Tell whether an item is words of the answer; flags that part messages are none."""
    if not isinstance(item, Chunk) or item.start or item.end:
        return False
    return (item.role, item.type) == ("assistant", "message") and isinstance(item.content, str)


def parted(message: Message) -> list[Message | Event]:
    """Return a message of a file, its thoughts as steps before its words."""
    if (message.role, message.type) != ("assistant", "message") or not isinstance(
        message.content, str
    ):
        return [message]
    reading, said, thoughts, thought = Reading(), "", list[Status](), ""
    for piece in [*reading.feed(message.content), *reading.finish()]:
        if piece.kind in ("said", "thought"):
            said += piece.text * (piece.kind == "said")
            thought += piece.text * (piece.kind == "thought")
            continue
        thought, said = (said, "") if piece.kind == "recalled" else (thought, said)
        thoughts += (
            [Status("INFO", "Thought", [{"thought": thought.strip()}])] if thought.strip() else []
        )
        thought = ""
    return [*thoughts, replace(message, content=said)] if thoughts else [message]
