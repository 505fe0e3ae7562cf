"""A number made of many cells says which they are."""

from __future__ import annotations

from typing import Any

import pytest

from backends.data.conditions import where
from backends.data.interfaces import INTERFACES
from backends.data.table import ORDINAL, table_from_rows
from backends.data.values import Result

CITIES = ["Oslo", "Rome", None, "Oslo", "Bonn", "Rome", "Oslo", "Bonn"]
ROWS: list[dict[str, Any]] = [
    {
        "day": f"2024-0{1 + n % 3}-1{n}",
        "city": city,
        "sold": None if n == 5 else 10 * (n + 1),
        "open": n % 2 == 0,
    }
    for n, city in enumerate(CITIES)
]
TABLE = table_from_rows(ROWS, source="s")


def cited(result: Result) -> list[int]:
    """Return the rows that what a result says of its cells leads to."""
    assert result.reach is not None
    parts = [where(TABLE, conditions) for conditions in result.reach.where]
    clause = " OR ".join(f"({sql})" for sql, _ in parts)
    bound = [value for _, values in parts for value in values]
    rows = TABLE.query(f"SELECT {ORDINAL} FROM {TABLE.relation} WHERE {clause} ORDER BY 1", bound)
    return [row[0] for row in rows]


OSLO = {"column": "city", "op": "=", "value": "oslo"}

BONN = {"column": "city", "op": "=", "value": "Bonn"}


@pytest.mark.parametrize(
    ("interface", "arguments", "rows"),
    [
        ("count", {}, [0, 1, 2, 3, 4, 5, 6, 7]),
        ("sum", {"column": "sold"}, [0, 1, 2, 3, 4, 6, 7]),
        ("mean", {"column": "sold", "where": [OSLO]}, [0, 3, 6]),
        ("median", {"column": "sold", "where": [OSLO]}, [0, 3, 6]),
        ("distinct", {"column": "city"}, [0, 1, 3, 4, 5, 6, 7]),
        ("distinct", {"column": "city", "where": [{"column": "sold", "op": ">", "value": 40}]}, [4, 6, 7]),
        ("group", {"by": "city", "column": "sold", "aggregate": "sum"}, [0, 1, 3, 4, 6, 7]),
        ("group", {"by": "city", "column": "sold", "aggregate": "sum", "order": "highest"}, [4, 7]),
        ("group", {"by": "city", "column": "sold", "aggregate": "sum", "order": "highest", "n": 2}, [0, 3, 4, 6, 7]),
        ("group", {"by": "city", "aggregate": "count", "order": "highest"}, [0, 3, 6]),
        ("group", {"by": "open", "column": "sold", "aggregate": "max", "order": "highest"}, [1, 3, 7]),
        ("group", {"by": "day", "column": "sold", "aggregate": "sum", "order": "highest", "date_part": "month"}, [0, 1, 2, 3, 4, 6, 7]),
        ("series", {"column": "sold", "by": ["day"]}, [0, 1, 2, 3, 4, 6, 7]),
        ("series", {"column": "sold", "by": ["day"], "date_part": "month", "aggregate": "sum", "where": [OSLO]}, [0, 3, 6]),
        ("difference", {"column": "sold", "aggregate": "sum", "first": [OSLO], "second": [BONN]}, [0, 3, 4, 6, 7]),
        ("difference", {"column": "sold", "aggregate": "median", "first": [OSLO], "second": [BONN]}, [0, 3, 4, 6, 7]),
        ("difference", {"aggregate": "count", "first": [OSLO], "second": [BONN]}, [0, 3, 4, 6, 7]),
        ("share", {"part": [OSLO]}, [0, 3, 6]),
        ("share", {"part": [OSLO], "column": "sold"}, [0, 3, 6]),
    ],
)  # fmt: skip
def test_the_conditions_lead_to_the_cells_a_number_was_made_of(
    interface: str, arguments: dict[str, Any], rows: list[int]
) -> None:
    result = INTERFACES[interface].run(TABLE, {"source": "s", **arguments})
    assert result.reach is not None
    assert cited(result) == rows
    assert result.cells[0].row == rows[0]
    assert result.reach.last >= rows[-1]
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_what_is_made_of_nothing_reaches_nowhere() -> None:
    nowhere = [{"column": "city", "op": "=", "value": "Paris"}]
    assert INTERFACES["count"].run(TABLE, {"source": "s", "where": nowhere}).reach is None
    assert INTERFACES["share"].run(TABLE, {"source": "s", "part": nowhere}).reach is None
