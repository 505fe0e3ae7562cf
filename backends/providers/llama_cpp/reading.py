"""From the bytes of tokens to an answer: thoughts apart, calls of tools apart, nothing past a stop
text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.flexai.thinking import Said, Thinking, opened_by
from backends.providers.llama_cpp.text import TextStream
from backends.providers.llama_cpp.tool_calls import CallStream, Harmony, begun_by

if TYPE_CHECKING:
    from backends.providers.llama_cpp.tool_calls import ToolCall


class Reading:
    """Takes an answer token by token.

    stop: texts that end it. names: the tools that were offered. prompt_end: the last of the prompt;
    some templates open the thought themselves.
    """

    def __init__(self, stop: list[str], names: set[str], prompt_end: bytes = b"") -> None:
        self._text = TextStream(stop)
        end = prompt_end.decode("utf-8", "replace")
        begun = begun_by(end)
        self._channels = None if begun is None else Harmony(names, begun)
        self._thinking = self._channels or Thinking(begun=opened_by(end))
        self._calls = CallStream(names)

    @property
    def stopped(self) -> bool:
        """Tell whether a stop text was reached."""
        return self._text.stopped

    @property
    def mark(self) -> str | None:
        """The mark that opened a call of a tool."""
        return (self._channels.mark if self._channels else None) or self._calls.mark

    def back_to_mark(self) -> None:
        """Forget what came behind the mark."""
        self._text.forget()
        if self._channels is not None and self._channels.mark is not None:
            self._channels.back_to_mark()
        else:
            self._calls.back_to_mark()

    def feed(self, token: bytes) -> Said:
        """Take a token's bytes and return what can be shown."""
        said = self._thinking.feed(self._text.feed(token))
        return Said(self._calls.feed(said.text), said.reasoning)

    def finish(self) -> tuple[Said, list[ToolCall]]:
        """Return what is left to show at the end, and the calls."""
        last, held = self._thinking.feed(self._text.finish()), self._thinking.finish()
        rest, calls = self._calls.finish(last.text + held.text)
        found = [*self._channels.calls, *calls] if self._channels else calls
        return Said(rest, last.reasoning + held.reasoning), found
