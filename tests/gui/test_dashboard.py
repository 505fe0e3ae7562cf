"""The dashboard: tiles dragged, resized, moved by key, kept; files dropped; cells shown."""

from __future__ import annotations

import asyncio
import threading
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QWidget,
)

from app.data.sources import Sources
from app.data.tables import OpenTable
from app.domain.dashboard import ColumnSeries, Tab, TilePlace, Tiles, find
from app.domain.events import CellRef, Reading
from app.ui.chat.lines import understood
from app.ui.controls import message_boxes
from app.ui.dashboard.bodies.figures import Figures
from app.ui.dashboard.bodies.lines import LineChart, shown, ticks
from app.ui.dashboard.card import Card, Larger, ReadingNotice
from app.ui.dashboard.grid import GAP, LEAST, ROW, Geometry, Grid
from app.ui.dashboard.pane import DashboardPane
from app.ui.dashboard.table.model import TableModel
from app.ui.dashboard.table.view import TableBody
from app.ui.theme.tokens import LIGHT
from tests.gui.living import in_window, tables_shown, until

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

STACK = (TilePlace("a", 0, 0, 12, 6), TilePlace("b", 0, 6, 12, 6), TilePlace("c", 0, 12, 12, 6))
PITCH = ROW + GAP
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton

pytestmark = pytest.mark.usefixtures("served")


class Hand:
    """A mouse that holds a widget."""

    def __init__(self, widget: QWidget, at: QPoint | None = None) -> None:
        self.widget, self.at = widget, widget.mapToGlobal(at or QPoint(20, 20))
        self._send(QEvent.Type.MouseButtonPress, LEFT)

    def move(self, dx: int, dy: int) -> Hand:
        self.at += QPoint(dx, dy)
        self._send(QEvent.Type.MouseMove, LEFT)
        return self

    def let_go(self) -> None:
        self._send(QEvent.Type.MouseButtonRelease, NONE)

    def _send(self, kind: QEvent.Type, buttons: Qt.MouseButton) -> None:
        local = QPointF(self.widget.mapFromGlobal(self.at))
        button = NONE if kind == QEvent.Type.MouseMove else LEFT
        none = Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(
            self.widget, QMouseEvent(kind, local, QPointF(self.at), button, buttons, none)
        )


def settled(grid: Grid) -> bool:
    """Whether every tile stands where it should."""
    geometry = Geometry(grid.width())
    return all(
        grid.frames[t.id].card.size().toTuple() == geometry.rect(t)[2:] for t in grid.tiles
    ) and all(grid.frames[t.id].pos().toTuple() == geometry.rect(t)[:2] for t in grid.tiles)


def apart(pane: DashboardPane) -> None:
    """No two cards share a pixel."""
    boxes = [(uid, f.card.rect().translated(f.pos())) for uid, f in pane.grid.frames.items()]
    for (one, box), (other, another) in combinations(boxes, 2):
        assert not box.intersects(another), (one, other)


@pytest.fixture
def pane(qtbot: Any) -> DashboardPane:
    made = DashboardPane()
    qtbot.addWidget(made)
    made.resize(420, 806)
    for name in "abc":
        made.add(name, Card(f"Table {name}", "7 rows", QLabel(name)))
    made.show_tiles(STACK)
    with qtbot.waitExposed(made):
        made.show()
    qtbot.waitUntil(lambda: settled(made.grid))
    return made


def changes(pane: DashboardPane) -> list[Tiles]:
    seen: list[Tiles] = []
    pane.arranged.connect(seen.append)
    return seen


def order(tiles: Tiles) -> str:
    return "".join(t.id for t in tiles)


def test_a_tile_dragged_by_its_title_bar_changes_places_and_snaps(
    pane: DashboardPane, qtbot: Any
) -> None:
    seen = changes(pane)
    hand = Hand(pane.cards["a"].bar).move(3, 10).move(4, 4 * PITCH)
    assert not seen  # it is still held
    qtbot.waitUntil(
        lambda: pane.grid.frames["b"].y() < pane.grid.frames["a"].y()
    )  # b has made room
    hand.let_go()
    assert [order(tiles) for tiles in seen] == ["bac"]
    qtbot.waitUntil(lambda: settled(pane.grid))
    apart(pane)


