"""Everybody can use it: each control says its name, and the keyboard reaches what can be
pressed.
"""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)

from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from tests.gui.living import in_window, until

CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTabBar, QTextEdit,
)  # fmt: skip


def name_of(widget: QWidget) -> str:
    found = QAccessible.queryAccessibleInterface(widget)
    return found.text(QAccessible.Text.Name).strip() if found is not None else ""


def is_inner(widget: QWidget) -> bool:
    """Tell whether Qt made a part of a control of ours: the field in a spin box, the corner of a
    table.
    """
    above = widget.parentWidget()
    inner = above is not None and isinstance(
        above, QAbstractSpinBox | QComboBox | QAbstractItemView | QTabBar
    )
    inner |= isinstance(above, QLineEdit) and isinstance(widget, QToolButton)  # empties the field
    inner |= above is not None and isinstance(above.parentWidget(), QComboBox)  # its list
    return (
        inner
        or widget.objectName().startswith("qt_")
        or type(widget).__name__ == "QComboBoxListView"
    )


def unnamed(top: QWidget) -> list[str]:
    return [
        f"{type(widget).__name__} #{widget.objectName()} in {type(widget.parentWidget()).__name__}"
        for widget in (top, *top.findChildren(QWidget))
        if isinstance(widget, CONTROLS) and not is_inner(widget) and not name_of(widget)
    ]


@pytest.mark.usefixtures("served")
def test_every_control_of_every_window_says_its_name(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        shown = session.preferences.open("models")
        await until(lambda: shown.models.rows)
        for top in QApplication.topLevelWidgets():
            assert not unnamed(top), type(top).__name__

    in_window(work)


@pytest.mark.usefixtures("served")
def test_tab_goes_round_the_window_and_through_all_its_parts(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        window.activateWindow()
        window.composer.editor.setFocus()
        seen: list[QWidget] = []
        while (now := QApplication.focusWidget()) is not None and now not in seen:
            seen.append(now)
            back = isinstance(now, QPlainTextEdit) and not now.tabChangesFocus()
            assert not back, f"{type(now).__name__} keeps the focus"
            QTest.keyClick(now, Qt.Key.Key_Tab)
        parts = (window.topbar, window.sidebar, window.composer, window.dashboard)
        assert all(any(part.isAncestorOf(widget) for widget in seen) for part in parts)
        assert all(name_of(widget) for widget in seen)
        places = [
            next(n for n, part in enumerate(parts) if part.isAncestorOf(w))
            for w in seen
            if part_of(parts, w)
        ]
        assert sum(
            a != b for a, b in zip(places, [*places[1:], places[0]], strict=True)
        ) <= 2 * len(parts)

    in_window(work)


def part_of(parts: tuple[QWidget, ...], widget: QWidget) -> bool:
    return any(part.isAncestorOf(widget) for part in parts)
