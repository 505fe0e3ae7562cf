"""Conversations in the groups of a list: pinned, folders, then by the day they were last changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from app.domain.conversation import Conversation


@dataclass
class Group:
    """Conversations under one heading. kind: a folder can be folded, a day and the pinned ones cannot."""

    name: str
    kind: Literal["pinned", "folder", "day"]
    conversations: list[Conversation] = field(default_factory=list["Conversation"])


def grouped(conversations: list[Conversation], today: date) -> list[Group]:
    """Return the groups that hold something, each in the order of `conversations`; one that is pinned stands
    only there, one in a folder only there."""
    pinned, folders, days = Group("Pinned", "pinned"), dict[str, Group](), dict[str, Group]()
    for one in conversations:
        if one.pinned:
            pinned.conversations.append(one)
        elif one.folder:
            folders.setdefault(one.folder, Group(one.folder, "folder")).conversations.append(one)
        else:
            name = day_name(datetime.fromtimestamp(one.updated_at).date(), today)
            days.setdefault(name, Group(name, "day")).conversations.append(one)
    named = sorted(folders.values(), key=lambda group: group.name.casefold())
    return [group for group in (pinned, *named, *days.values()) if group.conversations]


def day_name(day: date, today: date) -> str:
    """Return what a day is called from today."""
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    if day > today - timedelta(days=7):
        return "Previous 7 days"
    return day.strftime("%B %Y")
