"""Replace days after the end of a table by the last days it has, and say so."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from backends.planning.tables import View
from backends.query.dates import later_by

if TYPE_CHECKING:
    from backends.data.values import Profile
    from backends.planning.plan import Plan

MOST = 240  # months in the longest range


def moved(made: Plan, profiles: list[Profile]) -> Plan:
    """Return a plan with days beyond its table's last day moved to the last days the table has.

    `ended` records the change. Other plans are returned unchanged.
    """
    for step in made.workflow.steps:
        given = step.arguments
        profile = next((p for p in profiles if p.source == given.get("source")), None)
        start, end = day(given.get("start")), day(given.get("end"))
        high = last_day(profile) if profile is not None else None
        if profile is None or start is None or end is None or high is None or high >= start:
            continue
        first = shifted(start, end, high)
        known = {start.isoformat(): first.isoformat(), end.isoformat(): high.isoformat()}
        told = {"table": profile.name, "high": str(high), "start": str(start), "end": str(end)}
        return with_days(made, known).model_copy(update={"ended": told})
    return made


def last_day(profile: Profile) -> dt.date | None:
    """Return the last day of a table; None unless a single column of days holds the time."""
    time = View(profile).time
    column = profile.column(time[0]) if len(time) == 1 else None
    return day(column.high) if column is not None and column.kind in ("date", "time") else None


def day(value: object) -> dt.date | None:
    """Return a day from its text; None if the text is not a day."""
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def shifted(start: dt.date, end: dt.date, high: dt.date) -> dt.date:
    """Return the first day of a range of the same length that ends on another day. The length is
    counted in months if it is whole months, else in days.
    """
    months = next((n for n in range(1, MOST) if later_by(end, -n, "month") == start), None)
    return later_by(high, -months, "month") if months else high - (end - start)


def with_days(made: Plan, known: dict[str, str]) -> Plan:
    """Return a plan in which days are replaced wherever they are written."""
    text = made.model_dump_json()
    for before, after in known.items():
        text = text.replace(before, after)
    return type(made).model_validate_json(text)
