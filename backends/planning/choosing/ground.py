"""What a step can be made of: the tables, the results that are held, and the numbers and values a
request names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from backends.planning.checking.request import Request, read
from backends.planning.days import count_of
from backends.planning.tables import View, plain
from backends.understanding.spans.text import CJK, stem

if TYPE_CHECKING:
    from backends.data.values import Profile, Scalar
    from backends.data.workflow.output import Preview
    from backends.data.workflow.step import Step

NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w.]*-\d|\d|[年月日号])")
WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b|[二三四五六七八九十]+(?=[个名家只天日位])"
)
VALUES = 20  # of one column that are looked for in a request


@dataclass(frozen=True)
class Ground:
    """steps: those made so far. seen: what is known of the results that are held. unread: words of
    the request that nothing stands for yet.
    """

    question: str
    unread: tuple[str, ...]
    profiles: tuple[Profile, ...]
    steps: tuple[Step, ...]
    seen: dict[str, Preview]

    @cached_property
    def request(self) -> Request:
        """Return the request, read for what it demands."""
        return read(self.question, [View(profile) for profile in self.profiles])

    @property
    def frames(self) -> dict[str, dict[str, str]]:
        """Return the columns of the rows that are held, by the name of the result: name → kind."""
        return {
            step.id: self.seen[step.id].columns
            for step in self.steps
            if step.id in self.seen and self.seen[step.id].kind in ("frame", "table")
        }

    @property
    def numbers(self) -> list[int | float]:
        """Return the numbers a request says, without those of its days."""
        said = [float(m[0]) for m in NUMBER.finditer(self.question)]
        said += [float(count_of(m[0].lower())) for m in WORDS.finditer(self.question)]
        return [
            int(n) if n.is_integer() else n for n in dict.fromkeys(said) if not 1900 <= n <= 2100
        ]

    def values(self, column: str) -> list[Scalar]:
        """Return the values of a column of text that a request names."""
        said = plain(self.question)
        held = [v for p in self.profiles if (c := p.column(column)) is not None for v in c.values]
        return [v for v in dict.fromkeys(held) if plain(str(v)) in said][:VALUES]

    def words_of(self, column: str) -> str:
        """Return what a column is called, and what it holds."""
        told = [c.meaning for p in self.profiles if (c := p.column(column)) is not None]
        return plain(" ".join([column.replace("_", " "), *told]))

    def names(self, column: str) -> bool:
        """Tell whether the request names a column, or a word of its name or meaning."""
        said = plain(self.question)
        words = {w for w in re.findall(r"[a-z]{3,}|[\u3400-\u9fff]{2,}", self.words_of(column))}
        known = {stem(w) for w in re.findall(r"[a-z]+", said)}
        return any((w in said) if CJK.search(w) else (stem(w) in known) for w in words)

    def next_id(self) -> str:
        """Return the name of the next result."""
        taken = {step.id for step in self.steps}
        return next(name for n in range(1, 100) if (name := f"result{n}") not in taken)
