"""Head and tail of what code printed: what a person is shown, and what a model is told."""

from __future__ import annotations

TOLD = 2800  # characters a model is told
HEAD, TAIL = 20_000, 4_000  # characters a conversation keeps


def head_and_tail(text: str, most: int = TOLD) -> str:
    """Return a text of up to `most` characters, and a line that says how many are left out of a longer one."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n{left_out(len(text) - 2 * half)}\n{text[-half:]}"


def left_out(count: int, where: str = "") -> str:
    """Return the line in the place of what is left out."""
    place = f"; all of it is in {where}" if where else ""
    return f"… {count:,} characters left out{place} …"


class Clip:
    """Lets the head of a stream through and keeps its tail back. total: characters taken."""

    def __init__(self) -> None:
        self.total = 0
        self._shown = 0
        self._tail = ""
        self._first, self._last = "", ""  # what a model is told

    def take(self, text: str) -> str:
        """Take the next characters; return those that are shown at once."""
        self._first += text[: TOLD - len(self._first)]
        self._last = (self._last + text)[-TOLD // 2 :]
        self.total += len(text)
        now = text[: HEAD - self._shown]
        self._shown += len(now)
        self._tail = (self._tail + text[len(now) :])[-TAIL:]
        return now

    def rest(self, where: str) -> str:
        """Return what is shown at the end: how much was left out, and the tail. where: a file that has all of it."""
        hidden = self.total - self._shown - len(self._tail)
        return f"\n{left_out(hidden, where)}\n{self._tail}" if hidden > 0 else self._tail

    def for_model(self) -> str:
        """Return head and tail as a model is told them."""
        if self.total <= TOLD:
            return self._first
        return f"{self._first[: TOLD // 2]}\n{left_out(self.total - 2 * (TOLD // 2))}\n{self._last}"
