"""The arguments of the data interfaces. Copilots get their JSON Schemas."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backends.data.errors import WrongArguments
from backends.data.values import Condition

DatePart = Literal["year", "quarter", "month", "day"]


Read = TypeVar("Read", bound=BaseModel)


def read(interface: str, kind: type[Read], arguments: dict[str, Any]) -> Read:
    """Return the arguments of an interface.

    Raises: WrongArguments, which describes the first invalid argument.
    """
    try:
        return kind.model_validate(arguments)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise WrongArguments(
            f"{interface}: {place}: {first['msg']}.", "Correct the arguments."
        ) from error


class RowSelection(BaseModel):
    """Rows of one table."""

    model_config = ConfigDict(extra="forbid")

    source: str = Field(description="uuid of the table widget")
    where: list[Condition] = Field(default=[], description="conditions that must all hold")


class LookUp(RowSelection):
    """Cells of the rows that meet conditions."""

    columns: list[str] = Field(min_length=1, description="columns to read")


class Count(RowSelection):
    """The number of rows."""


class OfColumn(RowSelection):
    """One column of certain rows."""

    column: str


class Extreme(OfColumn):
    """The rows in which a column is highest or lowest; for dates, latest or earliest."""

    direction: Literal["highest", "lowest"]
    n: int = Field(default=1, ge=1, le=50, description="how many rows")
    show: list[str] = Field(default=[], description="columns that tell which row it is")


class Difference(RowSelection):
    """How a column, or the number of rows, changes from one selection to another: second minus
    first.
    """

    column: str | None = Field(default=None, description="none: rows are counted")
    first: list[Condition]
    second: list[Condition]
    how: Literal["absolute", "percent", "gap"] = Field(
        default="absolute", description="gap: without its sign"
    )
    aggregate: Literal["sum", "mean", "median", "count"] | None = Field(
        default=None, description="none: each selects one row"
    )


class Between(OfColumn):
    """By how much one column exceeds another in the same rows: `column` minus `less`."""

    less: str = Field(description="the column that is taken off")
    how: Literal["absolute", "percent", "gap"] = Field(
        default="absolute", description="percent: of `less`, in one row; gap: without its sign"
    )
    aggregate: Literal["sum", "mean"] | None = Field(
        default=None, description="of the rows' differences; none: one row is selected"
    )


class Share(RowSelection):
    """The percentage of the rows, or of a column's sum, that meets further conditions."""

    part: list[Condition] = Field(min_length=1)
    column: str | None = Field(default=None, description="none: share of the rows")


class GroupValue(RowSelection):
    """One number for each value of a column."""

    by: str
    column: str | None = Field(default=None, description="none: count rows")
    aggregate: Literal["count", "sum", "mean", "median", "min", "max"]
    order: Literal["highest", "lowest"] | None = None
    n: int | None = Field(default=None, ge=1, le=1000)
    date_part: DatePart | None = Field(default=None, description="cut dates to this")


class ListRows(RowSelection):
    """Rows, returned as a table."""

    columns: list[str] = []
    n: int = Field(default=50, ge=1, le=50)
    order_by: str | None = None
    descending: bool = False
    distinct: bool = Field(default=False, description="each combination once")


class SeriesSelection(RowSelection):
    """A column over time, in chronological order."""

    by: list[str] = Field(min_length=1, description="the time column, or year and quarter")
    column: str | None = None
    aggregate: Literal["count", "sum", "mean", "median", "min", "max"] | None = None
    date_part: DatePart | None = None


class Latest(OfColumn):
    """A column in the newest row."""

    by: list[str] = Field(min_length=1, description="the time column, or year and quarter")


class FindValues(BaseModel):
    """The places where phrases occur among the values."""

    model_config = ConfigDict(extra="forbid")

    source: str
    phrases: list[str] = Field(min_length=1, max_length=50)
