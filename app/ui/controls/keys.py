"""Keys: the key of an action in a tooltip, and Escape for a widget of its own; files that
are dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6 import QtCore, QtGui
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.domain.actions import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction, QDropEvent


def is_typed(event: QtGui.QKeyEvent) -> bool:
    """Return whether a key is a letter or sign. Lists and tables leave those to the window, which
    types them into the text field; Qt's own would look for a row that begins with them.
    """
    return bool(event.text().strip()) and event.text().isprintable()


KEYED, WORDS, WITHOUT = "keyOf", "keyWords", "keyWithout"


def shown_key(widget: QWidget, uid: str) -> str:
    """Return the key an action has now as people read it, in the window a widget is in; nothing if
    it has none.
    """
    action = cast("QAction | None", widget.window().findChild(QObject, uid))
    if action is not None:
        shortcut = action.shortcut()
        return shortcut.toString(shortcut.SequenceFormat.NativeText)
    return next(action.key for action in ACTIONS if action.id == uid)  # none is bound yet


def named_after(widget: QWidget, uid: str, words: str, without: str = "") -> None:
    """Show the shortcut of an action in a tooltip: in place of `{key}`, else after the text.

    without: the text to use while the action has no shortcut.
    """
    widget.setProperty(KEYED, uid)
    widget.setProperty(WORDS, words)
    widget.setProperty(WITHOUT, without)
    tell_key(widget, shown_key(widget, uid))


def tell_key(widget: QWidget, shown: str) -> None:
    """Show a widget's text and a shortcut: in a label or an empty field, else in the tool tip."""
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
    """Take Escape for the widget of this event; return whether it was Escape, so that nothing else
    handles it.

    Qt asks with a `ShortcutOverride` before it runs the window's shortcut. when: whether the key is
    needed now.
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


def copied(event: QDropEvent) -> None:
    """Take what is dragged as a copy: a file manager deletes what was moved away."""
    event.setDropAction(QtCore.Qt.DropAction.CopyAction)
    event.accept()
