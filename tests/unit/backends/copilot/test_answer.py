"""The copilot with a scripted model: what it decides, what it calls, how it reads what comes
back.
"""

from __future__ import annotations

import datetime as dt
import json
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.copilot import NoModel, answer, queries
from backends.copilot.turn import Interpretation, Understanding
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.protocol.events import CitationsEvent, Event, FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.parser import parse_request
from backends.protocol.request import BadRequest
from tests.unembedded import Unembedded
from tests.unit.backends.query.tables import ORDERS_ZH

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

pytestmark = pytest.mark.slow

UID = "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"
TODAY = dt.date(2024, 6, 1)
ROWS: list[dict[str, Any]] = [
    {"city": c, "sold": s, "price": p}
    for c, s, p in [("Berlin", 10, 2.5), ("Paris", 30, 3.5), ("Rome", 20, 1.25)]
]
TOOLS = [{"name": n, "server_id": "deskpilot", "url": "deskpilot:data"} for n in INTERFACES]


def reading(aggregate: str, column: str) -> Interpretation:
    """Return a query for one number of a column, as the copilot offers it."""
    measure = {"kind": "aggregate", "name": aggregate, "args": [{"kind": "column", "name": column}]}
    query = {"source": UID, "items": [{"expression": measure}], "show": "value"}
    arguments = {"source": UID, "query": query}
    return Interpretation(interface="query", arguments=arguments, words=[f"{aggregate} {column}"])


MEAN, TOTAL = reading("mean", "price"), reading("sum", "sold")


@dataclass
class Models(Unembedded):
    """A language model that says what it is told to, and no embedder."""

    says: list[str] = field(default_factory=lambda: ["Hel", "lo."])
    heard: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    broken: Exception | None = None

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        self.heard += messages
        for piece in self.says:
            yield piece
        if self.broken is not None:
            raise self.broken


def table(rows: list[dict[str, Any]]) -> Any:
    return table_from_rows(rows, source=UID, hash_="h")


def request(
    question: str,
    *more: dict[str, Any],
    rows: list[dict[str, Any]] | None = None,
    tools: bool = True,
    **extra: Any,
) -> dict[str, Any]:
    metadata = {
        "profile": profile(table(ROWS if rows is None else rows), "Sales").model_dump(mode="json")
    }
    widget = {
        "uuid": UID, "name": "Sales", "description": "", "origin": "deskpilot", "widget_id": UID, "params": [],
        "metadata": metadata,
    }  # fmt: skip
    return {
        "messages": [{"role": "human", "content": question}, *more],
        "widgets": {"primary": [widget], "secondary": [], "extra": []},
        "tools": TOOLS if tools else [],
        **extra,
    }


async def events(body: dict[str, Any], models: Models | None = None) -> list[Event]:
    return [e async for e in answer(parse_request(body), models or Models(), today=TODAY)]


def words(made: list[Event]) -> str:
    return "".join(e.delta for e in made if isinstance(e, MessageChunk))


def called(call: FunctionCall) -> dict[str, Any]:
    """Return a call as the message the terminal sends back."""
    fields = {
        "function": call.function,
        "input_arguments": call.arguments,
        "extra_state": call.extra_state,
    }
    return {"role": "ai", "content": json.dumps(fields)}


def returned(call: FunctionCall, text: str, shape: str = "items") -> dict[str, Any]:
    """Return a result in one of the four shapes seen in the wild."""
    entry: dict[str, Any] = {"content": text}
    result: dict[str, Any] = {
        "data:{content}": {"data": entry},
        "content": entry,
        "flat list": {"data": [entry]},
        "items": {"data": [{"items": [entry]}]},
    }[shape]
    return {"role": "tool", "function": call.function, "input_arguments": call.arguments, **result}


def computed(call: FunctionCall, rows: list[dict[str, Any]] | None = None) -> str:
    """Do what the terminal does with a call of ours."""
    name = call.arguments["tool_name"]
    result = INTERFACES[name].run(
        table(ROWS if rows is None else rows), call.arguments["parameters"]
    )
    return result.model_dump_json()


def understood(monkeypatch: pytest.MonkeyPatch, made: Understanding) -> None:
    async def understand(*_: Any, **__: Any) -> Understanding:
        return made

    monkeypatch.setattr(queries, "understand", understand)


