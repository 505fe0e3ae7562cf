"""The switch that closes every way out of this machine, by keyboard, and what shows it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.domain.settings import OFFLINE
from app.services.network import ConnectionWay, Network, ProcessCheck
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from app.ui.settings.preferences import WaysOut
from backends import offline
from tests.gui.living import in_window, until

REFUSED = ConnectionWay("name", True, "Deskpilot is offline: no connection to example.com is made.")
OPEN = ConnectionWay("tcp", False, "succeeded")


@pytest.mark.usefixtures("served")
def test_offline_is_switched_on_shown_and_tried_out_by_keyboard(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(offline.VARIABLE, raising=False)

    async def work(window: MainWindow, session: WindowSession) -> None:
        assert "On this machine" in window.topbar.state.text()
        assert window.welcome.told.text().startswith("Questions are answered on this machine.")
        shown = session.preferences.open("network")
        page = next(page for page in shown.pages if page.page.id == "network")
        (row,) = page.rows
        await until(lambda: not row.control.isChecked() and row._value is not None)  # pyright: ignore
        row.control.setFocus()
        QTest.keyClick(row.control, Qt.Key.Key_Space)
        await until(lambda: "Offline" in window.topbar.state.text())
        assert offline.is_on()
        assert window.welcome.told.text().startswith("Offline: every connection")
        ways = page.findChild(WaysOut)
        assert ways is not None
        ways.button.setFocus()
        QTest.keyClick(ways.button, Qt.Key.Key_Space)
        await until(lambda: ways.verdict.isVisible())
        texts = [label.text() for label in ways.findChildren(QLabel)]
        assert "Deskpilot is offline: no connection to example.com is made." in texts
        QTest.keyClick(row.control, Qt.Key.Key_Space)
        await until(lambda: "On this machine" in window.topbar.state.text())
        assert not offline.is_on()
        assert window.welcome.told.text().startswith("Questions are answered on this machine.")
        assert not ways.verdict.isVisible()  # what it told holds no more
        assert not [
            part
            for part in ways.findChildren(QLabel)
            if "refused" in part.text() and part.isVisible()
        ]
        assert await session.deskpilot.settings.get(OFFLINE) is False

    async def check(self: Network) -> list[ProcessCheck]:  # that of the service is in tests/service
        tried = offline.trials()
        return [
            ProcessCheck(
                "window", "", 7, tuple(ConnectionWay(t.way, t.refused, t.told) for t in tried)
            )
        ]

    monkeypatch.setattr(Network, "check", check)
    try:
        in_window(work)
    finally:
        offline.open_()


@pytest.mark.parametrize(
    ("ways", "verdict"),
    [
        ((REFUSED,), "Offline: only this machine can be reached. Refused: 1 of 1."),
        ((REFUSED, OPEN), "Other machines can be reached. Refused: 1 of 2."),
    ],
)
def test_one_open_way_is_not_offline(
    qapp: Any, ways: tuple[ConnectionWay, ...], verdict: str
) -> None:
    part = WaysOut()
    part.show_checked([ProcessCheck("worker", "minilm-l6", 12, ways)])
    assert part.verdict.text() == verdict
    assert "A model's process · minilm-l6 · 12" in [
        label.text() for label in part.findChildren(QLabel)
    ]
