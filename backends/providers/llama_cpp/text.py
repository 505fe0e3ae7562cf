"""From bytes of tokens to text that may be shown: whole characters, nothing past a stop text."""

from __future__ import annotations

import codecs


class TextStream:
    """Decodes token bytes as they come and stops before any of the stop texts.

    Text that could be the beginning of a stop text is held back until that is settled.
    stop: literal texts; regex characters mean themselves.
    """

    def __init__(self, stop: list[str]) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._stop = [text for text in stop if text]
        self._held = ""
        self.stopped = False

    def feed(self, token: bytes) -> str:
        """Take a token's bytes and return the text that can be shown; empty when stopped."""
        return self._settle(self._decoder.decode(token))

    def forget(self) -> None:
        """Forget what is held back."""
        self._decoder.reset()
        self._held = ""

    def finish(self) -> str:
        """Return what is still held back, at the end of the answer."""
        text = self._settle(self._decoder.decode(b"", final=True))
        held, self._held = self._held, ""
        return text + ("" if self.stopped else held)

    def _settle(self, text: str) -> str:
        if self.stopped:
            return ""
        self._held += text
        places = [(at, -len(stop)) for stop in self._stop if (at := self._held.find(stop)) >= 0]
        if places:
            self.stopped = True
            shown, self._held = self._held[: min(places)[0]], ""
            return shown
        keep = max((overlap(self._held, stop) for stop in self._stop), default=0)
        shown, self._held = (
            self._held[: len(self._held) - keep],
            self._held[len(self._held) - keep :],
        )
        return shown


def overlap(text: str, stop: str) -> int:
    """Return the length of the longest end of `text` that begins `stop`."""
    for size in range(min(len(text), len(stop) - 1), 0, -1):
        if stop.startswith(text[-size:]):
            return size
    return 0
