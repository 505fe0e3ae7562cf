"""A `Query` that a question may mean, and its probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backends.data.query import Query

Author = Literal["parser", "model", "person"]


@dataclass(frozen=True)
class Candidate:
    """One reading of a question.

    probability: that it is the right one, calibrated, 0 to 1. unread: words of the question that
    the query does not use and that may matter, as written, most important first. author: parser or
    model. alone: whether it may be answered where the parser does not have it, too.
    """

    query: Query
    probability: float
    unread: tuple[str, ...] = ()
    author: Author = "parser"
    alone: bool = True
