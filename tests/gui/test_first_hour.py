"""What a person meets in the first hour: words that lead nowhere, keys that do nothing, things
added out of sight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox

from app.domain.conversation import Turn
from app.domain.events import Artifact, CellRef, Citation, Citations
from app.openbb.charts import height_of
from app.ui.dashboard import web_views
from app.ui.dashboard.bodies.note import NoteBody
from app.ui.dashboard.chart_tiles import ANSWER, figure_of
from app.ui.dashboard.table.model import LIT
from app.ui.main.palette import Palette
from app.ui.theme.tokens import DARK, LIGHT
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow
    from app.ui.theme.tokens import Tokens

pytestmark = pytest.mark.usefixtures("served")
CONTROL = Qt.KeyboardModifier.ControlModifier
SALES = [
    {"customer": name, "sold": n}
    for n, name in enumerate(("Bäckerei Ötztal", "Stadtwerke", "Müller AG"))
]
CHART = Artifact("chart", "Sold", SALES, {"chartType": "bar", "xKey": "customer", "yKey": ["sold"]})


def test_what_stands_in_the_settings_is_found_by_its_words(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
        palette = window.findChild(Palette)
        assert palette is not None
        for typed, found in {"offline": "Network: Offline", "theme": "Appearance: Theme"}.items():
            palette.field.clear()
            QTest.keyClicks(palette.field, typed)
            assert palette.list.item(0).text() == found
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        await until(lambda: session.preferences.settings is not None)
        shown = session.preferences.settings
        assert shown is not None
        await until(lambda: shown.list.currentItem().text() == "Appearance")
        shown.close()

    in_window(work, opened=False)


def is_seen(window: MainWindow, uid: str) -> bool:
    """Tell whether the head of a card is in view."""
    card, body = window.dashboard.cards[uid], window.dashboard.viewport()
    return body.rect().contains(card.mapTo(body, QPoint(card.width() // 2, 20)))


def test_what_is_added_is_seen_and_what_is_removed_comes_back_by_key(
    qapp: Any, tmp_path: Path
) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("customer;sold\n" + "\n".join(f"c{n};{n}" for n in range(40)))

    async def work(window: MainWindow, session: WindowSession) -> None:
        window.resize(1100, 600)
        await session.board.add([str(path)])
        uid = next(w.uuid for w in session.deskpilot.widgets.all() if w.path == str(path))
        await until(lambda: is_seen(window, uid))
        window.dashboard.tabs.note_wanted.emit()
        await until(lambda: isinstance(QApplication.focusWidget(), NoteBody))
        window.dashboard.removed.emit(uid)
        await until(
            lambda: uid not in window.dashboard.cards and window.dashboard.notice.isVisible()
        )
        window.activateWindow()
        bar = window.dashboard.cards[next(iter(window.dashboard.cards))].bar
        bar.setFocus()
        QTest.keyClick(bar, Qt.Key.Key_Z, CONTROL)
        await until(lambda: uid in window.dashboard.cards)
        assert not window.dashboard.notice.isVisible()

    in_window(work)


class Drawn(QLabel):
    """Stands where a page would be drawn: where it stands is what is looked at."""

    def draw(self, figure: dict[str, Any], tokens: Tokens) -> None:
        """Draw nothing."""

    def end(self) -> None:
        """Let go of nothing."""


def test_a_chart_that_was_asked_for_stays_in_view_behind_its_cited_cells(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_views, "ChartView", Drawn)

    async def work(window: MainWindow, session: WindowSession) -> None:
        window.resize(1100, 600)
        (table,) = [w for w in session.deskpilot.widgets.all() if w.type == "table"]
        last = list(window.dashboard.cards)[-1]
        window.dashboard.show_card(last)
        cell = CellRef(
            session.deskpilot.widgets.sources.source(table.uuid).table.hash, 150, "unemp"
        )
        cited = Citations([Citation(table.uuid, "us macro", cell, 5)])
        turn = Turn("t", "c", None, "plot it", "running", 0.0, [CHART, cited])
        session.board.show_chart(CHART)
        session.links.reveal(turn, 1)
        session.board.answer.bring(turn)
        await until(lambda: is_seen(window, ANSWER))
        shown = window.dashboard.table(table.uuid)
        assert shown is not None
        assert shown.table().lit is not None

    in_window(work)


def test_a_cited_table_that_is_on_no_dashboard_is_said_to_be_so(qapp: Any) -> None:
    """The first answer of the README is asked in a shell: its table has not changed, it is not
    here.
    """

    async def work(window: MainWindow, session: WindowSession) -> None:
        cited = Citations([Citation("elsewhere", "us macro", CellRef("x", 0, "unemp"), 9.6)])
        session.links.reveal(Turn("t", "c", None, "q", "done", 0.0, [cited]), 1)
        await until(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        assert "not on a dashboard" in box.text()
        box.close()

    in_window(work, opened=False)


def test_a_column_has_room_for_a_cell_that_is_cited(qapp: Any) -> None:
    """Its letters are bolder: the number one wants to see was cut."""

    async def work(window: MainWindow, session: WindowSession) -> None:
        (table,) = [w for w in session.deskpilot.widgets.all() if w.type == "table"]
        shown = window.dashboard.table(table.uuid)
        assert shown is not None
        font = QFont(shown.font())
        font.setWeight(LIT)
        bold, model = QFontMetrics(font), shown.table()
        for column in range(model.columnCount()):
            texts = [model.text(row, column) for row in range(50)]
            assert shown.columnWidth(column) > max(map(bold.horizontalAdvance, texts))

    in_window(work)


def test_each_of_a_few_bars_says_its_whole_name() -> None:
    figure = figure_of(CHART, LIGHT)
    assert figure is not None
    axis = figure["layout"]["xaxis"]
    assert axis["automargin"]
    assert axis["nticks"] == len(SALES)


def bars(names: list[str], values: list[float]) -> Artifact:
    rows = [{"who": who, "gross": much} for who, much in zip(names, values, strict=True)]
    return Artifact("chart", "c", rows, {"chartType": "bar", "xKey": "who", "yKey": ["gross"]})


def test_bars_with_long_names_lie_and_the_largest_comes_first() -> None:
    """Slanted names took two thirds of the height, and every second one was missing."""
    names = ["Brightwell Care Homes", "Calder Valley Foods", "Harrow & Sons Ltd", "Ilkley Dental"]
    chart = bars(names * 2, [5.0, 9.0, 2.0, 7.0] * 2)
    figure = figure_of(chart, LIGHT)
    assert figure is not None
    (trace,), axis = figure["data"], figure["layout"]["yaxis"]
    assert trace["orientation"] == "h"
    assert trace["x"] == [9.0, 9.0, 7.0, 7.0, 5.0, 5.0, 2.0, 2.0]
    assert trace["y"][0] == "Calder Valley Foods"
    assert (axis["autorange"], axis["dtick"]) == ("reversed", 1)
    assert height_of(chart, 1.0, 220) >= 8 * 24
    assert height_of(bars(names * 5, [1.0] * 20), 1.0, 220) > 500
    few = figure_of(bars(["North", "South"], [1.0, 2.0]), LIGHT)
    assert few is not None
    assert few["data"][0]["y"] == [1.0, 2.0]  # sorted by what was asked
    assert "orientation" not in few["data"][0]


@pytest.mark.parametrize(
    "names",
    [
        ["April", "May", "June"],
        ["Mon", "Tue", "Wed"],
        ["2024 Q1", "2024 Q2", "2024 Q3"],
        ["一月", "二月", "三月"],
        ["0-10", "10-20", "20-30"],
    ],
)
def test_bars_of_days_months_and_numbers_keep_their_order(names: list[str]) -> None:
    figure = figure_of(bars(names, [2.0, 9.0, 5.0]), LIGHT)
    assert figure is not None
    assert figure["data"][0]["y"] == [2.0, 9.0, 5.0]
    other = figure_of(bars(["North", "South", "West"], [2.0, 9.0, 5.0]), LIGHT)
    assert other is not None
    assert other["data"][0]["x"] == ["South", "West", "North"]


def test_a_line_of_days_lies_along_days_and_says_what_it_measures() -> None:
    days = [{"date": f"2024-{m:02}-{d:02}", "close": m + d} for m in range(1, 7) for d in (1, 15)]
    for form in ("line", "bar"):
        chart = Artifact(
            "chart", "Close", [*days, *days], {"chartType": form, "xKey": "date", "yKey": ["close"]}
        )
        figure = figure_of(chart, LIGHT)
        assert figure is not None
        assert figure["layout"]["xaxis"]["type"] == "date"  # names of days would be turned and cut
        assert figure["layout"]["xaxis"]["tickangle"] == 0
        assert figure["layout"]["yaxis"]["title"]["text"] == "close"
    few = figure_of(
        Artifact(
            "chart", "Close", days[:5], {"chartType": "bar", "xKey": "date", "yKey": ["close"]}
        ),
        LIGHT,
    )
    assert few is not None
    assert few["layout"]["xaxis"]["type"] == "category"  # each of a few bars has its own name


def test_a_pie_wears_the_colours_of_the_theme() -> None:
    keys = {"chartType": "pie", "angleKey": "paid", "calloutLabelKey": "who"}
    rows = [{"who": "Ada", "paid": 3}, {"who": "Ben", "paid": 5}]
    for tokens in (LIGHT, DARK):
        figure = figure_of(Artifact("chart", "c", rows, keys), tokens)
        assert figure is not None
        assert figure["data"][0]["labels"] == ["Ada", "Ben"]
        assert figure["data"][0]["marker"]["colors"] == [tokens.accent, *tokens.lines]
