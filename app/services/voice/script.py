"""What a voice says of an answer while it streams: text in deltas, pieces for the ear out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.voice.blocks import Blocks
from app.services.voice.clauses import Splitter
from app.services.voice.ear import for_ear
from app.services.voice.languages import LANGUAGES, abbreviations, language_of, note_of

if TYPE_CHECKING:
    from app.services.voice.blocks import Block, Kind


@dataclass(frozen=True)
class Piece:
    """One thing to say. start, end: of its source in the answer, in characters; said: what the voice is given."""

    start: int
    end: int
    said: str
    language: str


class Script:
    """Makes pieces of an answer; those of which nothing is said are left out.

    language: what the answer is in until a piece shows another one.
    """

    def __init__(self, language: str = "en") -> None:
        self._blocks = Blocks()
        self._splitter = Splitter(abbreviations())
        self._language = language if language in LANGUAGES else "en"
        self._at = 0
        self._notes: list[str] = []

    def note(self, message: str) -> None:
        """Take a step the copilot told of: where it says what the answer is from, that is said before the next piece."""
        self._notes.append(message)

    def feed(self, delta: str) -> list[Piece]:
        """Return the pieces that a delta completes."""
        return self._read(self._blocks.feed(delta))

    def hurry(self) -> list[Piece]:
        """Return a piece of a sentence that is not whole yet, if there is enough of it."""
        return self._pieces("prose", self._splitter.hurry())

    def finish(self) -> list[Piece]:
        """Return what is left at the answer's end."""
        return [*self._read(self._blocks.finish()), *self._pieces("prose", self._splitter.flush())]

    def _read(self, blocks: list[Block]) -> list[Piece]:
        made: list[Piece] = []
        for block in blocks:
            if block.kind == "prose":
                made += self._pieces("prose", self._splitter.feed(block.text))
            else:
                made += self._pieces("prose", self._splitter.flush())
                made += self._pieces(block.kind, [block.text])
        return made

    def _pieces(self, kind: Kind, texts: list[str]) -> list[Piece]:
        made: list[Piece] = []
        for text in texts:
            start, self._at = self._at, self._at + len(text)
            if kind == "prose":
                self._language = language_of(text, self._language)
            if said := for_ear(kind, text, self._language):
                inner = start + len(text) - len(text.lstrip())
                notes, self._notes = self._notes, []
                for note in filter(None, (note_of(message, self._language) for message in notes)):
                    made.append(Piece(inner, inner, note, self._language))
                made.append(Piece(inner, inner + len(text.strip()), said, self._language))
        return made
