"""The size of text: of all that is shown, at once, and kept for the next start."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.cli.window import first_look
from app.ui.dashboard.bodies.figures import Number
from app.ui.dashboard.bodies.lines import LineChart
from app.ui.main.theme_switch import ThemeSwitch
from app.ui.theme.style import scaled
from tests.gui.living import in_window, until
from tests.gui.test_chats import ask, scripted

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")
CONTROL = Qt.KeyboardModifier.ControlModifier


def sizes(window: MainWindow) -> list[int]:
    """Return heights of text: of the window, the field, an answer, a row of a table."""
    body = next(table for card in window.dashboard.cards.values() if (table := card.table()))
    return [
        window.sidebar.new.fontMetrics().height(),
        window.composer.editor.height(),
        window.view.flow.heights[0],
        body.rowHeight(0),
    ]


def test_the_text_is_made_larger_and_smaller_by_key_and_stays_so(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        deskpilot = session.deskpilot
        dressing = ThemeSwitch(qapp, window, "light")
        await dressing.follow(deskpilot.settings, deskpilot.live, deskpilot.tasks)
        await ask(window, session, "A question")
        usual = sizes(window)
        for scale in (1.1, 1.25, 1.5):
            QTest.keyClick(window.composer.editor, Qt.Key.Key_Plus, CONTROL)
            await until(lambda scale=scale: window.tokens.scale == scale)
        await until(lambda: sizes(window)[3] == 45)
        assert all(now > 1.2 * before for now, before in zip(sizes(window), usual, strict=True))
        large = sizes(window)[2]
        assert first_look()[2] == "150"

        def clipped() -> list[str]:
            parts = [*window.findChildren(QLabel), *window.findChildren(QPushButton)]
            return [
                part.text()
                for part in parts
                if part.isVisible() and part.text() and part.height() < part.fontMetrics().height()
            ]

        with contextlib.suppress(TimeoutError):
            await until(lambda: not clipped(), 10)  # cards are laid out anew a moment later
        assert clipped() == []
        numbers = window.dashboard.findChildren(Number)
        assert len(numbers) == 3
        for number in numbers:
            needed = QFontMetrics(number.fitting()).horizontalAdvance(number.text())
            box = cast("QWidget", number.parentWidget())
            assert needed <= number.width() <= box.width()
        pane = window.dashboard
        assert pane.viewport().y() >= pane.tabs.geometry().bottom(), "no tile is below the tabs"
        (chart,) = pane.findChildren(LineChart)
        below = chart.height() - chart._box().bottom()
        assert below >= chart.fontMetrics().height(), "the days below the axis are whole"
        QTest.keyClick(window.composer.editor, Qt.Key.Key_Plus, CONTROL)
        await until(lambda: window.tokens.scale == 1.75)
        body = cast("QWidget", window.centralWidget())
        assert body.minimumSizeHint().width() <= 1366  # 1467 with whole examples
        QTest.keyClick(window.composer.editor, Qt.Key.Key_Minus, CONTROL)
        await until(lambda: window.tokens.scale == 1.5)
        QTest.keyClick(window.composer.editor, Qt.Key.Key_Minus, CONTROL)
        await until(lambda: window.tokens.scale == 1.25)
        QTest.keyClick(window.composer.editor, Qt.Key.Key_0, CONTROL)
        await until(lambda: window.tokens.scale == 1)
        await until(lambda: sizes(window)[:2] == usual[:2] and sizes(window)[3] == usual[3])
        await until(lambda: sizes(window)[2] < large)

    in_window(work)
    assert scaled(10) == 10
