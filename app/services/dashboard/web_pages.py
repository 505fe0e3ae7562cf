"""Web pages as context: they are fetched once, at the user's request, and only from their own
server."""

from __future__ import annotations

import asyncio
import re
import uuid
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from app.domain.conversation import urls_of
from app.domain.errors import BackendElsewhere, BackendError
from app.services.dashboard.snapshots import file_name, write_bytes

if TYPE_CHECKING:
    from app.domain.dashboard import Widget
    from app.services.dashboard.live import Live
    from app.services.dashboard.widgets import Widgets

KINDS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "application/json": ".json",
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/gif": ".gif",
}
FETCHED = "Fetched from "


class WidgetPages:
    """Creates widgets from web pages."""

    def __init__(self, live: Live, widgets: Widgets) -> None:
        self._live, self._widgets = live, widgets

    def missing(self, text: str) -> list[str]:
        """Return the web addresses in a text whose pages are not sent with questions yet."""
        here = {w.description.removeprefix(FETCHED) for w in self._widgets.attached()}
        return [url for url in urls_of(text) if url not in here]

    async def add(self, url: str) -> Widget:
        """Fetch a page, put it on the dashboard, and allow it to be sent with questions.

        Raises: BackendError, SourceError if the page cannot be fetched or read. Redirects to
        another server are not followed.
        """
        try:
            reply = await self._live.backends.page(url)
        except BackendElsewhere as error:
            raise BackendError(
                error.text, "If you want this, put its own address in the question."
            ) from error
        ending = KINDS.get(reply.kind)
        if ending is None:
            raise BackendError(
                f"{urlsplit(url).netloc} answered with {reply.kind or 'data of an unknown type'}, "
                "which cannot be read.",
                "Download it in your browser, and attach the file.",
            )
        path = self._live.folder / uuid.uuid4().hex / f"{name_of(url)}{ending}"
        await asyncio.to_thread(write_bytes, path, reply.body)
        widget = await self._widgets.add_file(path)
        return await self._widgets.describe(widget.uuid, f"{FETCHED}{url}")


def name_of(url: str) -> str:
    """Return the name of a page: its host and the end of its path."""
    split = urlsplit(url)
    last = re.sub(r"\.\w{1,5}$", "", split.path.rstrip("/").rpartition("/")[2])
    return file_name(f"{split.hostname} {last}".strip())
