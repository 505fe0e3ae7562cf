"""Steps a model chooses where the rules leave words over: one at a time, out of what is there, said
to be a model's.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from app.data.sources import Runs
from backends.copilot import NoModel, answer
from backends.copilot.stepping.said import BY_MODEL
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.table import Table
from backends.data.workflow.report import TOOL, WorkflowResult
from backends.data.workflow.step import Workflow
from backends.flexai.errors import InvokeServerUnavailableError
from backends.planning.choosing.course import put
from backends.protocol.events import Event, FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.parse import parse_request
from backends.providers.llama_cpp.grammar import grammar_for
from tests.unembedded import Unembedded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

pytestmark = pytest.mark.slow

TODAY = dt.date(2024, 6, 28)
QUESTION = (
    "When did Ostara have its best single day, measured as percent change of the close on the"
    " previous day?"
)
BEST: dict[str, Any] = {
    "step": "rank",
    "arguments": {"data": "result3", "by": "change %", "descending": True, "n": 1},
}
HIGHEST = {"step": "rank", "arguments": {"data": "result3", "by": "close", "descending": True}}
LOST = {"step": "rank", "arguments": {"data": "result3", "by": "no such column"}}


class Model(Unembedded):
    """A language model that says what `says` makes of what it is asked and of the schema it is
    bound to.
    """

    def __init__(self, says: Callable[[str, dict[str, Any]], str]) -> None:
        self.says = says
        self.asked: list[str] = []
        self.schemas: list[dict[str, Any]] = []

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        grammar_for(parameters["json_schema"])  # as the provider does
        self.asked.append(messages[-1]["content"])
        self.schemas.append(json.loads(parameters["json_schema"]))
        yield self.says(self.asked[-1], self.schemas[-1])


def always(choice: Any) -> Model:
    """Return a model that always says the same."""
    return Model(lambda asked, schema: json.dumps(choice))


@lru_cache
def prices() -> Table:
    """Days of two shares; the first rises by one a day, and once by thirty."""
    first = dt.date(2024, 1, 1)
    rows = [
        {"day": str(first + dt.timedelta(days=i)), "share": share, "close": start + i * slope + 30 * (i >= 60) * (slope > 0)}
        for i in range(120)
        for share, start, slope in (("Ostara", 100, 1), ("Brimble", 50, -0.1))
    ]  # fmt: skip
    return table_from_rows(rows, source="prices", hash_="h1")


@lru_cache
def about_prices() -> dict[str, Any]:
    """Return what the terminal tells of the prices."""
    return profile(prices(), "share prices").model_dump(mode="json")


def body(
    question: str, *more: dict[str, Any], options: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return a request about the prices."""
    widget = {
        "uuid": "prices",
        "name": "share prices",
        "description": "",
        "origin": "deskpilot",
        "widget_id": "prices",
        "params": [],
        "metadata": {"profile": about_prices()},
    }
    tools = [
        {"name": n, "server_id": "deskpilot", "url": "deskpilot:data"} for n in ("query", TOOL)
    ]
    return {
        "messages": [{"role": "human", "content": question}, *more],
        "widgets": {"primary": [widget], "secondary": [], "extra": []},
        "tools": tools,
        "workspace_options": options or {},
    }


async def ask(model: Any, request: dict[str, Any]) -> list[Event]:
    """Return what the copilot says."""
    return [event async for event in answer(parse_request(request), model, today=TODAY)]


def exchange(call: FunctionCall, result: WorkflowResult) -> list[dict[str, Any]]:
    """Return the call and its result as messages."""
    said = {
        "function": call.function,
        "input_arguments": call.arguments,
        "extra_state": call.extra_state,
    }
    returned = {
        "role": "tool",
        **said,
        "data": [{"items": [{"content": result.model_dump_json()}]}],
    }
    return [{"role": "ai", "content": json.dumps(said)}, returned]


async def conversation(
    model: Any, question: str = QUESTION, options: dict[str, Any] | None = None
) -> tuple[list[Event], list[WorkflowResult]]:
    """Ask, run each call as a terminal does, until an answer comes; return all events and every
    result.
    """
    runs, more = Runs({"prices": prices()}.__getitem__), list[dict[str, Any]]()
    told, results = list[Event](), list[WorkflowResult]()
    for _ in range(12):
        events = await ask(model, body(question, *more, options=options))
        told += events
        if not isinstance(events[-1], FunctionCall):
            return told, results
        asked = events[-1].arguments["parameters"]
        results.append(runs.run(Workflow.model_validate(asked["workflow"]), asked["run"]))
        more += exchange(events[-1], results[-1])
    raise AssertionError("it goes on and on")


def words(events: list[Event]) -> str:
    """Return what was said."""
    return "".join(event.delta for event in events if isinstance(event, MessageChunk))


def readings(events: list[Event]) -> list[dict[str, Any]]:
    """Return the choices that were offered."""
    details = [e.details[0] for e in events if isinstance(e, StatusUpdate) and e.details]
    return next((d["alternatives"] for d in details if "alternatives" in d), [])