async def test_an_understood_question_shows_its_reading_and_calls_the_terminal() -> None:
    status, call = await events(request("What is the average price?"))
    assert isinstance(status, StatusUpdate)
    assert (status.message, status.details[0]["interpretation"]["decision"]) == (
        "average price",
        "answer",
    )
    assert status.details[0]["alternatives"]
    assert isinstance(call, FunctionCall)
    assert call.arguments["server_id"] == "deskpilot"
    assert call.arguments["tool_name"] == "query"
    (item,) = call.arguments["parameters"]["query"]["items"]
    assert item["expression"] == {
        "kind": "aggregate",
        "name": "mean",
        "args": [{"kind": "column", "name": "price"}],
    }


@pytest.mark.parametrize("shape", ["data:{content}", "content", "flat list", "items"])
async def test_the_result_is_put_into_words_and_cited_in_whatever_shape_it_comes(
    shape: str,
) -> None:
    question = "What is the price in Berlin?"
    call = (await events(request(question)))[-1]
    assert isinstance(call, FunctionCall)
    made = await events(request(question, called(call), returned(call, computed(call), shape)))
    assert words(made) == "Price (city = Berlin) is **2.5** [1]."
    cited = [e for e in made if isinstance(e, CitationsEvent)]
    assert cited[0].citations[0].details == [
        {"row": 0, "column": "price", "value": 2.5, "source_hash": "h"}
    ]
    assert (cited[0].citations[0].widget["uuid"], cited[0].citations[0].widget["name"]) == (
        UID,
        "Sales",
    )


@pytest.mark.parametrize(
    ("question", "last", "cells"),
    [("What is the average price?", 2, 3), ("How many rows are there?", 2, 3)],
)
async def test_a_number_made_of_many_cells_cites_them_all(
    question: str, last: int, cells: int
) -> None:
    call = (await events(request(question)))[-1]
    assert isinstance(call, FunctionCall)
    made = await events(request(question, called(call), returned(call, computed(call), "content")))
    (cited,) = [e for e in made if isinstance(e, CitationsEvent)]
    (detail,) = cited.citations[0].details
    assert (detail["row"], detail["last_row"], detail["cells"]) == (0, last, cells)


@pytest.mark.parametrize("shape", ["data:{content}", "content", "flat list", "items"])
async def test_without_tools_the_rows_are_asked_for_and_computed_here(shape: str) -> None:
    question = "What is the average price?"
    (call,) = await events(request(question, tools=False))
    assert isinstance(call, FunctionCall)
    (source,) = call.arguments["data_sources"]
    assert (call.function, source["widget_uuid"]) == ("get_widget_data", UID)
    made = await events(
        request(question, called(call), returned(call, json.dumps(ROWS), shape), tools=False)
    )
    assert "2.417" in words(made)
    assert not any(isinstance(e, FunctionCall) for e in made)


async def test_what_was_ignored_is_said_with_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    understood(
        monkeypatch,
        Understanding(readings=[MEAN, TOTAL], ignored=["elephants"], decision="confirm"),
    )
    status, call = await events(request("average price of elephants"))
    assert isinstance(status, StatusUpdate)
    assert status.details[0]["interpretation"]["ignored"] == ["elephants"]
    assert isinstance(call, FunctionCall)
    made = await events(
        request("average price of elephants", called(call), returned(call, computed(call)))
    )
    assert "Not taken into account: elephants." in words(made)


async def test_an_unclear_question_is_asked_back_with_choices_and_nothing_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Understanding(readings=[MEAN, TOTAL], decision="ask", back="Which one?")
    understood(monkeypatch, made)
    status, back = await events(request("Sales?"))
    assert back == MessageChunk("Which one?\n- mean price\n- sum sold")
    assert isinstance(status, StatusUpdate)
    offered = [other["words"] for other in status.details[0]["alternatives"]]
    assert offered == [MEAN.words, TOTAL.words]


async def test_a_question_that_names_the_table_by_its_symbol_is_never_talk() -> None:
    asked = request("What is the dividend of AAPL?")
    (widget,) = asked["widgets"]["primary"]
    widget["metadata"]["profile"]["symbols"] = ["AAPL"]
    said = words(await events(asked))  # a model would invent a number
    assert said.startswith("I can't find “dividend” in Sales. Its columns are ")


async def test_a_question_about_a_state_of_rows_that_no_column_tells_is_never_talk() -> None:
    said = words(await events(request("谁没有交会费？")))  # the starter made names up
    assert "没有交会费" in said
    assert "city" in said


