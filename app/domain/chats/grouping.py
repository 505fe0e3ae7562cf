"""Conversations in the groups of a list: pinned, folders, then by the day they were last changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from app.domain.conversation import Conversation

PINNED = "Pinned"
DAYS = ("Today", "Yesterday", "Previous 7 days")


@dataclass
class Group:
    """Conversations under one heading. kind: a folder can be folded, a day and the pinned ones cannot.

    month: its first day, where the heading is a month.
    """

    name: str
    kind: Literal["pinned", "folder", "day"]
    conversations: list[Conversation] = field(default_factory=list["Conversation"])
    month: date | None = None


def grouped(conversations: list[Conversation], today: date) -> list[Group]:
    """Return the groups that hold something, each in the order of `conversations`; one that is pinned stands
    only there, one in a folder only there."""
    pinned, folders, days = Group(PINNED, "pinned"), dict[str, Group](), dict[str, Group]()
    for one in conversations:
        if one.pinned:
            pinned.conversations.append(one)
        elif one.folder:
            folders.setdefault(one.folder, Group(one.folder, "folder")).conversations.append(one)
        else:
            day = datetime.fromtimestamp(one.updated_at).date()
            name = day_name(day, today)
            month = None if name in DAYS else day.replace(day=1)
            days.setdefault(name, Group(name, "day", month=month)).conversations.append(one)
    named = sorted(folders.values(), key=lambda group: group.name.casefold())
    return [group for group in (pinned, *named, *days.values()) if group.conversations]


def day_name(day: date, today: date) -> str:
    """Return what a day is called from today."""
    if day >= today:
        return DAYS[0]
    if day == today - timedelta(days=1):
        return DAYS[1]
    if day > today - timedelta(days=7):
        return DAYS[2]
    return day.strftime("%B %Y")
