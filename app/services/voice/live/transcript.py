"""What live sound has said so far: words that stay, words that may still change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.voice.clauses import WIDE
from app.services.voice.dictation import as_written

if TYPE_CHECKING:
    from app.domain.sound import LiveStep


class Transcript:
    """Puts utterances together, each as it is heard."""

    def __init__(self) -> None:
        self._finals: list[str] = []
        self._committed = self._open = ""

    def take(self, step: LiveStep) -> bool:
        """Take a step; return whether the words are others now."""
        if step.kind == "final":
            self._committed = self._open = ""
            if text := as_written(step.text, step.language):
                self._finals.append(text)
        elif step.kind == "partial":
            self._committed, self._open = step.committed, step.open
        return step.kind in ("final", "partial")

    @property
    def committed(self) -> str:
        """The words that stay."""
        return joined([*self._finals, self._committed])

    @property
    def open(self) -> str:
        """The words that may change, with the space that parts them from the others."""
        before = self.committed
        return joined([before, self._open])[len(before) :]

    @property
    def text(self) -> str:
        """All words."""
        return self.committed + self.open


def joined(parts: list[str]) -> str:
    """Return texts one after the other, a space between them where their script has one."""
    made = ""
    for part in parts:
        part = part.strip()
        if (
            made
            and part
            and not (WIDE.match(made[-1]) or WIDE.match(part[0]) or made[-1] in "。！？，、")
        ):
            made += " "
        made += part
    return made
