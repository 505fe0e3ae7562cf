"""The page of the keys: those that come with Deskpilot, and how they are set."""

from __future__ import annotations

from app.domain.actions import ACTIONS
from app.domain.settings.definition import Page, Setting

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
