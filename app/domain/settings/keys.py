"""The page of the keys: what one can do in the window, by which key, and the keys that come with Deskpilot."""

from __future__ import annotations

from typing import NamedTuple

from app.domain.settings.definition import Page, Setting


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


HELP = "By this key, wherever the keyboard is in the window."
KEYS = {
    action.id: Setting[str](
        key=f"keys.{action.id}",
        kind="key",
        default=action.key,
        label=action.text,
        help=HELP,
        unset="None",
    )
    for action in ACTIONS
}
PAGE = Page("keys", "Keys", tuple(KEYS.values()))


def conflicts(chosen: dict[str, str]) -> dict[str, list[str]]:
    """Return which actions share a key: of each of them the others, in the order of the page.

    chosen: the key of each action, by its id.
    """
    holders: dict[str, list[str]] = {}
    for action in ACTIONS:
        if key := chosen.get(action.id, ""):
            holders.setdefault(key.casefold(), []).append(action.id)
    return {
        uid: [o for o in ids if o != uid] for ids in holders.values() if len(ids) > 1 for uid in ids
    }


def text_of(uid: str) -> str:
    """Return what an action is called."""
    return next(action.text for action in ACTIONS if action.id == uid)
