"""The keys of the window: each action by the key of the settings, whichever holds it first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.domain.settings.keys import KEYS, conflicts
from app.ui.commands.naming import KEYED, tell_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.settings.definition import Setting
    from app.services.settings.settings import Settings
    from app.ui.actions import Command
    from app.ui.commands.palette import Palette
    from app.ui.window import Window


class Bindings(QObject):
    """Binds the commands of a window. keys: of each action, by its id. found: what only typed words bring, made late;
    search: finds chats by words, and shows them."""

    def __init__(self, window: Window, found: list[Command], settings: Settings) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self.actions = {command.id: self._action(command) for command in found}
        self.keys = {command.id: command.key for command in found}
        self.found: Callable[[], list[Command]] = list
        self.search: Callable[[str, Callable[[list[Command]], None]], object] = lambda *_: None
        self._found: list[QAction] | None = None
        self._palette: Palette | None = None
        window.palette_wanted.connect(self.open_palette)
        settings.subscribe(self._on_setting)
        self._bind()

    def _action(self, command: Command) -> QAction:
        action = self._triggers(command)
        action.setObjectName(command.id)
        self._window.addAction(action)
        return action

    def _triggers(self, command: Command) -> QAction:
        action = QAction(command.text, self._window)
        action.triggered.connect(lambda _=False: command.run())
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
            palette = self._palette = Palette(self._window)
            palette.typed.connect(
                lambda typed: self.search(
                    typed,
                    lambda chats: palette.show_chats(typed, [self._triggers(c) for c in chats]),
                )
            )
        offered = [action for uid, action in self.actions.items() if uid != "palette.open"]
        if self._found is None:
            self._found = [self._triggers(command) for command in self.found()]
        self._palette.begin(offered, self._found, self._window.tokens)

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
                shown = (
                    self.actions[uid].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                )
                tell_key(widget, shown)
