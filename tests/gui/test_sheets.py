"""A workbook of several sheets in the window: a card for each, or chosen; cells cited as
spreadsheets call them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.events import Citations
from app.ui.chat.citations import place
from app.ui.dashboard.opened_files import SeveralDialog
from tests.gui.living import in_window, until
from tests.workbooks import Sheet, write_xlsx

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

ORDERS = [["item", "sold"], ["tea", 3], ["milk", 4]]
COSTS = [["bill", "cost"], ["rent", 900], [], ["light", 70]]


@pytest.mark.usefixtures("served")
def test_each_sheet_becomes_a_card_and_its_cells_are_cited_as_in_the_workbook(
    qapp: Any, tmp_path: Path
) -> None:
    book = write_xlsx(
        tmp_path / "shop.xlsx", Sheet("Orders", ORDERS), Sheet("Costs 2024", COSTS, left=1)
    )

    async def work(window: MainWindow, session: WindowSession) -> None:
        widgets, pane = session.deskpilot.widgets, window.dashboard
        session.attach_files([str(book)])
        await until(lambda: [w.name for w in widgets.attached()][-2:] == ["Orders", "Costs 2024"])
        *others, orders, costs = widgets.attached()
        for other in others:
            await widgets.attach(other.uuid, attached=False)
        await until(
            lambda: pane.table(orders.uuid) is not None and pane.table(costs.uuid) is not None
        )
        assert pane.cards[costs.uuid].bar.caption.text() == "shop.xlsx · 2 rows"
        session.submit("What is the highest cost?")
        await until(lambda: session.turns and session.turns[-1].state == "done")
        found = [
            one
            for item in session.turns[-1].items
            if isinstance(item, Citations)
            for one in item.citations
        ]
        assert "900" in session.turns[-1].answer()
        assert [place(one.cell) for one in found if one.cell is not None] == [
            "'Costs 2024'!C2, cost"
        ]
        again = f"window attach {[str(book)]}"
        session.attach_files([str(book)])
        assert session.deskpilot.tasks.running(again)
        await until(lambda: not session.deskpilot.tasks.running(again))
        assert [w.name for w in widgets.attached()] == ["Orders", "Costs 2024"]

    in_window(work)


def test_of_very_many_sheets_those_are_opened_that_one_ticks(qapp: Any, tmp_path: Path) -> None:
    many = [Sheet(f"Week {n}", [["item", "sold"], ["tea", n]]) for n in range(1, 15)]
    book = write_xlsx(tmp_path / "year.xlsx", *many)

    async def work(window: MainWindow, session: WindowSession) -> None:
        session.attach_files([str(book)])
        await until(lambda: window.findChild(SeveralDialog))
        dialog = window.findChild(SeveralDialog)
        assert dialog is not None
        assert (dialog.list.count(), dialog.add.isEnabled()) == (14, False)
        dialog.list.setCurrentRow(12)
        QTest.keyClick(dialog.list, Qt.Key.Key_Space)
        assert dialog.rows() == [12]
        dialog.add.click()
        await until(
            lambda: [w.name for w in session.deskpilot.widgets.attached()][-1:] == ["Week 13"]
        )
        assert not [w for w in session.deskpilot.widgets.all() if w.name == "Week 1"]

    in_window(work)
