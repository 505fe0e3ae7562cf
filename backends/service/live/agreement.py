"""Which words of a transcript that is still changing can be shown for good."""

from __future__ import annotations

import re

PART = re.compile(r"\s*(?:[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+)")


class Agreement:
    """Words are committed once two hypotheses in a row agree on them; nothing committed is taken back.

    The last word of a hypothesis is open: the sound may have ended within it.
    """

    def __init__(self) -> None:
        self._before: list[str] = []
        self._committed: list[str] = []

    def add(self, hypothesis: str) -> tuple[str, str]:
        """Return the words that are committed, and the rest of this hypothesis."""
        parts = PART.findall(hypothesis.strip())
        same = 0
        for old, new in zip(self._before[:-1], parts[:-1], strict=False):
            if plain(old) != plain(new):
                break
            same += 1
        if same > len(self._committed):
            kept = len(self._committed)
            self._committed += parts[kept:same]
        self._before = parts
        return "".join(self._committed), "".join(parts[len(self._committed) :])


def plain(part: str) -> str:
    """Return a word as it is compared: capitals and marks may still change."""
    return part.strip().strip(".,;:!?…。，！？、").casefold()
