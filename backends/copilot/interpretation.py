"""What a question was taken to mean, as it travels between terminal and copilot."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from backends.query.lexicon import Language


class Interpretation(BaseModel):
    """One way to understand a question, complete enough to be computed.

    words: the displayed parts, such as ["average close", "June 2023"]; conditions: those of them
    that restrict the rows. slots: data that the copilot needs if it is chosen. template: the
    question with marks for its values, by which it is recognised again.
    """

    interface: str
    arguments: dict[str, Any]
    words: list[str]
    conditions: list[str] = []
    score: float = 0.0
    slots: dict[str, Any] = {}
    template: str = ""


class Understanding(BaseModel):
    """What to do about a question.

    readings: the likeliest first, at most four. ignored: words that no reading uses. decision:
    `answer` and show the reading; `confirm`: answer, and report the ignored words; `ask` back with
    `back`; `talk`: it is not about the data.
    """

    readings: list[Interpretation] = []
    ignored: list[str] = []
    decision: Literal["answer", "confirm", "ask", "talk"]
    back: str | None = None
    language: Language = "en"


class NeedValues(BaseModel):
    """Phrases to be looked up in columns too large to list, before the question can be
    understood.
    """

    source: str
    phrases: list[str]
