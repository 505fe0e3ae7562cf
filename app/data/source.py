"""A table the person opened, as it was read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from app.data.kept import Look
    from app.data.readers.workbook import Sheet
    from app.domain.database import Copied
    from backends.data.table import Table
    from backends.data.values import Profile


@dataclass(frozen=True)
class Source:
    """One open table. uuid: the same for a path, whenever it is opened. copy: of what it is one, if
    of a database's.

    values: of a backend's widget, the parameters its data were fetched with. look: what is kept of
    it. own: its profile without what a person said of it. sheet: where it stands in a workbook.
    types: of its columns, as its file calls them.
    """

    uuid: str
    path: Path
    table: Table
    profile: Profile
    stamp: tuple[int, int]
    copy: Copied | None = None
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    look: Look | None = None
    own: Profile | None = None
    sheet: Sheet | None = None
    types: dict[str, str] = field(default_factory=dict[str, str])
