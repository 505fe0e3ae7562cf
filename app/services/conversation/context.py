"""Data that is included in full in a request: data for copilots that cannot request it, and the
results of earlier answers.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.domain.events import Artifact, CallResult

if TYPE_CHECKING:
    from app.data.sources import Sources
    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, OfferedWidget, RequestOffer
    from app.services.functions.documents import AttachedDocuments

# maximum number of artifacts that are sent, and of characters in each
ARTIFACTS, CHARACTERS = 8, 20_000
SHOWN_AS = ("text", "table", "chart", "html")


async def with_context(
    offer: RequestOffer,
    copilot: Copilot,
    branch: list[Turn],
    sources: Sources,
    documents: AttachedDocuments | None = None,
) -> RequestOffer:
    """Return a request's attachments with the context that the copilot needs.

    Our own copilot computes from the tables and needs no context. An Open Interpreter server
    accepts none.
    """
    if copilot.is_ours or copilot.dialect == "lmc":
        return offer
    made: list[dict[str, Any]] = []
    if not copilot.takes_calls:
        question = branch[-1].question
        made = [
            one
            for w in offer.widgets
            if (one := await inlined(w, sources, question, documents)) is not None
        ]
    return replace(offer, context=made + shown_before(branch))


async def inlined(
    widget: OfferedWidget,
    sources: Sources,
    question: str,
    documents: AttachedDocuments | None = None,
) -> dict[str, Any] | None:
    """Return an attached widget with its data. Large data is reduced to the parts that are relevant
    to the question.

    For documents, these are the passages that match the question. Return None for a widget that
    cannot be read now. The dashboard shows the reason.
    """
    try:
        if documents is not None and (one := documents.widget(widget.uuid)) is not None:
            text = (await documents.search({"query": question}, one)).content
        else:
            text = await asyncio.to_thread(sources.as_text, widget.uuid, question)
    except DeskpilotError:
        return None
    told = entry(widget.uuid, widget.name, widget.description, text, "text")
    return told | ({"metadata": about} if (about := widget.about()) else {})


def shown_before(branch: list[Turn]) -> list[dict[str, Any]]:
    """Return the newest tables, charts and texts that the answers in a branch showed, oldest
    first."""
    found = [(turn, item) for turn in branch for item in turn.items if isinstance(item, Artifact)]
    return [
        entry(
            uuid_of(item, turn, number),
            item.name or item.type,
            item.description or f"Shown in the answer to: {turn.question[:200]}",
            *content_of(item),
        )
        for number, (turn, item) in list(enumerate(found))[-ARTIFACTS:]
    ]


def forget_files(turn: Turn) -> None:
    """Remove the files that were sent in a turn. Later turns send only their text, and a copilot
    can request the files again.
    """
    turn.items[:] = [
        replace(i, files=[]) if isinstance(i, CallResult) and i.files else i for i in turn.items
    ]


def content_of(item: Artifact) -> tuple[str, str]:
    """Return an artifact as text, and its format. Rows beyond the limit are omitted."""
    shown = item.type if item.type in SHOWN_AS and item.type != "chart" else "text"
    if not isinstance(item.content, list):
        text = (
            item.content
            if isinstance(item.content, str)
            else json.dumps(item.content, ensure_ascii=False)
        )
        return text[:CHARACTERS], shown
    rows: list[Any] = item.content
    text = json.dumps(rows, ensure_ascii=False)
    while len(text) > CHARACTERS and rows:
        rows = rows[: min(len(rows) - 1, len(rows) * CHARACTERS // len(text))]
        text = json.dumps(rows, ensure_ascii=False)
    if len(rows) == len(item.content):
        return text, "table"
    note = f"Only the first {len(rows)} of {len(item.content)} rows are here."
    return json.dumps({"note": note, "rows": rows}, ensure_ascii=False), "text"


def uuid_of(item: Artifact, turn: Turn, number: int) -> str:
    """Return an artifact's own uuid or, if it has none, one that is the same in each request."""
    try:
        return str(uuid.UUID(item.uuid))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"deskpilot:{turn.id}:{number}"))


def entry(uid: str, name: str, about: str, text: str, parse_as: str) -> dict[str, Any]:
    """Return a piece of context in a form that suits all versions of the protocol."""
    item = {"content": text, "data_format": {"data_type": "object", "parse_as": parse_as}}
    return {
        "uuid": uid,
        "name": name,
        "description": about,
        "content": text,  # the field from which copilots read the data before they supported calls
        "data": {"content": text, "items": [item]},
    }
