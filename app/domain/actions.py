"""The window's actions and their keyboard shortcuts, defined so that they are known before the
first paint.
"""

from __future__ import annotations

from typing import NamedTuple


class WindowAction(NamedTuple):
    """An action that the user can take. key: its shortcut in Qt's notation, such as Ctrl+N; empty
    if it has none.
    """

    id: str
    text: str
    key: str = ""


ACTIONS = (
    WindowAction("palette.open", "All commands", "Ctrl+K"),
    WindowAction("chat.new", "New chat", "Ctrl+N"),
    WindowAction("chat.temporary", "Temporary chat", "Ctrl+Shift+N"),
    WindowAction("chat.search", "Search chats", "Ctrl+Shift+F"),
    WindowAction("chat.find", "Find in this chat", "Ctrl+F"),
    WindowAction("chat.instructions", "Instructions for this chat"),
    WindowAction("turn.edit", "Edit the last question", "Ctrl+E"),
    WindowAction("turn.continue", "Continue the answer", "Alt+Return"),
    WindowAction("branch.before", "Previous branch", "Alt+Left"),
    WindowAction("branch.after", "Next branch", "Alt+Right"),
    WindowAction("turn.stop", "Stop", "Esc"),
    WindowAction("turn.again", "Try again", "Ctrl+R"),
    WindowAction("voice.dictate", "Dictate", "Ctrl+M"),
    WindowAction("voice.talk", "Talk hands-free", "Ctrl+Shift+M"),
    WindowAction("answer.copy", "Copy last answer", "Ctrl+Shift+C"),
    WindowAction("answer.read", "Read last answer aloud", "Ctrl+Shift+L"),
    WindowAction("composer.focus", "Write", "Ctrl+L"),
    WindowAction("widget.attach", "Attach a table or document", "Ctrl+O"),
    WindowAction("pane.sidebar", "Show or hide conversations", "Ctrl+B"),
    WindowAction("pane.dashboard", "Show or hide the dashboard", "Ctrl+D"),
    WindowAction("theme.turn", "Light or dark"),
    WindowAction("text.larger", "Larger text", "Ctrl++"),
    WindowAction("text.smaller", "Smaller text", "Ctrl+-"),
    WindowAction("text.usual", "Usual text size", "Ctrl+0"),
    WindowAction("settings.open", "Settings", "Ctrl+,"),
    WindowAction("settings.keys", "Keys", "Ctrl+/"),
    WindowAction("models.open", "Models"),
    WindowAction("chats.import", "Import chats"),
    WindowAction("chats.export", "Export all chats"),
    WindowAction("chats.backup", "Back up chats"),
    WindowAction("chats.restore", "Restore chats from a backup"),
    WindowAction("chats.trash", "Trash"),
    WindowAction("help.open", "Help", "F1"),
    WindowAction("window.close", "Quit", "Ctrl+Q"),
)
