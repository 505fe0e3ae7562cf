"""Candles of a backend: drawn, walked through, looked at closer, saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.ui.dashboard.bodies.candles import CandleBody, told
from app.ui.dashboard.card import Problem
from app.ui.theme.tokens import DARK, LIGHT
from tests.gui.living import in_window, until
from tests.gui.test_backend_widgets import place
from tests.widget_backend import Server, history

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow


def bars(count: int = 60) -> list[dict[str, Any]]:
    told = history({"symbol": "ORB", "to": "1700006400", "from": "0", "countback": str(count)})
    keys = {"open": "o", "high": "h", "low": "l", "close": "c", "volume": "v"}
    return [{"time": f"day {n}"} | {k: told[v][n] for k, v in keys.items()} for n in range(count)]


def test_bars_are_walked_through_and_looked_at_closer(qtbot: Any) -> None:
    body = CandleBody(bars(), "Candles")
    qtbot.addWidget(body)
    body.set_tokens(LIGHT)
    body.resize(600, 300)
    body.show()
    light = body.grab().toImage()
    colours = {light.pixelColor(x, y).name() for x in range(0, 600, 3) for y in range(40, 250, 3)}
    assert {LIGHT.accent, LIGHT.danger} <= colours
    QTest.keyClick(body, Qt.Key.Key_Left)
    assert body.at == 58
    QTest.keyClick(body, Qt.Key.Key_Plus)
    assert (body.count, body.first) == (48, 12)
    QTest.keyClick(body, Qt.Key.Key_Home)
    assert (body.at, body.first) == (0, 0)
    body.look(1)
    assert body.count == 8
    body.look(10_000)
    assert (body.first, body.count) == (0, 60)
    QTest.mouseMove(body, body.rect().center())
    body.set_tokens(DARK)
    assert body.grab().toImage() != light
    assert "day 3   O " in told(body.bars[3])
    assert body.accessibleDescription().startswith("60 bars. Last bar: day 59")


def test_candles_of_a_backend_are_fetched_chosen_and_saved(
    qapp: Any, server: Server, tmp_path: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "bars")
        live, pane = session.deskpilot.live, window.dashboard

        def body() -> Any:
            return pane.cards[made.uuid].body

        await until(lambda: isinstance(body(), CandleBody))
        assert len(body().bars) == 250
        assert server.last("udf/history")["resolution"] == "1D"
        session.board.exports.save(made.uuid, "SVG", tmp_path / "c.svg")
        assert "<svg" in (tmp_path / "c.svg").read_text("utf-8")
        options = await live.options(made.uuid, "symbol")
        assert [(o.value, o.note) for o in options][:2] == [
            ("ORB", "ORB holdings"),
            ("KLM", "KLM holdings"),
        ]
        await live.set_value(made.uuid, "symbol", "OLD")  # it ended in 2023
        await until(
            lambda: (
                isinstance(body(), CandleBody) and body().bars[-1]["time"].startswith("2023-11-1")
            )
        )
        await live.set_value(made.uuid, "symbol", "BAD")
        await until(lambda: isinstance(body(), Problem))
        assert "unknown symbol" in body().findChild(QLabel).text()
        assert "2023" not in body().findChild(QLabel).text()
        await live.set_value(made.uuid, "symbol", "ORB")
        await until(lambda: isinstance(body(), CandleBody))
        assert '"close"' in session.deskpilot.widgets.sources.as_text(
            made.uuid
        )  # a copilot reads the bars

    in_window(work)
