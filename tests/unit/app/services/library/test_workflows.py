"""Workflows a person runs: changed, answered in a conversation, kept in the library, with no model
at all.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from app.adapters.store.store import Store
from app.adapters.system.json_file import JsonFile
from app.data.library.library_file import Library
from app.data.sources import Sources
from app.domain.errors import DeskpilotError, SourceError
from app.domain.events import Artifact, CallResult, CopilotCall, Ended, Status
from app.services.dashboard.widgets import Widgets
from app.services.library.workflows import AnswerPlace, Workflows, offered, parameters_at, ran_in
from backends.data.workflow.step import Workflow
from tests.unit.app.services.library.chooser import Chooser, designer


@pytest.fixture
async def desk(tmp_path: Path) -> Any:
    store = await Store.open(None)
    widgets = Widgets(Sources(), store)
    path = tmp_path / "sales.csv"
    rows = [
        f"2024-{m:02}-15,{s},{m * n}.25"
        for m in range(1, 13)
        for s, n in (("North", 3), ("South", 5))
    ]
    path.write_text("\n".join(["day,shop,sold", *rows]) + "\n", "utf-8")
    uid = (await widgets.add_file(path)).uuid
    library = Library(JsonFile(tmp_path / "library.json"))
    job = designer(JsonFile(tmp_path / "design.json"), library, Chooser())
    yield Workflows(library, widgets, store, None, job), store, path, uid
    await store.aclose()


def flow(uid: str, **more: Any) -> Workflow:
    read = {
        "source": uid,
        "time": ["day"],
        "columns": ["sold"],
        "by": "shop",
        "entities": ["North"],
        "start": "2024-03-01",
    }
    steps = [
        {"id": "a", "interface": "read_series", "arguments": read | more},
        {"id": "b", "interface": "show_table", "arguments": {"data": "a", "title": "sold"}},
    ]
    return Workflow.model_validate({"steps": steps})


async def test_a_changed_workflow_is_a_whole_answer_beside_the_first(desk: Any) -> None:
    workflows, store, _, uid = desk
    result, seconds = await workflows.run(flow(uid, entities=["South"]))
    begun = await store.new_conversation("sales")
    place = AnswerPlace(begun.id, None, "Sales of North?", "Steps you changed: of North → South")
    await workflows.answer(place, flow(uid, entities=["South"]), result, seconds, "en")
    (turn,) = await store.turns(begun.id)
    await store.read([turn])
    kinds = [
        type(item) for item in turn.items if not isinstance(item, Status) or item.level == "INFO"
    ]
    assert kinds[:3] == [Status, CopilotCall, CallResult]
    assert kinds[-2:] == [Artifact, Ended]
    assert turn.state == "done"
    assert turn.items[0].message.startswith("Steps you changed")
    found = ran_in(turn)
    assert found is not None
    assert (found.workflow.steps[0].arguments["entities"], found.language) == (["South"], "en")
    assert found.result.names == {uid: "sales"}
    table = next(item for item in turn.items if isinstance(item, Artifact))
    assert table.content[0] == {"day": "2024-03-15", "shop": "South", "sold": 15.25}


async def test_a_workflow_is_kept_tried_out_run_with_other_values_and_brought_back(
    desk: Any,
) -> None:
    workflows, _, path, uid = desk
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    assert {"a.entities.0", "a.start"} == set(offered(flow(uid)))
    named = {"shop": "a.entities.0", "since": "a.start"}
    made = await workflows.keep(
        "shop_sales", flow(uid), named, ("Sales of North?", "Sales of a shop")
    )
    assert (made.status, made.version, made.description) == ("validated", 1, "Sales of a shop")
    entry = await workflows.entry("shop_sales")
    filled, result, _ = await workflows.replay(entry, {"shop": "South", "since": "2024-11-01"})
    assert filled.parameters == []
    assert result.shown[0].rows == [["2024-11-15", "South", 55.25], ["2024-12-15", "South", 60.25]]
    assert (await workflows.test("shop_sales")).version == 2
    kept = await workflows.remove("shop_sales")
    assert await workflows.all() == []
    await workflows.put_back("shop_sales", kept)
    assert [(e.name, e.version) for e in await workflows.all()] == [("shop_sales", 2)]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


async def test_a_changed_version_keeps_its_parameters_and_one_that_fails_is_not_trusted(
    desk: Any,
) -> None:
    workflows, _, _, uid = desk
    made = await workflows.keep("shop_sales", flow(uid), {"shop": "a.entities.0"}, ("", "Sales"))
    again = flow(uid, start="2024-06-01")
    named = parameters_at(made.workflow)
    assert named == {"shop": "a.entities.0"}
    second = await workflows.keep("shop_sales", again, named, ("", "Sales"), made.workflow)
    assert (second.version, second.status, second.workflow.parameters[0].default) == (
        2,
        "validated",
        "North",
    )
    third = await workflows.keep(
        "shop_sales", flow(uid, columns=["lost"]), {}, ("", "Sales"), made.workflow
    )
    assert (third.version, third.status) == (3, "failed")
    with pytest.raises(DeskpilotError, match="not validated"):
        await workflows.replay(await workflows.entry("shop_sales"), {})
    with pytest.raises(SourceError, match="cannot be used as a name"):
        await workflows.keep("Shop sales", flow(uid), {}, ("", ""))


async def test_a_stale_workflow_says_which_column_is_another(desk: Any) -> None:
    workflows, _, path, uid = desk
    await workflows.keep("shop_sales", flow(uid), {}, ("", "Sales"))
    path.write_text(path.read_text("utf-8").replace("day,shop,sold", "day,shop,units"), "utf-8")
    (entry,) = await workflows.all()
    assert entry.status == "stale"
    assert entry.reason.endswith(
        "have changed since it was created: sold was removed; units was added."
    )
    with pytest.raises(DeskpilotError, match="sold was removed"):
        await workflows.replay(entry, {})
    path.unlink()
    (entry,) = await workflows.all()
    assert entry.status == "stale"


async def test_a_selector_stays_what_it_is_when_a_version_is_changed(desk: Any) -> None:
    workflows, _, _, uid = desk
    read = {"source": uid, "columns": [{"parameter": "picked"}], "n": 3}
    binds = {"sales": {"picked": "sold"}, "shops": {"picked": "shop"}}
    made = Workflow.model_validate(
        {
            "parameters": [{"name": "what", "type": "text", "default": "sales", "choices": ["sales", "shops"], "binds": binds, "description": "which"}],
            "steps": [{"id": "a", "interface": "read_rows", "arguments": read}],
        }
    )  # fmt: skip
    first = await workflows.keep("picks", made, {}, ("", ""))
    changed = made.filled({})
    changed.steps[0].arguments["n"] = 5
    second = await workflows.keep("picks", changed, {}, ("", ""), first.workflow)
    _, result, _ = await workflows.replay(second, {"what": "shops"})
    assert result.shown[0].columns == ["shop"]
    assert len(result.shown[0].rows) == 5
    changed.steps[0].arguments["columns"] = ["day"]
    with pytest.raises(SourceError, match="determined by the choice of what"):
        await workflows.keep("picks", changed, {}, ("", ""), first.workflow)
