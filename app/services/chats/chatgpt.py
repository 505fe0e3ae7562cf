"""The tree of messages of a ChatGPT export, as turns and their branches."""

from __future__ import annotations

import uuid
from typing import Any

from app.domain.conversation import Turn
from app.domain.events import Ended
from app.domain.stream import Message
from app.services.thoughts.apart import parted

Fields = dict[str, Any]


def turns_of(
    mapping: dict[str, Fields], current: str, begun: float
) -> tuple[list[Turn], str | None]:
    """Return the turns, each behind the one it follows, and the last of the branch that was shown.

    mapping: the export's nodes {message, parent, children} by id. A question asked again has a turn for each
    answer; pictures and files are named, not kept.
    """
    made: list[Turn] = []
    shown: str | None = None
    chosen = path_to(mapping, current)
    roots = [uid for uid, node in mapping.items() if node.get("parent") not in mapping]
    waiting: list[tuple[str, Turn | None]] = [(uid, None) for uid in roots]
    while waiting:  # a list, not recursion: a chat may be thousands of messages deep
        uid, turn = waiting.pop(0)
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
    """Return who speaks in a node."""
    return ((node.get("message") or {}).get("author") or {}).get("role")


def copy_of(turn: Turn, made: list[Turn]) -> Turn:
    """Return a turn beside another with what it says so far: its answer goes on in two ways."""
    other = Turn(
        uuid.uuid4().hex, "", turn.parent, turn.question, "done", turn.created_at, list(turn.items)
    )
    made.append(other)
    return other


def path_to(mapping: dict[str, Fields], uid: str) -> set[str]:
    """Return the nodes that lead to one."""
    found: set[str] = set()
    while uid in mapping and uid not in found:
        found.add(uid)
        uid = str(mapping[uid].get("parent") or "")
    return found


def item_of(message: Fields, role: str, text: str) -> Message:
    """Return an answer's message: words, or code and what it printed."""
    kind = (message.get("content") or {}).get("content_type")
    uid, at = uuid.uuid4().hex, message.get("create_time")
    when = float(at) if isinstance(at, int | float) else None
    if role == "tool" or kind == "execution_output":
        return Message("computer", "console", text, "output", id=uid, created_at=when)
    if kind == "code":
        return Message("assistant", "code", text, "python", id=uid, created_at=when)
    return Message("assistant", "message", text, id=uid, created_at=when)


def text_of(message: Fields) -> str:
    """Return the words of a message; of one that is hidden or thinks, nothing."""
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
    """Return one part as words; of a picture or a recording, that there was one."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        return str(
            part.get("text") or f"[{str(part.get('content_type') or 'file').replace('_', ' ')}]"
        )
    return ""
