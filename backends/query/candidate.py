"""A `Query` that may be what a question means, and how sure its author is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backends.data.query import Query

Author = Literal["parser", "model", "person"]


@dataclass(frozen=True)
class Candidate:
    """One reading of a question.

    probability: that it is the right one, calibrated, 0 to 1. unread: words of the question that
    nothing in the query accounts for and that may matter, as they were written, most important
    first. author: who wrote it.
    """

    query: Query
    probability: float
    unread: tuple[str, ...] = ()
    author: Author = "parser"
