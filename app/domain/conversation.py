"""Conversations: turns that follow one another and branch, and the limits for a single turn."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.events import Event, State


@dataclass(frozen=True)
class Caps:
    """Limits for a single turn. Exceeding a limit ends the turn with a `CapReached` that names the
    limit; the answer so far is kept.

    calls: the number of functions run. steps: the number of statuses, calls, results, artifacts and
    similar events. characters: the length of the answer. seconds: the time from the question to the
    end, including the search for the copilot. idle_seconds: the time without a byte from the
    copilot; a minute of silence is usual, and a ping counts as activity. connect_seconds: the time
    until the copilot accepts the connection. stream_bytes: the size of one response. history_turns,
    history_characters: how much of the newest history is sent with a question; if more exists, the
    copilot is told what was omitted, and the turn does not end.
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
    """A widget that is sent with the questions of one conversation.

    path: the path of the file it shows; empty if it was fetched from a backend or has no file.
    """

    widget: str
    name: str
    path: str = ""


@dataclass(frozen=True)
class Draft:
    """Text that was typed in a conversation but not sent. conversation_id: empty for a conversation
    that has not begun. written_at: in seconds since 1970.
    """

    conversation_id: str
    text: str
    written_at: float


URL, MOST_URLS = re.compile(r"https?://[^\s<>\"'`]+"), 4  # the protocol does not allow more
TEMPORARY = "temporary-"  # prefix of the ids of conversations and turns that are never stored


def is_temporary(uid: str) -> bool:
    """Return whether the conversation or turn with this id is never stored."""
    return uid.startswith(TEMPORARY)


@dataclass(frozen=True)
class Conversation:
    """A conversation: its title, and when it was last changed (seconds since 1970).

    folder: the name of its folder; empty if it is in none. trashed_at: when it was moved to the
    trash; None if it is not there. shown: the last turn of the branch that is shown. branched:
    whether any question was asked more than once. questions: the number of its questions. about:
    the names of the first attachments. instructions: custom instructions for copilots; empty if
    there are none.
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
        """Return whether the conversation is never stored."""
        return is_temporary(self.id)


@dataclass(frozen=True)
class FoundTurn:
    """A turn found by a search, with the words around the match on one line; the turn is None if
    the title matched.

    by: whether it matched by keyword, by meaning, or both.
    """

    conversation_id: str
    title: str
    turn_id: str
    excerpt: str
    by: Literal["words", "meaning", "both"] = "words"


@dataclass
class Turn:
    """A question and everything that followed it, in order.

    parent: the turn it follows; turns with the same parent are branches. is_read: False for an old
    turn in the store if only its ids are known; `StorePort.read` reads the rest.
    """

    id: str
    conversation_id: str
    parent: str | None
    question: str
    state: State
    created_at: float
    items: list[Message | Event] = field(default_factory=list["Message | Event"])
    is_read: bool = field(default=True, compare=False)

    def answer(self) -> str:
        """Return the text of the answer, without code and its output."""
        said = [
            i
            for i in self.items
            if isinstance(i, Message) and (i.role, i.type) == ("assistant", "message")
        ]
        return "".join(i.content for i in said)

    def words(self) -> str:
        """Return the answer as Markdown, with code and its output in fences."""
        return "".join(as_words(i) for i in self.items if isinstance(i, Message))


def as_words(item: Message) -> str:
    """Return a message as Markdown: with code and output in fences, and other content omitted."""
    if (item.role, item.type) == ("assistant", "message"):
        return item.content
    if item.type not in ("code", "console"):
        return ""
    mark = "```" if "```" not in item.content else "~~~~"
    return f"\n{mark}{(item.format or '') if item.type == 'code' else ''}\n{item.content}\n{mark}\n"


def urls_of(text: str) -> list[str]:
    """Return the first four web addresses in a question."""
    return list(dict.fromkeys(found.rstrip(".,;:!?)]}") for found in URL.findall(text)))[:MOST_URLS]


def branch_to(turns: list[Turn], last: str | None, limit: int | None = None) -> list[Turn]:
    """Return the turns that lead to `last`, oldest first, and at most the newest `limit` of them;
    empty if `last` is None.

    turns: turns in an order in which each follows its parent. They are read from the end, and only
    as far as needed.
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
    """Turns that branch where a question was asked again.

    turns: all turns, each after its parent. path: the displayed turns, oldest first.
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
        # the turn that was shown no longer exists, so the newest one is shown
        return branch_to(self.turns, self.turns[-1].id)

    def add(self, turn: Turn) -> bool:
        """Add a new turn and show its branch; return whether this has hidden other turns."""
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
        """Remove the newest turn, which was never sent; return whether it was in this thread."""
        if not self.turns or self.turns[-1] is not turn:
            return False
        self.turns.pop()
        if turn in self._children.get(turn.parent, []):
            self._children[turn.parent].remove(turn)
        self.path = branch_to(self.turns, self.turns[-1].id) if self.turns else []
        return True

    def place(self, turn: Turn) -> tuple[int, int]:
        """Return the position, counted from 1, of a turn among those with the same parent, and the
        number of those turns.
        """
        if not self._branched:
            return 1, 1
        beside = [other.id for other in self._children.get(turn.parent, [])]
        return (beside.index(turn.id) + 1, len(beside)) if turn.id in beside else (1, 1)

    def switch(self, turn: Turn, step: int) -> bool:
        """Show the sibling branch that is `step` positions away, down to its newest turn; return
        whether there is such a branch.
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
        """Show the branch of a turn, down to its newest turn; return whether the turn was hidden
        before.
        """
        if any(turn.id == turn_id for turn in self.path):
            return False
        last = turn_id
        while following := self._children.get(last):
            last = following[-1].id
        found = branch_to(self.turns, last)
        self.path = found or self.path
        return bool(found)

    def branches(self) -> dict[str, tuple[int, int]]:
        """Return the positions of the displayed turns that have siblings, by turn id."""
        if not self._branched:
            return {}
        found = ((turn.id, self.place(turn)) for turn in self.path)
        return {uid: place for uid, place in found if place[1] > 1}


