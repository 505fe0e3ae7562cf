"""Widgets that hold text: requested when tables do not answer, and shortened to what concerns the
question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.copilot.inputs import READS, gap_of
from backends.copilot.passages import is_searched
from backends.copilot.tables import read_rows
from backends.protocol.events import FunctionCall

if TYPE_CHECKING:
    from backends.copilot.turn import OpenTurn
    from backends.protocol.request import CopilotRequest, RequestWidget

ROOM, MOST, PASSAGE = (
    4000,
    4,
    800,
)  # limits: characters a small model receives, widgets requested, characters in a passage
WORD = re.compile(r"\w{3,}|\d+|[\u3040-\u30ff\u4e00-\u9fff]")
ASKED = "Answer from this text. If it does not say, say that it does not.\n\n"


def ask_for_words(query: CopilotRequest, turn: OpenTurn) -> FunctionCall | None:
    """Return the call for attached widgets that are not tables, if none were sent yet in this
    turn.
    """
    words = [
        w
        for w in query.primary
        if not isinstance(w.metadata.get("profile"), dict) and not is_searched(query, w)
    ]
    if query.dialect != "today" or not words or any(c.function in READS for c, _ in turn.pairs):
        return None
    return FunctionCall("get_widget_data", {"data_sources": [named(w) for w in words[:MOST]]})


def named(widget: RequestWidget) -> dict[str, Any]:
    """Return a widget as a data source of a call, with its current parameters."""
    shown = {
        str(p.get("name")): p.get("current_value")
        for p in widget.params
        if p.get("current_value") is not None
    }
    return {
        "widget_uuid": widget.uuid,
        "origin": widget.origin,
        "id": widget.widget_id,
        "input_args": shown,
    }


def words_of(query: CopilotRequest, turn: OpenTurn) -> tuple[str, bool]:
    """Return the text in this turn's widgets and context that concerns its question, and whether
    some was left out.
    """
    parts = [
        part for called, result in turn.pairs if called.function in READS for part in result.parts
    ]
    parts += [part for context in query.context for part in context.parts]
    texts = [
        part.text
        for part in parts
        if part.is_text and gap_of(part, "") is None and not read_rows(part.text)
    ]
    return passages("\n\n".join(texts), turn.question)


def passages(text: str, question: str) -> tuple[str, bool]:
    """Return the passages that share most words with a question, in their order, as far as there is
    room.
    """
    if len(text) <= ROOM:
        return text.strip(), False
    pieces = [
        part[at : at + PASSAGE]
        for part in text.split("\n\n")
        for at in range(0, len(part), PASSAGE)
    ]
    asked = set(WORD.findall(question.lower()))
    best = sorted(
        range(len(pieces)), key=lambda n: (-len(asked & set(WORD.findall(pieces[n].lower()))), n)
    )
    kept: list[int] = []
    room = ROOM
    for place in best:
        room -= len(pieces[place]) + 2
        if room < 0:
            break
        kept.append(place)
    return "\n\n".join(pieces[place] for place in sorted(kept)).strip(), True
