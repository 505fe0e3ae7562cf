"""`get_widget_data`, with the arguments of all protocol versions."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from app.data.documents import read_document
from app.domain.errors import DeskpilotError, UnknownWidget
from app.openbb.content import WORDS, json_of, kind_of, words_of
from app.openbb.parameters import filled, needed, plain, read_options
from app.services.dashboard.fetches import now, read_one
from app.services.functions.context import (
    CallContext,
    FunctionReply,
    WidgetRequest,
    sources_of,
    told,
)
from app.services.functions.documents import LIBRARY

if TYPE_CHECKING:
    from app.domain.dashboard import Widget
    from app.openbb.content import Content

SOURCES = 32  # maximum number of widgets that one call can name
ROWS, CHARACTERS = 200, 20_000  # limits for a table that is fetched only for one call


async def get_widget_data(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return the data of the requested widgets, with an entry for each, in the requested order.

    If a widget cannot be read, its entry gives the reason, and the others are returned as usual.
    Raises: UnknownWidget if no widget is named; DeskpilotError if there are too many.
    """
    asked = asked_for(arguments)
    if not asked:
        raise UnknownWidget(
            "The call names no widget.", "Specify one of the widgets in the request."
        )
    if len(asked) > SOURCES:
        raise DeskpilotError(
            f"The call names {len(asked)} widgets.", f"Specify at most {SOURCES} at once."
        )
    made: dict[str, WidgetData] = {}
    for one in asked:
        if key_of(one) not in made:
            made[key_of(one)] = await entry(desk, one)
    found = [made[key_of(one)] for one in asked]
    entries = [one.text for one in found]
    files = [one.files for one in found]
    return FunctionReply(
        "\n".join(entries), all(one.failed for one in found), entries, files if any(files) else []
    )


@dataclass(frozen=True)
class WidgetData:
    """The reply for one widget: its text, or the reason why there is none, and any files that it
    has.
    """

    text: str
    failed: bool = False
    files: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


async def entry(desk: CallContext, asked: WidgetRequest) -> WidgetData:
    """Return the data of one widget."""
    try:
        return await data_of(desk, asked)
    except DeskpilotError as error:
        return WidgetData(told(error), failed=True)


async def data_of(desk: CallContext, asked: WidgetRequest) -> WidgetData:
    """Return a widget's data for the parameters named in the call, which may differ from those on
    the dashboard.

    Raises: UnknownWidget, BackendError, SourceError, SecretsError.
    """
    meant = desk.find(asked)
    uid, boards = meant.uuid, desk.boards
    if desk.documents is not None and (document := desk.documents.widget(uid)) is not None:
        query = asked.values.get("query") or (desk.question if document.type == LIBRARY else "")
        if query:
            return WidgetData((await desk.documents.search({"query": query}, document)).content)
        if document.type == "document":
            return WidgetData(await desk.documents.text(document))
    backends = {b.id for b in boards.live.backends.all()} if boards is not None else set[str]()
    if boards is None or meant.origin not in backends:
        return await asyncio.to_thread(shown, desk, uid)
    spec = boards.live.backends.spec(meant.origin, meant.widget_id)
    if asked.rows and spec.by_range:
        placed = (
            desk.widgets.get(uid).values if desk.widgets is not None and uid in desk.widgets else {}
        )
        sent = filled(spec.params, placed | asked.values, now())
        content = await read_one(boards.live.backends, meant.origin, spec, sent, asked.rows)
        return WidgetData(text_of(content))
    if desk.widgets is None or uid not in desk.widgets:
        content = await boards.live.read_widget(meant.origin, meant.widget_id, asked.values)
        return WidgetData(text_of(content), files=files_of(content) if desk.with_files else [])
    values = boards.live.values(uid)
    if all(plain(value) == plain(values.get(name)) for name, value in asked.values.items()):
        return await asyncio.to_thread(shown, desk, uid)
    content = await boards.live.read(uid, desk.widgets.get(uid).values | asked.values)
    return WidgetData(text_of(content), files=files_of(content) if desk.with_files else [])


