"""When data come anew: times told as cron tells them."""

from __future__ import annotations

import datetime as dt

from cronsim import CronSim, CronSimError

ANY = dt.datetime(2024, 1, 1)  # only whether it can be read is of interest


def read_cron(raw: object) -> str:
    """Return times as cron tells them; nothing for what is none."""
    if not isinstance(raw, str) or not raw.strip():
        return ""
    try:
        CronSim(raw.strip(), ANY)
    except CronSimError:
        return ""
    return raw.strip()


def next_time(cron: str, after: dt.datetime) -> dt.datetime | None:
    """Return the first of some times after a moment; None if there is none in the next decades."""
    return next(CronSim(cron, after), None)
