"""Widgets: the tables on the dashboard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Widget:
    """One widget. path: the file it shows. attached: whether it goes along with questions."""

    uuid: str
    name: str
    path: str
    description: str = ""
    type: str = "table"
    attached: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return its fields as JSON values."""
        return dict(self.__dict__)
