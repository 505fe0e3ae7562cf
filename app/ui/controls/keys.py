"""Keyboard shortcuts in tooltips, and the handling of Escape in a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6 import QtCore, QtGui
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.domain.actions import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction


def is_typed(event: QtGui.QKeyEvent) -> bool:
    """Return whether a key is a letter or symbol.

    Lists and tables leave these keys to the window, which types them into the text field;
    otherwise, Qt would look for a row that begins with them.
    """
    return bool(event.text().strip()) and event.text().isprintable()


KEYED, WORDS, WITHOUT = "keyOf", "keyWords", "keyWithout"


def shown_key(widget: QWidget, uid: str) -> str:
    """Return, as readable text, the current shortcut of an action in the window that contains the
    widget.

    The text is empty if the action has no shortcut.
    """
    action = cast("QAction | None", widget.window().findChild(QObject, uid))
    if action is not None:
        shortcut = action.shortcut()
        return shortcut.toString(shortcut.SequenceFormat.NativeText)
    return next(action.key for action in ACTIONS if action.id == uid)  # no shortcut is bound yet


def named_after(widget: QWidget, uid: str, words: str, without: str = "") -> None:
    """Show the shortcut of an action in a tooltip, at `{key}` if the text contains it, otherwise
    after the text.

    without: the text to use if the action has no shortcut.
    """
    widget.setProperty(KEYED, uid)
    widget.setProperty(WORDS, words)
    widget.setProperty(WITHOUT, without)
    tell_key(widget, shown_key(widget, uid))


def tell_key(widget: QWidget, shown: str) -> None:
    """Show a text with a shortcut in a label or an empty field, or otherwise in the tooltip."""
    words = str(widget.property(WORDS))
    if isinstance(widget, QLineEdit):
        widget.setPlaceholderText(f"{words}  {shown}".rstrip())
        return
    if "{key}" in words:
        told = words.format(key=shown) if shown else str(widget.property(WITHOUT))
    else:
        told = f"{words} ({shown})" if shown else words
    if isinstance(widget, QLabel):
        widget.setText(told)
        return
    widget.setToolTip(told)
    widget.setAccessibleName(told)


def keeps_escape(event: QEvent, when: Callable[[], bool] | None = None) -> bool:
    """Accept the event if it is Escape and the widget needs that key.

    Return whether it was accepted, so that nothing else handles it. Qt asks with a
    `ShortcutOverride` before it runs the window's shortcut. when: a function that returns whether
    the widget currently needs the key.
    """
    override = event.type() == QEvent.Type.ShortcutOverride
    if (
        override
        and isinstance(event, QtGui.QKeyEvent)
        and event.key() == QtCore.Qt.Key.Key_Escape
        and (not when or when())
    ):
        event.accept()
        return True
    return False
