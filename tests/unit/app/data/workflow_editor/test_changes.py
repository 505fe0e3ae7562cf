"""What may be changed in a step: only what is there can be chosen, and anything else is refused in
a sentence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.data.sources import Sources
from app.data.workflow_editor.changes import Wrong, changed, read, unfit
from app.data.workflow_editor.fields import INTERFACE, ArgumentField, EditContext, fields_of
from backends.data.steps import STEPS
from backends.data.workflow.step import Step, Workflow

pytestmark = pytest.mark.slow


@pytest.fixture
def sales(shops: tuple[Sources, str]) -> tuple[Sources, Workflow]:
    sources, uid = shops
    where = [{"column": "sold", "op": ">", "value": 1}]
    series = {
        "source": uid,
        "time": ["day"],
        "columns": ["sold"],
        "by": "shop",
        "entities": ["North"],
        "where": where,
    }
    steps = [
        {"id": "a", "interface": "read_series", "arguments": series},
        {
            "id": "b",
            "interface": "returns",
            "arguments": {"data": "a", "value": "sold", "by": "shop"},
        },
        {
            "id": "c",
            "interface": "line",
            "arguments": {"data": "b", "x": "day", "y": ["cumulative return %"]},
        },
        {"id": "d", "interface": "forecast", "arguments": {"data": "a", "value": "sold"}},
    ]
    return sources, Workflow.model_validate({"steps": steps})


def ground(sources: Sources, workflow: Workflow) -> EditContext:
    names = {uid: "sales" for uid in workflow.sources()}
    return EditContext(sources, workflow, sources.runs.run(workflow), names)


def fields(sales: tuple[Sources, Workflow], number: int) -> dict[Any, ArgumentField]:
    sources, workflow = sales
    return {f.path: f for f in fields_of(workflow.steps[number], ground(sources, workflow))}


def offered(field: ArgumentField) -> list[str]:
    return [text for _, text in field.choices]


def test_columns_are_those_of_the_table_or_of_the_earlier_result(
    sales: tuple[Sources, Workflow],
) -> None:
    read_, line = fields(sales, 0), fields(sales, 2)
    assert offered(read_[("columns",)]) == ["day", "shop", "sold"]
    assert offered(read_[("time",)]) == ["day"]
    assert offered(line[("x",)]) == ["day", "shop", "sold", "cumulative return %"]
    assert offered(line[("y",)]) == ["sold", "cumulative return %"]
    assert offered(line[("data",)]) == ["a", "b"]


def test_values_and_interfaces_are_those_that_are_there(sales: tuple[Sources, Workflow]) -> None:
    read_, line = fields(sales, 0), fields(sales, 2)
    assert sorted(offered(read_[("entities",)])) == ["North", "South"]
    assert offered(read_[("source",)]) == ["sales"]
    assert {"line", "bar", "scatter"} <= set(offered(line[INTERFACE]))
    assert "forecast" not in offered(line[INTERFACE])


@pytest.mark.parametrize(
    ("step", "path", "given", "why"),
    [
        (0, ("start",), "2024-13-01", "2024-13-01 is not a date. Write it like 2024-03-31."),
        (0, ("start",), "last year", "last year is not a date. Write it like 2024-03-31."),
        (0, ("entities",), "Nort", "shop does not contain Nort. Did you mean North?"),
        (0, ("time",), [], "Choose at least one."),
        (0, ("where", 0, "value"), "many", "many is not a number."),
        (2, ("x",), "dai", "dai cannot be chosen here. Did you mean day?"),
        (2, ("x",), "", "A value is required."),
        (3, ("steps",), "0", "It must be at least 1."),
        (3, ("steps",), "2.5", "2.5 is not a whole number."),
        (3, ("steps",), "1e400", "1e400 is not a number."),
        (3, ("level",), "1", "It must be less than 1."),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(
    sales: tuple[Sources, Workflow], step: int, path: Any, given: Any, why: str
) -> None:
    field = fields(sales, step)[path]
    with pytest.raises(Wrong) as caught:
        read(field, given, ground(*sales))
    assert caught.value.text == why


def test_a_value_of_a_large_column_is_looked_for_in_the_table(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(
        "\n".join(["name,age", *(f"Person {n},{n % 60}" for n in range(400))]) + "\n", "utf-8"
    )
    sources = Sources()
    uid = sources.add_file(path).uuid
    arguments = {"source": uid, "columns": ["age"], "by": "name"}
    flow = Workflow.model_validate(
        {"steps": [{"id": "a", "interface": "read_cross_section", "arguments": arguments}]}
    )
    here = EditContext(sources, flow, None, {uid: "people"})
    field = next(f for f in fields_of(flow.steps[0], here) if f.path == ("entities",))
    assert read(field, "person 7, PERSON 300", here) == ["Person 7", "Person 300"]
    with pytest.raises(Wrong, match="name does not contain Person 999"):
        read(field, "Person 999", here)


def test_a_taken_value_stands_in_the_step_and_nothing_else_changes(
    sales: tuple[Sources, Workflow],
) -> None:
    _, workflow = sales
    made = changed(workflow, "a", ("entities",), ["South"])
    made = changed(made, "a", ("where", 0, "op"), "between")
    made = changed(made, "a", ("by",), None)
    assert made.steps[0].arguments["where"] == [
        {"column": "sold", "op": "between", "value": [1, 1]}
    ]
    assert (made.steps[0].arguments["entities"], "by" in made.steps[0].arguments) == (
        ["South"],
        False,
    )
    assert made.steps[1:] == workflow.steps[1:]
    assert workflow.steps[0].arguments["entities"] == ["North"]
    assert changed(made, "a", ("where", 0), None).steps[0].arguments["where"] == []


def test_another_interface_keeps_the_arguments_it_knows_and_asks_for_the_others(
    sales: tuple[Sources, Workflow],
) -> None:
    _, workflow = sales
    made = changed(workflow, "b", INTERFACE, "resample").steps[1]
    assert made.arguments == {"data": "a", "by": "shop"}
    assert unfit(made)[("every",)] == "A value is required."


def test_every_interface_has_fields_for_all_it_takes(sales: tuple[Sources, Workflow]) -> None:
    here = ground(*sales)
    lists = {
        "names": {"sold": "units"},
        "arguments": {},
        "panes": [["sold"]],
        "tables": [],
        "values": None,
    }
    for name, interface in STEPS.items():
        told = interface.arguments.model_fields
        step = Step(id="z", interface=name, arguments={k: lists[k] for k in told if k in lists})
        shown = {str(f.path[0]) for f in fields_of(step, here)} - {""}
        assert shown >= set(told) - set(lists) - {"where", "argument"}, name
