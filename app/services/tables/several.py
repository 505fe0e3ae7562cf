"""Files that hold several tables: each is opened as a widget of its own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from app.data.readers.parts import apart, file_name, tables_of
from app.data.sources import uuid_of
from app.domain.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.widget import Widget
    from app.services.widgets import Widgets

MOST = 12  # tables of a file that are opened unasked


async def paths_in(widgets: Widgets, path: Path) -> list[Path]:
    """Return the paths of a file's tables; where the file itself stands on a dashboard, that is the first of them.

    Raises: SourceError.
    """
    paths = await asyncio.to_thread(tables_of, path)
    return [path, *paths[1:]] if len(paths) > 1 and uuid_of(path) in widgets else paths


async def add_tables(widgets: Widgets, path: Path, *, attach: bool = True) -> list[Widget]:
    """Open a file, each of its sheets or tables as a widget; those of several that cannot be read are left out.

    Raises: SourceError where none can, and for a file of more tables than are opened unasked.
    """
    paths = await paths_in(widgets, path)
    if len(paths) > MOST:
        raise too_many(path, paths)
    made: list[Widget] = []
    for one in paths:
        try:
            made.append(await widgets.add_file(one, attach=attach))
        except SourceError:  # a view whose table is gone, beside tables that can be read
            if one == paths[-1] and not made:
                raise
    return made


def too_many(path: Path, paths: list[Path]) -> SourceError:
    """Return the error of a file with more tables than are opened unasked, or of which one has to be meant."""
    more = [f"+{len(paths) - MOST}"] if len(paths) > MOST else []
    named = ", ".join([*(apart(one)[1] for one in paths[:MOST]), *more])
    return SourceError(
        f"{path.name} has {len(paths)} tables: {named}.",
        f"Name the one you need, like {file_name(paths[0])}.",
    )