async def test_a_small_model_sees_no_computed_answers_it_could_imitate() -> None:
    asked = request("What was the total sold?")
    made = await events(asked)
    call = next(e for e in made if isinstance(e, FunctionCall))
    answered = [called(call), returned(call, computed(call)), {"role": "ai", "content": "**60**"}]
    body = request("What was the total sold?", *answered)
    body["messages"] = [
        {"role": "human", "content": "Hi"},
        {"role": "ai", "content": "Hello."},
        *body["messages"],
        {"role": "human", "content": "Tell me a joke"},
    ]
    models = Models()
    await events(body, models)
    assert [m["content"] for m in models.heard[1:]] == ["Hi", "Hello.", "Tell me a joke"]


async def test_a_follow_up_is_about_the_question_before_though_that_was_asked_back() -> None:
    asked = request("What was the total sold?")
    call = next(e for e in await events(asked) if isinstance(e, FunctionCall))
    body = request(
        "What was the total sold?",
        called(call),
        returned(call, computed(call)),
        {"role": "ai", "content": "**60**"},
        {"role": "human", "content": "How much is the average price of Zorp in Paris?"},
        {"role": "ai", "content": "I can't find Zorp."},
        {"role": "human", "content": "and in Rome?"},
    )
    call = next(e for e in await events(body) if isinstance(e, FunctionCall))
    query = json.dumps(call.arguments["parameters"]["query"])
    assert "mean" in query
    assert "price" in query
    assert "Rome" in query


@pytest.mark.parametrize(("question", "word"), [("谁是李白？", "中文"), ("冗談を言って", "日本語")])
async def test_a_model_is_not_asked_to_talk_in_a_language_it_does_not_speak(
    question: str, word: str
) -> None:
    """The starter, which speaks English, went on for minutes with broken characters."""

    class English(Models):
        def speaks(self, model: str | None, language: str) -> bool:
            return language == "en"

    models = English()
    assert "Excel" in words(await events(request("你好"), models))
    said = words(await events(request(question), models))
    assert word in said
    assert not models.heard
    await events(request("Tell me a joke"), models)
    assert models.heard


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("hi, what can you do?", "**Sales**. Ask about it"),
        ("你好，你能做什么", "**Sales**。可以直接提问"),
        ("こんにちは、何ができますか？", "**Sales**。そのまま質問できます"),
    ],
)
async def test_what_deskpilot_can_do_is_said_by_itself_and_not_by_the_model(
    question: str, said: str
) -> None:
    """The starter promised support and resources, and did not speak Chinese."""
    models = Models()
    made = await events(request(question), models)
    assert said in words(made)
    about, answer = made
    assert isinstance(about, StatusUpdate)
    assert about.hidden
    assert about.details == [{"about": "deskpilot"}]
    assert isinstance(answer, MessageChunk)
    assert not models.heard
    await events(request("What can you do against moss?"), models)
    assert models.heard


async def test_talk_goes_to_the_model_and_says_that_it_is_not_from_the_data() -> None:
    models = Models()
    before = [{"role": "human", "content": "Hi"}, {"role": "ai", "content": "Hello."}]
    body = request("Tell me a joke")
    body["messages"] = [*before, *body["messages"]]
    made = await events(body, models)
    assert made == [
        StatusUpdate("INFO", "Not answered from your data"), MessageChunk("Hel"), MessageChunk("lo."),
    ]  # fmt: skip
    assert [m["content"] for m in models.heard[1:]] == ["Hi", "Hello.", "Tell me a joke"]


async def further(first: str, said: str, then: str) -> bool:
    """Return whether a further question beside a table is talked about."""
    models = Models()
    body = request(then)
    body["messages"] = [
        {"role": "human", "content": first},
        {"role": "ai", "content": said},
        *body["messages"],
    ]
    await events(body, models)
    return bool(models.heard)


async def test_a_text_that_was_written_before_is_talked_about_further() -> None:
    poem = "Each city sells, each price is told,\nand some are new and some are old."
    assert await further("Write a poem about Sales", poem, "Make the poem shorter, please.")
    assert await further("为销售表写一首诗", poem, "请把这首诗写短一点")


async def test_what_was_asked_back_about_is_not_talked_about_further() -> None:
    back = "I can't find “poems” in Sales. Did you mean:\n- total sold"
    assert not await further("How many poems were sold?", back, "How many poems sold in Oslo?")


@pytest.mark.parametrize(("says", "noted"), [(["It is ", "1.5 %."], True), (["Hello."], False)])
async def test_a_number_that_a_model_remembers_is_said_to_be_no_datas(
    says: list[str], *, noted: bool
) -> None:
    body = request("What is the unemployment rate?", tools=False)
    body["widgets"]["primary"] = []
    made = await events(body, Models(says))
    assert [m for m in made if isinstance(m, MessageChunk)] == [MessageChunk(one) for one in says]
    assert (made[-1] == StatusUpdate("INFO", "Not answered from your data")) is noted


