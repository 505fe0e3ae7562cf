"""Read a sentence as a request: what stands apart in it as the thing itself, and what the rest
wants done, and where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.copilot.acting.patterns import pattern, patterns
from backends.copilot.acting.place import place_of, put_at
from backends.copilot.acting.thing import POLITE, QUOTED, thing_of
from backends.copilot.acting.words import action_of

if TYPE_CHECKING:
    from backends.copilot.acting.words import Action

CLAUSE = re.compile(r"[,，。;；!！?？\n]+|\.(?!\d)|\b(?:so|but)\b")
COLON = re.compile(r"(?<!\d)[:：]|[:：](?!\d)")
COMMA = re.compile(r"\s*[,，]\s*|\s+[-–—]+\s+")
TAG = re.compile(r"(?:好|可以|行)?(?:吗|么|吧)$")
START = re.compile(r"^(?:that )?(?:i (?:need|have|want) to |to (?=\w))", re.IGNORECASE)
THANKS = re.compile(
    r"(?:^|[,，]?\s*)\b(?:please|thanks|thank you|谢谢(?:你|您)?|拜托(?:了)?)\W*$", re.IGNORECASE
)
MARK = " … "  # stands in the frame for what was quoted


@dataclass(frozen=True)
class Said:
    """A request.

    frame: the sentence without what stands apart in it. item: that, or nothing. reads: it may
    change nothing.
    action: None where it wants nothing, or not clearly. place: which of a list, from 1.
    """

    text: str
    frame: str
    item: str
    reads: bool
    action: Action | None
    place: int | None


def read(text: str) -> Said:
    """Return a sentence as a request."""
    frame, item, opened = parted(text.strip())
    action = "add" if opened else meaning(frame)
    reads = action == "show" or (
        action is None and (asks(frame) or is_open(frame) or withheld(frame))
    )
    place = put_at(frame) if action == "add" else place_of(frame)
    named = item or (asked_thing(frame) if action == "show" else thing_of(frame))
    item = "" if MARK.strip() in named or pattern("unnamed").match(named) else named
    return Said(text, frame, item, reads, action, place)


def meaning(frame: str) -> Action | None:
    """Return what a sentence wants done; None where it asks and orders both, or leaves it open."""
    if is_open(frame):
        return None
    if asks(frame):
        return None if commands(frame) else "show"
    return wanted(frame)


def parted(text: str) -> tuple[str, str, bool]:
    """Return a sentence without what stands apart in it, that, and whether the sentence opens a new
    entry by it.
    """
    if quoted := list(QUOTED.finditer(text)):
        item = quoted[0]["x"] or quoted[0]["y"]
        return QUOTED.sub(MARK, text), item.strip() if len(quoted) == 1 else "", False
    for mark in (COLON, COMMA):
        parts = mark.split(text, maxsplit=1)
        if len(parts) < 2:
            continue
        head = TAG.sub("", POLITE.sub("", parts[0].strip()))
        rest = START.sub("", THANKS.sub("", parts[1].strip(" 。.!！")))
        opened = bool(pattern("opens").search(head))
        heads = mark is COLON and action_of(head) is not None and not thing_of(parts[0])
        if rest and (opened or heads):
            return parts[0], rest, opened
    return text, "", False


def clauses(frame: str) -> list[str]:
    """Return the clauses of a sentence, without politeness at their start."""
    return [POLITE.sub("", clause.strip()) for clause in CLAUSE.split(frame) if clause.strip()]


def asks(frame: str) -> bool:
    """Tell whether a sentence asks to know something; a request in the shape of a question does
    not.
    """
    told, polite = pattern("asks"), pattern("polite").search(frame.strip())
    if polite is None:
        return frame.rstrip().endswith(("?", "？")) or any(
            told.search(one) for one in clauses(frame)
        )
    return any(told.search(one) for one in clauses(frame) if not pattern("polite").search(one))


def withheld(frame: str) -> bool:
    """Tell whether a clause tells of something done, or forbids it."""
    return any(pattern("withheld").search(one) for one in clauses(frame))


def is_open(frame: str) -> bool:
    """Tell whether a clause leaves open whether something is to be done."""
    return any(pattern("open").search(one) for one in clauses(frame))


def commands(frame: str) -> bool:
    """Tell whether a clause begins with an order to change something."""
    firsts = (
        re.split(r"\W+", one, maxsplit=1)[0]
        for one in clauses(frame)
        if not pattern("asks").search(one)
    )
    return any(action_of(first) in ("add", "delete", "change") for first in firsts)


def wanted(frame: str) -> Action | None:
    """Return what the clauses that order want done."""
    kept = [
        one
        for one in CLAUSE.split(frame)
        if not pattern("withheld").search(POLITE.sub("", one.strip()))
    ]
    return action_of(", ".join(one.strip() for one in kept))


def asked_thing(frame: str) -> str:
    """Return the thing a question asks for; nothing if it asks for all."""
    found = (one.search(frame) for one in patterns("asked_for"))
    return next((match["x"].strip() for match in found if match), "")


def is_opinion(said: Said) -> bool:
    """Tell whether a sentence wants an opinion, or speaks of such things in general."""
    if said.action in ("add", "delete", "change"):
        return False
    general = pattern("general").search(said.frame) and not pattern("own").search(said.frame)
    return bool(general or pattern("opinions").search(said.frame))
