"""The keys of the window: each action by the key of the settings, whichever holds it first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.domain.settings.keys import KEYS, conflicts

if TYPE_CHECKING:
    from app.domain.settings.definition import Setting
    from app.services.settings.settings import Settings
    from app.ui.actions import Command
    from app.ui.commands.palette import Palette
    from app.ui.window import Window

KEYED, WORDS, WITHOUT = "keyOf", "keyWords", "keyWithout"


class Bindings(QObject):
    """Binds the commands of a window. keys: of each action, by its id."""

    def __init__(self, window: Window, found: list[Command], settings: Settings) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self.actions = {command.id: self._action(command) for command in found}
        self.keys = {command.id: command.key for command in found}
        self._palette: Palette | None = None
        window.palette_wanted.connect(self.open_palette)
        settings.subscribe(self._on_setting)
        self._bind()

    def _action(self, command: Command) -> QAction:
        action = QAction(command.text, self._window)
        action.setObjectName(command.id)
        action.triggered.connect(lambda _=False: command.run())
        self._window.addAction(action)
        return action

    async def restore(self) -> None:
        """Take up the keys somebody chose.

        Raises: SetupError.
        """
        kept = await self._settings.each(KEYS.values())
        self.keys = {uid: kept[setting.key] for uid, setting in KEYS.items()}
        self._bind()

    def open_palette(self) -> None:
        """Show all commands, to be found by their words."""
        from app.ui.commands.palette import Palette

        if self._palette is None:
            self._palette = Palette(self._window)
        offered = [action for uid, action in self.actions.items() if uid != "palette.open"]
        self._palette.begin(offered, self._window.tokens)

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        if setting.kind == "key":
            self.keys[setting.key.removeprefix("keys.")] = str(value)
            self._bind()

    def _bind(self) -> None:
        """Give each action its key; of those that share one, the first of the page has it."""
        order, shared = list(KEYS), conflicts(self.keys)
        for uid, action in self.actions.items():
            first = all(order.index(uid) < order.index(other) for other in shared.get(uid, []))
            action.setShortcut(QKeySequence(self.keys[uid] if first else ""))
        for widget in self._window.findChildren(QWidget):
            if (uid := widget.property(KEYED)) in self.actions:
                tell_key(widget, self.actions[uid].shortcut())


def key_of(widget: QWidget, uid: str) -> QKeySequence:
    """Return the key an action has now, in the window a widget stands in."""
    action = widget.window().findChild(QAction, uid)
    return action.shortcut() if isinstance(action, QAction) else QKeySequence(KEYS[uid].default)


def shown_key(widget: QWidget, uid: str) -> str:
    """Return the key of an action as people read it; nothing if it has none."""
    return key_of(widget, uid).toString(QKeySequence.SequenceFormat.NativeText)


def named_after(widget: QWidget, uid: str, words: str, without: str = "") -> None:
    """Let a widget tell the key of an action: where `{key}` stands in some words, else behind them.

    without: said in place of words that hold `{key}`, while there is none.
    """
    widget.setProperty(KEYED, uid)
    widget.setProperty(WORDS, words)
    widget.setProperty(WITHOUT, without)
    tell_key(widget, key_of(widget, uid))


def tell_key(widget: QWidget, key: QKeySequence) -> None:
    """Write a widget's words and a key where they are read: in a label or an empty field, else in the tool tip."""
    words, shown = str(widget.property(WORDS)), key.toString(QKeySequence.SequenceFormat.NativeText)
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
