"""What a question asks for: the rows, the values of a column, one number for each value of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.understanding.asking.languages import settle_chinese, settle_english
from backends.understanding.asking.telling import Nouns

if TYPE_CHECKING:
    from backends.data.values import Profile
    from backends.understanding.matching import Nearness
    from backends.understanding.operations import Parts
    from backends.understanding.spans.text import Question

__all__ = ["settle"]


def settle(question: Question, profile: Profile, near: Nearness, parts: Parts) -> None:
    """Set what a question asks for: `asks_for`, `asks_rows`, `grouped_by`, and what of it is
    unknown.
    """
    nouns = Nouns(question, profile, near, parts.matches)
    (settle_english if question.language == "en" else settle_chinese)(nouns, parts)
