"""A request as text of which more and more is explained; what is left over at the end was not
understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.tables import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = str

LETTER = re.compile("[a-z]")


@dataclass(frozen=True)
class Span:
    """A stretch of the request and what explains it."""

    start: int
    end: int
    kind: Kind


class Said:
    """The request in one form of each character, lower case. Positions hold throughout."""

    def __init__(self, question: str) -> None:
        self.text = plain(question)
        self.spans: list[Span] = []

    def free(self, start: int, end: int) -> bool:
        """Tell whether nothing explains a stretch yet."""
        return all(end <= s.start or start >= s.end for s in self.spans)

    def take(self, start: int, end: int, kind: Kind) -> None:
        """Mark a stretch as explained."""
        self.spans.append(Span(start, end, kind))

    def left(self, *but: Kind) -> str:
        """Return the text with blanks where it is explained, but by these kinds."""
        made = list(self.text)
        for span in self.spans:
            if span.kind not in but:
                made[span.start : span.end] = "\0" * (span.end - span.start)
        return "".join(made)

    def whole(self, form: re.Pattern[str], left: str) -> list[str]:
        """Return what of the text is left as whole words, however much of them was explained:
        "average", not "verage".
        """
        found: list[str] = []
        for match in form.finditer(left):
            start, end = match.span()
            if end - start < 3:  # an ending
                found.append(match[0])
                continue
            while start and LETTER.match(self.text, start - 1):
                start -= 1
            while end < len(self.text) and LETTER.match(self.text, end):
                end += 1
            found.append(self.text[start:end])
        return found

    def find(self, form: re.Pattern[str], *but: Kind) -> Iterator[re.Match[str]]:
        """Yield where a form stands in what is not explained yet."""
        yield from form.finditer(self.left(*but))