async def test_a_model_sees_no_marks_of_citations_it_could_write_behind_numbers_it_makes_up() -> (
    None
):
    models = Models()
    said = "It is **9.6** [1], see [1](https://example.com)."
    body = request("Tell me a joke")
    body["messages"] = [
        {"role": "human", "content": "Hi"},
        {"role": "ai", "content": said},
        *body["messages"],
    ]
    await events(body, models)
    assert models.heard[2]["content"] == "It is **9.6**, see [1](https://example.com)."


async def test_a_model_that_fails_in_mid_talk_is_told_behind_its_words() -> None:
    models = Models(["Hel"], broken=NoModel("No model.", "Get one."))
    made = await events({"messages": [{"role": "human", "content": "Hi"}]}, models)
    assert made == [MessageChunk("Hel"), StatusUpdate("ERROR", "No model. Get one.")]


async def test_values_of_a_large_column_are_found_by_the_terminal_first() -> None:
    rows: list[dict[str, Any]] = [{"name": f"item {i}", "sold": i * 2} for i in range(500)]
    question = "What is sold of item 321?"
    find = (await events(request(question, rows=rows)))[-1]
    assert isinstance(find, FunctionCall)
    assert find.arguments["tool_name"] == "find_values"
    assert "item 321" in find.arguments["parameters"]["phrases"]
    history = [called(find), returned(find, computed(find, rows))]
    look = (await events(request(question, *history, rows=rows)))[-1]
    assert isinstance(look, FunctionCall)
    assert look.arguments["parameters"]["query"]["where"]["args"] == [
        {"kind": "column", "name": "name"},
        {"kind": "value", "value": "item 321"},
    ]
    history += [called(look), returned(look, computed(look, rows))]
    assert "**642**" in words(await events(request(question, *history, rows=rows)))


async def test_a_reading_the_person_chose_is_computed_as_it_is() -> None:
    options = {"deskpilot-reading": TOTAL.model_dump_json()}
    call = (await events(request("What is the average price?", workspace_options=options)))[-1]
    assert isinstance(call, FunctionCall)
    assert call.arguments["tool_name"] == "query"
    assert call.arguments["parameters"] == TOTAL.arguments


async def test_a_reading_once_chosen_is_taken_again_for_other_values() -> None:
    question = "Which city has the highest price?"
    status = (await events(request(question)))[0]
    assert isinstance(status, StatusUpdate)
    chosen = status.details[0]["alternatives"][0]
    kept = {key: value for key, value in chosen["arguments"].items() if key != "source"}
    learned = json.dumps([chosen | {"arguments": kept, "words": []}])  # as the terminal keeps it
    options = {"deskpilot-templates": learned}
    again = (await events(request(question, workspace_options=options)))[-1]
    assert isinstance(again, FunctionCall)
    assert again.arguments["parameters"] == chosen["arguments"]
    first = (await events(request(question)))[-1]
    assert isinstance(first, FunctionCall)
    assert first.arguments["parameters"] != chosen["arguments"]


async def test_what_a_table_holds_is_told_without_a_computation() -> None:
    (told,) = await events(request("What is in this table?"))
    assert isinstance(told, MessageChunk)
    assert told.delta.startswith("Sales has 3 rows and 3 columns:")


async def test_what_a_table_does_not_hold_is_named_with_the_columns_there_are() -> None:
    said = words(await events(request("Who is the mayor of Berlin?")))
    assert said.startswith("I can't find “mayor” in Sales. Did you mean:\n- ")
    said = words(await events(request("这些订单的房东是谁？", rows=ORDERS_ZH)))
    assert said.startswith("Sales 里没有找到“房东”。它有这些列：订单号、门店、")


async def test_a_call_that_failed_is_told_in_its_own_words() -> None:
    call = (await events(request("What is the average price?")))[-1]
    assert isinstance(call, FunctionCall)
    failed = json.dumps({"error": "No row meets these conditions.", "remedy": "Ask with fewer."})
    made = await events(request("What is the average price?", called(call), returned(call, failed)))
    assert made == [MessageChunk("No row meets these conditions. Ask with fewer.")]


