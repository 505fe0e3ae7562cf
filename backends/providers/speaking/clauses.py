"""Text cut into pieces to speak one after another: a short first one, so that the voice begins soon."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = (
    240  # characters of a piece; a text without a full stop is cut at commas, then between words
)
FIRST_LONGEST = 80
FIRST_WORDS = 4  # a first piece may end at a comma once it has as many words
FIRST_WIDE = 8  # or as many characters of a script without spaces
BOUNDARY = re.compile(
    r"(?P<sentence>[.!?…]+[\"'”’)\]]*(?=\s|\Z)|[。！？]+[”’」』）]*|\n+)|(?P<clause>[,;:–—]+(?=\s|\Z)|[，；：、]+)"
)
# A full stop behind these ends no sentence; nor does one behind a list's number or an initial.
ENGLISH = (
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "st",
    "fig",
    "vs",
    "etc",
    "e.g",
    "i.e",
    "cf",
    "approx",
    "dept",
)
OTHERS = ("z.b", "d.h", "bzw", "ca", "nr", "hr", "fr", "str", "m", "mme")
ABBREVIATIONS = frozenset((*ENGLISH, *OTHERS))
LAST_WORD = re.compile(r"(\S+)\.\Z")
EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\u200d\u20e3\U000e0020-\U000e007f]+"
)
UNSPEAKABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufeff]")
RAW_PHONEMES = re.compile(r"\[{2,}")  # in double brackets Piper expects phonemes, not text
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def speakable(text: str) -> str:
    """Return the text without what no voice can say: emoji, control characters, halves of characters."""
    text = text.replace("\r", "\n")
    return RAW_PHONEMES.sub("[", UNSPEAKABLE.sub(" ", EMOJI.sub(" ", text)))


def has_words(text: str) -> bool:
    """Tell whether there is something to say: a letter or a digit."""
    return any(character.isalnum() for character in text)


def clauses(text: str) -> Iterator[str]:
    """Yield the pieces of a text in order; together they are its words, none is longer than `LONGEST`."""
    start, first = 0, True
    while start < len(text):
        end = end_of_piece(text, start, first=first)
        piece = text[start:end].strip()
        if has_words(piece):
            yield piece
            first = False
        start = end


def end_of_piece(text: str, start: int, *, first: bool) -> int:
    """Return where the piece that begins at `start` ends."""
    longest = FIRST_LONGEST if first else LONGEST
    window = text[start : start + longest + 1]
    whole = start + len(window) == len(text)
    comma = 0
    for found in BOUNDARY.finditer(window):
        end = found.end()
        if end == len(window) and not whole:
            break  # what follows decides whether it ends here
        if found["sentence"]:
            if not is_abbreviation(window[:end]):
                return start + end
        elif first and is_enough(window[:end]):
            return start + end
        else:
            comma = end
    if whole and len(window) <= longest:
        return start + len(window)
    space = window.rfind(" ", 0, longest)
    return start + (comma or (space if space > 0 else longest))


def is_abbreviation(said: str) -> bool:
    """Tell whether the full stop at the end belongs to an abbreviation, an initial or a list's number."""
    found = LAST_WORD.search(said)
    if found is None:
        return False
    word = found[1].lstrip("(\"'“‘[").lower()
    listed = word.isdigit() and said.strip() == f"{word}."
    return listed or word in ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")


def is_enough(said: str) -> bool:
    """Tell whether a first piece is long enough to sound like speech."""
    return len(said.split()) >= FIRST_WORDS or len(WIDE.findall(said)) >= FIRST_WIDE
