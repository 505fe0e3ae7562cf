"""The text that goes into and comes out of a model.

Token bytes are decoded to complete characters, and the text is cut at stop texts. Special tokens in
messages are neutralized, so that `<|im_end|>` in a text does not end the turn.
"""

from __future__ import annotations

import codecs
import re
import secrets
from typing import Any, cast


class TextStream:
    """Decodes token bytes as they arrive, and stops before a stop text.

    Text that may be the start of a stop text is held back until this is certain. stop: literal
    texts, not patterns.
    """

    def __init__(self, stop: list[str]) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._stop = [text for text in stop if text]
        self._held = ""
        self.stopped = False

    def feed(self, token: bytes) -> str:
        """Add a token's bytes and return the text that can be shown; it is empty after a stop
        text.
        """
        return self._settle(self._decoder.decode(token))

    def forget(self) -> None:
        """Discard the text that is held back."""
        self._decoder.reset()
        self._held = ""

    def finish(self) -> str:
        """Return the remaining text at the end of the answer, without an incomplete character."""
        self._decoder.reset()  # the token limit may cut the answer between the bytes of a character
        return self._settle("", at_end=True)

    def _settle(self, text: str, *, at_end: bool = False) -> str:
        if self.stopped:
            return ""
        self._held += text
        keep = 0 if at_end else max((overlap(self._held, stop) for stop in self._stop), default=0)
        open_from = len(self._held) - keep
        found = min((at for stop in self._stop if (at := self._held.find(stop)) >= 0), default=None)
        # a stop text that began earlier may still become complete
        if found is not None and (not keep or found <= open_from):
            self.stopped = True
            shown, self._held = self._held[:found], ""
            return shown
        shown, self._held = self._held[:open_from], self._held[open_from:]
        return shown


def overlap(text: str, stop: str) -> int:
    """Return the length of the longest end of `text` that is a start of `stop`."""
    for size in range(min(len(text), len(stop) - 1), 0, -1):
        if stop.startswith(text[-size:]):
            return size
    return 0


# inserted into a name; the prompt is later split there. No outside text can contain it
BREAK = f"~{secrets.token_hex(8)}~"


class PlainText:
    """Splits the names of special tokens that occur in texts.

    control: the names of tokens that structure a conversation. named: the names of other special
    tokens that the template uses; models write these themselves, so they are not split in an
    assistant's messages.
    """

    def __init__(self, control: list[str], named: list[str]) -> None:
        self._control = starts_of(control)
        self._all = starts_of([*control, *named])

    def messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return messages in the form that chat templates expect, with the names of special tokens
        in their texts split.
        """
        return [
            broken(message, self._control if message.get("role") == "assistant" else self._all)
            for message in messages
        ]

    def tools(self, tools: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
        """Return descriptions of tools, with the names of special tokens in their texts split."""
        return [broken(tool, self._all) for tool in tools] if tools else tools


def starts_of(names: list[str]) -> re.Pattern[str]:
    """Return a pattern for the first character of each name. Names of a single character cannot be
    split.
    """
    known = sorted({name for name in names if len(name) > 1})
    if not known:
        return re.compile(r"(?!)")
    begins = "".join(sorted({re.escape(name[0]) for name in known}))
    return re.compile(
        f"[{begins}](?:{'|'.join(f'(?<={re.escape(n[0])})(?={re.escape(n[1:])})' for n in known)})",
        re.S,
    )


def broken(value: Any, starts: re.Pattern[str]) -> Any:
    """Return a value in which the names are split in all texts."""
    if isinstance(value, str):
        return starts.sub(lambda found: found[0] + BREAK, value)
    if isinstance(value, list):
        return [broken(item, starts) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        return {broken(key, starts): broken(item, starts) for key, item in told.items()}
    return value


def pieces(prompt: str) -> list[str]:
    """Split a prompt into the pieces that are tokenized separately."""
    return prompt.split(BREAK)
