"""Workflows: serial, parallel, loops, parameters, failures, stopping."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from pydantic import ValidationError

from backends.data.computation import interruptibly
from backends.data.errors import WrongArguments
from backends.data.steps import STEPS
from backends.data.table import Table, table_from_rows
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import Each, OutputFrame, Parameter, Step, Workflow
from tests.unit.backends.data.workflow.conftest import PRICES, frame_of

READ = {"source": "prices", "time": ["day"], "columns": ["close"], "by": "stock"}


def step(name: str, interface: str, arguments: dict[str, object], each: Each | None = None) -> Step:
    """Return a step."""
    return Step(id=name, interface=interface, arguments=arguments, each=each)


def test_every_interface_is_of_a_class_documented_and_typed() -> None:
    kinds = {"acquisition", "processing", "prediction", "visualization", "manipulation"}
    assert {interface.kind for interface in STEPS.values()} == kinds
    for interface in STEPS.values():
        assert interface.description.endswith(".")
        assert interface.function.__doc__
        assert interface.arguments.__doc__
        schema = interface.arguments.model_json_schema()
        assert schema["additionalProperties"] is False
        json.dumps(schema)


def test_two_steps_that_do_not_need_each_other_run_at_once(tables: dict[str, Table]) -> None:
    meeting = threading.Barrier(2, timeout=30)

    def source(uid: str) -> Table:
        meeting.wait()  # passes only if both steps stand here together
        return tables[uid]

    steps = [
        step("a", "read_series", READ | {"entities": ["Alpha"]}),
        step("b", "read_series", READ | {"entities": ["Beta"]}),
        step("c", "stack", {"data": ["a", "b"]}),
    ]
    done = run_workflow(Workflow(steps=steps), source).done
    assert [d.step.id for d in done] == ["a", "b", "c"]
    assert isinstance(done[2].output, OutputFrame)


def test_a_loop_runs_a_step_for_each_value(tables: dict[str, Table]) -> None:
    steps = [
        step("names", "read_rows", {"source": "prices", "columns": ["stock"], "distinct": True}),
        step("each", "read_series", READ | {"entities": [None], "end": "2022-01-05"}, Each(data="names", column="stock", argument="where.0.value")),
    ]  # fmt: skip
    steps[1].arguments = {
        "source": "prices",
        "time": ["day"],
        "columns": ["close"],
        "end": "2022-01-05",
        "where": [{"column": "stock", "op": "=", "value": ""}],
    }
    made = run_workflow(Workflow(steps=steps), tables.__getitem__).done[-1].output
    assert made is not None
    frame = frame_of(made)
    wanted = PRICES[PRICES.day <= "2022-01-05"].sort_values(["stock", "day"])
    assert (
        frame[["stock", "day", "close"]].values.tolist()
        == wanted[["stock", "day", "close"]].values.tolist()
    )


def test_a_loop_over_values_gives_a_row_each(tables: dict[str, Table]) -> None:
    steps = [
        step("names", "read_rows", {"source": "prices", "columns": ["stock"], "distinct": True}),
        step("each", "total_return", {"source": "prices", "value": "close", "time": ["day"], "by": "stock"}, Each(data="names", column="stock", argument="entity")),
    ]  # fmt: skip
    made = run_workflow(Workflow(steps=steps), tables.__getitem__).done[-1].output
    assert made is not None
    assert frame_of(made).columns.tolist() == ["stock", "return %"]


def test_parameters_are_filled_in_and_checked(tables: dict[str, Table]) -> None:
    arguments = READ | {"entities": [{"parameter": "name"}], "end": {"parameter": "until"}}
    flow = Workflow(
        parameters=[
            Parameter(name="name", type="text", default="Alpha", choices=["Alpha", "Beta"]),
            Parameter(name="until", type="date", default="2022-01-04"),
        ],
        steps=[step("a", "read_series", arguments)],
    )
    flow = Workflow.model_validate_json(flow.model_dump_json())
    made = run_workflow(flow.filled({"name": "Beta"}), tables.__getitem__).done[0].output
    assert made is not None
    assert frame_of(made).stock.tolist() == ["Beta", "Beta"]
    with pytest.raises(WrongArguments, match="not one of the values"):
        flow.filled({"name": "Gamma"})
    with pytest.raises(WrongArguments, match="no parameter"):
        flow.filled({"nome": "Beta"})
    with pytest.raises(WrongArguments, match="takes text"):
        flow.filled({"until": 3})


def test_what_fails_ends_only_what_takes_it(tables: dict[str, Table]) -> None:
    steps = [
        step("bad", "read_series", READ | {"entities": ["Nobody"]}),
        step("behind", "returns", {"data": "bad", "value": "close"}),
        step("good", "read_series", READ),
    ]
    finished = run_workflow(Workflow(steps=steps), tables.__getitem__)
    assert [d.step.id for d in finished.failed] == ["bad"]
    assert [d.step.id for d in finished.done] == ["bad", "good"]
    again = steps[0].model_copy(update={"arguments": READ | {"entities": ["Alpha"]}})
    mended = run_workflow(Workflow(steps=[again, *steps[1:]]), tables.__getitem__, finished.desk)
    assert not mended.failed
    assert [d.step.id for d in mended.done] == ["bad", "behind", "good"]


def test_a_workflow_that_cannot_run_is_refused_before_it_runs(tables: dict[str, Table]) -> None:
    early = Workflow(
        steps=[step("a", "rank", {"data": "b", "by": "x"}), step("b", "read_series", READ)]
    )
    with pytest.raises(WrongArguments, match="no earlier step"):
        run_workflow(early, tables.__getitem__)
    with pytest.raises(WrongArguments, match="no interface"):
        run_workflow(Workflow(steps=[step("a", "eval", {})]), tables.__getitem__)
    twice = Workflow(steps=[step("a", "read_series", READ), step("a", "read_series", READ)])
    with pytest.raises(WrongArguments, match="Two steps"):
        run_workflow(twice, tables.__getitem__)
    with pytest.raises(ValidationError):
        Workflow(steps=[])


def test_arguments_that_do_not_fit_are_told(tables: dict[str, Table]) -> None:
    failed = run_workflow(
        Workflow(steps=[step("a", "read_series", READ | {"evry": "month"})]), tables.__getitem__
    ).failed
    assert failed[0].error is not None
    assert "evry" in failed[0].error.text


async def test_a_workflow_ends_when_nobody_waits_for_it_any_more(tables: dict[str, Table]) -> None:
    begun, go_on, asked = threading.Event(), threading.Event(), []

    def source(uid: str) -> Table:
        begun.set()
        assert go_on.wait(30)
        asked.append(uid)
        return tables[uid]

    steps = [step("a", "read_series", READ), step("b", "returns", {"data": "a", "value": "close"})]
    ended = threading.Event()

    def work() -> None:
        try:
            made = run_workflow(Workflow(steps=steps), source)
            asked.append(made.failed[0].error)
        finally:
            ended.set()

    task = asyncio.create_task(interruptibly(work))
    await asyncio.to_thread(begun.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 30)
    assert "stopped" in str(asked[1])


def test_a_file_that_changes_meanwhile_is_the_same_for_all_steps() -> None:
    versions = [table_from_rows([{"v": n}], source="t", hash_=f"version {n}") for n in range(1, 9)]
    read = {"source": "t"}
    merged = step("r3", "stack", {"data": ["r1", "r2"]})
    steps = [step("r1", "read_rows", read), step("r2", "read_rows", read | {"where": []}), merged]
    finished = run_workflow(Workflow(steps=steps), lambda _: versions.pop(0))
    output = finished.done[-1].output
    assert output is not None
    rows = frame_of(output)["v"].tolist()
    assert rows == rows[:1] * 2
    assert finished.desk.hashes == {"t": f"version {rows[0]}"}
