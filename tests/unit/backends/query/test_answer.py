"""Answers as people read them: heads in words, numbers of one column alike."""

from __future__ import annotations

import datetime as dt

from backends.data.compiler import run_query
from backends.data.presentation import table
from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.query.answer import with_heads
from backends.query.sql import query_of


def test_a_table_of_groups_is_headed_in_words_and_its_numbers_line_up() -> None:
    rows = [("Ada", 2040.5, 3), ("Ben", 1100.0, 2040), ("Cleo", 14808.3, 3)]
    made = table_from_rows(
        [{"Who": who, "Fee (€)": fee, "n": n} for who, fee, n in rows], source="s"
    )
    query = query_of(
        'SELECT "Who", sum("Fee (€)"), sum(n) FROM t GROUP BY 1 ORDER BY 1',
        {"t": profile(made, "Fees")},
        today=dt.date(2026, 6, 15),
    )
    result = with_heads(query, run_query(query, {"s": made}), "en")
    assert result.columns == ["Who", "Total Fee (€)", "Total n"]
    assert table(result, [1, 2]).splitlines()[2:] == [
        "| Ada | 2,040.5 | 3 |",
        "| Ben | 1,100.0 | 2,040 |",
        "| Cleo | 14,808.3 | 3 |",
    ]
    assert with_heads(query, result, "zh").columns == ["Who", "Fee (€)合计", "n合计"]


def test_months_and_other_parts_of_dates_are_headed_in_words() -> None:
    """The head was “month Date”, also among Chinese words."""
    days = [{"Date": f"2025-0{1 + n % 4}-0{1 + n % 7}", "Fee": 10 * n} for n in range(40)]
    made = table_from_rows(days, source="s")
    query = query_of(
        """SELECT date_trunc('month', "Date"), sum("Fee") FROM t GROUP BY 1 ORDER BY 1""",
        {"t": profile(made, "Fees")},
        today=dt.date(2026, 6, 15),
    )
    result = run_query(query, {"s": made})
    heads = [with_heads(query, result, name).columns[0] for name in ("en", "zh", "ja")]
    assert heads == ["Month of Date", "Date的月份", "Dateの月"]
