"""`get_widget_data` as copilots of each generation call it."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from openbb_ai.models import LlmClientFunctionCallResultMessage

from app.adapters.copilots.requests import tool
from app.data.sources import Sources
from app.domain.copilot import OfferedWidget
from app.domain.events import CallResult, CopilotCall
from app.services import functions
from app.services.functions.context import CallContext

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {"cities": "city,sold\nBerlin,10\n", "prices": "item,price\nTea,2.5\n"}


@pytest.fixture
def opened(tmp_path: Path) -> tuple[Sources, dict[str, str]]:
    """Give two open tables and their uuids by name."""
    sources, uids = Sources(), {}
    for name, text in ROWS.items():
        (tmp_path / f"{name}.csv").write_text(text)
        uids[name] = sources.add_file(tmp_path / f"{name}.csv").uuid
    return sources, uids


async def call(sources: Sources, arguments: dict[str, Any], offered: list[str]) -> CallResult:
    made = CopilotCall("get_widget_data", arguments, json.dumps({"function": "get_widget_data"}))
    return await functions.run(
        made, CallContext(sources, {uid: OfferedWidget(uid) for uid in offered})
    )


def named(*uids: str) -> dict[str, Any]:
    return {
        "data_sources": [
            {"widget_uuid": u, "origin": "x", "id": "", "input_args": {}} for u in uids
        ]
    }


async def test_each_data_source_has_its_own_entry_in_the_order_asked(
    opened: tuple[Sources, dict[str, str]],
) -> None:
    sources, uids = opened
    asked = [uids["prices"], uids["cities"], uids["prices"]]
    result = await call(sources, named(*asked), list(uids.values()))
    assert [json.loads(e)[0] for e in result.entries] == [
        {"item": "Tea", "price": 2.5}, {"city": "Berlin", "sold": 10}, {"item": "Tea", "price": 2.5},
    ]  # fmt: skip
    message = tool(CopilotCall("get_widget_data", named(*asked), '{"function": "f"}'), result)
    read = LlmClientFunctionCallResultMessage.model_validate(message)
    assert [entry.items[0].content for entry in read.data] == result.entries  # type: ignore[union-attr]
    assert message["content"].splitlines() == result.entries


async def test_a_source_that_cannot_be_served_keeps_its_place_among_the_others(
    opened: tuple[Sources, dict[str, str]],
) -> None:
    sources, uids = opened
    result = await call(sources, named(str(uuid.uuid4()), uids["cities"]), list(uids.values()))
    assert not result.failed
    assert "was not offered" in json.loads(result.entries[0])["error"]
    assert json.loads(result.entries[1]) == [{"city": "Berlin", "sold": 10}]


@pytest.mark.parametrize("stale", ["00000000-0000-0000-0000-000000000000", None, ""])
async def test_a_stale_uuid_gives_way_to_the_id(
    opened: tuple[Sources, dict[str, str]], stale: str | None
) -> None:
    sources, uids = opened
    source = {"widget_uuid": stale, "origin": "another name", "id": uids["cities"]}
    result = await call(sources, {"data_sources": [source]}, list(uids.values()))
    assert json.loads(result.entries[0]) == [{"city": "Berlin", "sold": 10}]


async def test_an_id_that_was_not_offered_is_never_another_widget(
    opened: tuple[Sources, dict[str, str]],
) -> None:
    sources, uids = opened
    source = {"widget_uuid": "gone", "origin": "deskpilot", "id": uids["prices"]}
    result = await call(sources, {"data_sources": [source]}, [uids["cities"]])
    assert result.failed
    assert "was not offered" in result.content


@pytest.mark.parametrize("form", ["widget_uuid", "widget_uuids"])
async def test_the_older_forms_are_served(
    opened: tuple[Sources, dict[str, str]], form: str
) -> None:
    sources, uids = opened
    uid = uids["cities"]
    result = await call(sources, {form: uid if form == "widget_uuid" else [uid]}, [uid])
    assert json.loads(result.content) == [{"city": "Berlin", "sold": 10}]


async def test_a_call_that_names_widgets_without_end_is_refused(
    opened: tuple[Sources, dict[str, str]],
) -> None:
    sources, uids = opened
    result = await call(sources, named(*[uids["cities"]] * 10_000), list(uids.values()))
    assert (result.failed, result.entries) == (True, [])
    assert "at most 32" in result.content


async def test_a_large_table_is_cut_to_what_the_question_is_about(tmp_path: Path) -> None:
    path = tmp_path / "shops.csv"
    path.write_text(
        "name,city\n"
        + "".join(f"shop {n},{'Lisbon' if n == 700 else 'Rome'}\n" for n in range(900))
    )
    sources = Sources()
    uid = sources.add_file(path).uuid
    made = CopilotCall("get_widget_data", named(uid), "{}")
    result = await functions.run(
        made, CallContext(sources, {uid: OfferedWidget(uid)}, question="Which shop is in Lisbon?")
    )
    told = json.loads(result.entries[0])
    assert [row["row"] for row in told["rows"]] == [701]
    assert "899 are left out" in told["note"]