LONGEST, READ, UNTITLED = 60, 400, "New chat"
CALLED = re.compile(r"^/\S+\s+")  # a skill call
ADDRESS = re.compile(r"https?://(?:www\.)?([^\s/]+)\S*")
MARKUP = re.compile(
    r"^[#>\s]+|[*`\[\]]+|(?<!\w)_+|_+(?!\w)"
)  # this keeps names_of_columns and <tags> whole
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
    """Return the title, of at most 60 characters, for a conversation that starts with a
    question.
    """
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
    """Return a text shortened to fit; it is cut between words if possible."""
    if len(text) <= LONGEST:
        return text
    short = text[: LONGEST - 1]
    space = short.rfind(" ")
    return f"{short[: space if space > LONGEST // 2 else None].rstrip(' ,;:')}…"


PINNED = "Pinned"
DAYS = ("Today", "Yesterday", "Previous 7 days")


@dataclass
class ChatGroup:
    """Conversations under one heading. kind: only folders can be collapsed; days and the pinned
    group cannot.

    month: the first day of the month if the heading is a month.
    """

    name: str
    kind: Literal["pinned", "folder", "day"]
    conversations: list[Conversation] = field(default_factory=list["Conversation"])
    month: date | None = None


def grouped(conversations: list[Conversation], today: date) -> list[ChatGroup]:
    """Return the groups that are not empty, each in the order of `conversations`. A pinned
    conversation appears only among the pinned ones, and a conversation in a folder appears only in
    that folder.
    """
    pinned, folders, days = (
        ChatGroup(PINNED, "pinned"),
        dict[str, ChatGroup](),
        dict[str, ChatGroup](),
    )
    for one in conversations:
        if one.pinned:
            pinned.conversations.append(one)
        elif one.folder:
            folders.setdefault(one.folder, ChatGroup(one.folder, "folder")).conversations.append(
                one
            )
        else:
            day = datetime.fromtimestamp(one.updated_at).date()
            name = day_name(day, today)
            month = None if name in DAYS else day.replace(day=1)
            days.setdefault(name, ChatGroup(name, "day", month=month)).conversations.append(one)
    named = sorted(folders.values(), key=lambda group: group.name.casefold())
    return [group for group in (pinned, *named, *days.values()) if group.conversations]


def day_name(day: date, today: date) -> str:
    """Return the name of a day relative to today."""
    if day >= today:
        return DAYS[0]
    if day == today - timedelta(days=1):
        return DAYS[1]
    if day > today - timedelta(days=7):
        return DAYS[2]
    return day.strftime("%B %Y")
