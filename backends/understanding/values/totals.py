"""Rows that are none of the things a table lists: those without a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.data.values import Condition

if TYPE_CHECKING:
    from backends.data.values import Profile
    from backends.understanding.parts import Reading


def of_things(reading: Reading, profile: Profile) -> Reading:
    """Return a reading that computes of the things a table lists, and says so: where one of them is
    sought, a row without a label is none.
    """
    where: list[dict[str, Any]] = reading.arguments.get("where") or []
    held = {c["column"] for c in where}
    more: list[Condition] = []
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
