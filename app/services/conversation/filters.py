"""Filters between a copilot and the turn: they separate thoughts from the answer and withhold
harmful text.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from app.domain.conversation import Caps
from app.domain.errors import CapReached, DeskpilotError, ModerationFailed, Withheld
from app.domain.events import (
    Artifact,
    CallResult,
    Citations,
    CopilotCall,
    Ended,
    Rateable,
    Recalled,
    Status,
    Suggestions,
    Thinking,
    Thought,
    is_thought_begun,
    thought_begun,
    thought_ended,
    thought_in,
)
from app.domain.settings import CHECK, MODERATION_MODEL, PASS
from app.domain.stream import Chunk, Message

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, RequestOffer
    from app.domain.events import Event, Item
    from app.services.ports import AskPort, ModelsPort
    from app.services.settings import Settings

MARKS = {  # the marks that open a thought at the beginning of a line, and those that close it
    "<think>": "</think>",  # used by Qwen, DeepSeek, SmolLM3 and most others
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "[THINK]": "[/THINK]",  # used by Mistral
}
LONGEST = 200  # characters that a line needs before it is clear whether it is a fence
CLOSING_MARKS = tuple(MARKS.values())
END = re.compile("|".join(map(re.escape, CLOSING_MARKS)))
QUOTES = ("", *"\"'`([{“‘«„「『")
# maximum length of the part of a mark that can be at the end of the text so far
TAIL = max(map(len, (*MARKS, *CLOSING_MARKS))) - 1
FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")


class AnswerPart(NamedTuple):
    """A part of the answer, or of a thought. The kind `closed` comes once after each thought. The
    kind `recalled` means that all text so far is a thought.
    """

    kind: Literal["said", "thought", "closed", "recalled"]
    text: str = ""


class ThoughtReader:
    """Splits the text of one answer into answer and thoughts. A mark counts only at the beginning
    of a line and outside fences. Elsewhere, it is taken as a quotation. A thought that is never
    closed extends to the end. Many templates open the thought in the prompt, so a closing mark
    without an opening one turns all text before it into a thought.

    opened: whether opening marks are recognised. If not, only closing marks without an opening one
    are recognised.
    """

    def __init__(self, *, opened: bool = True) -> None:
        self._opens = MARKS if opened else dict[str, str]()
        # whether an opening mark was seen, in which case a closing one is its end or plain text
        self._seen = False
        self._tail = ""  # the end of the text so far, where a mark may begin
        self._held = ""
        self._closes = ""  # the closing mark of the open thought
        self._line = ""  # the part of the answer's current line that has been passed on
        self._ticks = 0  # length of the open run of backticks in that line
        self._fence = ""
        self._bare = True  # whether there has been no text yet, or none since a thought
        # whether a thought has just ended, so that the answer must not start with an empty line
        self._behind = False

    @property
    def thinks(self) -> bool:
        """Return whether a thought is open."""
        return bool(self._closes)

    def feed(self, text: str) -> list[AnswerPart]:
        """Return the parts that a piece of text completes."""
        self._held += text
        made: list[AnswerPart] = []
        while self._held and (self._think(made) if self._closes else self._say(made)):
            pass
        return made

    def finish(self) -> list[AnswerPart]:
        """Return the remaining parts at the end of the answer, and reset the state for the next
        answer."""
        kind = "thought" if self._closes else "said"
        made = [AnswerPart(kind, self._held)] if self._held else []
        made += [AnswerPart("closed")] if self._closes else []
        self._held = self._closes = self._line = self._fence = ""
        self._ticks = 0
        self._bare, self._behind, self._seen, self._tail = True, False, False, ""
        return made

    def _think(self, made: list[AnswerPart]) -> bool:
        """Read the text of a thought, and return whether more of the buffer can be processed."""
        thought, mark, rest = self._held.partition(self._closes)
        if mark:
            made += [AnswerPart("thought", thought), AnswerPart("closed")]
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
            made.append(AnswerPart("thought", settled))
        return False

    def _say(self, made: list[AnswerPart]) -> bool:
        """Process the next line, or its beginning, and return whether more of the buffer can be
        processed.
        """
        if not self._line and not self._fence:
            lead = self._held.lstrip() if self._bare else self._held.lstrip(" \t")
            opens = next((mark for mark in self._opens if lead.startswith(mark)), None)
            if opens is not None:
                self._held, self._closes = lead.removeprefix(opens), MARKS[opens]
                self._seen = True
                return True
            if (self._behind and not lead) or any(mark.startswith(lead) for mark in self._opens):
                return False  # it may become a mark
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

    def _recall(self, end: re.Match[str], made: list[AnswerPart]) -> bool:
        """Read a closing mark that has no opening mark. Return whether it really is a mark and not
        part of the text.
        """
        before, after = (self._line + self._held[: end.start()])[-1:], self._held[end.end() :][:1]
        glued = (
            not before.isspace() and before not in QUOTES and bool(after) and not after.isspace()
        )
        alone = not (self._line + self._held[: end.start()]).strip() or after in ("", "\n", "\r")
        if not alone and not glued:
            return False
        made += [AnswerPart("said", self._held[: end.start()]), AnswerPart("recalled")]
        self._held, self._line, self._fence, self._ticks = self._held[end.end() :], "", "", 0
        self._seen = self._bare = self._behind = True
        return True

    def _pass(self, line: str, newline: str, made: list[AnswerPart]) -> bool:
        """Pass on the beginning of the buffer, and update the state for the rest. Return whether
        more is buffered.
        """
        made += [AnswerPart("said", line + newline)] if line or newline else []
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
        """Return a possible closing mark of a thought that was not opened, or None inside code.

        line: the text after `self._line`.
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
    """Return how many characters at the end of a line could be the beginning of a closing mark."""
    return next(
        (
            n
            for n in range(min(TAIL, len(line)), 0, -1)
            if any(mark.startswith(line[-n:]) for mark in CLOSING_MARKS)
        ),
        0,
    )


