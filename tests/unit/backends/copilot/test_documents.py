"""Attached widgets that hold words: read when the tables do not answer, and said to be where an answer is from."""

from __future__ import annotations

from typing import Any

from backends.copilot.documents import ROOM, passages
from backends.wire.events import FunctionCall, MessageChunk, StatusUpdate
from tests.unit.backends.copilot.test_answer import Models, called, events, request, returned

NOTE = "7d3c1c52-98a0-4a35-9a53-1f5f6a4f7f10"


def with_note(question: str, *more: dict[str, Any], table: bool = True) -> dict[str, Any]:
    body = request(question, *more)
    note = {
        "uuid": NOTE,
        "name": "Note",
        "description": "",
        "origin": "deskpilot",
        "widget_id": NOTE,
        "params": [],
    }
    body["widgets"]["primary"] = [
        *(body["widgets"]["primary"] if table else []),
        {**note, "metadata": {}},
    ]
    return body


async def test_a_note_is_asked_for_and_the_model_is_given_its_words() -> None:
    for table in (True, False):
        (call,) = await events(with_note("Who wrote the manifesto?", table=table))
        assert isinstance(call, FunctionCall)
        assert [s["widget_uuid"] for s in call.arguments["data_sources"]] == [NOTE]
        models = Models(["Ada."])
        more = called(call), returned(call, "Ada wrote the manifesto.")
        status, said = await events(
            with_note("Who wrote the manifesto?", *more, table=table), models
        )
        assert isinstance(status, StatusUpdate)
        assert status.message == "Answered from the attached text; not computed, so check it"
        assert said == MessageChunk("Ada.")
        assert "Ada wrote the manifesto.\n\nQuestion: Who" in models.heard[-1]["content"]


async def test_a_question_the_table_answers_reads_no_note() -> None:
    status, call = await events(with_note("What is the average price?"))
    assert isinstance(status, StatusUpdate)
    assert isinstance(call, FunctionCall)
    assert call.function == "execute_agent_tool"


async def test_a_note_that_cannot_be_read_is_no_text_to_answer_from() -> None:
    (call,) = await events(with_note("Who wrote the manifesto?"))
    assert isinstance(call, FunctionCall)
    more = called(call), returned(call, '{"error": "It was not offered.", "remedy": ""}')
    models = Models()
    made = await events(with_note("Who wrote the manifesto?", *more), models)
    assert made[0] == StatusUpdate("INFO", "Not answered from the attached data")
    assert models.heard[-1]["content"] == "Who wrote the manifesto?"


def test_of_a_long_text_what_fits_the_question_is_kept_in_its_order() -> None:
    filler = "\n\n".join(f"Paragraph {n} is about nothing at all." * 5 for n in range(100))
    text = f"{filler}\n\nThe brontosaurus was green.\n\n{filler}\n\nA brontosaurus ate leaves."
    kept, cut = passages(text, "What did the brontosaurus eat?")
    assert cut
    assert len(kept) <= ROOM
    assert kept.index("was green") < kept.index("ate leaves")
    assert passages("short", "anything") == ("short", False)
