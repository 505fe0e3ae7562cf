"""Conversations: turns that follow one another and branch where one was asked again, and what one
turn may cost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.events import Event, State


@dataclass(frozen=True)
class Caps:
    """Each ends the turn with a `Capped` that names it; what was said so far is kept.

    calls: functions run. steps: statuses, calls, results, artifacts and the like that are told.
    characters: of the answer. seconds: from the question to the end, the search for the copilot
    included. idle_seconds: without a byte from the copilot; a minute of silence is usual, a ping
    counts as life. connect_seconds: until it takes the connection. stream_bytes: of one response.
    history_turns, history_characters: of what was said before, the newest, that goes along with a
    question; what is left out is told to the copilot and ends nothing.
    """

    calls: int = 8
    steps: int = 500
    characters: int = 400_000
    seconds: float = 900
    idle_seconds: float = 180
    connect_seconds: float = 10
    stream_bytes: int = 64 * 1024 * 1024
    history_turns: int = 200
    history_characters: int = 400_000


@dataclass(frozen=True)
class Attachment:
    """A widget that goes along with the questions of one conversation.

    path: the file it shows; empty if it was fetched from a backend or has none.
    """

    widget: str
    name: str
    path: str = ""


URL, MOST_URLS = re.compile(r"https?://[^\s<>\"'`]+"), 4  # the protocol takes no more
TEMPORARY = "temporary-"  # begins the ids of conversations and turns that are kept nowhere


def is_temporary(uid: str) -> bool:
    """Tell whether a conversation or turn of this id is kept nowhere."""
    return uid.startswith(TEMPORARY)


@dataclass(frozen=True)
class Conversation:
    """A conversation: its title, and when it was last changed (seconds since 1970).

    folder: a name, empty for none. trashed_at: when it was put into the trash, None if it was not.
    shown: the last turn of the branch that is shown. branched: something was asked again in it.
    questions: how many it has;
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
    """A turn in which something was found, with the words around it on one line; no turn if it was
    the title.

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
    """Return a message as Markdown: of code and what it printed, a fence; nothing of what is no
    text.
    """
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
    """Return the turns that lead to `last`, oldest first, the newest `limit` of them; none for
    None.

    turns: each behind the one it follows. They are looked at from the end, and no further than
    needed.
    """
    path: list[Turn] = []
    for turn in reversed(turns):
        if last is None or len(path) == limit:
            break
        if turn.id == last:
            path.append(turn)
            last = turn.parent
    return path[::-1]


class Thread:
    """Turns that branch where one was asked again.

    turns: all, each behind the one it follows. path: those shown, oldest first. Of a conversation
    that never
    branched no turn is looked at: most of a long one is not read yet.
    """

    def __init__(
        self, turns: list[Turn], shown: str | None = None, *, branched: bool = False
    ) -> None:
        self.turns = list(turns)
        self._branched = branched
        self._children: dict[str | None, list[Turn]] = {}
        if branched:
            for turn in turns:
                self._children.setdefault(turn.parent, []).append(turn)
        self.path = self._path(shown) if branched else list(turns)

    def _path(self, shown: str | None) -> list[Turn]:
        found = branch_to(self.turns, shown)
        if found or not self.turns:
            return found
        return branch_to(self.turns, self.turns[-1].id)  # what was shown is gone: the newest

    def add(self, turn: Turn) -> bool:
        """Take up a new turn and show its branch; tell whether other turns had to give way."""
        follows = (self.path[-1].id if self.path else None) == turn.parent
        if not follows and not self._branched:
            self._branched = True
            for other in self.turns:
                self._children.setdefault(other.parent, []).append(other)
        if self._branched:
            self._children.setdefault(turn.parent, []).append(turn)
        self.turns.append(turn)
        kept = self.path if follows else branch_to(self.turns, turn.parent)
        self.path = [*kept, turn]
        return not follows

    def drop(self, turn: Turn) -> bool:
        """Take the newest turn away again, which was never asked; tell whether it was here."""
        if not self.turns or self.turns[-1] is not turn:
            return False
        self.turns.pop()
        if turn in self._children.get(turn.parent, []):
            self._children[turn.parent].remove(turn)
        self.path = branch_to(self.turns, self.turns[-1].id) if self.turns else []
        return True

    def place(self, turn: Turn) -> tuple[int, int]:
        """Return which of how many a turn is that were asked at the same place, counted from
        one.
        """
        if not self._branched:
            return 1, 1
        beside = [other.id for other in self._children.get(turn.parent, [])]
        return (beside.index(turn.id) + 1, len(beside)) if turn.id in beside else (1, 1)

    def switch(self, turn: Turn, step: int) -> bool:
        """Show the branch `step` places beside a turn's, to its newest end; tell whether there is
        one.
        """
        beside = self._children.get(turn.parent, [])
        at = next((n for n, other in enumerate(beside) if other.id == turn.id), -1) + step
        if not 0 <= at < len(beside) or beside[at].id == turn.id:
            return False
        last = beside[at]
        while following := self._children.get(last.id):
            last = following[-1]
        self.path = branch_to(self.turns, last.id)
        return True

    def show(self, turn_id: str) -> bool:
        """Show the branch a turn is on, to its newest end; tell whether it was hidden before."""
        if any(turn.id == turn_id for turn in self.path):
            return False
        last = turn_id
        while following := self._children.get(last):
            last = following[-1].id
        found = branch_to(self.turns, last)
        self.path = found or self.path
        return bool(found)

    def branches(self) -> dict[str, tuple[int, int]]:
        """Return the places of those turns shown that have others beside them, by their ids."""
        if not self._branched:
            return {}
        found = ((turn.id, self.place(turn)) for turn in self.path)
        return {uid: place for uid, place in found if place[1] > 1}