def test_a_press_that_does_not_move_far_drags_nothing(pane: DashboardPane) -> None:
    seen = changes(pane)
    Hand(pane.cards["a"].bar).move(1, 1).let_go()
    assert not seen
    assert settled(pane.grid)


def test_escape_puts_a_dragged_tile_back(pane: DashboardPane, qtbot: Any) -> None:
    seen = changes(pane)
    hand = Hand(pane.cards["a"].bar).move(0, 5 * PITCH)
    QTest.keyClick(pane.cards["a"].bar, Qt.Key.Key_Escape)
    hand.move(0, PITCH).let_go()
    qtbot.waitUntil(lambda: settled(pane.grid))
    assert (seen, pane.grid.tiles) == ([], STACK)


def test_the_corner_resizes_in_whole_cells_and_others_make_room(
    pane: DashboardPane, qtbot: Any
) -> None:
    seen = changes(pane)
    corner = pane.grid.frames["a"].grips[2]
    Hand(corner, QPoint(3, 3)).move(-170, 2 * PITCH + 9).let_go()
    assert [(find(t, "a").w, find(t, "a").h, find(t, "b").y) for t in seen] == [(7, 8, 8)]
    qtbot.waitUntil(lambda: settled(pane.grid))
    Hand(pane.grid.frames["a"].grips[0], QPoint(3, 3)).move(-999, 0).let_go()
    assert find(pane.grid.tiles, "a").w == 6  # no narrower than can be read here
    qtbot.waitUntil(lambda: settled(pane.grid))
    assert pane.cards["a"].width() >= LEAST
    Hand(pane.grid.frames["c"].grips[1], QPoint(3, 3)).move(0, -2 * PITCH).let_go()
    assert find(pane.grid.tiles, "c").h == 4
    qtbot.waitUntil(lambda: settled(pane.grid))
    apart(pane)


