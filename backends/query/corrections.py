"""Interpretations that the user chose. They are reused for the same words with other values."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from backends.data.compiler import QUERY
from backends.data.query import Query
from backends.query.annotate import Annotation
from backends.query.parser import options, spoken_words, words_of

if TYPE_CHECKING:
    import datetime as dt

    from backends.data.values import Profile
    from backends.query.candidate import Candidate

MARK = ">"  # placeholder for a value, a date or a number


@dataclass(frozen=True)
class Correction:
    """A question with placeholders for its values, and the structure of the query that the user
    chose.
    """

    template: str
    shape: str


def template_of(question: str, profile: Profile, today: dt.date) -> str:
    """Return the template by which a question about a table is recognised when it recurs. It
    consists of the question's words, with a placeholder for each value, date and number.
    """
    annotation = Annotation(question, words_of(profile, spoken_words(question, profile)), today)
    said: list[str] = []
    for span in annotation.spans:
        if options(span)[0].role in ("value", "date", "number", "clock"):
            said.append(MARK)
        elif any(letter.isalnum() for letter in span.text):
            said.append(span.text.lower())
    return " ".join(said)


def shape_of(query: Query) -> str:
    """Return the structure of a query, without its tables and without the values in its
    conditions.
    """
    return json.dumps(_without_values(query.model_dump(mode="json", exclude_defaults=True)))


def _without_values(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_values(one) for one in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    known = cast("dict[str, Any]", part)
    if known.get("kind") == "value":
        return {"kind": "value"}
    return {
        key: _without_values(value)
        for key, value in known.items()
        if key != "source" or not isinstance(value, str)
    }


def read_corrections(raw: object) -> list[Correction]:
    """Return the corrections sent by the terminal: a JSON list of chosen interpretations. Malformed
    entries are left out.
    """
    try:
        entries = json.loads(raw) if isinstance(raw, str) else []
    except ValueError:
        return []
    made: list[Correction] = []
    for entry in cast("list[Any]", entries) if isinstance(entries, list) else []:
        known = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
        template = known.get("template")
        if known.get("interface") != QUERY or not isinstance(template, str) or not template:
            continue
        arguments = known.get("arguments")
        try:
            query = Query.model_validate(cast("dict[str, Any]", arguments or {}).get("query"))
        except (ValidationError, AttributeError):
            continue
        made.append(Correction(template, shape_of(query)))
    return made


def preferred(
    candidates: list[Candidate],
    question: str,
    profiles: list[Profile],
    corrections: list[Correction],
    today: dt.date,
) -> list[Candidate]:
    """Return the candidates, starting with the one that the user chose earlier for such a question;
    that one is marked as certain. Return an empty list if the user has not chosen any of them.
    """
    for profile in profiles if corrections else ():
        template = template_of(question, profile, today)
        shapes = [one.shape for one in corrections if one.template == template]
        for one in candidates if shapes else ():
            if one.query.source == profile.source and shape_of(one.query) in shapes:
                chosen = replace(one, probability=1.0, unread=(), author="person")
                return [chosen, *(other for other in candidates if other is not one)]
    return []
