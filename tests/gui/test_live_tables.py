"""Tables whose rows come anew, or change while they are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt

from app.data.views import RowOrder
from app.services.dashboard.streams import CellChange
from app.ui.dashboard.table import model
from app.ui.dashboard.table.model import TableModel
from app.ui.dashboard.table.view import HeaderOrder, TableBody
from tests.gui.living import in_window, until
from tests.gui.test_backend_widgets import place
from tests.widget_backend import Server

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

TEXT, GROUND = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.BackgroundRole

pytestmark = pytest.mark.usefixtures("served")


def test_cells_change_under_the_eye_and_glow(
    qapp: Any, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "GLOW_SECONDS", 0.2)

    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "ticks")
        pane = window.dashboard
        await until(lambda: server.sockets and pane.table(made.uuid) is not None)
        body = pane.table(made.uuid)
        assert body is not None
        model = body.table()
        await until(lambda: model.dress is not None)
        price = model.names().index("price")
        body.findChild(HeaderOrder).apply(RowOrder("price", descending=True))
        await until(lambda: model.data(model.index(0, 0)) == "ZED")
        server.tick({"symbol": "ORB", "price": 120.5})
        cell = model.index(2, price)  # in the order of what was fetched it stands last
        await until(lambda: model.data(cell, TEXT) == "120.50")
        assert model.data(cell, GROUND) is not None
        await until(lambda: model.data(cell, GROUND) is None)
        assert pane.cards[made.uuid].bar.caption.text() == "3 rows · live"
        server.tick({"symbol": "NEW", "price": 200.0, "change": 0.0, "volume": 1})
        await until(lambda: model.rowCount() == 4)
        assert pane.table(made.uuid) is body  # it was not made anew
        await until(
            lambda: (
                [model.data(model.index(n, 0)) for n in range(4)] == ["NEW", "ORB", "ZED", "KLM"]
            )
        )
        server.tick(None)
        bar = pane.cards[made.uuid].bar
        await until(lambda: bar.stale.isVisibleTo(bar) and bar.stale.text() == "Not live")
        assert "live" not in bar.caption.text()

    in_window(work)


def test_what_is_fetched_anew_keeps_its_place(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "table")
        live, pane = session.deskpilot.live, window.dashboard
        await live.set_value(made.uuid, "limit", 40)
        await until(
            lambda: (
                pane.table(made.uuid) is not None and pane.table(made.uuid).table().rowCount() == 40
            )
        )
        body = pane.table(made.uuid)
        assert body is not None
        body.verticalScrollBar().setValue(20)
        body.setCurrentIndex(body.table().index(21, 2))
        live.fetch(made.uuid)
        state = live.state(made.uuid)
        before = state.at
        await until(lambda: state.at != before and state.run is None)
        assert pane.table(made.uuid) is body
        assert (body.verticalScrollBar().value(), body.currentIndex().row()) == (20, 21)
        await live.set_value(made.uuid, "limit", 3)
        await until(lambda: body.table().rowCount() == 3)
        assert pane.cards[made.uuid].bar.caption.text().startswith("3 rows")

    in_window(work)


def test_rows_come_and_go_and_the_model_says_so(qtbot: Any, qtmodeltester: Any) -> None:
    def read(count: int) -> Any:
        return lambda offset, limit: [
            (n, f"r{n}") for n in range(offset, min(offset + limit, count))
        ]

    model = TableModel([("a", True), ("b", False)], 5, read(5))
    qtmodeltester.check(model)
    body = TableBody(model, "T")
    qtbot.addWidget(body)
    for count in (9, 2, 2, 0, 4):
        model.renew(count, read(count), None)
        assert model.rowCount() == count
    model.change(
        [CellChange(3, "b", {"value": "new"}), CellChange(99, "b", "x"), CellChange(0, "none", 1)]
    )
    assert model.data(model.index(3, 1)) == "new"
    model.renew(4, read(4), None)
    assert model.data(model.index(3, 1)) == "r3"
