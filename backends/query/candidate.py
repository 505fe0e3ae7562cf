"""A `Query` that may be the meaning of a question, and its probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backends.data.query import Query

Author = Literal["parser", "model", "person"]


@dataclass(frozen=True)
class Candidate:
    """One interpretation of a question.

    probability: the calibrated probability that it is correct, from 0 to 1. unread: words of the
    question, as written, that the query does not use and that may be important; the most important
    come first. author: parser, model or person. alone: whether it may be used for an answer even if
    the parser did not find it.
    """

    query: Query
    probability: float
    unread: tuple[str, ...] = ()
    author: Author = "parser"
    alone: bool = True
