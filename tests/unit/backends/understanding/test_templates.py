"""A reading the person chose is taken again for the same question with other values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.understanding import Understanding, understand
from backends.understanding.operations import read_templates
from tests.unit.backends.understanding.test_questions import LOANS, TODAY

if TYPE_CHECKING:
    from backends.understanding.operations import Template


async def read(question: str, templates: list[Template]) -> Understanding:
    about = profile(table_from_rows(LOANS, source="s"), "library loans")
    made = await understand(question, [about], embed=None, today=TODAY, templates=templates)
    assert isinstance(made, Understanding)
    return made


async def test_a_correction_becomes_a_template() -> None:
    first = await read("Which genre has the highest days out?", [])
    other = first.readings[1]
    assert other.arguments != first.readings[0].arguments
    templates = read_templates(json.dumps([other.model_dump(exclude={"score"})]))
    again = await read("Which genre has the highest days out?", templates)
    assert again.readings[0].arguments == other.arguments
    assert again.decision == "answer"


async def test_it_holds_for_other_values_and_for_no_other_words() -> None:
    chosen = (await read("How many copies did Ana Ruiz take?", [])).readings[-1]
    templates = read_templates(json.dumps([chosen.model_dump(exclude={"score"})]))
    other = await read("How many copies did Ben Okoro take?", templates)
    assert other.readings[0].interface == chosen.interface
    assert other.readings[0].arguments["where"] == [
        {"column": "Member", "op": "=", "value": "Ben Okoro"}
    ]
    plain = await read("How many loans did Ben Okoro take?", [])
    assert (await read("How many loans did Ben Okoro take?", templates)).readings == plain.readings


def test_what_is_no_list_of_readings_is_left_out() -> None:
    for raw in (None, 3, "", "{", "[1]", '[{"interface": 3}]', '{"a": 1}', "[null]"):
        assert read_templates(raw) == []
