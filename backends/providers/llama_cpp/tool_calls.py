"""Parse the tool calls in a model's text, in the format of each model family."""

from __future__ import annotations

import json
import re
import uuid
from contextlib import suppress
from typing import Any, cast

from backends.flexai.entities import AssistantPromptMessage
from backends.flexai.thoughts import AnswerPiece
from backends.providers.llama_cpp.text import overlap

MARKS = ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>")
ENDS = ("</tool_call>", "```")
NAMED = re.compile(r"\[TOOL_CALLS\]\s*([^\s\[\]{}]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?\[ARGS\]\s*(?={)")
BARE = ("{", "[{", "```json", "```\n{")  # an answer that starts like this may be just a call

ToolCall = AssistantPromptMessage.ToolCall


class CallStream:
    """Passes text on until it could be the start of a call, then holds the rest back until the end.

    names: the tools offered.
    """

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._held = ""
        self._begun = False  # text has already been shown, so the answer is not a bare call
        self._holding = False
        self.mark: str | None = None  # the marker that started a call

    def feed(self, text: str) -> str:
        """Add text, and return the text that cannot be part of a call."""
        if not self._names:
            return text
        self._held += text
        if self._holding:
            return ""
        places = [(at, mark) for mark in MARKS if (at := self._held.find(mark)) >= 0]
        if places:
            self._holding = True
            at, self.mark = min(places)
            return self._show(at)
        if not self._begun:
            start = self._held.lstrip()
            if start.startswith(BARE):
                self._holding = True
                return ""
            if not start or any(bare.startswith(start) for bare in BARE):
                return ""
        return self._show(len(self._held) - max(overlap(self._held, mark) for mark in MARKS))

    def back_to_mark(self) -> None:
        """Discard the text after the marker, because it will be generated again."""
        self._held = self.mark or ""

    def finish(self, text: str = "") -> tuple[str, list[ToolCall]]:
        """Add the last text, and return the remaining text and the calls."""
        shown = self.feed(text)
        rest, calls = find_calls(self._held, self._names)
        return shown + rest, calls

    def _show(self, size: int) -> str:
        shown, self._held = self._held[:size], self._held[size:]
        self._begun = self._begun or bool(shown.strip())
        return shown


def find_calls(text: str, names: set[str]) -> tuple[str, list[ToolCall]]:
    """Return the text without its calls, and the calls; if there are none, the text is
    unchanged.
    """
    decoder = json.JSONDecoder()
    calls: list[ToolCall] = []
    rest, at = "", 0
    while at < len(text):
        if text[at] in "{[":
            named = NAMED.match(text, at)
            try:
                value, end = decoder.raw_decode(text, named.end() if named else at)
            except (ValueError, RecursionError):
                value, end = None, at
            found = read_calls({"name": named[1], "arguments": value} if named else value, names)
            if found:
                calls += found
                at = end
                continue
        rest += text[at]
        at += 1
    if not calls:
        return text, []
    for mark in ("```json", *MARKS, *ENDS):
        rest = rest.replace(mark, "")
    return rest.strip(), calls


def read_calls(value: Any, names: set[str]) -> list[ToolCall]:
    """Return the calls in a JSON value; the list is empty unless all of them are calls of known
    tools.
    """
    calls = [
        read_call(item, names)
        for item in cast("list[Any]", value if isinstance(value, list) else [value])
    ]
    known = [call for call in calls if call is not None]
    return known if len(known) == len(calls) else []


def read_call(value: Any, names: set[str]) -> ToolCall | None:
    """Return a call, or None if the value is not one."""
    if not isinstance(value, dict):
        return None
    said = cast("dict[str, Any]", value)
    said = said["function"] if isinstance(said.get("function"), dict) else said
    name = said.get("name")
    arguments = said.get("arguments", said.get("parameters"))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    if not isinstance(name, str) or name not in names or not isinstance(arguments, dict):
        return None
    function = ToolCall.ToolCallFunction(
        name=name, arguments=json.dumps(arguments, ensure_ascii=False)
    )
    return ToolCall(id=f"call_{uuid.uuid4().hex[:24]}", type="function", function=function)


START, CHANNEL, MESSAGE = "<|start|>", "<|channel|>", "<|message|>"
HARMONY_ENDS = ("<|end|>", "<|call|>", "<|return|>", START, CHANNEL)  # these end a message's text
TO = "to=functions."  # followed by the name of a tool
# possible starts of a header
OPENS = (START, CHANNEL, MESSAGE, "<|constrain|>", "to=", "assistant")
RECIPIENT = re.compile(r"\bto=(?:functions\.)?([^\s<]+)")
ON = re.compile(r"<\|channel\|>\s*(\w+)")


