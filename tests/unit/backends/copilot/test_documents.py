"""Attached widgets that hold words: read when the tables do not answer, and said to be where an
answer is from.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from typing import Any
from uuid import UUID

import pytest
from openbb_ai import models as sdk

from backends.copilot.documents import ROOM, shortened_text
from backends.protocol.events import Event, FunctionCall, MessageChunk, StatusUpdate
from tests.unit.backends.copilot.test_answer import Models, called, events, request, returned, words
from tests.widget_backend import pdf
from tests.workbooks import Sheet, write_xlsx

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
    assert made[:2] == [
        StatusUpdate("WARNING", "“Note” could not be read: It was not offered."),
        StatusUpdate("INFO", "Not answered from your data"),
    ]
    assert models.heard[-1]["content"] == "Who wrote the manifesto?"


def test_of_a_long_text_what_fits_the_question_is_kept_in_its_order() -> None:
    filler = "\n\n".join(f"Paragraph {n} is about nothing at all." * 5 for n in range(100))
    text = f"{filler}\n\nThe brontosaurus was green.\n\n{filler}\n\nA brontosaurus ate leaves."
    kept, cut = shortened_text(text, "What did the brontosaurus eat?")
    assert cut
    assert len(kept) <= ROOM
    assert kept.index("was green") < kept.index("ate leaves")
    assert shortened_text("short", "anything") == ("short", False)


LINK = "https://files.example.org/reports/annual%20report.pdf"
QUESTION = "Summarise the report."


def report(**params: Any) -> sdk.Widget:
    """Return a widget of a stranger's terminal."""
    made = [
        sdk.WidgetParam(name=k, type="string", description=k, current_value=v)
        for k, v in params.items()
    ]
    return sdk.Widget(
        uuid=UUID(NOTE),
        origin="Files",
        widget_id="report",
        name="Report",
        description="",
        params=made,
    )


def asked(question: str, *messages: Any, widget: sdk.Widget | None = None, **fields: Any) -> Any:
    """Return a request as the official package builds it."""
    first = sdk.LlmClientMessage(role=sdk.RoleEnum.human, content=question)
    widgets = sdk.WidgetCollection(primary=[widget]) if widget else None
    made = sdk.QueryRequest(messages=[first, *messages], widgets=widgets, **fields)
    return json.loads(made.model_dump_json(exclude_none=True))


async def sent(
    data: Any, question: str = QUESTION, says: str = "Invented.", **params: Any
) -> tuple[list[Event], Models]:
    """Return the answer to a question about a widget whose data are these, and what the model
    heard.
    """
    widget, models = report(**params), Models([says])
    (call,) = await events(asked(question, widget=widget), models)
    assert isinstance(call, FunctionCall)
    result = sdk.LlmClientFunctionCallResultMessage(
        function=call.function, input_arguments=call.arguments, data=data
    )
    asking = sdk.LlmClientMessage(role=sdk.RoleEnum.ai, content=called(call)["content"])
    return await events(asked(question, asking, result, widget=widget), models), models


async def test_of_a_pdf_of_which_only_the_address_came_nothing_is_invented() -> None:
    form = sdk.PdfDataFormat(data_type="pdf", filename="annual report.pdf")
    reference = sdk.SingleFileReference(url=sdk.HttpUrl(LINK), data_format=form)
    made, models = await sent([sdk.DataFileReferences(items=[reference])])
    assert words(made).startswith("Only the address of “annual report.pdf” arrived (https://files.")
    assert models.heard == []
    for content in (LINK, json.dumps(LINK), json.dumps([{"url": LINK}])):
        made, models = await sent([sdk.DataContent(items=[sdk.SingleDataContent(content=content)])])
        assert "Only the address of" in words(made)
        assert models.heard == []


@pytest.mark.parametrize("content", ["[]", "", '{"results": []}', '[{"a": null}, {}]', '"[]"'])
async def test_a_widget_without_data_is_said_to_hold_none(content: str) -> None:
    data = [sdk.DataContent(items=[sdk.SingleDataContent(content=content)])]
    made, models = await sent(data, symbol="AAPL")
    assert words(made) == "“Report” contains no data for symbol AAPL."
    assert models.heard == []


