"""Which designed interface a request asks for: one it names, or one whose examples say the same
with other values.
"""

from __future__ import annotations

from typing import Any

import pytest

from backends.data.workflow.library_interface import Designed
from backends.planning.library import asked_for, narrowed, planned_with

BINDS = {
    "gdp": {"table": "g", "column": "gdp"},
    "consumer prices": {"table": "c", "column": "cpi"},
}


def series(name: str = "macro_series", interface: str = "read_rows") -> Designed:
    """Return an interface that chooses between two tables."""
    read = {"source": {"parameter": "table"}, "columns": ["date", {"parameter": "column"}]}
    rank = {"data": "a", "by": {"parameter": "column"}, "n": {"parameter": "rows"}}
    select = {
        "tables": [{"name": "data", "source": {"parameter": "table"}}],
        "sql": "SELECT 1 AS one",
    }
    first: dict[str, Any] = {
        "id": "a",
        "interface": interface,
        "arguments": read if interface == "read_rows" else select,
    }
    steps = [first, {"id": "b", "interface": "rank", "arguments": rank}]
    parameters: list[dict[str, Any]] = [
        {
            "name": "series",
            "type": "text",
            "default": "gdp",
            "choices": list(BINDS),
            "binds": BINDS,
        },
        {"name": "rows", "type": "number", "default": 3},
    ]
    workflow = {"parameters": parameters, "steps": steps}
    examples = [
        {"request": "Which 4 quarters stood out in gdp?", "values": {"series": "gdp", "rows": 4}}
    ]
    return Designed.model_validate(
        {
            "name": name,
            "kind": "manipulation",
            "description": "rows of a series",
            "workflow": workflow,
            "examples": examples,
        }
    )


def test_one_that_is_named_takes_the_values_that_are_said() -> None:
    found = asked_for("Run macro_series for consumer prices with 7 rows", [series()])
    assert found is not None
    assert found.values == {"series": "consumer prices", "rows": 7}
    plan = planned_with("Run macro_series", found)
    assert [s.interface for s in plan.workflow.steps] == ["read_rows", "rank"]
    assert plan.workflow.steps[0].arguments == {"source": "c", "columns": ["date", "cpi"]}
    assert plan.workflow.steps[1].arguments == {
        "data": plan.workflow.steps[0].id,
        "by": "cpi",
        "n": 7,
    }
    assert "`macro_series`" in plan.workflow.tasks[0].instruction


def test_what_the_kernels_steps_say_is_left_to_the_plan() -> None:
    assert asked_for("Which 4 quarters stood out in gdp?", [series()]) is None


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Which 4 quarters stood out in gdp?", {"series": "gdp", "rows": 4}),
        (
            "which 9 quarters stood out in the consumer prices",
            {"series": "consumer prices", "rows": 9},
        ),
        ("Which quarters stood out in gdp?", None),
        ("Which 4 quarters stood out in gdp in 2020?", None),
        ("Which 4 quarters stood out in m1?", None),
        ("Which 4 quarters did not stand out in gdp?", None),
        ("Which 4 quarters stood out in gdp and consumer prices?", None),
        ("gdp 4", None),
    ],
)
def test_a_select_is_chosen_only_if_every_word_stands_for_something(
    question: str, values: Any
) -> None:
    found = asked_for(question, [series(interface="query")])
    assert (found.values if found else None) == values


def test_two_that_say_the_same_are_not_guessed_between() -> None:
    both = [series("one_series", "query"), series("two_series", "query")]
    assert asked_for("Which 4 quarters stood out in gdp?", both) is None


def test_a_selector_offers_the_choices_whose_tables_are_there() -> None:
    whole, part = narrowed(series(), {"g", "c"}), narrowed(series(), {"c"})
    assert whole == series()
    assert part is not None
    assert (part.parameters[0].choices, part.parameters[0].default) == (
        ["consumer prices"],
        "consumer prices",
    )
    assert narrowed(series(), {"x"}) is None


def test_a_choice_that_is_left_is_asked_for_as_the_examples_ask_for_another() -> None:
    part = narrowed(
        series(interface="query"), {"c"}
    )  # the examples are about gdp, whose table is not here
    assert part is not None
    found = asked_for("Which 9 quarters stood out in consumer prices?", [part])
    assert found is not None
    assert found.values == {"series": "consumer prices", "rows": 9}
    assert planned_with("Which", found).workflow.sources() == ["c"]
    assert asked_for("Which 4 quarters stood out in gdp?", [part]) is None
