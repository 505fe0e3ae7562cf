"""Cells as people read them: grouped numbers, units in the header, what a row is in view, a mark
that stays.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from app.data.views import RowOrder
from app.domain.events import CellRef
from app.ui.chat.charts import is_drawable
from app.ui.dashboard.table.view import HeaderOrder, PinnedColumns
from app.ui.markdown.tables import figures, months
from app.ui.theme.i18n import speak
from app.ui.theme.tokens import LIGHT
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.dashboard.table.view import TableBody
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")
SALES = """name,founded,zip,sold,share,price,tiny,big
Ann,1999,01234,1234567,12.5%,€1200.50,0.000012,123456789012345678
Ben,2004,02234,89,3.25%,€7.00,0.5,1
Cem,2011,10115,4000,9%,€1000000.00,1.25,2
"""


async def added(session: WindowSession, path: Path) -> tuple[str, TableBody]:
    await session.board.add([str(path)])
    uid = next(w.uuid for w in session.deskpilot.widgets.all() if w.path == str(path))
    body = session.window.dashboard.table(uid)
    assert body is not None
    return uid, body


def test_numbers_are_grouped_and_units_stand_in_the_header(qapp: Any, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text(SALES, encoding="utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        _, body = await added(session, path)
        model = body.table()
        heads = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]
        column = {name: [model.text(row, n) for row in range(3)] for n, name in enumerate(heads)}
        assert column["sold"] == ["1,234,567", "89", "4,000"]
        assert column["price (€)"] == ["1,200.5", "7.0", "1,000,000.0"]
        assert "share (%)" in column
        assert column["zip"][0] == "01234"  # a code is no amount
        assert column["founded"] == ["1999", "2004", "2011"]
        assert column["tiny"][0] == "1.2e-05"  # it is not rounded to nothing
        assert column["big"][0].replace(",", "").startswith("12345678901234")

    in_window(work, opened=False)


def test_what_a_row_is_stays_in_view_where_a_wide_table_is_scrolled(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        (table,) = [w for w in session.deskpilot.widgets.all() if w.type == "table"]
        body = window.dashboard.table(table.uuid)
        assert body is not None
        (pinned,) = body.findChildren(PinnedColumns)
        bar = body.horizontalScrollBar()
        bar.setValue(bar.maximum())
        assert bar.maximum() > 0
        assert pinned.isVisible()
        assert [n for n in range(body.table().columnCount()) if not pinned.isColumnHidden(n)] == [
            0,
            1,
        ]  # year and quarter
        assert pinned.x() == body.viewport().x()

    in_window(work)


def test_a_cited_cell_is_not_below_the_columns_that_stay_in_view(qapp: Any, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"a longer name {n}" for n in range(12)]
    path.write_text(f"name,{','.join(names)}\n" + f"Ann Lee,{','.join('1' * 12)}\n" * 30)

    async def work(window: MainWindow, session: WindowSession) -> None:
        _, body = await added(session, path)
        (pinned,) = body.findChildren(PinnedColumns)
        bar = body.horizontalScrollBar()
        for column in (6, 3, 9, 1, 11):
            assert body.reveal(20, names[column - 1])
            cell = body.visualRect(body.table().index(20, column))
            assert pinned.width() <= cell.left()
            assert cell.right() <= body.viewport().width()
        at = bar.value()
        assert body.reveal(3, "name")  # it is in view already
        assert bar.value() == at
        assert not body.viewport().mask().contains(pinned.rect().center())
        assert body.reveal(0, names[5])
        picture = pinned.viewport().grab().toImage()
        accent = QColor(LIGHT.accent).rgb()
        shown = [picture.pixel(x, y) for x in range(picture.width()) for y in range(30)]
        assert accent not in shown  # a dot, where the cell would be

    in_window(work)


def test_an_answer_leaves_a_filter_and_a_pressed_citation_takes_it_away(
    qapp: Any, tmp_path: Path
) -> None:
    """Sorting and filters were lost with every answer, below a title that counted 1 of 3 rows."""
    path = tmp_path / "sales.csv"
    path.write_text(SALES, encoding="utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        uid, body = await added(session, path)
        order = body.findChild(HeaderOrder)
        assert isinstance(order, HeaderOrder)
        order.apply(RowOrder("sold", descending=True, filters={"name": "Ann"}))
        await until(lambda: body.table().rowCount() == 1)
        caption = window.dashboard.cards[uid].bar.caption
        assert caption.text() == "1 of 3 rows"
        assert session.board.reveal(uid, CellRef("", 1, "sold"), wanted=False)
        await asyncio.sleep(0.1)
        assert (body.table().rowCount(), body.table().lit) == (1, None)
        assert session.board.reveal(uid, CellRef("", 1, "sold"))
        await until(lambda: body.table().lit == (2, 3))  # Ben sold least
        assert caption.text() == "3 rows"
        assert order.order == RowOrder("sold", descending=True)

    in_window(work)


def test_a_mark_stays_until_the_next_and_there_is_one_only(qapp: Any, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text(SALES, encoding="utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        uid, body = await added(session, path)
        (first,) = [w for w in session.deskpilot.widgets.all() if w.name == "us macro"]
        macro = window.dashboard.table(first.uuid)
        assert macro is not None
        cell = CellRef("", 5, "unemp")
        assert session.board.reveal(first.uuid, cell)
        await asyncio.sleep(3)  # it went after 2.6 seconds
        assert macro.table().lit is not None
        assert session.board.reveal(uid, CellRef("", 1, "sold"))
        assert macro.table().lit is None
        assert body.table().lit == (1, 3)

    in_window(work)


@pytest.mark.parametrize(
    "name", ["手机", "联系电话", "手机号码", "学号", "携帯", "電話番号", "Phone", "mobile", "Tel"]
)
def test_numbers_that_are_names_are_not_grouped(name: str) -> None:
    assert figures(name, ["13828816302", "13812345678"]) == ["13828816302", "13812345678"]


def test_a_number_of_rows_is_an_amount_that_is_grouped_and_drawn() -> None:
    """It was taken for a number such as that of a house: no chart of rows for each doctor."""
    assert figures("Number of rows", ["1234", "2"]) == ["1,234", "2"]
    assert figures("House number", ["1234", "2"]) == ["1234", "2"]
    rows = "| Dr. Okafor | 104 |\n| Dr. Nair | 98 |\n"
    assert is_drawable(f"| Doctor | Number of rows |\n|---|---:|\n{rows}")
    assert not is_drawable(f"| Doctor | Room number |\n|---|---:|\n{rows}")


def test_months_are_written_as_people_write_them(qapp: Any) -> None:
    cells = ["2026-01-01", "2026-11-01"]
    assert months("Month of Date", cells) == ["Jan 2026", "Nov 2026"]
    assert months("Date", cells) == cells  # these may be days
    assert months("Month of Date", ["2026-01-01", "2026-01-02"]) == ["2026-01-01", "2026-01-02"]
    speak("zh")
    try:
        assert months("入会日期的月份", cells) == ["2026年1月", "2026年11月"]
    finally:
        speak("en")


@pytest.mark.parametrize("name", ["电话费", "手机销量", "mobile sales", "通話料"])
def test_amounts_beside_such_words_are_grouped(name: str) -> None:
    assert figures(name, ["1234567", "89"]) == ["1,234,567", "89"]


def test_what_is_typed_while_a_table_has_the_focus_is_a_question(qapp: Any, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text(SALES, encoding="utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        _, body = await added(session, path)
        body.setFocus()
        body.setCurrentIndex(body.model().index(0, 0))
        QTest.keyClick(body, Qt.Key.Key_C)  # a row begins with it
        assert body.currentIndex().row() == 0
        assert window.composer.editor.toPlainText() == "c"

    in_window(work)


def test_a_table_is_sorted_and_filtered_as_it_was_before_a_restart(
    qapp: Any, tmp_path: Path
) -> None:
    path = tmp_path / "sales.csv"
    path.write_text(SALES, encoding="utf-8")
    wanted = RowOrder("sold", descending=True, filters={"founded": "> 2000"})

    async def first(window: MainWindow, session: WindowSession) -> None:
        _, body = await added(session, path)
        order = body.findChild(HeaderOrder)
        assert isinstance(order, HeaderOrder)
        order.apply(wanted)
        await until(lambda: body.table().rowCount() == 2)
        header = body.horizontalHeader()
        for column in (1, 3):  # the marks of a filter and of the sorting are not cut
            assert header.sectionSize(column) >= header.sectionSizeHint(column)
        await until(lambda: not session.deskpilot.tasks.running("window keep order"))

    async def second(window: MainWindow, session: WindowSession) -> None:
        (widget,) = [w for w in session.deskpilot.widgets.all() if w.name == "sales"]
        await until(lambda: window.dashboard.table(widget.uuid) is not None)
        body = window.dashboard.table(widget.uuid)
        assert body is not None
        await until(lambda: body.table().rowCount() == 2)
        assert body.table().order == wanted
        assert [body.table().text(row, 0) for row in range(2)] == ["Cem", "Ben"]
        caption = window.dashboard.cards[widget.uuid].bar.caption
        assert caption.text() == "2 of 3 rows"
        order = body.findChild(HeaderOrder)
        assert isinstance(order, HeaderOrder)
        order.apply(RowOrder())
        await until(lambda: body.table().rowCount() == 3)

    async def third(window: MainWindow, session: WindowSession) -> None:
        (widget,) = [w for w in session.deskpilot.widgets.all() if w.name == "sales"]
        await until(lambda: window.dashboard.table(widget.uuid) is not None)
        body = window.dashboard.table(widget.uuid)
        assert body is not None
        assert (body.table().rowCount(), body.table().order) == (3, RowOrder())

    in_window(first, opened=False)
    in_window(second)
    in_window(third)