def shown(desk: CallContext, uid: str) -> WidgetData:
    """Return the content of a widget.

    Raises: UnknownWidget, SourceError.
    """
    text = desk.sources.as_text(uid, desk.question)
    document = desk.sources.document(uid)
    if document is None or not desk.with_files:
        return WidgetData(text)
    content = read_document(document)
    return WidgetData(text, files=files_of(content) or text_item(document, content, text))


def text_of(content: Content) -> str:
    """Return fetched content as text. If the text was shortened, it contains a note."""
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


def asked_for(arguments: dict[str, Any]) -> list[WidgetRequest]:
    """Return the requests in a call: `widget_uuid` (2024), `widget_uuids`, or `data_sources`
    (current).
    """
    if "widget_uuid" in arguments:
        return [WidgetRequest(str(arguments["widget_uuid"]))]
    if isinstance(arguments.get("widget_uuids"), list):
        return [WidgetRequest(str(uid)) for uid in arguments["widget_uuids"]]
    sources = arguments.get("data_sources")
    return [
        WidgetRequest.of(source)
        for source in (sources if isinstance(sources, list) else [])
        if isinstance(source, dict)
    ]


def key_of(asked: WidgetRequest) -> str:
    """Return a key that is the same for equal requests."""
    return json.dumps(
        [asked.uuid, asked.id, asked.origin, asked.values, asked.rows], sort_keys=True, default=str
    )


async def get_params_options(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return the allowed values of parameters, including lists that the backend provides.

    Raises: DeskpilotError, UnknownWidget, BackendError, SecretsError.
    """
    _, boards = desk.work()
    found: list[dict[str, Any]] = []
    for query in sources_of(arguments, "param_options_queries"):
        meant = desk.find(WidgetRequest.of(query))
        name = str(query.get("param"))
        spec = boards.live.backends.spec(meant.origin, meant.widget_id)
        param = next((p for p in spec.params if p.name == name), None)
        if param is None:
            names = ", ".join(p.name for p in spec.params) or "none"
            raise UnknownWidget(f"{spec.name} has no parameter {name!r}.", f"It has: {names}.")
        options = param.options
        if param.endpoint and not options:
            given = query.get("options_endpoint_input_args")
            sent = {k: plain(v) for k, v in given.items()} if isinstance(given, dict) else {}
            reply = await boards.live.backends.fetch(
                meant.origin, param.endpoint, needed(param, sent) | sent
            )
            options = read_options(json_of(reply))
        found.append(
            {"param": name, "options": [{"label": o.label, "value": o.value} for o in options]}
        )
    return FunctionReply(json.dumps({"param_options": found}, ensure_ascii=False))


# maximum number of base64 characters in the answer to one call; larger content is sent as text
MOST = 8_000_000
BASE64 = (
    "pdf",
    "png",
    "jpg",
    "jpeg",
)  # kinds that are sent as files; the protocol has no name for other image formats


def files_of(content: Content) -> list[dict[str, Any]]:
    """Return a widget's files as items of a result, or an empty list if the protocol supports none
    of their kinds.
    """
    if content.type not in ("pdf", "image", "files"):
        return []
    made: list[dict[str, Any]] = []
    for file in content.value:
        name = str(file.get("filename") or "file")
        is_pdf = "pdf" in (content.type, file.get("kind"))
        kind = "pdf" if is_pdf else PurePath(name).suffix.lower().removeprefix(".")
        if kind not in BASE64 or not file.get("content"):
            return []
        made.append(
            {"content": file["content"], "data_format": {"data_type": kind, "filename": name}}
        )
    return made if sum(len(item["content"]) for item in made) <= MOST else []


def text_item(widget: Widget, content: Content, text: str) -> list[dict[str, Any]]:
    """Return a text as an item that states its text type, or an empty list if the protocol has no
    such type."""
    if (file := kind_of(content.type).text) is None:
        return []
    name = (
        PurePath(widget.path).name
        if widget.path and not widget.backend
        else f"{widget.name}{file.ending}"
    )
    return [
        {
            "content": text,
            "data_format": {"data_type": file.type, "filename": name, "parse_as": "text"},
        }
    ]
