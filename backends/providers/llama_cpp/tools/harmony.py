"""Read answers in OpenAI's harmony form, as gpt-oss writes them: messages on channels, calls to recipients.

`analysis` is thought, `final` is said, `commentary` is said too unless it goes to a tool:
`<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`.
Source: the format's description in openai/harmony (docs/format.md).
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from backends.flexai.thinking import Said
from backends.providers.llama_cpp.text import overlap
from backends.providers.llama_cpp.tools.calls import ToolCall, read_call

START, CHANNEL, MESSAGE = "<|start|>", "<|channel|>", "<|message|>"
ENDS = ("<|end|>", "<|call|>", "<|return|>", START, CHANNEL)  # of the words of a message
TO = "to=functions."  # behind it the name of a tool
OPENS = (START, CHANNEL, MESSAGE, "<|constrain|>", "to=", "assistant")  # what a head may begin with
RECIPIENT = re.compile(r"\bto=(?:functions\.)?([^\s<]+)")
ON = re.compile(r"<\|channel\|>\s*(\w+)")


def speaks_harmony(template: str) -> bool:
    """Tell whether a model's chat template is one of this form."""
    return CHANNEL in template and START in template


def begun_by(prompt_end: str) -> str | None:
    """Return what the prompt has begun of the answer's first head; None for another form."""
    _, start, begun = prompt_end.rpartition(f"{START}assistant")
    return begun if start and "<|end|>" not in begun else None


class Harmony:
    """Takes an answer cut anywhere. names: the tools that were offered. begun: the first head, as far as the prompt has it.

    calls: those that were made, once `finish` was called. mark: what opened one, for its rest to be bound.
    """

    def __init__(self, names: set[str], begun: str = "") -> None:
        self._names = names
        self._held = begun
        self._head: str | None = None  # of the message whose words come now
        self._words = ""  # of a call
        self._shown: set[bool] = (
            set()
        )  # whether of this message anything was shown, as a thought or not
        self._ended: set[bool] = (
            set()
        )  # as what a message before was shown: a gap is put between them
        self.calls: list[ToolCall] = []
        self.mark: str | None = None

    def feed(self, text: str) -> Said:
        """Take a piece and return what of it is settled."""
        self._held += text
        shown = Said()
        while (more := self._step()) is not None:
            shown = joined(shown, more)
        return shown

    def finish(self) -> Said:
        """Return what is still held, at the end of the answer."""
        held, self._held = self._held, ""
        if self._head is None:
            return Said()  # a head without words
        return joined(self._take(held), self._close())

    def back_to_mark(self) -> None:
        """Forget what came behind the mark: it is written again."""
        self._held = self._held[: self._held.rfind(TO) + len(TO)]

    def _step(self) -> Said | None:
        """Go one head or one message on; None if more has to come first."""
        if self._head is None:
            return self._read_head()
        places = [(at, end) for end in ENDS if (at := self._held.find(end)) >= 0]
        if not places:
            keep = max(overlap(self._held, end) for end in ENDS)
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

    def _read_head(self) -> Said | None:
        begun = self._held.lstrip()
        if not begun or any(opens.startswith(begun) for opens in OPENS):
            return None
        if not begun.startswith(OPENS):
            self._head = ""  # no head at all: it is said
            return Said()
        head, message, rest = self._held.partition(MESSAGE)
        if not message:
            if self._names and TO in head:
                self.mark = TO
            return None
        self._head, self._held = head, rest
        return Said()

    @property
    def _recipient(self) -> str | None:
        found = RECIPIENT.search(self._head or "")
        return found[1] if found else None

    def _take(self, words: str) -> Said:
        """Return what of a message's words is shown; those of a call are kept."""
        if self._recipient is not None:
            self._words += words
            return Said()
        on = ON.search(self._head or "")
        thought = on is not None and on[1] == "analysis"
        gap = "\n\n" if words and thought in self._ended else ""
        if words:
            self._shown.add(thought)
            self._ended.discard(thought)
        return Said(reasoning=gap + words) if thought else Said(gap + words)

    def _close(self) -> Said:
        """End a message: return what of a call is none."""
        self._ended, self._shown = self._ended | self._shown, set()
        name, words = self._recipient, self._words
        self._words = ""
        if name is None:
            return Said()
        arguments: Any = words or "{}"
        with suppress(ValueError):
            arguments = json.loads(arguments)
        call = read_call({"name": name, "arguments": arguments}, self._names)
        if call is None:
            return Said(f"{self._head}{MESSAGE}{words}")
        self.calls.append(call)
        return Said()


def joined(first: Said, then: Said) -> Said:
    """Return both together."""
    return Said(first.text + then.text, first.reasoning + then.reasoning)
