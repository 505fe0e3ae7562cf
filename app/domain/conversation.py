"""Conversations: turns that follow one another, and branch where one was asked again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.events import Event, State


URL, MOST_URLS = re.compile(r"https?://[^\s<>\"'`]+"), 4  # the protocol takes no more
TEMPORARY = "temporary-"  # begins the ids of conversations and turns that are kept nowhere


def is_temporary(uid: str) -> bool:
    """Tell whether a conversation or turn of this id is kept nowhere."""
    return uid.startswith(TEMPORARY)


@dataclass(frozen=True)
class Conversation:
    """A conversation: its title, and when it was last changed (seconds since 1970).

    folder: a name, empty for none. trashed_at: when it was put into the trash, None if it was not. shown: the last
    turn of the branch that is shown. branched: something was asked again in it. questions: how many it has;
    about: names of the first attachments; instructions: what copilots heed in it, empty for none.
    """

    id: str
    title: str
    created_at: float
    updated_at: float
    pinned: bool = False
    folder: str = ""
    trashed_at: float | None = None
    shown: str | None = None
    branched: bool = False
    questions: int = 0
    about: tuple[str, ...] = ()
    instructions: str = ""

    @property
    def temporary(self) -> bool:
        """Whether it is kept nowhere."""
        return is_temporary(self.id)


@dataclass(frozen=True)
class Found:
    """A turn in which something was found, with the words around it on one line; no turn if it was the title.

    by: whether the words occur there, or it means the same; or both.
    """

    conversation_id: str
    title: str
    turn_id: str
    excerpt: str
    by: Literal["words", "meaning", "both"] = "words"


@dataclass
class Turn:
    """A question and all that came of it, in order.

    parent: the turn it follows; turns of one parent are branches.
    """

    id: str
    conversation_id: str
    parent: str | None
    question: str
    state: State
    created_at: float
    items: list[Message | Event] = field(default_factory=list["Message | Event"])

    def answer(self) -> str:
        """Return the words of the answer; code and what came of it are not among them."""
        said = [
            i
            for i in self.items
            if isinstance(i, Message) and (i.role, i.type) == ("assistant", "message")
        ]
        return "".join(i.content for i in said)

    def words(self) -> str:
        """Return what was said as Markdown: the answer, and code and what it printed as fences."""
        return "".join(as_words(i) for i in self.items if isinstance(i, Message))


def as_words(item: Message) -> str:
    """Return a message as Markdown: of code and what it printed, a fence; nothing of what is no text."""
    if (item.role, item.type) == ("assistant", "message"):
        return item.content
    if item.type not in ("code", "console"):
        return ""
    mark = "```" if "```" not in item.content else "~~~~"
    return f"\n{mark}{(item.format or '') if item.type == 'code' else ''}\n{item.content}\n{mark}\n"


def urls_of(text: str) -> list[str]:
    """Return the web addresses of a question, the first four."""
    return list(dict.fromkeys(found.rstrip(".,;:!?)]}") for found in URL.findall(text)))[:MOST_URLS]


def branch_to(turns: list[Turn], last: str | None, limit: int | None = None) -> list[Turn]:
    """Return the turns that lead to `last`, oldest first, the newest `limit` of them; none for None.

    turns: each behind the one it follows. They are looked at from the end, and no further than needed.
    """
    path: list[Turn] = []
    for turn in reversed(turns):
        if last is None or len(path) == limit:
            break
        if turn.id == last:
            path.append(turn)
            last = turn.parent
    return path[::-1]
