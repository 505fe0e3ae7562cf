"""A table as text for copilots: complete if it is small, otherwise the rows that best fit the
question.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from backends.data.table import ORDINAL, quote

if TYPE_CHECKING:
    from app.data.tables import OpenTable
    from backends.data.table import Table

WHOLE_ROWS, WHOLE_CHARACTERS, EXCERPT_ROWS = 200, 20_000, 20
# words searched for; words that occur in a larger share of the rows are ignored
MOST_WORDS, OFTEN = 8, 0.2
WORD = re.compile(r"\d[\d.,-]*\d|\w{3,}|[\u3040-\u30ff\u4e00-\u9fff]{2,}")


def table_in_words(source: OpenTable, question: str = "") -> str:
    """Return a table as JSON; for a large table, with a note on the omitted rows and on how the
    others were chosen.
    """
    table, count = source.table, source.profile.rows
    if count <= WHOLE_ROWS:
        text = json.dumps(named(table, table.rows(0, WHOLE_ROWS)), ensure_ascii=False)
        if len(text) <= WHOLE_CHARACTERS:
            return text
    words, places = fitting(table, count, question)
    if places:
        listed = ", ".join(map(str, places))
        columns = ", ".join(quote(c.name) for c in table.columns)
        found = table.query(
            f"SELECT {columns} FROM {table.relation} WHERE {ORDINAL} IN ({listed}) ORDER BY"
            f" {ORDINAL}"
        )
        rows = [
            {"row": place + 1, **row}
            for place, row in zip(places, named(table, found), strict=True)
        ]
        chosen = f"those that fit these words of the question best: {', '.join(words)}"
    else:
        rows = named(table, table.rows(0, EXCERPT_ROWS))
        chosen = "the first"
    told = {
        "note": (
            f"Only {len(rows)} of {count} rows are here, {chosen}; {count - len(rows)} are left"
            " out. Use the tools of server deskpilot to compute over all of them."
        ),
        "profile": source.profile.model_dump(exclude={"first_row"}),
        "rows": rows,
    }
    return json.dumps(told, ensure_ascii=False)


def fitting(table: Table, count: int, question: str) -> tuple[list[str], list[int]]:
    """Return the words of a question that distinguish rows, and the rows that contain most of them,
    in the table's order.
    """
    words = list(dict.fromkeys(word.lower() for word in WORD.findall(question)))[:MOST_WORDS]
    if not words:
        return [], []
    cells = ", ".join(f"CAST({quote(c.name)} AS VARCHAR)" for c in table.columns)
    lines = f"SELECT {ORDINAL}, lower(concat_ws(' | ', {cells})) AS line FROM {table.relation}"
    counted = ", ".join("count(*) FILTER (contains(line, ?))" for _ in words)
    found = table.one(f"SELECT {counted} FROM ({lines})", words)
    telling = {
        w: int(n) for w, n in zip(words, found, strict=True) if 0 < int(n) <= max(count * OFTEN, 1)
    }
    if not telling:
        return [], []
    weight = " + ".join(
        f"CASE WHEN contains(line, ?) THEN {1 / n:.9f} ELSE 0 END" for n in telling.values()
    )
    best = table.query(
        f"SELECT {ORDINAL} FROM (SELECT {ORDINAL}, {weight} AS fit FROM ({lines})) WHERE fit > 0"
        f" ORDER BY fit DESC, {ORDINAL} LIMIT {EXCERPT_ROWS}",
        list(telling),
    )
    return list(telling), sorted(int(str(row[0])) for row in best)


def named(table: Table, rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return rows as dictionaries, by the names of their columns."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in rows]