class AnswerThoughts:
    """Processes the items of one answer. limit: the maximum number of characters in all thoughts
    together. ours: whether the copilot's service already separates thoughts whose beginning is
    marked, using each model's own marks.
    """

    def __init__(self, limit: int, *, ours: bool = False) -> None:
        self._reading, self._limit, self._ours = ThoughtReader(opened=not ours), limit, ours
        self._words = Chunk("assistant", "message", "")
        self._began: float | None = None  # of the thought, or of text that may turn out to be one
        self._thought: list[str] = []

    def take(self, item: Item) -> Iterator[Item]:
        """Yield the items into which an item is converted."""
        if is_words(item):
            assert isinstance(item, Chunk)
            self._words = item
            yield from self._items(self._reading.feed(item.content))
            return
        if self._ours and isinstance(item, Status) and item.hidden and is_thought_begun(item):
            yield Thinking(thought_in(item))
            return
        if isinstance(item, Chunk | CopilotCall) or not self._reading.thinks:
            yield from self.finish()  # a step within a thought does not end it
        self._began = None if isinstance(item, CopilotCall) else self._began
        yield item

    def finish(self) -> Iterator[Item]:
        """Yield the remaining items."""
        yield from self._items(self._reading.finish())

    def _items(self, pieces: list[AnswerPart]) -> Iterator[Item]:
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
            yield thought_ended(thought, self._seconds())

    def _think(self, text: str) -> Iterator[Item]:
        if not self._thought:
            text = text.lstrip()  # models that do not need to think leave it empty
            if not text:
                return
            self._began = time.monotonic()
            yield thought_begun()
        self._thought.append(text)
        self._limit -= len(text)
        if self._limit < 0:
            raise CapReached(
                "The answer grew without end, so the connection was closed.",
                "Use another copilot.",
                cap="characters",
            )
        yield Thinking(text)

    def _seconds(self) -> int:
        """Return the duration of a thought in seconds, at least 1, and restart the clock."""
        began, self._began = self._began, None
        return max(1, round(time.monotonic() - began)) if began is not None else 1


