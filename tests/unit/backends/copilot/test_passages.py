"""Questions about documents: searched by the terminal, answered by its passages, cited by their
ids.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from backends.copilot import answer
from backends.copilot.documents import is_refusal
from backends.copilot.present import ask_back, interpretation
from backends.copilot.turn import Interpretation, Understanding
from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.protocol.events import CitationsEvent, Event, FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.parser import parse_request
from backends.query.propose import Ability
from tests.unembedded import Unembedded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

TOOL = {"name": "search_documents", "server_id": "deskpilot", "url": "deskpilot:documents"}
LEASE = {
    "id": "p7", "document": "lease.pdf", "page": 3, "text": "The tenant gives notice three months before.",
    "quote": "The tenant gives notice three months before.", "said": 0.9,
}  # fmt: skip
REPORT = {
    "id": "p9", "document": "report.pdf", "page": 1, "text": "Tenants are many. Notice was read.",
    "quote": "Notice was read.", "said": 0.4,
}  # fmt: skip


@dataclass
class Models(Unembedded):
    """An able model, if it says something."""

    says: str = ""
    heard: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def ability(self, model: str | None) -> Ability:
        return Ability(right=12 if self.says else 0)

    async def learn(self, model: str | None, *, agreed: bool) -> None: ...

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        self.heard += messages
        yield self.says


def request(question: str, *more: dict[str, Any]) -> dict[str, Any]:
    library = {
        "uuid": "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b", "name": "Papers", "description": "", "origin": "deskpilot",
        "widget_id": "x", "params": [], "metadata": {"kind": "library"},
    }  # fmt: skip
    return {
        "messages": [*more, {"role": "human", "content": question}],
        "widgets": {"primary": [library], "secondary": [], "extra": []},
        "tools": [TOOL],
    }


async def events(body: dict[str, Any], models: Models | None = None) -> list[Event]:
    today = dt.date(2026, 11, 23)
    return [e async for e in answer(parse_request(body), models or Models(), today=today)]


async def answered(
    question: str,
    passages: list[dict[str, Any]],
    models: Models | None = None,
    *,
    missing: tuple[str, ...] = (),
    is_sure: bool = True,
    **searched: int,
) -> tuple[str, list[str], list[Event]]:
    """Return an answer's words, the ids it cites, and all events, when the terminal found these
    passages.
    """
    body = request(question)
    made = await events(body)
    call = made[-1]
    assert isinstance(call, FunctionCall)
    counts = {"documents": 4, "waiting": 0, "failed": 0, "unread_pages": 0} | searched
    told = {
        "answered": bool(passages) and is_sure,
        "missing": list(missing),
        "searched": counts,
        "passages": passages,
    }
    fields = {"function": call.function, "input_arguments": call.arguments}
    body["messages"] += [
        {"role": "ai", "content": json.dumps(fields)},
        {"role": "tool", **fields, "data": [{"items": [{"content": json.dumps(told)}]}]},
    ]
    made = await events(body, models)
    words = "".join(e.delta for e in made if isinstance(e, MessageChunk))
    cited = [
        c.details[0]["passage"] for e in made if isinstance(e, CitationsEvent) for c in e.citations
    ]
    return words, cited, made


async def test_a_question_is_searched_in_its_own_words() -> None:
    (call,) = await events(request("When must the tenant give notice?"))
    assert isinstance(call, FunctionCall)
    assert call.arguments["tool_name"] == "search_documents"
    assert call.arguments["parameters"] == {"query": "When must the tenant give notice?"}


async def test_a_question_that_stands_on_the_one_before_is_searched_with_it() -> None:
    before = [
        {"role": "human", "content": "When must the tenant give notice?"},
        {"role": "ai", "content": "Three months before."},
    ]
    (call,) = await events(request("And how is it delivered?", *before))
    assert isinstance(call, FunctionCall)
    asked = call.arguments["parameters"]["query"]
    assert asked == "When must the tenant give notice? And how is it delivered?"


async def test_a_greeting_searches_nothing() -> None:
    made = await events(request("Hello!"), Models("Hello."))
    assert not any(isinstance(e, FunctionCall) for e in made)


async def test_without_an_able_model_the_answer_is_the_passage_itself_with_its_page() -> None:
    words, cited, made = await answered("When must the tenant give notice?", [LEASE, REPORT])
    assert words == "From lease.pdf, page 3:\n\n> The tenant gives notice three months before. [1]"
    assert cited == ["p7"]
    assert isinstance(made[0], StatusUpdate)
    assert "word for word" in made[0].message


async def test_an_able_models_sentences_are_cited_by_us_and_its_own_marks_left_out() -> None:
    models = Models("The tenant gives notice three months before [9]. The moon is made of cheese.")
    words, cited, made = await answered("When must the tenant give notice?", [LEASE], models)
    assert "three months before. [1]" in words
    assert "[9]" not in words
    assert cited == ["p7"]
    assert any(isinstance(e, StatusUpdate) and e.level == "WARNING" for e in made)
    assert "data" in models.heard[0]["content"]


async def test_a_models_number_that_no_passage_holds_is_not_cited() -> None:
    models = Models("The tenant gives notice 17 months before.")
    words, cited, _ = await answered("When must the tenant give notice?", [LEASE], models)
    assert cited == ["p7"]
    assert "17" not in words  # nothing of it could be cited, so the passage is quoted instead


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did Obama say?", "Not in your documents. Searched 4 documents. Nothing there mentions “Obama”."),
        ("奥巴马说了什么？", "您的文件里没有这项内容。已搜索 4 个文件。没有提到：「Obama」。"),
    ],
)  # fmt: skip
async def test_what_the_documents_do_not_hold_is_said_and_nothing_is_cited(
    question: str, told: str
) -> None:
    words, cited, _ = await answered(question, [], missing=("Obama",))
    assert (words, cited) == (told, [])


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "What is the rent?",
            "No passage clearly answers this. The closest is in lease.pdf, page 3:\n\n"
            "> QUOTE [1]\n\nSearched 4 documents.",
        ),
        (
            "租金是多少？",
            "没有段落明确回答这个问题。最接近的在《lease.pdf》第 3 页：\n\n"
            "> QUOTE [1]\n\n已搜索 4 个文件。",
        ),
        (
            "家賃はいくらですか？",
            "はっきり答えている箇所はありません。最も近いのはlease.pdf、3 ページです：\n\n"
            "> QUOTE [1]\n\n4 件の文書を検索しました。",
        ),
    ],
)
async def test_where_no_passage_is_sure_to_answer_the_closest_is_quoted_and_can_be_opened(
    question: str, told: str
) -> None:
    words, cited, _ = await answered(question, [{**LEASE, "said": 0.4}], is_sure=False)
    assert (words, cited) == (told.replace("QUOTE", str(LEASE["quote"])), ["p7"])
    assert is_refusal(words)
    words, cited, _ = await answered(question, [{**LEASE, "said": 0.09}], is_sure=False)
    assert "lease.pdf" not in words
    assert cited == []


async def test_an_able_model_reads_passages_that_are_not_sure_to_answer() -> None:
    unsure = [{**LEASE, "said": 0.4}]
    models = Models("The tenant gives notice three months before.")
    words, cited, _ = await answered("When must notice be given?", unsure, models, is_sure=False)
    assert (words, cited) == ("The tenant gives notice three months before. [1]", ["p7"])
    for says in ("NOT IN THE PASSAGES", "The moon is made of cheese."):
        words, cited, _ = await answered("What is the rent?", unsure, Models(says), is_sure=False)
        assert words.startswith("No passage clearly answers this.")
        assert cited == ["p7"]


async def test_what_is_not_read_yet_is_said_with_a_no() -> None:
    words, _, _ = await answered("What is the rent?", [], waiting=2, unread_pages=5)
    assert "Not read yet: 2." in words
    assert "Scanned pages not read: 5." in words


async def test_nothing_is_counted_from_passages() -> None:
    words, cited, _ = await answered(
        "How many tenants are there?", [REPORT, LEASE], Models("Two tenants.")
    )
    assert words.startswith("Passages can't be counted")
    assert cited == ["p9", "p7"] or cited == ["p7", "p9"]


async def test_a_number_the_document_itself_says_is_quoted() -> None:
    house = LEASE | {"text": "The house has 12 tenants.", "quote": "The house has 12 tenants."}
    words, _, _ = await answered("How many tenants are there?", [house])
    assert words.endswith("> The house has 12 tenants. [1]")


async def test_a_second_document_that_says_otherwise_is_shown_beside_the_first() -> None:
    second = LEASE | {
        "id": "p8",
        "document": "old.pdf",
        "quote": "The tenant gives notice 6 months before.",
        "said": 0.85,
    }
    words, cited, _ = await answered("When must the tenant give notice?", [LEASE, second])
    assert "Also in old.pdf, page 3:\n\n> The tenant gives notice 6 months before. [2]" in words
    assert cited == ["p7", "p8"]


async def test_another_sentence_that_may_answer_is_shown_below_the_first() -> None:
    rival = "The landlord gives notice six months before."
    passage = {**LEASE, "text": f"{LEASE['text']} {rival}", "rival": rival}
    words, cited, _ = await answered("When must notice be given?", [passage])
    assert words.endswith(f"[1]\n\nThis may answer as well:\n\n> {rival} [2]")
    assert cited == ["p7", "p7"]


async def test_another_page_of_the_same_document_that_is_as_close_is_shown_too() -> None:
    second = LEASE | {"id": "p8", "page": 9, "quote": "Notice is given in writing.", "said": 0.88}
    words, _, _ = await answered("When must the tenant give notice?", [LEASE, second])
    assert "Also in lease.pdf, page 9:\n\n> Notice is given in writing. [2]" in words


async def test_a_near_duplicate_is_named_and_not_repeated() -> None:
    second = LEASE | {"id": "p8", "document": "copy.pdf"}
    words, cited, _ = await answered("When must the tenant give notice?", [LEASE, second])
    assert words.endswith("copy.pdf, page 3, says the same [2].")
    assert cited == ["p7", "p8"]


LEAVES = [
    {"day": "2026-01-05", "customer": "Roth", "due": "2026-02-04", "amount": 12.5},
    {"day": "2026-01-09", "customer": "Lang", "due": "2026-02-08", "amount": 7.0},
]
OPEN_TO_TABLES = "How long is the notice period in the lease?"


async def beside_a_table(
    question: str, *found: dict[str, Any], asked: bool = True
) -> tuple[str, list[Event]]:
    """Return the words and events where a lease and a table are attached. found: the passages.
    asked: the search was made.
    """
    table = table_from_rows(LEAVES, source="invoices", hash_="h1")
    body = request(question)
    lease = body["widgets"]["primary"][0] | {"name": "lease.pdf", "metadata": {"kind": "pdf"}}
    about = {"profile": profile(table, "invoices").model_dump(mode="json")}
    sheet = lease | {"uuid": "invoices", "name": "invoices", "metadata": about}
    body["widgets"]["primary"] = [sheet, lease]
    data = {"server_id": "deskpilot", "url": "deskpilot:data"}
    body["tools"] = [TOOL, *(data | {"name": name} for name in ("look_up", "query"))]
    if asked:
        counts = {"documents": 1, "waiting": 0, "failed": 0, "unread_pages": 0}
        told = {"answered": bool(found), "missing": [], "searched": counts, "passages": [*found]}
        arguments = {"server_id": "deskpilot", "tool_name": "search_documents"}
        fields = {
            "function": "execute_agent_tool",
            "input_arguments": arguments | {"parameters": {"query": question}},
        }
        body["messages"] += [
            {"role": "ai", "content": json.dumps(fields)},
            {"role": "tool", **fields, "data": [{"items": [{"content": json.dumps(told)}]}]},
        ]
    made = await events(body)
    return "".join(e.delta for e in made if isinstance(e, MessageChunk)), made


async def test_what_tables_leave_open_is_looked_for_in_documents_first() -> None:
    _, made = await beside_a_table(OPEN_TO_TABLES, asked=False)
    call = made[-1]
    assert isinstance(call, FunctionCall)
    assert call.arguments["tool_name"] == "search_documents"
    words, _ = await beside_a_table(OPEN_TO_TABLES, LEASE)
    assert words.startswith("From lease.pdf, page 3:")


async def test_tables_ask_back_where_documents_hold_nothing_unless_one_was_named() -> None:
    words, _ = await beside_a_table("Which amount was broken at night?")
    assert words.startswith("I can't find “broken” in invoices. Did you mean:")
    words, _ = await beside_a_table(OPEN_TO_TABLES)
    assert words.startswith("Not in your documents.")


async def test_what_a_table_answers_for_sure_is_not_looked_for_in_documents() -> None:
    _, made = await beside_a_table("What is the total amount?", asked=False)
    call = made[-1]
    assert isinstance(call, FunctionCall)
    assert call.arguments["tool_name"] == "query"


def test_readings_that_say_the_same_are_offered_once() -> None:
    same = [Interpretation(interface="query", arguments={"n": n}, words=["rows"]) for n in range(2)]
    other = Interpretation(interface="query", arguments={}, words=["days"])
    (line, question) = (
        interpretation(Understanding(readings=[*same, other], decision="ask")),
        ask_back(Understanding(readings=[*same, other], decision="ask", back="Did you mean:")),
    )
    assert [one["words"] for one in line.details[0]["alternatives"]] == [["rows"], ["days"]]
    assert question == [MessageChunk("Did you mean:\n- rows\n- days")]
