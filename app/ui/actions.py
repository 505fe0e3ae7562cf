"""Commands as data: an id, words, a key, what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence

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
        Command("chat.new", "New chat", "Ctrl+N", session.new_chat),
        Command("chat.temporary", "Temporary chat", "Ctrl+Shift+N", session.new_temporary_chat),
        Command("chat.search", "Search chats", "Ctrl+K", session.chats.find),
        Command("chat.find", "Find in this chat", "Ctrl+F", session.finding.begin),
        Command("turn.edit", "Edit the last question", "Ctrl+E", session.edit),
        Command("turn.continue", "Continue", "Alt+Return", session.go_on),
        Command("branch.before", "Previous branch", "Alt+Left", lambda: session.switch(None, -1)),
        Command("branch.after", "Next branch", "Alt+Right", lambda: session.switch(None, 1)),
        Command("turn.stop", "Stop", "Escape", session.stop),
        Command("turn.again", "Try again", "Ctrl+R", session.again),
        Command("voice.dictate", "Dictate", "Ctrl+M", window.composer.mic.toggle_hearing),
        Command("voice.talk", "Talk hands-free", "Ctrl+Shift+M", session.voice.toggle_talk),
        Command("answer.copy", "Copy last answer", "Ctrl+Shift+C", session.copy_last),
        Command("answer.read", "Read last answer aloud", "Ctrl+Shift+L", session.read_last),
        Command("pane.sidebar", "Conversations", "Ctrl+B", window.topbar.sidebar_wanted.emit),
        Command("pane.dashboard", "Dashboard", "Ctrl+D", window.topbar.dashboard_wanted.emit),
        Command("composer.focus", "Write", "Ctrl+L", window.composer.editor.setFocus),
        Command("settings.open", "Settings", "Ctrl+,", window.sidebar.settings_wanted.emit),
        Command("widget.attach", "Attach a table", "Ctrl+O", session.choose_files),
    ]


def install(window: Window, found: list[Command]) -> None:
    """Bind the commands to the window."""
    for command in found:
        action = QAction(command.text, window)
        action.setObjectName(command.id)
        action.setShortcut(QKeySequence(command.key))
        action.triggered.connect(lambda _=False, run=command.run: run())
        window.addAction(action)
