"""The data interfaces by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.data import arguments as a
from backends.data.compiler import QUERY, QueryArguments, answer_query
from backends.data.interfaces import aggregates, comparisons, groups, selections

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from backends.data.table import Table
    from backends.data.values import Result


@dataclass(frozen=True)
class Interface:
    """A computation: its name, a sentence that describes its result, its arguments, and its
    function.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    function: Callable[[Any, Any], Result]

    def run(self, table: Table, arguments: dict[str, Any]) -> Result:
        """Compute the result.

        Raises: KernelError or a subclass.
        """
        return self.function(table, a.read(self.name, self.arguments, arguments))


_ALL = (
    Interface(
        "look_up", "Read cells of the rows that meet conditions.", a.LookUp, selections.look_up
    ),
    Interface(
        "list_rows", "List rows that meet conditions as a table.", a.ListRows, selections.list_rows
    ),
    Interface("latest", "Read a column in the newest row.", a.Latest, selections.latest),
    Interface(
        "find_values",
        "Find in which columns phrases occur as values.",
        a.FindValues,
        selections.find_values,
    ),
    Interface("count", "Count the rows that meet conditions.", a.Count, aggregates.count),
    Interface(
        "distinct",
        "Count and list the different values of a column.",
        a.OfColumn,
        aggregates.distinct,
    ),
    Interface("sum", "Add a column up.", a.OfColumn, aggregates.total),
    Interface("mean", "Average a column.", a.OfColumn, aggregates.mean),
    Interface("median", "Take the median of a column.", a.OfColumn, aggregates.median),
    Interface(
        "extreme",
        "Find the rows in which a column is highest or lowest.",
        a.Extreme,
        selections.extreme,
    ),
    Interface(
        "difference", "Compare a column in two selections.", a.Difference, comparisons.difference
    ),
    Interface(
        "between", "Take one column off another in the same rows.", a.Between, comparisons.between
    ),
    Interface(
        "share",
        "Tell what part of the whole meets conditions, in percent.",
        a.Share,
        comparisons.share,
    ),
    Interface("group", "One number for each value of a column.", a.GroupValue, groups.group),
    Interface("series", "A column over time.", a.SeriesSelection, groups.series),
    Interface(
        QUERY,
        "Answer a typed query: conditions, groups, measures, order; of rows, groups and queries.",
        QueryArguments,
        answer_query,
    ),
)
INTERFACES: dict[str, Interface] = {interface.name: interface for interface in _ALL}