def is_words(item: Item) -> bool:
    """Return whether an item is text of the answer. Flags that separate messages are not."""
    if not isinstance(item, Chunk) or item.start or item.end:
        return False
    return (item.role, item.type) == ("assistant", "message") and isinstance(item.content, str)


def parted(message: Message) -> list[Message | Event]:
    """Return an imported message with its thoughts as steps before its text."""
    if (message.role, message.type) != ("assistant", "message") or not isinstance(
        message.content, str
    ):
        return [message]
    reading, said, thoughts, thought = ThoughtReader(), "", list[Status](), ""
    for piece in [*reading.feed(message.content), *reading.finish()]:
        if piece.kind in ("said", "thought"):
            said += piece.text * (piece.kind == "said")
            thought += piece.text * (piece.kind == "thought")
            continue
        thought, said = (said, "") if piece.kind == "recalled" else (thought, said)
        thoughts += (
            [Status("INFO", "Thought", thought=Thought(thought.strip()))] if thought.strip() else []
        )
        thought = ""
    return [*thoughts, replace(message, content=said)] if thoughts else [message]


ROUTE = "/v1/moderations"
OFF = "Or turn the check off in the settings (moderation.check)."


class Guardian:
    """Asks the guard model that is chosen in the settings. If a check fails, the text is
    withheld."""

    def __init__(self, settings: Settings, manage: ModelsPort) -> None:
        self._settings = settings
        self._manage = manage

    async def watches(self) -> bool:
        """Return whether texts are to be checked.

        Raises: SetupError.
        """
        return await self._settings.get(CHECK)

    async def check(self, what: str, text: str) -> None:
        """Check a text, and return normally if it is allowed. what: `question` or `answer`.

        Raises: Withheld if the text is harmful in a way that is not allowed; ModerationFailed if it
        could not be checked.
        """
        if not text.strip():
            return
        body: dict[str, Any] = {"input": text}
        if model := await self._settings.get(MODERATION_MODEL):
            body["model"] = model
        held = "not sent" if what == "question" else "withheld"
        try:
            told = await self._manage.send("POST", ROUTE, body)
            found = harms(told)
        except DeskpilotError as error:
            raise ModerationFailed(
                f"The {what} was {held} because it could not be checked: {error.text}",
                f"{error.remedy} {OFF}",
            ) from error
        allowed = {name.casefold() for name in await self._settings.get(PASS)}
        if found is None or (found and all(name.casefold() in allowed for name in found)):
            return
        about = f", in the category {', '.join(found)}" if found else ""
        raise Withheld(
            f"The {what} was {held}: the guard model classified it as harmful{about}.",
            "Rephrase it, or change the allowed categories in the settings (moderation).",
        )


def harms(told: dict[str, Any]) -> list[str] | None:
    """Return the kinds of harm found, or an empty list if the model does not name them. Return None
    if there is no harm.

    Raises: ModerationFailed if the answer is not a verdict.
    """
    results = told.get("results")
    if (
        not isinstance(results, list)
        or len(results) != 1
        or not isinstance(results[0].get("flagged"), bool)
    ):
        raise ModerationFailed("The guard model returned no verdict.", "Choose another one.")
    kinds = results[0].get("categories") or {}
    return [name for name, found in kinds.items() if found] if results[0]["flagged"] else None


PIECE = 300  # smallest number of characters in an answer that are checked together
BEFORE = 2000  # number of preceding characters that are checked together with a piece
ENDS = (".", "!", "?", "\n", "。", "！", "？", "…")


