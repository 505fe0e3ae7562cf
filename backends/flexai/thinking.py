"""Keep what a model thinks aloud apart from what it answers: `<think>…</think>` at the start of an answer."""

from __future__ import annotations

from typing import NamedTuple

OPEN, CLOSE = "<think>", "</think>"


class Said(NamedTuple):
    """A piece of an answer. reasoning: what is thought, no part of the answer."""

    text: str = ""
    reasoning: str = ""


class Thinking:
    """Takes the pieces of an answer, cut anywhere; only an answer that begins with the mark has thoughts.

    begun: the mark stands already at the end of the prompt.
    """

    def __init__(self, *, begun: bool = False) -> None:
        self._held = ""
        self._feed = self._thought if begun else self._start

    def feed(self, text: str) -> Said:
        """Take a piece and return what of it is settled."""
        self._held += text
        return self._feed()

    def finish(self) -> Said:
        """Return what is still held, at the end of the answer."""
        held = self._taken()
        if self._feed == self._thought:
            return Said(reasoning=held)
        return Said(held if self._feed == self._start else "")

    def _start(self) -> Said:
        begun = self._held.lstrip()
        if begun.startswith(OPEN):
            self._held, self._feed = begun.removeprefix(OPEN), self._thought
            return self._thought()
        if OPEN.startswith(begun):
            return Said()
        self._feed = self._answer
        return self._answer()

    def _thought(self) -> Said:
        thought, mark, rest = self._held.partition(CLOSE)
        if mark:
            self._held, self._feed = rest, self._after
            return self._after()._replace(reasoning=thought)
        keep = next((n for n in range(len(CLOSE) - 1, 0, -1) if thought.endswith(CLOSE[:n])), 0)
        settled = thought[: len(thought) - keep]
        self._held = thought[len(settled) :]
        return Said(reasoning=settled)

    def _after(self) -> Said:
        self._held = self._held.lstrip()  # templates put empty lines between thought and answer
        if self._held:
            self._feed = self._answer
        return self._answer()

    def _answer(self) -> Said:
        return Said(self._taken())

    def _taken(self) -> str:
        held, self._held = self._held, ""
        return held
