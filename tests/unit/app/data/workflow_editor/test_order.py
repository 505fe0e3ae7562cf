"""Steps put in, taken out and moved: what a new one takes is filled in, and an order that cannot be
is told.
"""

from __future__ import annotations

import pytest

from app.data.sources import Sources
from app.data.workflow_editor.changes import (
    added,
    bond,
    called,
    changed,
    lacking,
    moved,
    read,
    removed,
    unfit,
)
from app.data.workflow_editor.fields import EditContext, fields_of
from backends.data.steps import STEPS
from backends.data.workflow.step import Workflow

pytestmark = pytest.mark.slow


@pytest.fixture
def sales(shops: tuple[Sources, str]) -> tuple[Sources, Workflow]:
    sources, uid = shops
    series = {"source": uid, "time": ["day"], "columns": ["sold"], "by": "shop"}
    steps = [
        {"id": "a", "interface": "read_series", "arguments": series},
        {
            "id": "b",
            "interface": "returns",
            "arguments": {"data": "a", "value": "sold", "by": "shop"},
        },
        {"id": "c", "interface": "show_table", "arguments": {"data": "b", "title": "sold"}},
    ]
    tasks = [
        {"kind": "acquisition", "instruction": "Read", "steps": ["a"]},
        {"kind": "processing", "instruction": "Returns", "steps": ["b"]},
        {"kind": "visualization", "instruction": "Show", "steps": ["c"]},
    ]
    return sources, Workflow.model_validate({"steps": steps, "tasks": tasks})


def put_in(sources: Sources, workflow: Workflow, at: int, interface: str) -> Workflow:
    result = sources.runs.run(workflow)

    def on(one: Workflow) -> EditContext:
        return EditContext(sources, one, result, {uid: "sales 2024" for uid in workflow.sources()})

    return added(workflow, at, interface, "in words", on)


def test_a_new_step_takes_the_newest_rows_before_it_and_what_it_can_only_be(
    sales: tuple[Sources, Workflow],
) -> None:
    made = put_in(*sales, 1, "rolling")
    assert [step.id for step in made.steps] == ["a", "b", "added1", "c"]
    assert made.steps[2].arguments == {"data": "b"}
    assert list(unfit(made.steps[2])) == [("value",), ("window",)]
    first = put_in(*sales, 0, "growth").steps[1]
    assert first.arguments == {"data": "a", "value": "sold"}
    assert not unfit(first)
    table = put_in(*sales, 2, "read_series").steps[3]
    assert (table.arguments["source"], table.arguments["time"]) == (made.sources()[0], ["day"])


def test_a_new_step_is_run_as_any_other_and_its_task_is_told(
    sales: tuple[Sources, Workflow],
) -> None:
    sources, workflow = sales
    made = changed(put_in(sources, workflow, 1, "rank"), "added1", ("by",), "sold")
    made = changed(made, "c", ("data",), "added1")
    result = sources.runs.run(made)
    assert not result.failed
    assert [task.instruction for task in made.tasks] == ["Read", "Returns", "in words", "Show"]
    assert made.tasks[2].steps == ["added1"]
    assert result.steps[3].preview is not None
    assert result.steps[3].preview.first[2] == 60


def test_an_order_in_which_a_step_lacks_what_it_takes_names_both(
    sales: tuple[Sources, Workflow],
) -> None:
    _, workflow = sales
    assert bond(moved(workflow, 1, 0), workflow) == ("b", "a")
    assert bond(moved(workflow, 2, 1), workflow) == ("c", "b")
    assert bond(removed(workflow, 1), workflow) == ("c", "b")
    free = changed(workflow, "c", ("data",), "a")
    assert bond(moved(free, 2, 1), free) is None
    gone = removed(free, 1)
    assert bond(gone, free) is None
    assert ([s.id for s in gone.steps], [t.steps for t in gone.tasks]) == (
        ["a", "c"],
        [["a"], ["c"]],
    )


def test_what_a_step_would_lack_is_told_before_it_is_put_in(
    sales: tuple[Sources, Workflow],
) -> None:
    steps = sales[1].steps
    assert lacking("merge", steps[:1], 1) == "two_rows"
    assert lacking("merge", steps[:2], 1) == ""
    assert lacking("overlay", steps, 1) == "two_charts"
    assert lacking("line", [], 1) == "rows"
    assert lacking("read_rows", steps, 0) == "table"


def test_every_interface_can_be_begun_and_shows_its_fields(sales: tuple[Sources, Workflow]) -> None:
    sources, workflow = sales
    for name in STEPS:
        if lacking(name, workflow.steps, 1):
            continue
        made = put_in(sources, workflow, 2, name)
        ground = EditContext(
            sources, made, sources.runs.run(workflow), {uid: "sales" for uid in made.sources()}
        )
        shown = {f.path[0] for f in fields_of(made.steps[3], ground)}
        lacks = {path[0] for path in unfit(made.steps[3])}
        assert lacks <= shown, name


def test_a_column_is_computed_with_another_or_with_a_number(
    sales: tuple[Sources, Workflow],
) -> None:
    sources, workflow = sales
    made = put_in(sources, workflow, 0, "compute")
    ground = EditContext(sources, made, sources.runs.run(workflow), {})
    field = next(f for f in fields_of(made.steps[1], ground) if f.path == ("second",))
    assert (read(field, "sold", ground), read(field, "2.5", ground)) == ("sold", 2.5)


def test_tables_of_a_select_have_names_of_their_own() -> None:
    assert called({"1": "Sales 2024", "2": "sales-2024", "3": "销售"}) == {
        "1": "sales_2024",
        "2": "sales_2024_2",
        "3": "t",
    }