async def test_a_result_without_any_item_and_one_that_failed_are_said_too() -> None:
    made, models = await sent([sdk.DataContent(items=[])])
    assert words(made) == "“Report” contains no data."
    error = sdk.ClientFunctionCallError(error_type="http", content="The server answered 503.")
    made, more = await sent([error])
    assert words(made) == "“Report” could not be read: The server answered 503."
    assert models.heard == more.heard == []


async def test_a_picture_and_a_damaged_file_are_named() -> None:
    for kind, body, told in (
        ("png", b"\x89PNG", "“a.png” is an image, and I don't look at images."),
        ("pdf", b"%PDF-1.4 no", "“a.pdf” arrived as a file that can't be read (pdf)."),
    ):
        form: Any = {"data_type": kind, "filename": f"a.{kind}"}
        item = sdk.SingleDataContent(content=base64.b64encode(body).decode(), data_format=form)
        made, models = await sent([sdk.DataContent(items=[item])])
        assert words(made).startswith(told)
        assert models.heard == []


def docx(text: str) -> bytes:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f'<w:document xmlns:w="{space}"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:document>'
    with zipfile.ZipFile(made := io.BytesIO(), "w") as parts:
        parts.writestr("word/document.xml", body)
    return made.getvalue()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("pdf", pdf()),
        ("docx", docx("The second page tells of Brontosaurus.")),
        ("txt", b"A short text tells of Brontosaurus."),
        ("md", b"# Brontosaurus\n\nIs told of."),
    ],
)
async def test_a_file_that_came_is_read(kind: str, body: bytes) -> None:
    form: Any = {"data_type": kind, "filename": f"a.{kind}"}
    item = sdk.SingleDataContent(content=base64.b64encode(body).decode(), data_format=form)
    made, models = await sent([sdk.DataContent(items=[item])], says="Of a dinosaur.")
    assert made[0] == StatusUpdate(
        "INFO", "Answered from the attached text; not computed, so check it"
    )
    assert "Brontosaurus" in models.heard[-1]["content"]


async def test_a_workbook_that_came_is_a_table(tmp_path: Any) -> None:
    book = write_xlsx(
        tmp_path / "b.xlsx", Sheet("Sold", [["city", "sold"], ["Berlin", 10], ["Rome", 20]])
    )
    form: Any = {"data_type": "xlsx", "filename": "b.xlsx"}
    item = sdk.SingleDataContent(
        content=base64.b64encode(book.read_bytes()).decode(), data_format=form
    )
    made, _ = await sent([sdk.DataContent(items=[item])], "What is the total sold?")
    assert "30" in words(made)


CONTEXT_FORMS: list[Any] = [
    # the generation of 2024, and what its terminals made of it
    "Ada wrote the manifesto.",
    {"uuid": NOTE, "name": "Note", "description": "", "data": {"content": "Ada wrote the manifesto."}},
    [{"uuid": NOTE, "name": "Note", "description": "", "data": {"content": "Ada wrote the manifesto."}}],
    [{"name": "Note", "data": "Ada wrote the manifesto."}],
    [{"name": "Note", "content": "Ada wrote the manifesto."}],
    ["Ada wrote the manifesto."],
    [{"name": "Note", "data": {"content": {"text": "Ada wrote the manifesto."}}}],
    [{"name": "Note", "data": [{"content": "Ada wrote the manifesto."}]}],
    # today's
    [{"name": "Note", "data": {"items": [{"content": "Ada wrote the manifesto."}]}}],
    [{"name": "Note", "data": [{"items": [{"content": "Ada wrote the manifesto."}]}]}],
    [{"name": "Note", "data": {"items": [{"content": base64.b64encode(b"Ada wrote the manifesto.").decode(), "data_format": {"data_type": "txt", "filename": "n.txt"}}]}}],
]  # fmt: skip


