"""SQL over tables: read-only, without files or network, with limited time and rows."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.services.functions.context import (
    CallContext,
    FunctionReply,
    WidgetRequest,
    attempted,
    joined,
    sources_of,
)
from backends.data.computation import interruptibly
from backends.data.declared_select import select_over

if TYPE_CHECKING:
    from app.data.tables import OpenTable

ROWS, SECONDS, MOST = 1000, 20.0, 8  # MOST: maximum number of widgets in one query


async def prepare_client_sql_tables(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return the SQL names of widgets' tables, and their columns, with an entry for each widget."""
    return joined(
        [await attempted(described(desk, raw)) for raw in sources_of(arguments, "widgets")]
    )


async def execute_client_sql(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return, as JSON, the rows that SELECTs return, with an entry for each query."""
    return joined(
        [await attempted(query(desk, raw)) for raw in sources_of(arguments, "queries", 8)]
    )


async def described(desk: CallContext, raw: dict[str, Any]) -> str:
    """Return the SQL name of one widget's table, and its columns.

    Raises: UnknownWidget, SourceError.
    """
    source = source_of(desk, WidgetRequest.of(raw))
    columns = [{"name": c.name, "type": c.kind} for c in source.profile.columns]
    about = {
        "widget_uuid": source.uuid,
        "table_name": name_of(source),
        "row_count": source.profile.rows,
    }
    return json.dumps(about | {"columns": columns}, ensure_ascii=False)


async def query(desk: CallContext, raw: dict[str, Any]) -> str:
    """Return the rows that a SELECT over one or more widgets returns, with a note if rows are
    omitted.

    Raises: DeskpilotError, KernelError.
    """
    uids = raw.get("widget_uuids")
    named = list(dict.fromkeys(str(uid) for uid in uids)) if isinstance(uids, list) else []
    if not 1 <= len(named) <= MOST:
        raise DeskpilotError(
            f"The query names {len(named)} widgets.",
            f"Specify one to {MOST} widgets in widget_uuids for each query.",
        )
    sources = [source_of(desk, WidgetRequest(uid)) for uid in named]
    tables = {name_of(source): source.table for source in sources}
    limit = raw.get("row_limit")
    most = min(limit, ROWS) if isinstance(limit, int) and limit > 0 else ROWS
    columns, rows = await interruptibly(select_over, tables, str(raw.get("sql")), most + 1, SECONDS)
    made = [dict(zip(columns, row, strict=True)) for row in rows[:most]]
    if len(rows) <= most:
        return json.dumps(made, ensure_ascii=False)
    note = f"Only the first {most} rows are here; more are left out."
    return json.dumps({"note": note, "rows": made}, ensure_ascii=False)


def source_of(desk: CallContext, asked: WidgetRequest) -> OpenTable:
    """Return the table of a widget that was offered.

    Raises: UnknownWidget, also if the widget is not a table; SourceError.
    """
    return desk.sources.source(desk.find(asked).uuid)


def name_of(source: OpenTable) -> str:
    """Return the SQL name of a table: its own name, plus as much of its uuid as is needed to make
    it unique."""
    words = re.sub(r"\W+", "_", source.profile.name).strip("_").lower() or "table"
    return f"{words}_{source.uuid[:8]}"
