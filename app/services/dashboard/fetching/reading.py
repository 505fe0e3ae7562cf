"""Asks a backend for what one widget shows, in the way its kind is asked."""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin

from app.data.arranged import Order
from app.domain.candles import asked, earlier, read_candles
from app.domain.errors import BackendRefused
from app.domain.widget_content import Content, json_of, read_content
from app.domain.widget_content import files as as_files
from app.domain.widget_params import filled, plain, query_of
from app.services.dashboard.fetching.ranges import read_ranges

if TYPE_CHECKING:
    from app.domain.widget_backend import Spec
    from app.domain.widget_content import Reply
    from app.services.dashboard.backends import Backends

LINKED_FILES = 20  # of one answer
NOT_ALLOWED = 405
PLAIN = Order()


async def read_widget(
    backends: Backends,
    backend: str,
    widget_id: str,
    values: dict[str, Any],
    now: dt.datetime,
    order: Order = PLAIN,
    kinds: dict[str, str] | None = None,
) -> Content:
    """Return what a widget of a backend shows with some parameters.

    order, kinds: of a table that its server sorts, and what its columns hold.
    Raises: UnknownWidget, BackendError, SecretsError.
    """
    spec = backends.spec(backend, widget_id)
    sent = filled(spec.params, values, now)
    if spec.type == "candles":
        return await read_bars(backends, backend, spec, sent, now)
    if spec.by_range:
        return await read_ranges(backends, backend, spec, sent, order, kinds or {})
    if spec.kind == "iframe":  # the page is seen in a browser, and nowhere here
        return Content(
            "raw", {"url": address(backends.get(backend).url, spec.endpoint, query_of(sent))}
        )
    if spec.kind == "multi_file_viewer":
        content = await read_files(backends, backend, spec, sent)
    elif spec.posts:
        content = await understood(spec, await backends.fetch(backend, spec.endpoint, {}, sent))
    else:
        content = await understood(
            spec, await backends.fetch(backend, spec.endpoint, query_of(sent))
        )
    if content.type in ("pdf", "image", "files"):
        await fetch_linked(backends, backend, content.value)
    return content


def address(base: str, endpoint: str, query: dict[str, str]) -> str:
    """Return the address of a page that is shown elsewhere."""
    whole = urljoin(base.rstrip("/") + "/", endpoint if "://" in endpoint else endpoint.lstrip("/"))
    sign = "&" if "?" in whole else "?"
    return f"{whole}{sign}{urlencode(query)}" if query else whole


async def read_files(backends: Backends, backend: str, spec: Spec, sent: dict[str, Any]) -> Content:
    """Return the files that were picked: with one POST, or where that is not allowed with a GET for each.

    Raises: UnknownWidget, BackendError, SecretsError.
    """
    picks = next((p.name for p in spec.params if p.picks_files), "")
    files = [one for one in plain(sent.get(picks, "")).split(",") if one]
    if picks:
        sent = sent | {picks: files}
    try:
        return await understood(spec, await backends.fetch(backend, spec.endpoint, {}, sent))
    except BackendRefused as error:
        if error.status != NOT_ALLOWED:
            raise
    made: list[dict[str, str]] = []
    for one in files[:LINKED_FILES] or [""]:
        query = query_of(
            {k: v for k, v in sent.items() if k != picks} | ({picks: one} if one else {})
        )
        content = await understood(spec, await backends.fetch(backend, spec.endpoint, query))
        if content.type not in ("pdf", "image", "files"):
            return content
        made += [{"kind": content.type, **file} for file in content.value]
    return as_files("pdf", made)


async def read_bars(
    backends: Backends, backend: str, spec: Spec, sent: dict[str, Any], now: dt.datetime
) -> Content:
    """Return bars up to now, or up to when there were some last.

    Raises: UnknownWidget, BackendError, SecretsError.
    """
    where = f"{spec.endpoint.rstrip('/')}/history"
    query = query_of({k: v for k, v in sent.items() if k != "bars"}) | asked(sent, now)
    value = json_of(await backends.fetch(backend, where, query))
    before = earlier(value)
    if before is not None:
        query |= asked(sent, dt.datetime.fromtimestamp(before + 1, now.tzinfo))
        value = json_of(await backends.fetch(backend, where, query))
    return await asyncio.to_thread(read_candles, spec.name, value, int(query["countback"]))


async def understood(spec: Spec, reply: Reply) -> Content:
    """Return what an answer shows; a large one does not hold up the window."""
    return await asyncio.to_thread(read_content, spec, reply)


async def fetch_linked(backends: Backends, backend: str, files: list[dict[str, str]]) -> None:
    """Fetch the files of an answer that only says where they lie.

    Raises: BackendError, SecretsError.
    """
    for file in files[:LINKED_FILES]:
        if "content" not in file:
            reply = await backends.fetch(backend, file["url"], {})
            file["content"] = base64.b64encode(reply.body).decode()