def test_arrow_keys_move_and_with_shift_resize_a_tile(pane: DashboardPane, qtbot: Any) -> None:
    seen, bar = changes(pane), pane.cards["a"].bar
    QTest.keyClick(bar, Qt.Key.Key_Down)
    assert order(pane.grid.tiles) == "bac"
    QTest.keyClick(bar, Qt.Key.Key_Up)
    assert order(pane.grid.tiles) == "abc"
    QTest.keyClick(bar, Qt.Key.Key_Left)  # it is at the edge
    QTest.keyClick(bar, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(bar, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert (find(pane.grid.tiles, "a").w, find(pane.grid.tiles, "a").h) == (11, 7)
    QTest.keyClick(bar, Qt.Key.Key_Right)
    assert find(pane.grid.tiles, "a").x == 1
    assert len(seen) == 5
    qtbot.waitUntil(lambda: settled(pane.grid))
    apart(pane)


def test_tab_walks_through_the_tiles_as_they_stand(pane: DashboardPane) -> None:
    pane.activateWindow()
    pane.cards["c"].bar.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(pane.cards["c"].bar, Qt.Key.Key_Up)
    QTest.keyClick(pane.cards["c"].bar, Qt.Key.Key_Up)
    assert order(pane.grid.tiles) == "cab"
    walked = [
        part for name in "cab" for part in [pane.cards[name].bar, *pane.cards[name].bar.buttons()]
    ]
    chain, part = [], pane.cards["c"].bar.nextInFocusChain()
    while part is not pane.cards["c"].bar:
        chain.append(part)
        part = part.nextInFocusChain()
    assert [w for w in chain if w in walked] == walked[1:]


def test_a_narrow_pane_scrolls_and_nothing_overlaps(pane: DashboardPane, qtbot: Any) -> None:
    pane.show_tiles(
        (TilePlace("a", 0, 0, 3, 6), TilePlace("b", 3, 0, 9, 6), TilePlace("c", 0, 6, 4, 3))
    )
    pane.resize(260, 300)
    qtbot.waitUntil(lambda: settled(pane.grid))
    apart(pane)
    assert pane.cards["a"].width() >= LEAST
    assert pane.horizontalScrollBar().maximum() > 0
    assert pane.verticalScrollBar().maximum() > 0
    pane.resize(1200, 800)
    qtbot.waitUntil(lambda: settled(pane.grid))
    assert pane.horizontalScrollBar().maximum() == 0


def test_the_pane_scrolls_under_a_tile_held_at_its_edge(pane: DashboardPane, qtbot: Any) -> None:
    pane.resize(420, 300)
    hand = Hand(pane.cards["a"].bar).move(0, 255)
    bar = pane.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    hand.let_go()
    assert order(pane.grid.tiles) != "abc"


def test_a_window_that_is_looked_at_again_says_so(pane: DashboardPane, qtbot: Any) -> None:
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    with qtbot.waitSignal(pane.seen):
        pane.activateWindow()


def test_what_was_not_understood_stands_before_what_may_be_meant() -> None:
    others = (Reading(("count", "rows")), Reading(("pop", "2005")))
    line = understood("", Reading((), ("Apple",), asks=True, alternatives=others), LIGHT)
    assert (
        line.index("Not understood: Apple")
        < line.index("Did\u00a0you\u00a0mean:")
        < line.index("alt:0")
    )
    assert "count\u00a0·\u00a0rows?" in line  # an alternative is not broken over two lines


def test_a_focused_tile_is_scrolled_to_and_ringed(pane: DashboardPane, qtbot: Any) -> None:
    pane.resize(400, 300)
    pane.activateWindow()
    qtbot.waitUntil(pane.isActiveWindow)
    pane.cards["c"].bar.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: pane.cards["c"].property("focused") is True)
    assert not pane.cards["c"].bar.visibleRegion().isEmpty()


def test_the_first_run_shows_the_sample_dashboard(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        await until(lambda: pane.findChildren(LineChart) and pane.findChildren(Figures))
        assert [c.bar.name.text() for c in pane.cards.values()] == [
            "us macro",
            "Real GDP",
            "Key figures",
        ]
        assert next(iter(pane.cards.values())).bar.caption.text() == "203 rows"
        await until(lambda: settled(pane.grid))
        apart(pane)
        figures = [b.text() for b in pane.findChildren(Figures)[0].findChildren(QAbstractButton)]
        assert figures == ["9.6 %", "3.56 %", "0.12 %"]

    in_window(work)


def test_a_restart_finds_the_tiles_where_they_were_left(qapp: Any) -> None:
    left: list[Tiles] = []

    async def arrange(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        table, chart, _ = pane.cards
        await until(lambda: settled(pane.grid))
        Hand(pane.cards[chart].bar).move(0, -9 * PITCH).let_go()
        Hand(pane.grid.frames[table].grips[1], QPoint(3, 3)).move(0, -3 * PITCH).let_go()
        window.split.moveSplitter(window.split.width() - 560, 1)
        await until(lambda: session.deskpilot.dashboard.width is not None)
        left.append(session.deskpilot.dashboard.tiles)
        assert find(left[0], chart).y == 0
        assert find(left[0], table).h == 6

    async def look(window: MainWindow, session: WindowSession) -> None:
        assert window.dashboard.grid.tiles == left[0]
        assert abs(window.dashboard.width() - 560) <= 2
        await until(lambda: settled(window.dashboard.grid))

    in_window(arrange)
    in_window(look)


def test_a_dropped_file_becomes_a_tile_where_it_was_dropped(qapp: Any, tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n2024-01-01,2.5\n", "utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        pane, data = window.dashboard, QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        at, action = QPointF(60, 20), Qt.DropAction.CopyAction
        none = Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(at.toPoint(), action, data, LEFT, none)
        QApplication.sendEvent(pane.viewport(), enter)
        assert enter.isAccepted()
        QApplication.sendEvent(
            pane.viewport(), QDragMoveEvent(at.toPoint(), action, data, LEFT, none)
        )
        QApplication.sendEvent(pane.viewport(), QDropEvent(at, action, data, LEFT, none))
        await until(lambda: tables_shown(window) == 2)
        new = next(w for w in session.deskpilot.widgets.all() if w.name == "prices")
        await until(lambda: pane.grid.tiles[0].id == new.uuid)
        assert new.attached
        await until(lambda: settled(pane.grid))
        apart(pane)

    in_window(work)


def test_a_tile_let_go_over_the_conversation_goes_along_with_questions(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane, widgets = window.dashboard, session.deskpilot.widgets
        uid, chart, _ = pane.cards
        await until(lambda: settled(pane.grid))
        before = pane.grid.tiles
        session.board.set_context(uid, False)
        await until(lambda: not widgets.attached())
        Hand(pane.cards[chart].bar).move(-300, 0).let_go()
        await until(
            lambda: [w.uuid for w in widgets.attached()] == [uid]
        )  # the table it is drawn from
        assert pane.grid.tiles == before
        await until(lambda: settled(pane.grid))

    in_window(work)


def test_what_was_removed_comes_back_where_it_was(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane, widgets = window.dashboard, session.deskpilot.widgets
        uid, *_ = pane.cards
        before, tiles = widgets.all(), pane.grid.tiles
        pane.cards[uid].bar.remove.click()
        await until(lambda: not pane.cards and pane.notice.isVisible())
        assert pane.notice.label.text() == "Removed us macro and 2 widgets drawn from it"
        assert not widgets.attached()
        pane.notice.undo.click()
        await until(lambda: len(pane.cards) == 3 and pane.findChildren(LineChart))
        assert {w.uuid: w for w in widgets.all()} == {w.uuid: w for w in before}
        assert pane.grid.tiles == tiles
        assert not pane.notice.isVisible()

    in_window(work)


def test_undo_of_a_closed_dashboard_is_offered_for_a_minute(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went after eight seconds, and table, note and chart with it."""
    assert message_boxes.LONGER_MS == 60_000
    monkeypatch.setattr(message_boxes, "SHOWN_MS", 20)
    monkeypatch.setattr(message_boxes, "LONGER_MS", 2_000)

    async def work(window: MainWindow, session: WindowSession) -> None:
        pane, dashboard = window.dashboard, session.deskpilot.dashboard
        cards = set(pane.cards)
        pane.notice.tell("Saved t.csv", undoable=False)
        await until(lambda: not pane.notice.isVisible())
        pane.tabs.closed.emit(dashboard.current)
        await until(lambda: pane.notice.isVisible() and not pane.cards)
        await asyncio.sleep(0.2)  # ten times as long as the other
        assert pane.notice.undo.isVisible()
        pane.notice.undo.click()
        await until(lambda: set(pane.cards) == cards)

    in_window(work)


def test_the_field_for_the_name_of_a_dashboard_goes_with_it(pane: DashboardPane) -> None:
    """It stood beside the other tabs."""
    tabs = pane.tabs
    tabs.show_tabs([Tab("a", "First"), Tab("b", "Second")], "b")
    tabs.rename(1)
    (field,) = [one for one in tabs.findChildren(QLineEdit) if one.isVisibleTo(tabs)]
    assert field.text() == "Second"
    tabs.show_tabs([Tab("a", "First")], "a")
    assert not [one for one in tabs.findChildren(QLineEdit) if one.isVisibleTo(tabs)]


def test_a_file_of_another_dashboard_comes_to_the_one_it_is_added_to(
    qapp: Any, tmp_path: Path
) -> None:
    """The window jumped to the other dashboard, and the new one stayed empty."""
    (tmp_path / "members.csv").write_text("name,fee\nAnn,1\nBen,2\n")

    async def work(window: MainWindow, session: WindowSession) -> None:
        pane, dashboard = window.dashboard, session.deskpilot.dashboard
        await session.board.add([str(tmp_path / "members.csv")])
        (uid,) = [w.uuid for w in session.deskpilot.widgets.all() if w.name == "members"]
        first = dashboard.current
        pane.tabs.added.emit()
        await until(lambda: dashboard.current != first and not dashboard.tiles)
        pane.tabs.file_wanted.emit()
        (dialog,) = window.findChildren(QFileDialog)
        dialog.filesSelected.emit([str(tmp_path / "members.csv")])
        dialog.close()
        await until(lambda: [tile.id for tile in dashboard.tiles] == [uid])
        assert dashboard.current != first
        assert uid not in {t.id for tab in dashboard.tabs if tab.id == first for t in tab.tiles}
        await until(lambda: pane.notice.label.text() == "Moved members here from Dashboard")
        assert not pane.notice.undo.isVisible()
        await until(lambda: tables_shown(window) >= 1)
        session.attach_files([str(tmp_path / "members.csv")])  # to the chat: it stays
        dashboard.open(first)
        session.board.show()
        await session.board.add([str(tmp_path / "members.csv")])
        await until(lambda: dashboard.current != first)

    in_window(work)


def test_the_focus_goes_to_the_next_tile_when_one_is_removed(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        _, chart, figures = pane.cards
        window.activateWindow()
        pane.cards[chart].bar.setFocus()
        await until(lambda: pane.cards[chart].bar.hasFocus())
        QTest.keyClick(pane.cards[chart].bar, Qt.Key.Key_Delete)
        await until(lambda: chart not in pane.cards)
        assert pane.cards[figures].bar.hasFocus()

    in_window(work)


def test_quiet_buttons_take_the_names_room_in_a_narrow_tile_only_while_they_are_used(
    pane: DashboardPane, qtbot: Any
) -> None:
    pane.show_tiles(
        (TilePlace("a", 0, 0, 6, 6), TilePlace("b", 6, 0, 6, 6), TilePlace("c", 0, 6, 12, 6))
    )
    qtbot.waitUntil(lambda: settled(pane.grid))
    narrow, wide = pane.cards["a"].bar, pane.cards["c"].bar
    pane.activateWindow()
    qtbot.waitUntil(pane.isActiveWindow)
    wide.setFocus(Qt.FocusReason.TabFocusReason)
    assert (narrow.larger.isHidden(), wide.larger.isHidden()) == (True, False)
    narrow.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(narrow, Qt.Key.Key_Tab)
    assert narrow.chart.hasFocus()
    QTest.keyClick(narrow.chart, Qt.Key.Key_Tab)
    assert narrow.larger.hasFocus()
    assert narrow.larger.isVisible()
    wide.setFocus(Qt.FocusReason.TabFocusReason)
    assert narrow.larger.isHidden()


def test_key_figures_stand_below_each_other_where_they_do_not_fit_beside(qtbot: Any) -> None:
    series = [
        ColumnSeries(name, "", ("1", "2"), (1.0, 2.5), (0, 1))
        for name in ("unemployment", "b", "c")
    ]
    tile = QWidget()
    qtbot.addWidget(tile)
    figures = Figures(series, ["Unemployment", "B", "C"], "%", tile)
    tile.show()
    for width, lines in ((360, 1), (170, 3)):
        figures.resize(width, 180)
        qtbot.waitUntil(lambda n=lines: len({box.y() for box in figures.boxes}) == n)


def test_of_several_files_each_that_can_be_read_is_shown_and_the_others_are_told(
    qapp: Any, tmp_path: Path
) -> None:
    bad, good = tmp_path / "bad.xyz", tmp_path / "good.csv"
    for path in (bad, good):
        path.write_text("day,close\n2024-01-01,2.5\n", "utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        session.attach_files([str(bad), str(good)])
        await until(lambda: tables_shown(window) == 2)
        await until(lambda: window.findChildren(QMessageBox))
        assert "bad.xyz" in window.findChildren(QMessageBox)[0].text()
        window.findChildren(QMessageBox)[0].close()

    in_window(work)


def test_a_cited_cell_flashes_in_its_tile_and_the_tile_scrolls_into_view(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        uid, *_ = pane.cards
        QTest.keyClick(pane.cards[uid].bar, Qt.Key.Key_Down)
        QTest.keyClick(pane.cards[uid].bar, Qt.Key.Key_Down)
        assert pane.grid.tiles[-1].id == uid
        window.resize(1100, 420)
        await until(lambda: settled(pane.grid) and pane.verticalScrollBar().maximum() > 0)
        pane.verticalScrollBar().setValue(0)
        table = pane.table(uid)
        assert table is not None
        version = session.deskpilot.widgets.profile(uid).hash
        assert session.board.reveal(uid, CellRef(version, 202, "unemp"))
        assert table.table()._lit == (202, 10)
        await until(lambda: not table.visibleRegion().isEmpty())
        assert table.rowAt(table.viewport().height() - 4) in (202, -1)

    in_window(work)


def test_a_point_of_a_chart_shows_its_cell(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        await until(lambda: pane.findChildren(LineChart))
        chart, (uid, *_) = pane.findChildren(LineChart)[0], pane.cards
        QTest.keyClick(chart, Qt.Key.Key_Left)
        QTest.keyClick(chart, Qt.Key.Key_Return)
        table = pane.table(uid)
        assert table is not None
        assert table.table()._lit == (201, 2)

    in_window(work)


def test_a_changed_file_is_marked_and_read_again_on_demand(qapp: Any, tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n2024-01-01,2.5\n", "utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        session.attach_files([str(path)])
        await until(lambda: tables_shown(window) == 2)
        uid = next(w.uuid for w in session.deskpilot.widgets.all() if w.name == "prices")
        stale = pane.cards[uid].bar.stale
        await until(pane.cards[uid].bar.context.isChecked)
        assert stale.isHidden()
        path.write_text("day,close\n2024-01-01,2.5\n2024-01-02,3.5\n", "utf-8")
        await until(lambda: not stale.isHidden())
        assert pane.cards[uid].bar.caption.text() == "1 row"
        stale.click()
        await until(lambda: pane.cards[uid].bar.caption.text() == "2 rows")
        await until(stale.isHidden)

    in_window(work)


@pytest.mark.qt_log_ignore(
    "plugin does not support", extend=True
)  # of the offscreen platform, of a menu
def test_a_column_is_drawn_from_the_title_bar_and_removed_by_key(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        pane.cards[next(iter(pane.cards))].bar.chart.click()
        menu = pane.findChildren(QMenu)[0]
        next(a for a in menu.actions() if a.text() == "unemp").trigger()
        menu.close()
        await until(lambda: len(pane.findChildren(LineChart)) == 2)
        made = session.deskpilot.widgets.all()[-1]
        assert (made.type, made.columns) == ("chart", ("unemp",))
        QTest.keyClick(pane.cards[made.uuid].bar, Qt.Key.Key_Delete)
        await until(lambda: len(pane.cards) == 3)

    in_window(work)


def test_a_tile_opens_larger_and_its_cells_flash_there_too(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        uid, chart, _ = pane.cards
        QTest.keyClick(pane.cards[uid].bar, Qt.Key.Key_Return)
        await until(lambda: pane.findChildren(LineChart))
        pane.cards[chart].bar.larger.click()
        table, line = pane.findChildren(Larger)
        assert (table.windowTitle(), line.windowTitle()) == ("us macro", "Real GDP")
        session.board.reveal(uid, CellRef(session.deskpilot.widgets.profile(uid).hash, 3, "cpi"))
        assert table.body.table()._lit == (3, 7)  # type: ignore[union-attr]
        for dialog in (table, line):
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
        await until(lambda: not pane.findChildren(Larger))

    in_window(work)


def test_a_table_of_five_thousand_columns_is_shown_after_measuring_few_cells(qtbot: Any) -> None:
    reads: list[int] = []

    class Counting(TableModel):
        def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
            reads.append(role)
            return super().data(index, role)

    columns = [(f"column {n}", True) for n in range(5000)]
    table = TableBody(Counting(columns, 1000, lambda at, n: [(1.5,) * 5000] * n), "wide")
    qtbot.addWidget(table)
    assert len(reads) < 20_000  # measuring 200 rows of each took nine seconds


@pytest.mark.parametrize(
    ("low", "high", "made"),
    [
        (2710, 13_000, [0, 5000, 10_000, 15_000]),
        (-3, 9, [-5, 0, 5, 10]),
        (4, 4, [3, 4, 5]),
        (0, 0, [0, 0.5, 1]),
    ],
)
def test_a_scale_has_round_numbers_around_the_values(
    low: float, high: float, made: list[float]
) -> None:
    assert ticks(low, high) == made


def test_numbers_are_told_in_few_characters() -> None:
    values = (9.6, 0.12, 12990.341, 5000, 1.5e6, -0.0123, 0, 2.5e9)
    assert [shown(v) for v in values] == [
        "9.6",
        "0.12",
        "12,990.3",
        "5,000",
        "1.5 M",
        "-0.0123",
        "0",
        "2.5 B",
    ]


@pytest.mark.starter
def test_a_long_file_says_it_is_read_and_a_question_waits_for_it(
    qapp: Any, monkeypatch: Any
) -> None:
    gate, read = threading.Event(), Sources.add_file

    def slow(self: Sources, path: Path) -> OpenTable:
        gate.wait(20)
        return read(self, path)

    async def first(window: MainWindow, session: WindowSession) -> None:
        monkeypatch.setattr(Sources, "add_file", slow)

    async def second(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        assert [r.text() for r in pane.findChildren(ReadingNotice)] == [
            "Reading us_macro.csv …"
        ] * 3
        session.submit("How many rows are there?")
        await until(lambda: session.turns)
        assert session.turns[0].items == []
        gate.set()
        await until(lambda: pane.findChildren(TableBody) and pane.findChildren(LineChart))
        await until(lambda: session.running is None)
        assert not pane.findChildren(ReadingNotice)

    in_window(first)
    in_window(second, opened=False)