class AnswerFilter:
    """Sends questions to copilots. Thoughts are removed from their answers, and are therefore not
    spoken, cited or sent back. If the guardian is active, only checked text is passed on.
    """

    def __init__(
        self,
        port: AskPort,
        caps: Caps = Caps(),  # noqa: B008 - frozen
        guardian: Guardian | None = None,
    ) -> None:
        self._port, self._caps, self._guardian = port, caps, guardian

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        """Yield an answer in pieces that were checked, with its thoughts as steps.

        Raises: CopilotError; CapReached if a thought does not end; Withheld and ModerationFailed
        before the text that is withheld.
        """
        held = await self._watch(turns)
        told = AnswerThoughts(self._caps.characters, ours=copilot.is_ours)
        failed: DeskpilotError | None = None
        async with aclosing(self._port.ask(copilot, turns, offer)) as answer:
            try:
                async for item in answer:
                    for checked in (item,) if held is None else await held.take(item):
                        for passed in told.take(checked):
                            yield passed
            except DeskpilotError as error:
                failed = error
        try:  # keep the text and thoughts received before an interruption
            left = [] if held is None else await held.release()
        except DeskpilotError as error:
            left, failed = [], error
        for checked in left:
            for passed in told.take(checked):
                yield passed
        for passed in told.finish():
            yield passed
        if failed is not None:
            raise failed

    async def _watch(self, turns: list[Turn]) -> UncheckedAnswer | None:
        """Check a new question. Return the object that holds back its answer, or None if nothing is
        checked.

        Raises: Withheld, ModerationFailed, SetupError.
        """
        if self._guardian is None or not await self._guardian.watches():
            return None
        if not any(isinstance(item, CallResult) for item in turns[-1].items):
            await self._guardian.check("question", turns[-1].question)
        return UncheckedAnswer(self._guardian)


class UncheckedAnswer:
    """The part of a copilot's answer that has not been checked yet."""

    def __init__(self, guardian: Guardian) -> None:
        self.items: list[Item] = []
        self._guardian = guardian
        self._before = ""

    @property
    def words(self) -> str:
        """Return the unchecked text that the user could see or hear."""
        return "".join(map(words_of, self.items))

    async def take(self, item: Item) -> list[Item]:
        """Hold back an item, and return the items that can be passed on now.

        Raises: Withheld, ModerationFailed.
        """
        self.items.append(item)
        return await self.release() if ripe(self.words) else []

    async def release(self) -> list[Item]:
        """Check the held items, with the text before them, and return them.

        Raises: Withheld, ModerationFailed.
        """
        if self.words.strip():
            await self._guardian.check("answer", self._before + self.words)
        self._before = (self._before + self.words)[-BEFORE:]
        released, self.items = self.items, []
        return released


def ripe(words: str) -> bool:
    """Return whether there is enough text to check: complete sentences, or a long sentence without
    an end.
    """
    return len(words) >= PIECE and (words.rstrip(" ").endswith(ENDS) or len(words) >= 4 * PIECE)


def words_of(item: Item) -> str:
    """Return the part of an item that the user can see or hear."""
    match item:
        case Chunk():
            return item.content if isinstance(item.content, str) else ""
        case Status():
            made = "".join(map(words_of, item.artifacts))
            reading = item.reading
            readings = [reading, *reading.alternatives] if reading is not None else []
            read = " ".join(texts(one.wire) for one in readings)
            return f"\n{item.message} {read} {thought_in(item)} {texts(item.details)}\n{made}"
        case CopilotCall():
            return f"\n{texts(item.arguments)}\n"
        case Artifact():
            return f"\n{item.name} {item.description} {texts(item.content)} {texts(item.chart)}\n"
        case Suggestions():
            return "\n" + "\n".join(item.suggestions) + "\n"
        case Citations():
            return (
                "\n"
                + " ".join(
                    f"{c.name} {texts(c.value)} {texts(c.details)} {c.quote()}"
                    for c in item.citations
                )
                + "\n"
            )
        case Thinking():
            return item.text
        case CallResult() | Rateable() | Ended() | Recalled():
            return ""


def texts(value: Any) -> str:
    """Return the strings in a value. Numbers are left out, because they are harmless."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return " ".join(filter(None, map(texts, value.values())))
    if isinstance(value, list):
        return " ".join(filter(None, map(texts, value)))
    return (
        ""
        if value is None or isinstance(value, bool | int | float)
        else json.dumps(value, default=str)
    )
