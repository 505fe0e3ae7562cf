"""Words to expect in what is dictated: the names of tables, their subjects and columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import Profile

LONGEST = 200  # characters: they stand before what is heard, and too many lead a small model astray
PARTS = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


def hotwords(profiles: Iterable[Profile]) -> str | None:
    """Return names as one would say them, each once, the tables' own first; None if there are
    none.
    """
    tables = list(profiles)
    names = [name for profile in tables for name in (profile.name, *profile.symbols)]
    names += [column.name for profile in tables for column in profile.columns]
    found: dict[str, str] = {}
    for name in names:
        said = " ".join(part for part in PARTS.split(name) if part)
        if said and not said.isdigit():
            found.setdefault(said.casefold(), said)
    made = ""
    for said in found.values():
        longer = f"{made}, {said}" if made else said
        if len(longer) > LONGEST:
            break
        made = longer
    return made or None
