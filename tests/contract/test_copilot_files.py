"""Documents in the protocol's data formats: as they are to copilots of today, in words to all
others.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openbb_ai.models import DataContent, LlmClientFunctionCallResultMessage, QueryRequest

from app.openbb.content import Content
from app.services.functions import widget_data
from tests.contract.scripted_peer import PEER, Peer, Terminal, call, results, said, without
from tests.contract.test_copilot_requests import Request2024
from tests.widget_backend import pdf

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
OLD = replace(without(PEER, hasFunctionCalling=True), dialect="2024")


def asks(*uids: str) -> bytes:
    sources = [{"widget_uuid": u, "origin": "deskpilot", "id": u, "input_args": {}} for u in uids]
    return call("get_widget_data", data_sources=sources)


async def opened(here: Terminal, folder: Path, name: str, held: bytes) -> str:
    (folder / name).write_bytes(held)
    return await here.open(folder / name)


async def sent(here: Terminal, *uids: str) -> list[dict[str, Any]]:
    """Return the entries of the result of a call for widgets, read by today's SDK."""
    peer = Peer(lambda body: said("ok") if results(body) else asks(*uids))
    _, ended = await here.ask(peer, attach=uids)
    assert ended.state == "done"
    request = QueryRequest.model_validate(peer.asked[1])
    last = request.messages[-1]
    assert isinstance(last, LlmClientFunctionCallResultMessage)
    assert all(isinstance(entry, DataContent) for entry in last.data)
    return results(peer.asked[1])[-1]["data"]


@pytest.mark.parametrize(
    ("name", "held", "told"),
    [
        ("report.pdf", pdf(), {"data_type": "pdf", "filename": "report.pdf"}),
        ("dot.png", DOT, {"data_type": "png", "filename": "dot.png"}),
        ("dot.JPEG", DOT, {"data_type": "jpeg", "filename": "dot.JPEG"}),
    ],
)
async def test_a_pdf_and_a_picture_are_sent_as_they_are(
    here: Terminal, tmp_path: Path, name: str, held: bytes, told: dict[str, str]
) -> None:
    (entry,) = await sent(here, await opened(here, tmp_path, name, held))
    (item,) = entry["items"]
    assert base64.b64decode(item["content"]) == held
    assert item["data_format"] == told
    assert (entry["content"], entry["data_format"]) == (
        item["content"],
        told,
    )  # as the flat list has it


@pytest.mark.parametrize(
    ("name", "kind"),
    [("notes.md", "md"), ("notes.txt", "txt"), ("notes.html", "html"), ("dot.gif", "object")],
)
async def test_texts_say_what_they_are_and_what_has_no_format_is_in_words(
    here: Terminal, tmp_path: Path, name: str, kind: str
) -> None:
    (entry,) = await sent(here, await opened(here, tmp_path, name, b"The sky is blue."))
    (item,) = entry["items"]
    assert item["data_format"]["data_type"] == kind
    assert item["data_format"]["parse_as"] == "text"
    assert ("The sky is blue." in item["content"]) == (kind != "object")


async def test_each_source_has_its_own_form_in_the_order_asked(
    here: Terminal, tmp_path: Path
) -> None:
    table = await opened(here, tmp_path, "prices.csv", b"day,close\n2024-10-15,233.85\n")
    report = await opened(here, tmp_path, "report.pdf", pdf())
    entries = await sent(here, table, report, table)
    assert [e["items"][0]["data_format"]["data_type"] for e in entries] == [
        "object",
        "pdf",
        "object",
    ]
    assert json.loads(entries[2]["items"][0]["content"])[0]["close"] == 233.85


async def test_copilots_of_2024_and_our_own_are_told_the_words(
    here: Terminal, tmp_path: Path
) -> None:
    uid = await opened(here, tmp_path, "report.pdf", pdf())
    for copilot in (OLD, replace(PEER, is_ours=True)):
        here.said.clear()
        asked = call("get_widget_data", widget_uuid=uid) if copilot is OLD else asks(uid)
        peer = Peer(lambda body, asked=asked: said("ok") if results(body) else asked)
        await here.ask(peer, copilot=copilot, attach=(uid,))
        (result,) = results(peer.asked[1])
        assert "(page 1)" in result["content"]
        assert result["data"][0]["items"][0]["content"] == result["content"]
        if copilot is OLD:
            Request2024.model_validate(peer.asked[1])


async def test_a_file_is_sent_while_its_turn_lasts_and_kept_nowhere(
    here: Terminal, tmp_path: Path
) -> None:
    uid = await opened(here, tmp_path, "report.pdf", pdf())
    await sent(here, uid)
    peer = Peer(lambda _: said("As was said."))
    turn, _ = await here.ask(peer, attach=(uid,))
    (earlier,) = results(peer.asked[0])
    assert "(page 1)" in earlier["data"][0]["items"][0]["content"]
    stored = await here.store.turns(turn.conversation_id)
    await here.store.read(stored)
    held = base64.b64encode(pdf()).decode()
    assert held not in repr([t.items for t in stored])
    assert not any(getattr(i, "files", None) for t in here.said for i in t.items)


def test_several_files_of_one_widget_are_an_item_each_and_all_in_words_if_one_has_no_form() -> None:
    held = [
        {"filename": "a.pdf", "kind": "pdf", "content": "QQ=="},
        {"filename": "b.png", "kind": "image", "content": "QQ=="},
    ]
    told = [item["data_format"] for item in widget_data.files_of(Content("files", held))]
    assert [t["data_type"] for t in told] == ["pdf", "png"]
    assert (
        widget_data.files_of(Content("files", [*held, {"filename": "c.bin", "content": "QQ=="}]))
        == []
    )
    assert (
        widget_data.files_of(
            Content("files", [*held, {"filename": "d.pdf", "kind": "pdf", "url": "http://x"}])
        )
        == []
    )


async def test_what_is_too_large_for_a_request_is_sent_in_words(
    here: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widget_data, "MOST", 100)
    (entry,) = await sent(here, await opened(here, tmp_path, "report.pdf", pdf()))
    assert "(page 1)" in entry["items"][0]["content"]
