"""The actions of the window by id, and their shortcuts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.domain.actions import ACTIONS
from app.domain.semantic_search import by_chat
from app.domain.settings import KEYS, conflicts
from app.services.settings import step_text
from app.ui.composer.choice import COMMAND, PickerItem
from app.ui.controls.keys import KEYED, tell_key
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.settings import Setting
    from app.services.settings import Settings
    from app.ui.main.palette import Palette
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow


class Bindings(QObject):
    """Binds the commands of a window to shortcuts.

    keys: the shortcut of each action, by its id. found: a function that returns the commands that
    can be found only by typing; it is called when the palette first opens. search: a function that
    finds chats that contain the typed text, and shows them.
    """

    def __init__(self, window: MainWindow, found: list[Command], settings: Settings) -> None:
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
        """Apply the user's shortcuts.

        Raises: SetupError.
        """
        kept = await self._settings.each(KEYS.values())
        self.keys = {uid: kept[setting.key] for uid, setting in KEYS.items()}
        self._bind()

    def open_palette(self) -> None:
        """Open the palette, in which all commands can be searched."""
        from app.ui.main.palette import Palette

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
        """Bind each action to its shortcut.

        If actions share a shortcut, the first of them on the settings page gets it.
        """
        order, shared = list(KEYS), conflicts(self.keys)
        for uid, action in self.actions.items():
            first = all(order.index(uid) < order.index(other) for other in shared.get(uid, []))
            keys = [self.keys[uid], *ALSO.get(self.keys[uid], ())] if first else []
            action.setShortcuts([QKeySequence(key) for key in keys])
        for widget in self._window.findChildren(QWidget):
            if (uid := widget.property(KEYED)) in self.actions:
                shown = (
                    self.actions[uid].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                )
                tell_key(widget, shown)


ALSO = {"Ctrl++": ("Ctrl+=",)}  # for keyboards on which + requires Shift
CHATS = 6  # maximum number of chats offered among the commands
SLASHES = {  # commands that can be typed in the composer
    "new": "chat.new",
    "temporary": "chat.temporary",
    "attach": "widget.attach",
    "again": "turn.again",
    "edit": "turn.edit",
    "find": "chat.find",
    "search": "chat.search",
    "copy": "answer.copy",
    "read": "answer.read",
    "instructions": "chat.instructions",
    "dashboard": "pane.dashboard",
    "models": "models.open",
    "settings": "settings.open",
    "help": "help.open",
}


@dataclass(frozen=True)
class Command:
    """A command. key: its shortcut in Qt's notation, such as Ctrl+N."""

    id: str
    text: str
    key: str
    run: Callable[[], object]


def commands(window: MainWindow, session: WindowSession) -> list[Command]:
    """Return all commands."""
    runs = {**asking(window, session), **arranging(window, session)}
    return [Command(action.id, tr(action.text), action.key, runs[action.id]) for action in ACTIONS]


def asking(window: MainWindow, session: WindowSession) -> dict[str, Callable[[], object]]:
    """Return the commands for a conversation."""
    return {
        "chat.new": session.new_chat,
        "chat.temporary": session.new_temporary_chat,
        "chat.find": session.finding.begin,
        "chat.instructions": session.instruct,
        "turn.edit": session.edit,
        "turn.continue": session.go_on,
        "branch.before": lambda: session.switch(None, -1),
        "branch.after": lambda: session.switch(None, 1),
        "turn.stop": session.stop,
        "turn.again": session.again,
        "voice.dictate": window.composer.mic.toggle_hearing,
        "voice.talk": session.voice.toggle_talk,
        "answer.copy": lambda: session.links.act_on_last("copy"),
        "answer.read": lambda: session.links.act_on_last("read"),
        "composer.focus": window.composer.editor.setFocus,
        "widget.attach": session.context.choose_files,
    }


def arranging(window: MainWindow, session: WindowSession) -> dict[str, Callable[[], object]]:
    """Return the commands for the window and for the list of conversations."""
    chats, preferences = session.chats, session.preferences
    settings = session.deskpilot.settings
    return {
        "palette.open": window.palette_wanted.emit,
        "chat.search": chats.find,
        "pane.sidebar": window.topbar.sidebar_wanted.emit,
        "pane.dashboard": window.topbar.dashboard_wanted.emit,
        "theme.turn": window.topbar.theme_wanted.emit,
        "text.larger": lambda: session.do("size text", step_text(settings, 1)),
        "text.smaller": lambda: session.do("size text", step_text(settings, -1)),
        "text.usual": lambda: session.do("size text", step_text(settings, 0)),
        "settings.open": window.sidebar.settings_wanted.emit,
        "settings.keys": lambda: preferences.open("keys"),
        "models.open": window.sidebar.models_wanted.emit,
        "chats.import": chats.ask_import,
        "chats.export": chats.ask_export,
        "chats.backup": chats.ask_back_up,
        "chats.restore": chats.ask_restore,
        "chats.trash": chats.show_trash,
        "help.open": window.sidebar.help_wanted.emit,
        "window.close": window.leave_wanted.emit,
    }


def settings_found(session: WindowSession) -> list[Command]:
    """Return commands that open the pages of the settings; they can be found by typing in the
    palette.
    """
    from app.domain.settings import PAGES
    from app.ui.settings.window import (
        ASSISTANTS,
        DIAGNOSTICS,
        DOCUMENTS,
        LIBRARY,
        PERMISSIONS,
        PLUGINS,
        SKILLS,
    )

    places = {
        f"{tr(page.title)}: {tr(s.label)}": page.id
        for page in PAGES
        for s in page.settings
        if s.kind != "key" and s.level == "user"
    }
    others = {ASSISTANTS: tr("Assistants"), DIAGNOSTICS: tr("Diagnostics"), LIBRARY: tr("Library")}
    others |= {DOCUMENTS: tr("Documents")}
    others |= {PERMISSIONS: tr("Permissions"), PLUGINS: tr("Plugins"), SKILLS: tr("Skills")}
    settings = tr("Settings")
    places |= {f"{settings}: {title}": uid for uid, title in others.items()}
    opening = session.preferences.open
    return [Command("", text, "", partial(opening, uid)) for text, uid in places.items()]


async def find_chats(
    session: WindowSession, typed: str, show: Callable[[list[Command]], None]
) -> None:
    """Find the chats that contain a text; choosing a chat opens it at that place.

    Raises: StoreError.
    """
    found = by_chat(await session.deskpilot.history.search(typed))[:CHATS]
    opening = session.open_chat
    show(
        [
            Command("", one.title, "", partial(opening, one.conversation_id, one.turn_id, typed))
            if one.turn_id
            else Command("", one.title, "", partial(opening, one.conversation_id))
            for one in found
        ]
    )


def install(window: MainWindow, session: WindowSession) -> Bindings:
    """Bind the commands to their shortcuts and offer them in the palette."""

    from app.ui.main.tray import Tray

    made = Bindings(window, commands(window, session), session.deskpilot.settings)
    made.found = lambda: settings_found(session)
    made.search = lambda typed, show: session.do("find chats", find_chats(session, typed, show))
    session.context.commands = [
        PickerItem(f"{COMMAND}{uid}", f"/{word}", made.actions[uid].text())
        for word, uid in SLASHES.items()
    ]
    window.composer.command_picked.connect(lambda uid: made.actions[uid].trigger())
    tray = Tray(window, made.actions, session.deskpilot.settings)
    session.do("read keys", made.restore())
    session.do("read tray", tray.restore())
    return made
