"""Conversations from files: our own exports, those of ChatGPT, and lists of LMC messages."""

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
from app.services.chats import chatgpt
from app.services.thoughts.apart import parted

if TYPE_CHECKING:
    from pathlib import Path

    Fields = dict[str, Any]

MOST_BYTES = 1_000_000_000
REMEDY = "Choose the ZIP or conversations.json of a ChatGPT export, a list of LMC messages, or a JSON of Deskpilot."
LMC = ("role", "type", "content", "format", "recipient", "id", "created_at")
ENDS: dict[str, State] = {"done": "done", "stopped": "stopped", "failed": "failed"}
ROLES, TYPES = (
    ("user", "assistant", "computer"),
    ("message", "code", "image", "console", "file", "confirmation"),
)


@dataclass
class Imported:
    """A conversation of a file. created_at: seconds since 1970. shown: the last turn of the branch to show."""

    title: str
    created_at: float
    turns: list[Turn] = field(default_factory=list[Turn])
    pinned: bool = False
    folder: str = ""
    shown: str | None = None


def read_file(path: Path) -> list[Imported]:
    """Return the conversations of a file; those without a question are left out.

    Raises: ExchangeError.
    """
    try:
        value = json.loads(text_of(path))
        return [one for one in conversations_of(value, path.stem) if one.turns]
    except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
        raise ExchangeError(f"{path} cannot be read: {error}.", REMEDY) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ExchangeError(f"{path} holds no conversations that can be read.", REMEDY) from error


def text_of(path: Path) -> str:
    """Return the JSON of a file, or of the conversations.json in a ZIP."""
    if not zipfile.is_zipfile(path):
        if path.stat().st_size > MOST_BYTES:
            raise ExchangeError(f"{path} is too large.", "A file may have 1 GB.")
        return path.read_text("utf-8-sig")
    with zipfile.ZipFile(path) as packed:
        inside = [
            i for i in packed.infolist() if i.filename.rpartition("/")[2] == "conversations.json"
        ]
        if not inside or inside[0].file_size > MOST_BYTES:
            raise ExchangeError(
                f"{path} holds no conversations.json, or one that is too large.", REMEDY
            )
        with packed.open(inside[0]) as file:
            return file.read(MOST_BYTES).decode("utf-8-sig")


def conversations_of(value: Any, name: str) -> list[Imported]:
    """Return the conversations of a JSON value, of whichever kind it is."""
    if isinstance(value, dict) and "deskpilot" in value:
        return [own(fields) for fields in value["conversations"]]
    if isinstance(value, dict) and "mapping" in value:
        value = [value]
    if isinstance(value, dict):
        value = value["messages"]
    entries = cast("list[Fields]", value)
    if entries and all("mapping" in entry for entry in entries):
        return [of_chatgpt(entry) for entry in entries]
    if entries and all(entry["role"] in ROLES and entry["type"] in TYPES for entry in entries):
        return [of_lmc(entries, name)]
    raise ValueError


def own(fields: Fields) -> Imported:
    """Return a conversation of our own export, its turns under new ids: it may be here already."""
    ids = {turn["id"]: uuid.uuid4().hex for turn in fields["turns"]}
    made = Imported(
        str(fields["title"]),
        float(fields["created_at"]),
        pinned=bool(fields.get("pinned")),
        folder=str(fields.get("folder") or ""),
        shown=ids.get(fields.get("shown") or ""),
    )
    for turn in fields["turns"]:
        state = ENDS.get(turn["state"], "interrupted")
        items = [item_of(item) for item in turn["items"]]
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


def item_of(fields: Fields) -> Any:
    """Return an item as it was written."""
    if fields["kind"] == "message":
        return Message(**{k: v for k, v in fields.items() if k != "kind"})
    return read_event(fields["kind"], fields["fields"])


def of_lmc(messages: list[Fields], title: str) -> Imported:
    """Return a list of LMC messages as one conversation, a turn for each message of the user."""
    made = Imported(title, time.time())
    for message in messages:
        if message["type"] == "confirmation":
            continue  # it is never part of a conversation
        at = float(message.get("created_at") or made.created_at)
        asked = (message["role"], message["type"]) == ("user", "message")
        if asked or not made.turns:
            parent = made.turns[-1].id if made.turns else None
            question = (
                str(message["content"]) if asked else ""
            )  # a list may begin with what others say
            made.turns.append(Turn(uuid.uuid4().hex, "", parent, question, "done", at))
        kept = {k: message[k] for k in LMC if k in message}
        made.turns[-1].items += parted(
            Message(**kept)
        )  # a question, too: it goes out as it came in
    for turn in made.turns:
        turn.items.append(Ended("done"))
    if made.turns:
        made.created_at = made.turns[0].created_at
    return made


def of_chatgpt(entry: Fields) -> Imported:
    """Return a conversation of a ChatGPT export."""
    made = Imported(
        str(entry.get("title") or "Imported chat"), float(entry.get("create_time") or time.time())
    )
    made.turns, made.shown = chatgpt.turns_of(
        entry["mapping"], str(entry.get("current_node") or ""), made.created_at
    )
    return made
