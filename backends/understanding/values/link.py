"""A value of the data and where a question says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.understanding.spans.text import NOT

if TYPE_CHECKING:
    from backends.data.values import Scalar
    from backends.understanding.spans.text import Question

NEGATION = re.compile(
    r"(?:\b(?:not(?: counting| including)?|except(?: for)?|excluding|leaving"
    r" out|ignoring|besides|leaving aside|without|other than|apart from|neither|nor|non|outside|"
    + NOT
    + r")\b[ -]?(?:in |from |of |the |for |by |those |ones |any )*|\b(?:not|"
    + NOT
    + r")\b(?: (?!(?:and|or|but|than|only|with|that|which|who)\b)[a-z]+){1,4}"
    r" |不是[\u4e00-\u9fff]{0,2}|除了?|不是|没有被|没有?被?|未被?|非|不含|不在|不包括|不算)$"
)


@dataclass(frozen=True)
class Link:
    """A value that occurs in the question.

    columns: where it may belong, the likeliest first. negated: the question excludes it.
    exact: written as in the data, case and plural aside.
    """

    columns: tuple[str, ...]
    value: Scalar
    start: int
    end: int
    exact: bool
    negated: bool = False


def make(
    question: Question, places: list[tuple[str, Scalar]], start: int, end: int, *, exact: bool
) -> Link:
    """Take the stretch and return its link; a column whose name stands nearby comes first."""
    near = question.lower[max(0, start - 24) : end + 16]
    order = sorted(
        places,
        key=lambda p: -any(len(w) > 2 and w in near for w in re.split(r"[_\s]+", p[0].lower())),
    )
    negation = NEGATION.search(question.lower[:start])
    at = negation.start() if negation else start
    if negation and (beyond := re.match("以外|之外|外", question.lower[end:])):
        end += beyond.end()
    question.take(at, end, "VAL")
    columns = tuple(dict.fromkeys(column for column, _ in order))
    return Link(columns, order[0][1], at, end, exact, negated=negation is not None)