def speaks_harmony(template: str) -> bool:
    """Return whether a model's chat template uses the Harmony format of gpt-oss."""
    return CHANNEL in template and START in template


def begun_by(prompt_end: str) -> str | None:
    """Return the part of the answer's first header that the prompt already contains, or None for
    other formats.
    """
    _, start, begun = prompt_end.rpartition(f"{START}assistant")
    return begun if start and "<|end|>" not in begun else None


class Harmony:
    """Parses an answer that may be split anywhere. names: the tools offered. begun: the part of the
    first header that is already in the prompt.

    calls: the calls made, available after `finish`. mark: the marker that started a call, so that
    the rest can be constrained.
    """

    def __init__(self, names: set[str], begun: str = "") -> None:
        self._names = names
        self._held = begun
        self._head: str | None = None  # header of the current message
        self._words = ""  # text of a call
        self._shown: set[bool] = (
            set()
        )  # how the current message has been shown so far, if at all: as a thought or as text
        self._ended: set[bool] = (
            set()
        )  # how the previous message was shown; a gap separates two messages
        self.calls: list[ToolCall] = []
        self.mark: str | None = None

    def feed(self, text: str) -> AnswerPiece:
        """Add a piece, and return the part of the text that is final."""
        self._held += text
        shown = AnswerPiece()
        while (more := self._step()) is not None:
            shown = joined(shown, more)
        return shown

    def finish(self) -> AnswerPiece:
        """Return the remaining text at the end of the answer."""
        held, self._held = self._held, ""
        if self._head is None:
            return AnswerPiece()  # a header without text
        return joined(self._take(held), self._close())

    def back_to_mark(self) -> None:
        """Discard the text after the marker, because it will be generated again."""
        self._held = self._held[: self._held.rfind(TO) + len(TO)]

    def _step(self) -> AnswerPiece | None:
        """Process one header or message; return None if more text is needed first."""
        if self._head is None:
            return self._read_head()
        places = [(at, end) for end in HARMONY_ENDS if (at := self._held.find(end)) >= 0]
        if not places:
            keep = max(overlap(self._held, end) for end in HARMONY_ENDS)
            words = self._held[: len(self._held) - keep]
            self._held = self._held[len(words) :]
            return self._take(words) if words else None
        at, end = min(places)
        words, self._held = (
            self._held[:at],
            self._held[at + (0 if end in (START, CHANNEL) else len(end)) :],
        )
        shown = joined(self._take(words), self._close())
        self._head = None
        return shown

    def _read_head(self) -> AnswerPiece | None:
        begun = self._held.lstrip()
        if not begun or any(opens.startswith(begun) for opens in OPENS):
            return None
        if not begun.startswith(OPENS):
            self._head = ""  # not a header, so it is shown as text
            return AnswerPiece()
        head, message, rest = self._held.partition(MESSAGE)
        if not message:
            if self._names and TO in head:
                self.mark = TO
            return None
        self._head, self._held = head, rest
        return AnswerPiece()

    @property
    def _recipient(self) -> str | None:
        found = RECIPIENT.search(self._head or "")
        return found[1] if found else None

    def _take(self, words: str) -> AnswerPiece:
        """Return the visible text of a message, or store it if it belongs to a call."""
        if self._recipient is not None:
            self._words += words
            return AnswerPiece()
        on = ON.search(self._head or "")
        thought = on is not None and on[1] == "analysis"
        gap = "\n\n" if words and thought in self._ended else ""
        if words:
            self._shown.add(thought)
            self._ended.discard(thought)
        return AnswerPiece(reasoning=gap + words) if thought else AnswerPiece(gap + words)

    def _close(self) -> AnswerPiece:
        """End a message; if its call is invalid, return it as text."""
        self._ended, self._shown = self._ended | self._shown, set()
        name, words = self._recipient, self._words
        self._words = ""
        if name is None:
            return AnswerPiece()
        arguments: Any = words or "{}"
        with suppress(ValueError):
            arguments = json.loads(arguments)
        call = read_call({"name": name, "arguments": arguments}, self._names)
        if call is None:
            return AnswerPiece(f"{self._head}{MESSAGE}{words}")
        self.calls.append(call)
        return AnswerPiece()


def joined(first: AnswerPiece, then: AnswerPiece) -> AnswerPiece:
    """Return two pieces joined into one."""
    return AnswerPiece(first.text + then.text, first.reasoning + then.reasoning)
