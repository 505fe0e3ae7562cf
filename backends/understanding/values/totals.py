"""Rows that are none of the things a table lists: its totals, and those without a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.kernel import Condition
from backends.kernel.totals import is_total

if TYPE_CHECKING:
    from backends.kernel import Profile
    from backends.understanding.parts import Reading

OF_MANY = (
    "sum",
    "mean",
    "median",
    "count",
    "distinct",
    "group",
    "extreme",
    "share",
    "series",
    "difference",
)


def without_totals(profile: Profile) -> Condition | None:
    """Return what leaves out a table's row of totals; None if it has none, or rows without a label would go, too."""
    for column in profile.columns:
        named = [v for v in column.values if is_total(v)] if column.kind == "text" else []
        if len(named) == 1 and column.distinct > 2 and not column.missing:
            return Condition(column=column.name, op="!=", value=named[0])
    return None


def of_things(reading: Reading, profile: Profile) -> Reading:
    """Return a reading that computes of the things a table lists, and says so: the row of totals is none, nor, where one of
    them is sought, a row without a label."""
    where: list[dict[str, Any]] = reading.arguments.get("where") or []
    held = {c["column"] for c in where}
    more: list[Condition] = []
    total = without_totals(profile)
    if reading.interface in OF_MANY and total is not None and total.column not in held:
        more.append(total)
    for name in (reading.arguments.get("show") or [])[:1] if reading.interface == "extreme" else []:
        column = profile.column(name)
        if column is not None and column.kind == "text" and column.missing and name not in held:
            more.append(Condition(column=name, op="not empty"))
    if not more:
        return reading
    told = [f"{c.column} ≠ {c.value if c.op == '!=' else '∅'}" for c in more]
    where = [*where, *(c.model_dump(exclude={"other"}) for c in more)]
    return reading.model_copy(
        update={
            "arguments": reading.arguments | {"where": where},
            "slots": reading.slots | {"where": where},
            "words": [*reading.words, *told],
            "conditions": [*reading.conditions, *told],
        }
    )
