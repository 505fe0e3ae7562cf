"""What one can do in the window, and by which key; known before the first paint."""

from __future__ import annotations

from typing import NamedTuple


class Action(NamedTuple):
    """Something one can do. key: as Qt writes it, such as Ctrl+N; empty for none."""

    id: str
    text: str
    key: str = ""


ACTIONS = (
    Action("palette.open", "All commands", "Ctrl+K"),
    Action("chat.new", "New chat", "Ctrl+N"),
    Action("chat.temporary", "Temporary chat", "Ctrl+Shift+N"),
    Action("chat.search", "Search chats", "Ctrl+Shift+F"),
    Action("chat.find", "Find in this chat", "Ctrl+F"),
    Action("chat.instructions", "Instructions for this chat"),
    Action("turn.edit", "Edit the last question", "Ctrl+E"),
    Action("turn.continue", "Continue the answer", "Alt+Return"),
    Action("branch.before", "Previous branch", "Alt+Left"),
    Action("branch.after", "Next branch", "Alt+Right"),
    Action("turn.stop", "Stop", "Esc"),
    Action("turn.again", "Try again", "Ctrl+R"),
    Action("voice.dictate", "Dictate", "Ctrl+M"),
    Action("voice.talk", "Talk hands-free", "Ctrl+Shift+M"),
    Action("answer.copy", "Copy last answer", "Ctrl+Shift+C"),
    Action("answer.read", "Read last answer aloud", "Ctrl+Shift+L"),
    Action("composer.focus", "Write", "Ctrl+L"),
    Action("widget.attach", "Attach a table or document", "Ctrl+O"),
    Action("pane.sidebar", "Show or hide conversations", "Ctrl+B"),
    Action("pane.dashboard", "Show or hide the dashboard", "Ctrl+D"),
    Action("theme.turn", "Light or dark"),
    Action("settings.open", "Settings", "Ctrl+,"),
    Action("settings.keys", "Keys", "Ctrl+/"),
    Action("models.open", "Models"),
    Action("chats.import", "Import chats"),
    Action("chats.export", "Export all chats"),
    Action("chats.backup", "Back up chats"),
    Action("chats.restore", "Restore chats from a backup"),
    Action("chats.trash", "Trash"),
    Action("help.open", "Help", "F1"),
    Action("window.close", "Quit", "Ctrl+Q"),
)
