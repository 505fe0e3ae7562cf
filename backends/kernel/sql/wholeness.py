"""Which periods are not whole: the first and the last, where they hold fewer points in time than each one between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from backends.kernel.sql.moments import period_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backends.kernel.table import Table
    from backends.kernel.workflow.registry import Aggregate, Every

EXACT = 12  # points up to which one that lacks is missed: quarters and months of a year, months of a quarter
ALIKE = 0.7  # of the most, that the fewest between hold, or there is no telling what a whole period holds
ENOUGH = {"year": 0.92, "quarter": 0.92}  # of the fewest: days without trade lack here and there
ENDS = {"first", "last"}  # are of one day, however many a period has
FEW = 0.75  # in months and weeks, that differ more


class Part(BaseModel):
    """A period that is not whole. day: its last one; held: points in time it has; of: those a whole one has."""

    model_config = ConfigDict(frozen=True)

    day: str
    every: str
    held: int
    of: int

    @property
    def label(self) -> str:
        """Return what the period is called: 2009, 2009Q3, 2009-09, or its last day."""
        year, month = self.day[:4], int(self.day[5:7])
        return {"year": year, "quarter": f"{year}Q{(month + 2) // 3}", "month": self.day[:7]}.get(
            self.every, self.day
        )

    @property
    def unit(self) -> str:
        """Return what the points are: quarters, months, days, or anything else."""
        known = {("year", 4): "quarter", ("year", 12): "month", ("quarter", 3): "month"}
        return known.get((self.every, self.of), "day" if self.of > EXACT else "point")


def partial(table: Table, day: str, every: Every, aggregates: Sequence[Aggregate]) -> list[Part]:
    """Return the periods at the ends of a table that are not whole, as far as it matters to what is made of them.

    day: SQL of a row's day.
    """
    if every == "day" or ENDS.issuperset(aggregates):
        return []
    found: list[tuple[Any, int]] = [
        (row[0], int(row[1]))
        for row in table.query(
            f"SELECT {period_sql(day, every)}, count(DISTINCT {day}) FROM {table.relation}"
            f" WHERE {day} IS NOT NULL GROUP BY 1 ORDER BY 1"
        )
    ]
    if len(found) < 2:
        return []
    between = [n for _, n in found[1:-1]] or [max(n for _, n in found)]
    fewest, most = min(between), max(between)
    if fewest < ALIKE * most:
        return []
    limit = fewest if most <= EXACT else fewest * ENOUGH.get(every, FEW)
    return [
        Part(day=str(last)[:10], every=every, held=n, of=fewest)
        for last, n in (found[0], found[-1])
        if n < limit
    ]
