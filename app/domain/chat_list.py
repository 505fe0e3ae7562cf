"""The list of conversations: what each is called, and the groups they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from app.domain.conversation import Conversation


LONGEST, READ, UNTITLED = 60, 400, "New chat"
CALLED = re.compile(r"^/\S+\s+")  # a skill
ADDRESS = re.compile(r"https?://(?:www\.)?([^\s/]+)\S*")
MARKUP = re.compile(
    r"^[#>\s]+|[*`\[\]]+|(?<!\w)_+|_+(?!\w)"
)  # names_of_columns and <tags> stay whole
LEADS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:hi|hello|hey|ok|okay|so|well)[,!.]?\s+(?=\w)",
        r"^(?:please|can|could|would|will)(?:\s+you)?(?:\s+please)?\s+(?=(?:show|tell|give|list|plot|draw|display|find|explain|write)\b)",
        r"^please\s+",
        r"^(?:show|tell|give)\s+me\s+(?:about\s+)?",
        r"^(?:show|list|plot|draw|display)\s+",
        r"^(?:what(?:['’]s|\s+is|\s+was|\s+are|\s+were))\s+(?=(?:the|a|an|my|our)\s)",
        r"^(?:the|an?)\s+(?=\w)",
        r"^(?:你好|您好)[,，。!！\s]*(?=\S)",
        r"^(?:请问|请|帮我|麻烦你?|告诉我|给我|显示|列出)+",
    )
)
ENDS = re.compile(
    r"(?:\s*(?:please|thanks|thank you))?[?？!！.。…\s]*$"
    r"|(?:是多少|是什么|有多少|是几|吗|呢)[?？。\s]*$"
    r"|(?:は(?:何|なん|いくら|いくつ|どれくらい|どのくらい)(?:ですか|でしたか)?|を?教えて(?:ください|下さい)?|ですか|でしたか)[?？。"
    r"\s]*$",
    re.IGNORECASE,
)


def title_of(question: str) -> str:
    """Return the title of a conversation that begins with a question, at most 60 characters."""
    question = question.encode("utf-8", "replace").decode()
    lines = [line.strip() for line in question.splitlines() if MARKUP.sub("", line).strip()]
    line = CALLED.sub("", lines[0][:READ]) if lines else UNTITLED
    line = " ".join(MARKUP.sub("", ADDRESS.sub(r"\1", line)).split())
    bare = line
    for lead in LEADS:
        bare = lead.sub("", bare, count=1)
    bare = ENDS.sub("", bare, count=1).strip(" ,;:")
    return cut((bare[:1].upper() + bare[1:]) if len(bare) > 1 else line or UNTITLED)


def cut(text: str) -> str:
    """Return a text that fits, cut between words where there are any."""
    if len(text) <= LONGEST:
        return text
    short = text[: LONGEST - 1]
    space = short.rfind(" ")
    return f"{short[: space if space > LONGEST // 2 else None].rstrip(' ,;:')}…"


PINNED = "Pinned"
DAYS = ("Today", "Yesterday", "Previous 7 days")


@dataclass
class Group:
    """Conversations under one heading. kind: a folder can be folded, a day and the pinned ones
    cannot.

    month: its first day, where the heading is a month.
    """

    name: str
    kind: Literal["pinned", "folder", "day"]
    conversations: list[Conversation] = field(default_factory=list["Conversation"])
    month: date | None = None


def grouped(conversations: list[Conversation], today: date) -> list[Group]:
    """Return the groups that hold something, each in the order of `conversations`; one that is
    pinned stands only there, one in a folder only there.
    """
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
