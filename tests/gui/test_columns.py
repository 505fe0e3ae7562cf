"""What sets columns and cells of a table apart, and the smaller parts of a dashboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from app.domain.dashboard import TilePlace
from app.openbb.parameters import read_param
from app.ui.dashboard.bodies.raw import RawBody
from app.ui.dashboard.card import Card
from app.ui.dashboard.grid import Grid
from app.ui.dashboard.params import ParamBar, TabChoice
from app.ui.dashboard.table.cells import CONTRAST, contrast, legible
from app.ui.dashboard.table.model import TableModel
from app.ui.dashboard.table.view import PinnedColumns, TableBody
from app.ui.theme.tokens import DARK, LIGHT


def table(qtbot: Any, columns: int = 12, rows: int = 100) -> TableBody:
    names = [(f"c{n}", n % 2 == 0) for n in range(columns)]
    model = TableModel(names, rows, lambda at, count: [tuple(range(columns)) for _ in range(count)])
    body = TableBody(model, "t")
    model.setParent(body)
    body.set_tokens(LIGHT)
    qtbot.addWidget(body)
    body.resize(500, 300)
    body.show()
    return body


def colour(body: TableBody, row: int, column: int) -> str:
    box = body.visualRect(body.table().index(row, column))
    return body.viewport().grab().toImage().pixelColor(box.left() + 3, box.top() + 5).name()


def test_all_cells_of_a_number_are_lit_while_the_first_is(qtbot: Any) -> None:
    body = table(qtbot)
    model, rows = body.table(), np.zeros(100, dtype=bool)
    rows[[1, 3, 4]] = True
    model.light_all(rows[:50], "c0")  # of another version of the table
    assert not model.is_lit(1, 0)
    assert body.reveal(1, "c0")
    model.light_all(rows, "c0")
    assert [row for row in range(8) if model.is_lit(row, 0)] == [1, 3, 4]
    assert [row for row in range(8) if colour(body, row, 0) == LIGHT.flash] == [1, 3, 4]
    assert colour(body, 3, 1) != LIGHT.flash
    assert body.reveal(2, "c1")  # another citation takes its place
    assert not any(model.is_lit(row, 0) for row in range(8))


def test_pinned_columns_stay_in_view_and_do_what_the_others_do(qtbot: Any) -> None:
    body = table(qtbot)
    pinned = PinnedColumns(body, [4])
    qtbot.waitUntil(pinned.isVisible)
    assert body.horizontalHeader().visualIndex(4) == 0
    assert [c for c in range(12) if not pinned.isColumnHidden(c)] == [4]
    body.horizontalScrollBar().setValue(body.horizontalScrollBar().maximum())
    assert (
        body.visualRect(body.table().index(0, 4)).right() < 0
    )  # of the table itself, it is out of sight
    assert pinned.visualRect(body.table().index(0, 4)).left() == 0
    body.verticalScrollBar().setValue(20)
    assert pinned.verticalScrollBar().value() == 20
    pinned.setColumnWidth(4, 111)
    assert (body.columnWidth(4), pinned.width()) == (111, 111)
    sorted_by: list[int] = []
    body.horizontalHeader().sectionClicked.connect(sorted_by.append)
    pinned.horizontalHeader().sectionClicked.emit(4)
    assert sorted_by == [4]
    body.selectRow(22)
    assert pinned.selectionModel() is body.selectionModel()
    body.resize(150, 300)
    qtbot.waitUntil(lambda: not pinned.isVisible())  # there is no room for it


@pytest.mark.parametrize(
    "name", ["blue", "navy", "yellow", "white", "black", "#7a1", "red", "lime"]
)
def test_colours_of_backends_can_be_read_in_both_themes(name: str) -> None:
    for tokens in (LIGHT, DARK):
        made = legible(name, tokens.card)
        assert contrast(made, legible(tokens.card, "#808080")) >= 1
        from PySide6.QtGui import QColor

        assert contrast(made, QColor(tokens.card)) >= CONTRAST
    assert not legible("no colour", "#ffffff").isValid()


def test_a_parameter_may_be_tabs(qtbot: Any) -> None:
    raw = {
        "paramName": "view",
        "type": "tabs",
        "value": "b",
        "options": ["a", "b", {"label": "C & D", "value": "c"}],
    }
    param = read_param(raw, 0)
    assert param is not None
    bar = ParamBar([param], {}, run=False)
    qtbot.addWidget(bar)
    told: list[Any] = []
    bar.changed.connect(lambda name, value: told.append((name, value)))
    part = bar.fields["view"].part
    assert isinstance(part, TabChoice)
    assert (part.currentIndex(), part.tabText(2)) == (1, "C && D")
    bar.set_values({"view": "c"})
    assert (part.currentIndex(), told) == (2, [])
    part.setCurrentIndex(0)
    assert told == [("view", "a")]


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ({"url": "https://example.org/x"}, "https://example.org/x"),
        ("https://example.org/film", "https://example.org/film"),
        ({"url": "file:///etc/passwd"}, ""),
        ({"url": "https://x", "more": 1}, ""),
        ("https://x and more", ""),
        ({"mark": "bar"}, ""),
    ],
)
def test_what_has_no_view_is_opened_elsewhere(qtbot: Any, value: Any, address: str) -> None:
    body = RawBody(value, "x")
    qtbot.addWidget(body)
    links: list[str] = []
    texts: list[str] = []
    body.linked.connect(links.append)
    body.outside_wanted.connect(texts.append)
    (button,) = body.findChildren(QPushButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (links, len(texts)) == ([address], 0) if address else ([], 1)


def test_tiles_are_pictures_while_one_is_dragged(
    qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[int] = []  # pixels of each table
    paint = TableBody.paintEvent

    def painting(body: TableBody, event: Any) -> None:
        painted.append(sum(box.width() * box.height() for box in event.region()))
        paint(body, event)

    monkeypatch.setattr(TableBody, "paintEvent", painting)
    grid = Grid()
    qtbot.addWidget(grid)
    for n in range(3):
        grid.add(f"t{n}", Card(f"t{n}", "", table(qtbot)))
    grid.resize(900, 600)
    grid.show()
    grid.show_tiles(tuple(TilePlace(f"t{n}", 4 * n, 0, 4, 6) for n in range(3)))
    qtbot.waitUntil(lambda: len(painted) >= 3 and not grid._glides)  # they stand where they belong
    done: list[tuple[str, Any]] = []
    grid.arranged.connect(lambda tiles: done.append(("arranged", [t.id for t in tiles])))
    grid.carried.connect(lambda uid, _: done.append(("carried", uid)))
    bar = grid.frames["t0"].card.bar
    bar.grabbed.emit(bar.mapToGlobal(QPoint(20, 20)))
    for step in range(6):
        bar.dragged.emit(grid.mapToGlobal(QPoint(40 + 10 * step, 40)))
    assert all(frame._cover is not None for frame in grid.frames.values())
    QApplication.processEvents()
    painted.clear()
    for step in range(10):
        bar.dragged.emit(grid.mapToGlobal(QPoint(100 + 50 * step, 40)))
        QApplication.processEvents()
    assert all(pixels < 500 for pixels in painted)  # what the round corners of a picture leave free
    bar.dropped.emit()
    assert done == [("arranged", ["t1", "t0", "t2"])] or done == [("arranged", ["t1", "t2", "t0"])]
    qtbot.waitUntil(lambda: all(frame._cover is None for frame in grid.frames.values()))
