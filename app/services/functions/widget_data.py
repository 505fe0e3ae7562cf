"""`get_widget_data`, in the argument forms of all generations, and what a parameter may be."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.data.documents import WORDS, read_document, words_of
from app.domain.errors import DeskpilotError, UnknownWidget
from app.domain.widget_content import json_of
from app.domain.widget_params import filled, needed, plain, read_options
from app.services.dashboard.fetches import now
from app.services.dashboard.ranges import read_one
from app.services.functions.answered import Answered, told
from app.services.functions.desk import Asked, Desk, sources_of
from app.services.functions.documents import LIBRARY
from app.services.functions.formats import files_of, text_item

if TYPE_CHECKING:
    from app.domain.widget_content import Content

SOURCES = 32  # one call may name
ROWS, CHARACTERS = 200, 20_000  # of a table that was fetched for a call alone


async def get_widget_data(desk: Desk, arguments: dict[str, Any]) -> Answered:
    """Return the data of the widgets asked for: an entry for each, in the order asked.

    One that cannot be served has an entry that says why; the others are served all the same.
    Raises: UnknownWidget if none is named, DeskpilotError if too many are.
    """
    asked = asked_for(arguments)
    if not asked:
        raise UnknownWidget("The call names no widget.", "Name one of the widgets of the request.")
    if len(asked) > SOURCES:
        raise DeskpilotError(
            f"The call names {len(asked)} widgets.", f"Name at most {SOURCES} at once."
        )
    made: dict[str, Entry] = {}
    for one in asked:
        if key_of(one) not in made:
            made[key_of(one)] = await entry(desk, one)
    found = [made[key_of(one)] for one in asked]
    entries = [one.text for one in found]
    files = [one.files for one in found]
    return Answered(
        "\n".join(entries), all(one.failed for one in found), entries, files if any(files) else []
    )


@dataclass(frozen=True)
class Entry:
    """What is told of one widget: its words, or why there are none; its files where it holds
    some.
    """

    text: str
    failed: bool = False
    files: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


async def entry(desk: Desk, asked: Asked) -> Entry:
    """Return what is told of one widget."""
    try:
        return await data_of(desk, asked)
    except DeskpilotError as error:
        return Entry(told(error), failed=True)


async def data_of(desk: Desk, asked: Asked) -> Entry:
    """Return a widget's data as they are with the parameters the call names, which are not those
    shown.

    Raises: UnknownWidget, BackendError, SourceError, SecretsError.
    """
    meant = desk.find(asked)
    uid, boards = str(meant["uuid"]), desk.boards
    if desk.documents is not None and (document := desk.documents.widget(uid)) is not None:
        query = asked.values.get("query") or (desk.question if document.type == LIBRARY else "")
        if query:
            return Entry((await desk.documents.search({"query": query}, document)).content)
        if document.type == "document":
            return Entry(await desk.documents.text(document))
    backends = {b.id for b in boards.live.backends.all()} if boards is not None else set[str]()
    if boards is None or meant.get("origin") not in backends:
        return await asyncio.to_thread(shown, desk, uid)
    spec = boards.live.backends.spec(meant["origin"], meant["widget_id"])
    if asked.rows and spec.by_range:
        placed = (
            desk.widgets.get(uid).values if desk.widgets is not None and uid in desk.widgets else {}
        )
        sent = filled(spec.params, placed | asked.values, now())
        content = await read_one(boards.live.backends, meant["origin"], spec, sent, asked.rows)
        return Entry(text_of(content))
    if desk.widgets is None or uid not in desk.widgets:
        content = await boards.live.read_widget(meant["origin"], meant["widget_id"], asked.values)
        return Entry(text_of(content), files=files_of(content) if desk.with_files else [])
    values = boards.live.values(uid)
    if all(plain(value) == plain(values.get(name)) for name, value in asked.values.items()):
        return await asyncio.to_thread(shown, desk, uid)
    content = await boards.live.read(uid, desk.widgets.get(uid).values | asked.values)
    return Entry(text_of(content), files=files_of(content) if desk.with_files else [])


def shown(desk: Desk, uid: str) -> Entry:
    """Return what a widget shows.

    Raises: UnknownWidget, SourceError.
    """
    text = desk.sources.as_text(uid, desk.question)
    document = desk.sources.document(uid)
    if document is None or not desk.with_files:
        return Entry(text)
    content = read_document(document)
    return Entry(text, files=files_of(content) or text_item(document, content, text))


def text_of(content: Content) -> str:
    """Return what was fetched in words; what is cut is said."""
    if content.type == "table":
        rows = content.value
        text = json.dumps(rows[:ROWS], ensure_ascii=False)
        if len(rows) <= ROWS and len(text) <= CHARACTERS:
            return text
        first = rows[:20]
        note = (
            f"Only the first {len(first)} of {len(rows)} rows are here; {len(rows) - len(first)}"
            " are left out."
        )
        return json.dumps({"note": note, "rows": first}, ensure_ascii=False)
    text = words_of(content)
    cut = f"\n\n(Only the first {WORDS:,} of {len(text):,} characters are here.)"
    return text if len(text) <= WORDS else text[:WORDS] + cut


def asked_for(arguments: dict[str, Any]) -> list[Asked]:
    """Return what a call asks for: `widget_uuid` (2024), `widget_uuids`, or `data_sources`
    (today).
    """
    if "widget_uuid" in arguments:
        return [Asked(str(arguments["widget_uuid"]))]
    if isinstance(arguments.get("widget_uuids"), list):
        return [Asked(str(uid)) for uid in arguments["widget_uuids"]]
    sources = arguments.get("data_sources")
    return [
        Asked.of(source)
        for source in (sources if isinstance(sources, list) else [])
        if isinstance(source, dict)
    ]


def key_of(asked: Asked) -> str:
    """Return what two that ask for the same have in common."""
    return json.dumps(
        [asked.uuid, asked.id, asked.origin, asked.values, asked.rows], sort_keys=True, default=str
    )


async def get_params_options(desk: Desk, arguments: dict[str, Any]) -> Answered:
    """Return what parameters may be, those of a list that the backend gives out among them.

    Raises: DeskpilotError, UnknownWidget, BackendError, SecretsError.
    """
    _, boards = desk.work()
    found: list[dict[str, Any]] = []
    for query in sources_of(arguments, "param_options_queries"):
        meant = desk.find(Asked.of(query))
        name = str(query.get("param"))
        spec = boards.live.backends.spec(str(meant.get("origin")), str(meant.get("widget_id")))
        param = next((p for p in spec.params if p.name == name), None)
        if param is None:
            names = ", ".join(p.name for p in spec.params) or "none"
            raise UnknownWidget(f"{spec.name} has no parameter {name!r}.", f"It has: {names}.")
        options = param.options
        if param.endpoint and not options:
            given = query.get("options_endpoint_input_args")
            sent = {k: plain(v) for k, v in given.items()} if isinstance(given, dict) else {}
            reply = await boards.live.backends.fetch(
                meant["origin"], param.endpoint, needed(param, sent) | sent
            )
            options = read_options(json_of(reply))
        found.append(
            {"param": name, "options": [{"label": o.label, "value": o.value} for o in options]}
        )
    return Answered(json.dumps({"param_options": found}, ensure_ascii=False))
