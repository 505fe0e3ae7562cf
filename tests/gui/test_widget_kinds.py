"""A kind of widget is one file, and one line in a registry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QProgressBar

from app.adapters.store.store import Store
from app.data.sources import Sources
from app.domain.dashboard import Widget
from app.domain.errors import BackendError
from app.openbb.content import KINDS, Content, Reply, read_content, words_of
from app.openbb.kinds import BUILT_IN
from app.openbb.widgets import TYPES, Spec, read_spec
from app.services.dashboard.tiles import Dashboard
from app.services.dashboard.widgets import Widgets
from app.ui.dashboard.bodies import raw, registry
from app.ui.dashboard.exports import forms_of
from tests.gui import gauge


@pytest.fixture
def a_gauge(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for register in (KINDS, TYPES, registry.VIEWS):
        for name in ("gauge", "meter"):
            monkeypatch.delitem(register, name, raising=False)
    registry.add(gauge.VIEW)  # the one line
    yield
    for register in (KINDS, TYPES, registry.VIEWS):
        for name in ("gauge", "meter"):
            register.pop(name, None)


def spec_of(kind: str) -> Spec:
    made = read_spec("load", {"name": "Load", "endpoint": "load", "type": kind})
    assert made is not None
    return made


def answer(value: Any) -> Reply:
    return Reply("http://127.0.0.1:1/load", "application/json", json.dumps(value).encode())


@pytest.mark.usefixtures("a_gauge")
def test_a_new_kind_is_read_told_and_shown(qtbot: Any) -> None:
    for name in ("gauge", "meter"):
        assert spec_of(name).type == "gauge"
    content = read_content(spec_of("meter"), answer({"percent": 40}))
    assert content == Content("gauge", 40)
    assert words_of(content) == "40 percent"
    with pytest.raises(BackendError, match="a percentage"):
        read_content(spec_of("gauge"), answer(["x"]))
    body = registry.body_of(content, "Load")
    qtbot.addWidget(body)
    assert isinstance(body, QProgressBar)
    assert body.value() == 40
    assert forms_of(body) == ["PNG", "SVG"]
    assert not registry.view_of("gauge").enlarges


@pytest.mark.usefixtures("a_gauge")
async def test_the_tile_of_a_new_kind_has_its_height(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "s.sqlite")
    widgets = Widgets(Sources(), store)
    dashboard = Dashboard(widgets, store)
    try:
        await dashboard.restore()
        await widgets.restore()
        made = Widget("w", "Load", str(tmp_path / "load.json"), type="gauge", backend="http://x")
        await widgets.add(made)
        assert [tile.h for tile in dashboard.tiles] == [7]
    finally:
        await store.aclose()


def test_without_its_line_a_kind_is_shown_as_json(qtbot: Any) -> None:
    assert spec_of("gauge").type == "raw"
    body = registry.body_of(Content("gauge", 40), "Load")
    qtbot.addWidget(body)
    assert isinstance(body, raw.RawBody)


def test_every_kind_a_backend_can_send_has_a_view() -> None:
    cards = {"table", "library", "omni"}  # a table view, a search, and what states its own kind
    assert {kind.name for kind in BUILT_IN} - cards == set(registry.VIEWS)