async def test_several_tables_keep_each_its_own_rows() -> None:
    other = "1f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"
    body = request("What is the average weight?", tools=False)
    body["widgets"]["primary"].append(
        body["widgets"]["primary"][0] | {"uuid": other, "name": "Parcels"}
    )
    sources = [
        {"widget_uuid": u, "origin": "deskpilot", "id": u, "input_args": {}} for u in (UID, other)
    ]
    call = FunctionCall("get_widget_data", {"data_sources": sources})
    texts = [json.dumps(ROWS), json.dumps([{"weight": 4}, {"weight": 8}])]
    data = {"data": [{"items": [{"content": text}]} for text in texts]}
    body["messages"] += [called(call), {"role": "tool", "function": "get_widget_data", **data}]
    made = await events(body)
    assert "**6**" in words(made)
    cited = next(e for e in made if isinstance(e, CitationsEvent))
    assert (cited.citations[0].widget["uuid"], cited.citations[0].widget["name"]) == (
        other,
        "Parcels",
    )


JUNK = (
    st.none()
    | st.integers()
    | st.text(max_size=3)
    | st.lists(st.none() | st.text(max_size=3), max_size=2)
)
TANGLED = st.dictionaries(
    st.sampled_from(["widget_uuid", "widget_uuids", "data_sources", "parameters", "tool_name", "reading", "ignored"]),
    JUNK | st.just("mean") | st.dictionaries(st.sampled_from(["words", "source", "interface"]), JUNK, max_size=3),
    max_size=4,
)  # fmt: skip


OTHER = "1f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"


def with_another(body: dict[str, Any], name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a request with a second attached table."""
    made = profile(table_from_rows(rows, source=OTHER, hash_="o"), name).model_dump(mode="json")
    own = body["widgets"]["primary"][0]
    other = own | {"uuid": OTHER, "widget_id": OTHER, "name": name, "metadata": {"profile": made}}
    body["widgets"]["primary"].append(other)
    return body


async def test_a_question_that_several_tables_answer_asks_which() -> None:
    may = [row | {"sold": row["sold"] + 1} for row in ROWS]
    said = words(await events(with_another(request("What is the average price?"), "May", may)))
    assert said.splitlines() == [
        "Which table do you mean?",
        "- average price · Sales",
        "- average price · May",
    ]
    body = with_another(
        request("What is the average price in the table May Sales?"), "May Sales", may
    )
    (call,) = [e for e in await events(body) if isinstance(e, FunctionCall)]
    assert call.arguments["parameters"]["source"] == OTHER


async def test_words_of_a_table_that_nothing_joins_are_said_to_be_there() -> None:
    staff: list[dict[str, Any]] = [{"role": "cook", "wage": 12}, {"role": "driver", "wage": 11}]
    said = words(
        await events(with_another(request("How many sold does each role have?"), "Staff", staff))
    )
    assert said.startswith("“sold” is in Sales, the rest of the question is about Staff.")


async def test_a_table_of_the_dashboard_is_computed_whole_if_none_is_attached() -> None:
    body = request("What is the average price?")
    body["widgets"] = {"primary": [], "secondary": body["widgets"]["primary"], "extra": []}
    (call,) = [e for e in await events(body) if isinstance(e, FunctionCall)]
    assert call.arguments["tool_name"] == "query"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the average price?", "Only the first rows of the table were sent"),
        ("平均价格是多少？", "只收到了这张表的前几行"),
    ],
)
async def test_nothing_is_computed_from_the_first_rows_of_a_longer_table(
    question: str, said: str
) -> None:
    body = request(question, tools=False)
    body["widgets"]["primary"][0]["metadata"] = {}
    (call,) = [e for e in await events(body) if isinstance(e, FunctionCall)]
    note = {"note": "Only the first 3 of 312 rows are here.", "rows": ROWS}
    body["messages"] += [called(call), returned(call, json.dumps(note))]
    assert words(await events(body)).startswith(said)


@given(
    function=st.sampled_from(["execute_agent_tool", "get_widget_data", "find_values", "x"]),
    arguments=TANGLED,
    state=TANGLED,
    text=st.sampled_from(["", "[]", "[1]", "{}", '[{"a": 1}]', '{"error": 5}', "null", "[" * 5000, 'a,b\n"' + "x" * 200_000, '{"interface": "mean"}']),
    later=st.booleans(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
async def test_whatever_a_history_holds_the_answer_is_words_or_a_call(
    function: str, arguments: dict[str, Any], state: dict[str, Any], text: str, later: bool
) -> None:
    call = FunctionCall(function, arguments, state)
    history = [called(call), returned(call, text)]
    body = request("What is the average price?", *history, tools=False)
    if later:
        body["messages"].append({"role": "human", "content": "and of Berlin?"})
    with suppress(BadRequest):
        assert await events(body)
