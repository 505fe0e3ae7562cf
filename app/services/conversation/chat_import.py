"""Import conversations from our own exports, from ChatGPT exports with their branches, and from
lists of LMC messages.
"""

from __future__ import annotations

import json
import time
import uuid
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from app.domain.conversation import Turn
from app.domain.errors import ExchangeError
from app.domain.events import Ended, State, read_event
from app.domain.stream import Message
from app.services.conversation.filters import parted

if TYPE_CHECKING:
    from pathlib import Path

    FileFields = dict[str, Any]


Fields = dict[str, Any]


def turns_of(
    mapping: dict[str, Fields], current: str, begun: float
) -> tuple[list[Turn], str | None]:
    """Return the turns, each of which comes after its parent, and the last turn of the displayed
    branch.

    mapping: the export's nodes {message, parent, children} by id. A question that was asked again
    has one turn per answer. Pictures and files are only mentioned by name, not stored.
    """
    made: list[Turn] = []
    shown: str | None = None
    chosen = path_to(mapping, current)
    roots = [uid for uid, node in mapping.items() if node.get("parent") not in mapping]
    waiting: list[tuple[str, Turn | None]] = [(uid, None) for uid in roots]
    seen: set[str] = set()
    while waiting:  # a list instead of recursion, since a chat can be thousands of messages deep
        uid, turn = waiting.pop(0)
        if uid in seen:  # in a damaged file, a message can follow itself
            continue
        seen.add(uid)
        message = mapping[uid].get("message") or {}
        children = [child for child in mapping[uid].get("children") or [] if child in mapping]
        role, text = role_of(mapping[uid]), text_of(message)
        if role == "user" and text:
            at = float(message.get("create_time") or begun)
            parent = turn.id if turn is not None else None
            for child in children or [""]:
                asked = Turn(uuid.uuid4().hex, "", parent, text, "done", at)
                made.append(asked)
                waiting += [(child, asked)] if child else []
                shown = asked.id if uid in chosen and (child in chosen or uid == current) else shown
            continue
        if turn is not None and text and role in ("assistant", "tool"):
            turn.items += parted(item_of(message, str(role), text))
        answers = [child for child in children if role_of(mapping[child]) != "user"]
        for child in children:
            follows = turn if turn is None or child not in answers[1:] else copy_of(turn, made)
            waiting.append((child, follows))
            shown = (
                follows.id
                if follows is not None and follows is not turn and child in chosen
                else shown
            )
    for turn in made:
        turn.items.append(Ended("done"))
    return made, shown


def role_of(node: Fields) -> str | None:
    """Return the role of a node's author."""
    return ((node.get("message") or {}).get("author") or {}).get("role")


def copy_of(turn: Turn, made: list[Turn]) -> Turn:
    """Return a copy of a turn with its content so far. It is needed when the answer continues in
    two ways."""
    other = Turn(
        uuid.uuid4().hex, "", turn.parent, turn.question, "done", turn.created_at, list(turn.items)
    )
    made.append(other)
    return other


def path_to(mapping: dict[str, Fields], uid: str) -> set[str]:
    """Return the nodes that lead to a node."""
    found: set[str] = set()
    while uid in mapping and uid not in found:
        found.add(uid)
        uid = str(mapping[uid].get("parent") or "")
    return found


def item_of(message: Fields, role: str, text: str) -> Message:
    """Return a message of an answer: text, or code and its output."""
    kind = (message.get("content") or {}).get("content_type")
    uid, at = uuid.uuid4().hex, message.get("create_time")
    when = float(at) if isinstance(at, int | float) else None
    if role == "tool" or kind == "execution_output":
        return Message("computer", "console", text, "output", id=uid, created_at=when)
    if kind == "code":
        return Message("assistant", "code", text, "python", id=uid, created_at=when)
    return Message("assistant", "message", text, id=uid, created_at=when)


def text_of(message: Fields) -> str:
    """Return the text of a message, or an empty string if it is hidden or a thought."""
    content, about = message.get("content") or {}, message.get("metadata") or {}
    if about.get("is_visually_hidden_from_conversation") or content.get("content_type") in (
        "thoughts",
        "reasoning_recap",
        "user_editable_context",
        "model_editable_context",
    ):
        return ""
    parts = content.get("parts")
    if isinstance(parts, list):
        return "\n\n".join(filter(None, (part_of(part) for part in parts))).strip()
    return str(content.get("text") or content.get("result") or "").strip()


