"""A reading the person chose is taken again for the same question with other values."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.query.candidate import Candidate
from backends.query.corrections import Correction, preferred, read_corrections, template_of
from backends.query.parser import parse
from tests.unit.backends.query.tables import LOANS

TODAY = dt.date(2026, 6, 15)
ABOUT = profile(table_from_rows(LOANS, source="s"), "library loans")


def kept(question: str, chosen: Candidate) -> list[Correction]:
    """Return what a terminal keeps of a choice, read again."""
    query = chosen.query.model_dump(mode="json", exclude_defaults=True)
    learned: dict[str, Any] = {
        "template": template_of(question, ABOUT, TODAY),
        "interface": "query",
        "arguments": {"query": query},
    }
    return read_corrections(json.dumps([learned]))


def taken(question: str, corrections: list[Correction]) -> list[Candidate]:
    return preferred(parse(question, [ABOUT], today=TODAY), question, [ABOUT], corrections, TODAY)


def test_a_correction_is_taken_for_the_same_question() -> None:
    question = "Which genre has the highest days out?"
    first, other, *_ = parse(question, [ABOUT], today=TODAY)
    again = taken(question, kept(question, other))
    assert again[0].query == other.query != first.query
    assert (again[0].probability, again[0].author) == (1.0, "person")
    assert first in again


def test_it_holds_for_other_values_and_for_no_other_words() -> None:
    question = "How many copies did Ana Ruiz take?"
    candidates = parse(question, [ABOUT], today=TODAY)
    corrections = kept(question, candidates[1])
    other = taken("How many copies did Ben Okoro take?", corrections)
    assert "Ben Okoro" in str(other[0].query)
    assert other[0].query.items == candidates[1].query.items
    assert taken("How many loans did Ben Okoro take?", corrections) == []


def test_what_is_no_list_of_readings_is_left_out() -> None:
    of_another_kind = '[{"template": "x", "interface": "mean", "arguments": {"column": "y"}}]'
    no_query = '[{"template": "x", "interface": "query", "arguments": [1]}]'
    for raw in (None, 3, "", "{", "[1]", '{"a": 1}', "[null]", of_another_kind, no_query):
        assert read_corrections(raw) == []
