"""Attached tables as files that code can read, under names it can use."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from app.domain.errors import ComputerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from app.data.sources import Sources

NAME = re.compile(r"\W+")


def name_for(title: str, taken: Iterable[str] = ()) -> str:
    """Return a name of Python for a table."""
    name = NAME.sub("_", title).strip("_").lower() or "table"
    name = f"table_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
    free, number, known = name, 2, set(taken)
    while free in known:
        free, number = f"{name}_{number}", number + 1
    return free


def names_of(sources: Sources, uids: Iterable[str]) -> dict[str, str]:
    """Return the tables among widgets, each under the name code knows it by."""
    found: dict[str, str] = {}
    for uid in uids:
        if uid in sources:
            found[name_for(sources.source(uid).profile.name, found)] = uid
    return found


def writer(sources: Sources, uids: Iterable[str]) -> Callable[[Path], dict[str, Path]]:
    """Return what writes tables into a folder; one that is there already is not written again.

    Raises: ComputerError, when it is called.
    """
    wanted = list(uids)

    def write(folder: Path) -> dict[str, Path]:
        import duckdb

        from app.data.export import write_parquet

        made: dict[str, Path] = {}
        for name, uid in names_of(sources, wanted).items():
            table = sources.source(uid).table
            made[name] = folder / f"{name}-{table.hash}.parquet"
            try:
                if not made[name].exists():
                    write_parquet(table, made[name])
            except (OSError, duckdb.Error) as error:
                raise ComputerError(
                    f"The table {name} cannot be given to the code.",
                    "Make room on the disk, or detach it.",
                ) from error
        return made

    return write
