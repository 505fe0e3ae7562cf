"""How it stands with the data of one widget."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.data.arranged import Order
from app.domain.widget_params import Option

if TYPE_CHECKING:
    from app.domain.errors import DeskpilotError


@dataclass
class Fetch:
    """How it stands with a widget's data. at: when they came, None if never. error: of the last try.
    run: what is under way, None if nothing is. total: rows the server has, where they are more than were fetched;
    order: how it is asked to sort and filter them.
    """

    at: float | None = None
    run: object | None = None
    error: DeskpilotError | None = None
    total: int = 0
    order: Order = field(default_factory=Order)
    options: dict[str, tuple[Option, ...]] = field(default_factory=dict[str, tuple[Option, ...]])


def now() -> dt.datetime:
    """Return this moment, where the person is."""
    return dt.datetime.now().astimezone()
