"""A table as design sees it: by its parsing file, its time, who its rows are about, and what they measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.data.design.ideas.wording import Language, as_name, language_of

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile, Profile, Scalar

MEASURES, CATEGORIES, LEAST = 8, 3, 2
NAMES = 200  # values of a column that may name entities


class View:
    """What interfaces over a table can be made of. called: a name for it in names of interfaces."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.uuid = profile.source
        self.language: Language = language_of(profile)
        self.called = as_name(profile.name)
        self.time = time_of(profile)
        self.measures = [
            c for c in profile.columns
            if c.kind == "number" and c.role == "measure" and c.name not in self.time and c.distinct >= LEAST
        ][:MEASURES]  # fmt: skip
        self.categories = [
            c for c in profile.columns
            if c.kind == "text" and c.complete and LEAST <= c.distinct <= NAMES and c.name not in self.time
            and c.distinct < profile.rows
        ][:CATEGORIES]  # fmt: skip
        self.entity = self.categories[0] if self.categories and self.time else None

    @property
    def days(self) -> tuple[str, str] | None:
        """Return the first and the last day; None where there is no column of days."""
        if not self.time:
            return None
        column = self.profile.column(self.time[0])
        assert column is not None
        low, high = str(column.low)[:10], str(column.high)[:10]
        if column.kind in ("date", "time"):
            return low, high
        return f"{int(float(low)):04}-01-01", f"{int(float(high)):04}-12-31"

    @property
    def label(self) -> str:
        """Return what a series read of it calls its days."""
        column = self.profile.column(self.time[0]) if self.time else None
        return column.name if column is not None and column.kind == "date" else "date"

    def entities(self, n: int) -> list[Scalar]:
        """Return the first n entities."""
        return self.entity.values[:n] if self.entity else []

    def limits(self) -> dict[str, Any]:
        """Return the arguments that read one entity, if its rows are about several."""
        if self.entity is None:
            return {}
        return {"by": self.entity.name, "entities": [{"parameter": "entity"}]}


def time_of(profile: Profile) -> list[str]:
    """Return the column of days, or those of year and quarter or month; none if it has no time."""
    day = next((c.name for c in profile.columns if c.kind in ("date", "time")), None)
    if day is not None:
        return [day]
    year = next((c.name for c in profile.columns if c.role == "year"), None)
    part = next((c.name for c in profile.columns if c.role in ("quarter", "month")), None)
    return [name for name in (year, part) if name] if year else []


def words(column: ColumnProfile) -> str:
    """Return what a column is called in a request."""
    return column.name.replace("_", " ")