async def test_the_step_a_model_is_sure_of_is_run_and_offered_and_shown_only_once_it_is_pressed() -> (
    None
):
    events, results = await conversation(always(BEST))
    assert [step.interface for step in results[-1].steps][-2:] == ["rank", "show_table"]
    assert not results[-1].failed
    assert results[0].run == results[-1].run  # what was held was not computed again
    assert "2024-03-01" not in words(events)
    pinned = {"deskpilot-reading": json.dumps(readings(events)[1] | {"score": 0.0})}
    events, _ = await conversation(always("nothing"), options=pinned)
    assert "2024-03-01" in words(events)  # the sixtieth day
    assert "A language model chose these steps" in words(events)
    assert "“best” as `rank · change % · highest first · n 1`" in words(events)


async def test_a_step_that_fails_is_chosen_anew_twice_at_most_and_the_error_is_seen() -> None:
    model = always(BEST)
    first = await ask(model, body(QUESTION))
    runs, more = Runs({"prices": prices()}.__getitem__), list[dict[str, Any]]()
    events = first
    while isinstance(call := events[-1], FunctionCall):
        asked = call.arguments["parameters"]
        made = runs.run(Workflow.model_validate(asked["workflow"]), asked["run"])
        if call.extra_state["course"]["chosen"]:  # as if what was chosen had failed
            last = made.steps[-2].model_copy(update={"error": "It is too much.", "preview": None})
            made = made.model_copy(update={"steps": [*made.steps[:-2], last]})
        more += exchange(call, made)
        events = await ask(model, body(QUESTION, *more))
        model.says = lambda asked, schema: json.dumps(schema_steps(schema)[0])
    assert "The last step failed: It is too much." in model.asked[-1]
    assert json.dumps(BEST) not in model.asked[-1]  # is not chosen again
    assert len({asked.partition("Steps to choose")[2] for asked in model.asked}) <= 6
    assert "I did not understand “best”" in words(events)


