"""Commands as data: an id, words, a key, what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence

from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.ui.session import Session
    from app.ui.window import Window


@dataclass(frozen=True)
class Command:
    """One command. key: as Qt writes it, such as Ctrl+N."""

    id: str
    text: str
    key: str
    run: Callable[[], object]


def commands(window: Window, session: Session) -> list[Command]:
    """Return what one can do by key."""
    return [
        Command("chat.new", tr("New chat"), "Ctrl+N", session.new_chat),
        Command("chat.temporary", tr("Temporary chat"), "Ctrl+Shift+N", session.new_temporary_chat),
        Command("chat.search", tr("Search chats"), "Ctrl+K", session.chats.find),
        Command("chat.find", tr("Find in this chat"), "Ctrl+F", session.finding.begin),
        Command("turn.edit", tr("Edit the last question"), "Ctrl+E", session.edit),
        Command("turn.continue", tr("Continue"), "Alt+Return", session.go_on),
        Command("branch.before", tr("Previous branch"), "Alt+Left", lambda: session.switch(None, -1)),
        Command("branch.after", tr("Next branch"), "Alt+Right", lambda: session.switch(None, 1)),
        Command("turn.stop", tr("Stop"), "Escape", session.stop),
        Command("turn.again", tr("Try again"), "Ctrl+R", session.again),
        Command("voice.dictate", tr("Dictate"), "Ctrl+M", window.composer.mic.toggle_hearing),
        Command("voice.talk", tr("Talk hands-free"), "Ctrl+Shift+M", session.voice.toggle_talk),
        Command("answer.copy", tr("Copy last answer"), "Ctrl+Shift+C", session.copy_last),
        Command("answer.read", tr("Read last answer aloud"), "Ctrl+Shift+L", session.read_last),
        Command("pane.sidebar", tr("Conversations"), "Ctrl+B", window.topbar.sidebar_wanted.emit),
        Command("pane.dashboard", tr("Dashboard"), "Ctrl+D", window.topbar.dashboard_wanted.emit),
        Command("composer.focus", tr("Write"), "Ctrl+L", window.composer.editor.setFocus),
        Command("settings.open", tr("Settings"), "Ctrl+,", window.sidebar.settings_wanted.emit),
        Command("widget.attach", tr("Attach a table"), "Ctrl+O", session.choose_files),
    ]


def install(window: Window, found: list[Command]) -> None:
    """Bind the commands to the window."""
    for command in found:
        action = QAction(command.text, window)
        action.setObjectName(command.id)
        action.setShortcut(QKeySequence(command.key))
        action.triggered.connect(lambda _=False, run=command.run: run())
        window.addAction(action)