@pytest.mark.parametrize("context", CONTEXT_FORMS)
@pytest.mark.parametrize("old", [True, False])
async def test_words_of_the_context_are_read_in_every_form(context: Any, old: bool) -> None:
    body: dict[str, Any] = {"messages": [{"role": "human", "content": "Who wrote the manifesto?"}]}
    body |= {"context": context} | ({"widgets": []} if old else {"timezone": "UTC"})
    models = Models(["Ada."])
    made = await events(body, models)
    assert words(made) == "Ada."
    assert "Ada wrote the manifesto." in models.heard[-1]["content"]


@pytest.mark.parametrize(
    "data",
    [
        {"content": [{"city": "Rome", "sold": 20}, {"city": "Bonn", "sold": 5}]},
        {"items": [{"content": '[{"city": "Rome", "sold": 20}, {"city": "Bonn", "sold": 5}]'}]},
        {"items": [{"content": "city,sold\nRome,20\nBonn,5", "data_format": {"data_type": "csv", "filename": "s.csv"}}]},
        [{"city": "Rome", "sold": 20}, {"city": "Bonn", "sold": 5}],
        "city,sold\nRome,20\nBonn,5",
    ],
)  # fmt: skip
async def test_a_table_of_the_context_is_computed_with(data: Any) -> None:
    body: dict[str, Any] = {
        "messages": [{"role": "human", "content": "What is the total sold?"}],
        "context": [{"uuid": NOTE, "name": "Sales", "description": "", "data": data}],
    }
    made = await events(body)
    assert "25" in words(made)


async def test_what_the_official_package_has_as_context_is_read() -> None:
    text = sdk.SingleDataContent(content="Ada wrote the manifesto.")
    note = sdk.RawContext(
        uuid=UUID(NOTE), name="Note", description="d", data=sdk.DataContent(items=[text])
    )
    models = Models(["Ada."])
    assert words(await events(asked("Who wrote it?", context=[note]), models)) == "Ada."
    assert "Ada wrote the manifesto." in models.heard[-1]["content"]


async def test_pages_a_terminal_wants_read_are_said_to_be_unread() -> None:
    models = Models()
    made = await events(asked(QUESTION, urls=["https://example.org/a"]), models)
    assert words(made).startswith(
        "https://example.org/a was not opened: I read only what is attached"
    )
    assert models.heard == []


async def test_what_came_is_answered_and_what_did_not_is_said_beside_it() -> None:
    def item(content: str) -> sdk.DataContent:
        return sdk.DataContent(items=[sdk.SingleDataContent(content=content)])

    made, models = await sent([item("Ada wrote the manifesto."), item(LINK)], says="Ada.")
    assert isinstance(made[0], StatusUpdate)
    assert (made[0].level, "annual report.pdf" in made[0].message) == ("WARNING", True)
    assert words(made) == "Ada."
    assert "Ada wrote" in models.heard[-1]["content"]


async def test_a_terminal_of_2024_is_told_in_words() -> None:
    widget = {"uuid": NOTE, "name": "Report", "description": "", "metadata": {}}
    body: dict[str, Any] = {
        "messages": [{"role": "human", "content": QUESTION}],
        "widgets": [widget],
    }
    (call,) = await events(body)
    assert isinstance(call, FunctionCall)
    for content in ("[]", LINK):
        models = Models()
        more = [called(call), returned(call, content, "data:{content}")]
        made = await events(body | {"messages": [*body["messages"], *more]}, models)
        assert ("contains no data" if content == "[]" else "Only the address of") in words(made)
        assert models.heard == []


@pytest.mark.parametrize(
    ("question", "said"),
    [("总结一下这份报告。", "没有收到内容"), ("報告を要約してください。", "内容は届いていません")],
)
async def test_what_did_not_come_is_said_in_the_language_of_the_question(
    question: str, said: str
) -> None:
    item = sdk.SingleDataContent(content=LINK)
    made, models = await sent([sdk.DataContent(items=[item])], question)
    assert said in words(made)
    assert models.heard == []