def schema_steps(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the steps a schema lets through, in one order whatever that of the schema."""
    made = [
        {"step": branch["properties"]["step"]["const"], "arguments": arguments}
        for branch in schema["anyOf"]
        for arguments in branch["properties"].get("arguments", {}).get("enum", [])
    ]
    return sorted(made, key=json.dumps)


async def test_a_model_sees_shape_columns_first_and_last_row_and_no_more() -> None:
    model = always(BEST)
    await conversation(model)
    assert (
        "result3: 120 rows; columns day (date), close (number), change % (number)" in model.asked[0]
    )
    assert "first row: 2024-01-01, 100.0, None; last row: 2024-04-29, 249.0" in model.asked[0]
    assert "2024-01-15" not in model.asked[0]
    assert "Not done yet: “best”" in model.asked[0]


async def test_it_is_asked_in_both_orders_and_two_answers_are_offered_not_computed() -> None:
    model = Model(lambda asked, schema: json.dumps(BEST if len(model.asked) % 2 else HIGHEST))
    events, _ = await conversation(model)
    assert [o["slots"].get("chosen", [{}])[0].get("said") for o in readings(events)] == [
        None,
        "rank · change % · highest first · n 1",
        "rank · close · highest first",
    ]
    assert "as a language model would go on (check it)" in words(events)
    orders = [asked.partition("Steps to choose from:")[2].splitlines()[1:] for asked in model.asked]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


async def test_a_choice_that_is_pressed_is_run_and_still_said_to_be_a_models() -> None:
    model = Model(lambda asked, schema: json.dumps(BEST if len(model.asked) % 2 else HIGHEST))
    offered = readings((await conversation(model))[0])
    pinned = {"deskpilot-reading": json.dumps(offered[1] | {"score": 0.0})}
    events, _ = await conversation(always("nothing"), options=pinned)
    assert "2024-03-01" in words(events)
    assert "A language model chose these steps" in words(events)
    assert not readings(events)


@pytest.mark.parametrize(
    "says",
    [
        "no JSON",
        json.dumps(LOST),
        json.dumps({"step": "drop_table", "arguments": {}}),
        json.dumps({"step": "query", "arguments": {"tables": [], "sql": "SELECT 1"}}),
        json.dumps(BEST | {"arguments": BEST["arguments"] | {"n": 2}}),
        json.dumps([BEST]),
        "[" * 100_000,
        json.dumps({"step": "done"}),
        "",
    ],
)
async def test_what_is_not_among_the_steps_that_are_possible_is_never_run(says: str) -> None:
    events, results = await conversation(Model(lambda asked, schema: says))
    assert len(results) == 1  # what the rules made
    assert "I did not understand “best”" in words(events)
    assert len(readings(events)) == 1


async def test_the_schema_holds_real_interfaces_columns_and_results_only() -> None:
    model = always(BEST)
    await conversation(model)
    jsonschema.validate(BEST, model.schemas[0])
    for wrong in (
        LOST,
        {"step": "query"},
        BEST | {"arguments": BEST["arguments"] | {"data": "result9"}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, model.schemas[0])


class Absent(Model):
    """No model: asking it raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__(lambda asked, schema: "")
        self.error = error

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        del messages, model, parameters
        raise self.error
        yield ""


@pytest.mark.parametrize(
    "error",
    [NoModel("None.", "Get one."), InvokeServerUnavailableError("It ended."), TimeoutError()],
)
async def test_without_a_model_it_asks_back_as_before(error: Exception) -> None:
    events, results = await conversation(Absent(error))
    assert len(results) == 1
    assert "I did not understand “best”" in words(events)
    assert len(readings(events)) == 1


async def test_words_no_step_can_stand_for_are_asked_back_at_once() -> None:
    model = always(BEST)
    events, results = await conversation(
        model, "Draw the cumulative return of Ostara this year, corrected for dividends"
    )
    assert not model.asked
    assert not results
    assert "dividends" in words(events)


async def test_a_complete_plan_of_the_rules_asks_no_model() -> None:
    model = always(BEST)
    events, _ = await conversation(
        model, "Draw the cumulative returns of Ostara and Brimble from 2024-01-01 to 2024-03-31"
    )
    assert not model.asked
    assert "language model" not in words(events)


async def test_it_can_be_stopped_while_a_model_chooses() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    class Endless(Model):
        async def chat(
            self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
        ) -> AsyncGenerator[str, None]:
            del messages, model, parameters
            begun.set()
            try:
                await asyncio.Event().wait()
                yield ""
            finally:
                ended.set()

    first = await ask(always(BEST), body(QUESTION))
    assert isinstance(first[-1], FunctionCall)
    asked = first[-1].arguments["parameters"]
    held = Runs({"prices": prices()}.__getitem__).run(Workflow.model_validate(asked["workflow"]))
    turn = asyncio.create_task(
        ask(Endless(lambda a, s: ""), body(QUESTION, *exchange(first[-1], held)))
    )
    await begun.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert ended.is_set()


async def test_a_model_that_took_its_time_is_not_asked_again() -> None:
    first = await ask(always(BEST), body(QUESTION))
    assert isinstance(first[-1], FunctionCall)
    asked = first[-1].arguments["parameters"]
    held = Runs({"prices": prices()}.__getitem__).run(Workflow.model_validate(asked["workflow"]))
    first[-1].extra_state["course"]["seconds"] = 1000.0
    model = always(BEST)
    events = await ask(model, body(QUESTION, *exchange(first[-1], held)))
    assert not model.asked
    assert "I did not understand “best”" in words(events)


def test_it_is_said_in_every_language_of_the_window() -> None:
    assert set(BY_MODEL) == {"en", "zh", "ja"}


async def failing(
    question: str, where: list[dict[str, Any]]
) -> tuple[FunctionCall, list[dict[str, Any]]]:
    """Return a call of a rule's plan whose rows are bound so, and how the terminal answered it."""
    made = (await ask(always("nothing"), body(question)))[-1]
    assert isinstance(made, FunctionCall)
    steps = made.arguments["parameters"]["workflow"]["steps"]
    steps[0]["arguments"]["where"] = where
    workflow = Workflow.model_validate(made.arguments["parameters"]["workflow"])
    result = Runs({"prices": prices()}.__getitem__).run(workflow)
    assert result.failed
    return made, exchange(made, result)


DRAWN = "Draw the cumulative return of Ostara from 2024-01-01 to 2024-03-31"
OSTARA = {"column": "share", "op": "=", "value": "Ostara"}


async def test_a_step_that_no_rule_mends_is_mended_by_a_model_and_offered_with_the_error() -> None:
    too_dear = {"column": "close", "op": ">", "value": 9000}
    _, more = await failing(DRAWN, [OSTARA, too_dear])
    model = Model(lambda asked, schema: json.dumps(schema_steps(schema)[0]))
    events = await ask(model, body(DRAWN, *more))
    assert "The last step failed: read_series: No row meets these conditions." in model.asked[0]
    assert "No row meets these conditions." in words(events)
    [offered] = readings(events)
    assert offered["arguments"]["workflow"]["steps"][0]["arguments"]["where"] == [
        OSTARA
    ]  # whom it asked for stays
    pinned = {"deskpilot-reading": json.dumps(offered | {"score": 0.0})}
    events, results = await conversation(always("nothing"), DRAWN, options=pinned)
    assert not results[-1].failed
    assert "A language model chose these steps" in words(events)


async def test_what_was_asked_for_is_not_left_out_to_mend_a_step() -> None:
    question = DRAWN.replace("2024-0", "1990-0")
    model = always(BEST)
    events, results = await conversation(model, question)
    assert results[-1].failed
    assert not model.asked
    assert not readings(events)


def test_what_the_plan_did_next_is_done_with_the_new_column_and_its_conditions_stay() -> None:
    conditions = [{"column": "open", "op": ">", "value": 1}]
    assert put(conditions, {"open", "close"}, "computed") == conditions
    assert put(["day", "open", "close"], {"open", "close"}, "computed") == ["day", "computed"]
    assert put("close", {"open", "close"}, "computed") == "computed"
    assert put(5, {"open"}, "computed") == 5
