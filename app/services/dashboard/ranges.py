"""Tables with too many rows to fetch: their server returns ranges of rows, sorted and filtered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.data.views import BETWEEN, COMPARED, RowOrder
from app.domain.errors import BackendError
from app.openbb.content import Content, json_of, rows_of
from app.openbb.wire import as_dict, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.openbb.widgets import Spec
    from app.services.dashboard.backends import Backends

EACH, MOST = 5000, 100_000  # rows of one request, and of one table
WORDS = {
    "=": "equals",
    "!=": "notEqual",
    ">": "greaterThan",
    ">=": "greaterThanOrEqual",
    "<": "lessThan",
    "<=": "lessThanOrEqual",
}


async def read_ranges(
    backends: Backends,
    backend: str,
    spec: Spec,
    sent: dict[str, Any],
    order: RowOrder,
    kinds: Mapping[str, str],
) -> Content:
    """Return the first rows of a table, asked for range by range, and the total number of rows.

    kinds: types of columns, as far as they are known. Raises: UnknownWidget, BackendError,
    SecretsError.
    """
    rows: list[dict[str, Any]] = []
    asked = (
        sent
        | grouping()
        | {
            "sortModel": sort_model(order),
            "filterModel": filter_model(order, kinds),
        }
    )
    total: int | None = None
    while len(rows) < (MOST if total is None else min(total, MOST)):
        body = asked | {"startRow": len(rows), "endRow": min(len(rows) + EACH, MOST)}
        value = json_of(await backends.fetch(backend, spec.endpoint, {}, body))
        found, told = range_of(spec, value, first=not rows)
        rows += found[: MOST - len(rows)]
        total = told if told is not None else total
        if not found or (total is None and len(found) < EACH):
            break
    return Content("table", rows, total if total is not None and total > len(rows) else 0)


async def read_one(
    backends: Backends, backend: str, spec: Spec, sent: dict[str, Any], asked: dict[str, Any]
) -> Content:
    """Return the rows of a range that a copilot asks for itself, in such a server's own words.

    Raises: UnknownWidget, BackendError, SecretsError.
    """
    first = max(int(number(asked.get("startRow")) or 0), 0)
    last = int(number(asked.get("endRow")) or first + EACH)
    told = {
        key: value
        for key, value in asked.items()
        if key in ("sortModel", "filterModel", *grouping())
    }
    body = sent | grouping() | {"sortModel": [], "filterModel": {}} | told
    body |= {"startRow": first, "endRow": min(max(last, first + 1), first + EACH)}
    value = json_of(await backends.fetch(backend, spec.endpoint, {}, body))
    return Content("table", range_of(spec, value, first=True)[0])


def range_of(spec: Spec, value: Any, *, first: bool) -> tuple[list[dict[str, Any]], int | None]:
    """Return the rows of one answer, and the total number of rows if the answer has it.

    Raises: BackendError for another shape, and for a table without a row.
    """
    told = as_dict(value)
    listed = told.get("rowData", told.get("rows"))
    count = number(told.get("rowCount", told.get("lastRow")))
    if isinstance(listed, list) and not listed and not first:
        return [], int(count) if count is not None and count >= 0 else None
    if told and not isinstance(listed, list):
        raise BackendError(f"{spec.name}: the backend did not answer with rows.", "Ask its maker.")
    found = rows_of(spec, listed if isinstance(listed, list) else value)
    return found, int(count) if count is not None and count >= 0 else None


def grouping() -> dict[str, Any]:
    """Return the grouping part of such a request: no groups."""
    return {
        "rowGroupCols": [],
        "valueCols": [],
        "pivotCols": [],
        "pivotMode": False,
        "groupKeys": [],
    }


def sort_model(order: RowOrder) -> list[dict[str, str]]:
    """Return an order as such a server reads it."""
    return (
        [{"colId": order.column, "sort": "desc" if order.descending else "asc"}]
        if order.column
        else []
    )


def filter_model(order: RowOrder, kinds: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return filters as such a server reads them."""
    return {
        name: filter_of(text, kinds.get(name) == "number") for name, text in order.filters.items()
    }


def filter_of(text: str, numeric: bool) -> dict[str, Any]:
    """Return one filter.

    Raises: BackendError for one of numbers that holds none.
    """
    kind = {"filterType": "number" if numeric else "text"}
    if found := BETWEEN.match(text):
        low, high = (as_value(part, numeric) for part in found.groups())
        return kind | {"type": "inRange", "filter": low, "filterTo": high}
    if found := COMPARED.match(text):
        return kind | {"type": WORDS[found[1]], "filter": as_value(found[2], numeric)}
    return kind | {
        "type": "equals" if numeric else "contains",
        "filter": as_value(text.strip(), numeric),
    }


def as_value(text: str, numeric: bool) -> str | float:
    """Return the value of a comparison.

    Raises: BackendError.
    """
    if not numeric:
        return text.strip()
    try:
        return float(text.replace(",", ""))
    except ValueError as error:
        raise BackendError(
            f"{text!r} is not a number.", "Write it like > 5, 1..3 or = 2."
        ) from error
