"""Keep what an answer shows on the dashboard: a table or a chart in a file of its own, asked and seen like any other."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING

from app.data.sources import uuid_of
from app.domain.widget import Widget
from app.services.dashboard.snapshots import file_name, write
from app.services.tables.offered import may_be_read

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.widget_content import Content
    from app.services.widgets import Widgets


async def pin(widgets: Widgets, folder: Path, name: str, about: str, content: Content) -> Widget:
    """Put content on the open dashboard.

    Raises: BackendError if it cannot be written, SourceError for rows that make no table.
    """
    path = folder / uuid.uuid4().hex / f"{file_name(name)}.json"
    await asyncio.to_thread(write, path, content, {})
    made = Widget(uuid_of(path), name[:80], str(path), about[:500], type=content.type)
    await widgets.add(made)
    if may_be_read(made):
        await widgets.fetched(made)
    return made
