"""An interpretation of a question, in the form exchanged between terminal and copilot."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from backends.query.lexicon import Language


class Interpretation(BaseModel):
    """One way to understand a question, complete enough to be computed.

    words: the displayed parts, such as ["average close", "June 2023"]; conditions: those of the
    words that restrict the rows. slots: data that the copilot needs if this interpretation is
    chosen. template: the question with placeholders for its values, used to recognise it when it
    recurs.
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

    readings: interpretations, most likely first, at most four. ignored: words that no
    interpretation uses. decision: `answer`, showing the interpretation; `confirm`: answer, and
    report the ignored words; `ask`: ask the question `back`; `talk`: it is not about the data.
    """

    readings: list[Interpretation] = []
    ignored: list[str] = []
    decision: Literal["answer", "confirm", "ask", "talk"]
    back: str | None = None
    language: Language = "en"


class NeedValues(BaseModel):
    """Phrases to look up in columns that are too large to list, before the question can be
    interpreted.
    """

    source: str
    phrases: list[str]