def part_of(part: Any) -> str:
    """Return one part of a message as text. For a picture or a recording, return a note that there
    was one."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        return str(
            part.get("text") or f"[{str(part.get('content_type') or 'file').replace('_', ' ')}]"
        )
    return ""


MOST_BYTES = 1_000_000_000
REMEDY = (
    "Choose the ZIP or conversations.json of a ChatGPT export, a list of LMC messages, or a JSON"
    " file from Deskpilot."
)
LMC = ("role", "type", "content", "format", "recipient", "id", "created_at")
ENDS: dict[str, State] = {"done": "done", "stopped": "stopped", "failed": "failed"}
ROLES, TYPES = (
    ("user", "assistant", "computer"),
    ("message", "code", "image", "console", "file", "confirmation"),
)


@dataclass
class ImportedChat:
    """A conversation in a file. created_at: the time in seconds since 1970. shown: the last turn of
    the branch to show.
    """

    title: str
    created_at: float
    turns: list[Turn] = field(default_factory=list[Turn])
    pinned: bool = False
    folder: str = ""
    shown: str | None = None


def read_file(path: Path) -> list[ImportedChat]:
    """Return the conversations in a file, without those that have no question.

    Raises: ExchangeError.
    """
    try:
        value = json.loads(file_text(path))
        return [one for one in conversations_of(value, path.stem) if one.turns]
    except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
        raise ExchangeError(f"{path} cannot be read: {error}.", REMEDY) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ExchangeError(f"{path} contains no readable conversations.", REMEDY) from error


def file_text(path: Path) -> str:
    """Return the JSON in a file, or in the conversations.json inside a ZIP file."""
    if not zipfile.is_zipfile(path):
        if path.stat().st_size > MOST_BYTES:
            raise ExchangeError(f"{path} is too large.", "Files can be up to 1 GB.")
        return path.read_text("utf-8-sig")
    with zipfile.ZipFile(path) as packed:
        inside = [
            i for i in packed.infolist() if i.filename.rpartition("/")[2] == "conversations.json"
        ]
        if not inside or inside[0].file_size > MOST_BYTES:
            raise ExchangeError(
                f"{path} contains no conversations.json, or one that is too large.", REMEDY
            )
        with packed.open(inside[0]) as file:
            return file.read(MOST_BYTES).decode("utf-8-sig")


def conversations_of(value: Any, name: str) -> list[ImportedChat]:
    """Return the conversations in a JSON value in any supported format."""
    if isinstance(value, dict) and "deskpilot" in value:
        return [own(fields) for fields in value["conversations"]]
    if isinstance(value, dict) and "mapping" in value:
        value = [value]
    if isinstance(value, dict):
        value = value["messages"]
    entries = cast("list[FileFields]", value)
    if entries and all("mapping" in entry for entry in entries):
        return [of_chatgpt(entry) for entry in entries]
    if entries and all(entry["role"] in ROLES and entry["type"] in TYPES for entry in entries):
        return [of_lmc(entries, name)]
    raise ValueError


def own(fields: FileFields) -> ImportedChat:
    """Return a conversation from our own export. Its turns get new ids, since the same turns may
    already be in the store.
    """
    ids = {turn["id"]: uuid.uuid4().hex for turn in fields["turns"]}
    made = ImportedChat(
        str(fields["title"]),
        float(fields["created_at"]),
        pinned=bool(fields.get("pinned")),
        folder=str(fields.get("folder") or ""),
        shown=ids.get(fields.get("shown") or ""),
    )
    for turn in fields["turns"]:
        state = ENDS.get(turn["state"], "interrupted")
        items = [own_item_of(item) for item in turn["items"]]
        parent = ids.get(turn["parent"] or "")
        made.turns.append(
            Turn(
                ids[turn["id"]],
                "",
                parent,
                str(turn["question"]),
                state,
                float(turn["created_at"]),
                items,
            )
        )
    return made


def own_item_of(fields: FileFields) -> Any:
    """Restore an item from its exported form."""
    if fields["kind"] == "message":
        return Message(**{k: v for k, v in fields.items() if k != "kind"})
    return read_event(fields["kind"], fields["fields"])


def of_lmc(messages: list[FileFields], title: str) -> ImportedChat:
    """Return a list of LMC messages as one conversation, with one turn for each message from the
    user."""
    made = ImportedChat(title, time.time())
    for message in messages:
        if message["type"] == "confirmation":
            continue  # never part of a conversation
        at = float(message.get("created_at") or made.created_at)
        asked = (message["role"], message["type"]) == ("user", "message")
        if asked or not made.turns:
            parent = made.turns[-1].id if made.turns else None
            question = (
                str(message["content"]) if asked else ""
            )  # a list may begin with messages that are not the user's
            made.turns.append(Turn(uuid.uuid4().hex, "", parent, question, "done", at))
        kept = {k: message[k] for k in LMC if k in message}
        made.turns[-1].items += parted(
            Message(**kept)
        )  # questions are included so that they can be exported as they were imported
    for turn in made.turns:
        turn.items.append(Ended("done"))
    if made.turns:
        made.created_at = made.turns[0].created_at
    return made


def of_chatgpt(entry: FileFields) -> ImportedChat:
    """Return a conversation from a ChatGPT export."""
    made = ImportedChat(
        str(entry.get("title") or "Imported chat"), float(entry.get("create_time") or time.time())
    )
    made.turns, made.shown = turns_of(
        entry["mapping"], str(entry.get("current_node") or ""), made.created_at
    )
    return made
