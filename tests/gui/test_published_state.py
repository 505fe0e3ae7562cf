"""Dashboards a backend publishes open as they were left: charts, columns, order, questions; large
tables by range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.domain.dashboard import TilePlace
from app.domain.events import CellRef
from app.services.dashboard import fetches
from app.services.dashboard.placement import place_app
from app.ui.dashboard.table.view import HeaderOrder, PinnedColumns
from tests.gui.living import in_window, until
from tests.widget_backend import APPS, MANY, Server

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")


def test_a_dashboard_opens_as_it_was_left(
    qapp: Any, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetches, "MOST", 1000)

    async def work(window: MainWindow, session: WindowSession) -> None:
        live, pane = session.deskpilot.live, window.dashboard
        await live.backends.add(server.url)
        number = next(n for n, app in enumerate(APPS) if app["name"] == "As left")
        await place_app(session.deskpilot.dashboard, live, server.url, number)
        session.board.tabs.switched.emit()
        uid = session.deskpilot.dashboard.tiles[0].id
        await until(
            lambda: pane.table(uid) is not None and pane.table(uid).table().dress is not None
        )
        await as_left(uid, window)
        await as_chart(uid, window, session)
        await questions(uid, window, session)
        await by_range(window, session)

    async def as_left(uid: str, window: MainWindow) -> None:
        body = window.dashboard.table(uid)
        assert body is not None
        names = body.table().names()
        await until(lambda: body.table().order.descending)
        move = names.index("move")
        assert [body.table().data(body.table().index(row, move)) for row in (0, 4)] == [
            "1.25",
            "-1",
        ]
        assert body.isColumnHidden(names.index("page"))
        assert body.columnWidth(names.index("ask")) == 222
        order = [body.horizontalHeader().logicalIndex(place) for place in range(3)]
        assert [names[one] for one in order] == ["symbol", "move", "ask"]  # both pinned ones first
        assert len(body.findChildren(PinnedColumns)) == 1

    async def as_chart(uid: str, window: MainWindow, session: WindowSession) -> None:
        pane, board = window.dashboard, session.board
        figures: list[dict[str, Any]] = []

        def draw(
            figure: dict[str, Any], name: str
        ) -> QLabel:  # the web engine wants a process of its own
            figures.append(figure)
            return QLabel(name)

        board.charted.draw = draw
        board.charted.turn(uid)
        await until(lambda: type(pane.cards[uid].body) is QLabel)
        (trace,) = figures[0]["data"]
        assert (trace["type"], trace["mode"], trace["x"][0], trace["y"][0]) == (
            "scatter",
            "lines",
            "ORB",
            0.25,
        )
        assert session.deskpilot.widgets.get(uid).state["chartView"]["enabled"]
        told = CellRef(session.deskpilot.widgets.profile(uid).hash, 0, "move", 4, 3, where=ROSE)
        assert board.reveal(uid, told)  # the cells stand in the table, which comes back
        await until(
            lambda: pane.table(uid) is not None and pane.table(uid).table().lit_column is not None
        )
        model = pane.table(uid).table()
        await until(lambda: model.order.descending)
        column = model.names().index("move")
        assert [model.is_lit(row, column) for row in range(5)] == [True, True, True, False, False]

    async def questions(uid: str, window: MainWindow, session: WindowSession) -> None:
        prompts = window.dashboard.tabs.prompts()
        assert prompts == [("Why did Drawn fall?", ["drawn"]), ("What is new?", [])]
        window.dashboard.tabs.prompted.emit(*prompts[0])
        await until(lambda: window.composer.editor.toPlainText() == "Why did Drawn fall?")
        assert session.deskpilot.widgets.get(uid).attached

    async def by_range(window: MainWindow, session: WindowSession) -> None:
        live, pane = session.deskpilot.live, window.dashboard
        made = live.make(server.url, "large")
        session.deskpilot.dashboard.reserve(made.uuid, TilePlace(made.uuid, 0, -1, 12, 8))
        await live.begin(made)
        await until(lambda: pane.table(made.uuid) is not None)
        caption = pane.cards[made.uuid].bar.caption
        assert caption.text().startswith(f"1,000 of {MANY:,} rows")
        body = pane.table(made.uuid)
        ordering = body.findChild(HeaderOrder)
        assert isinstance(ordering, HeaderOrder)
        ordering.turn(0)
        ordering.turn(0)
        await until(lambda: server.last("large")["sortModel"] == [{"colId": "id", "sort": "desc"}])
        await until(lambda: body.table().data(body.table().index(0, 0)) == str(MANY - 1))
        assert body.table().headerData(0, Qt.Orientation.Horizontal) == "id ▼"
        ordering.filter(1, "< 2")
        await until(lambda: caption.text().startswith(f"{len(SMALL)} rows"))
        await until(lambda: body.table().rowCount() == len(SMALL))

    in_window(work)


ROSE = [[{"column": "move", "op": ">", "value": 0}]]
SMALL = [n for n in range(MANY) if (n * n) % 1009 < 2]
