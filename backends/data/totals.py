"""Find rows of totals at the end of a table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import duckdb

TOTAL = re.compile(
    r"(?:grand[ -]|sub[ -]?|overall"
    r" )?totals?|gesamt(?:summe)?|summe|insgesamt|合计|总计|总和|小计|共计|合計|総計|小計|総合計|计|計",
    re.IGNORECASE,
)
WITH_TOTAL = re.compile(r"\btotals?\b|合计|总计|合計|総計", re.IGNORECASE)  # City total, 全年合计
LONGEST = 30  # characters in such a label
MEAN = re.compile(
    r"(?:class |overall |group )?(?:average|avg\.?|mean)(?: score| mark)?"
    r"|(?:全班|班级|总)?(?:平均|平均值|平均分|平均数|平均成绩|均值|均分)|平均点|平均値",
    re.IGNORECASE,
)
LAST = 3  # rows examined at the end
FEWEST = 4  # rows that a table needs to end with a total
SMALL = 5000  # rows of a table whose last row may be a total under any name
SURE = 3  # minimum of its numbers that are sums
NEAR = 0.005  # how far a written total may differ from the sum, as a share, because it is rounded
NUMBER = r"[$€£¥￥%,\s]"


def is_total(value: object) -> bool:
    """Return whether a value is a name for a row of totals."""
    return isinstance(value, str) and TOTAL.fullmatch(value.strip().rstrip(":：")) is not None


def may_be_total(value: str) -> bool:
    """Return whether a value may be a name for a row of totals, if the row adds up."""
    return is_total(value) or (len(value) <= LONGEST and WITH_TOTAL.search(value) is not None)


def _may_be_figures(value: str) -> bool:
    """Return whether a value may be a name for a row of totals or of averages."""
    return may_be_total(value) or MEAN.fullmatch(value.strip()) is not None


def drop_totals(cursor: duckdb.DuckDBPyConnection, raw: str, ordinal: str) -> None:
    """Remove the rows of totals and averages from the end of a table that was just read.

    A row is removed if its first non-empty cell names a total, no other row has that name, and
    either its numbers are the sums of the rows above, or that column otherwise holds days or
    numbers. A row "Total" of rates, which cannot be added, stays. The last row of a small table is
    removed under any name ("County", "ALL") if several of its numbers are exactly those sums.
    """
    names = [str(row[0]) for row in cursor.execute(f"DESCRIBE {raw}").fetchall()][1:]
    listed = ", ".join(f"CAST({_quote(name)} AS VARCHAR)" for name in names)
    last = cursor.execute(
        f"SELECT {ordinal}, {listed} FROM {raw} ORDER BY {ordinal} DESC LIMIT {LAST}"
    ).fetchall()
    count = cursor.execute(f"SELECT count(*) FROM {raw}").fetchone()
    if not names or count is None or count[0] < FEWEST:
        return
    called = [_label(row[1:]) for row in last]
    if not any(_may_be_figures(label[1]) for label in called if label):
        above = f"{ordinal} < {last[0][0]}"
        if (
            called[0] is not None
            and count[0] <= SMALL
            and _is_sum(cursor, raw, names, last[0], above)
        ):
            cursor.execute(f"DELETE FROM {raw} WHERE {ordinal} >= {last[0][0]}")
        return
    while called and called[-1] is None:
        called.pop()
    dropped: list[int] = []
    for row, label in zip(last, called, strict=False):
        if label is None or not _may_be_figures(label[1]):
            break
        dropped.append(int(row[0]))
        column = _quote(names[label[0]])
        above = f"{ordinal} < {row[0]}"
        twice = cursor.execute(
            f"SELECT count(*) FILTER (trim(CAST({column} AS VARCHAR)) = ?), count(*) FILTER (NOT"
            f" regexp_matches(CAST({column} AS VARCHAR), '\\d')) FROM {raw} WHERE {above}",
            [label[1].strip()],
        ).fetchone()
        assert twice is not None
        plain = is_total(label[1]) and not twice[1]  # in a column of days or numbers
        if MEAN.fullmatch(label[1].strip()) is not None:
            # a row of averages above a total cannot be anything else
            fits = any(is_total(other[1]) for other in called if other)
            fits = fits or _fits(cursor, raw, names, row, above, "avg")
        else:
            fits = plain or _fits(cursor, raw, names, row, above, "sum")
        if twice[0] or not fits:
            return
    if dropped:
        cursor.execute(f"DELETE FROM {raw} WHERE {ordinal} >= {min(dropped)}")


def _label(cells: tuple[str | None, ...]) -> tuple[int, str] | None:
    """Return the position and text of the first non-empty cell."""
    return next(((i, cell) for i, cell in enumerate(cells) if cell and cell.strip()), None)


def _fits(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    names: list[str],
    row: tuple[str | None, ...],
    above: str,
    figure: Literal["sum", "avg"],
) -> bool:
    """Return whether most numbers of a row are the sums or averages of the numbers above them."""
    hits, misses = _figures(cursor, raw, names, row, above, figure)
    return hits > 0 and hits >= misses


def _is_sum(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    names: list[str],
    row: tuple[str | None, ...],
    above: str,
) -> bool:
    """Return whether so many of a row's numbers are sums of the numbers above them, and so few are
    not, that it cannot be chance.
    """
    hits, misses = _figures(cursor, raw, names, row, above, "sum", give_up=2)
    return hits >= SURE and hits >= 3 * misses


def _figures(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    names: list[str],
    row: tuple[str | None, ...],
    above: str,
    figure: Literal["sum", "avg"],
    give_up: int | None = None,
) -> tuple[int, int]:
    """Return how many of a row's numbers are the sums or averages of the numbers above them, and
    how many are not; 0 does not count. give_up: stop after this many that are not.
    """
    hits = misses = 0
    for name, cell in zip(names, row[1:], strict=True):
        written = re.sub(NUMBER, "", cell or "")
        try:
            told = float(written)
        except ValueError:
            continue
        if not told or (give_up is not None and misses - hits >= give_up):
            continue
        text = f"regexp_replace(CAST({_quote(name)} AS VARCHAR), '{NUMBER}', '', 'g')"
        found = cursor.execute(
            f"SELECT {figure}(TRY_CAST({text} AS DOUBLE)) FROM {raw} WHERE {above}"
        ).fetchone()
        total = found[0] if found else None
        last_digit = 10.0 ** -len(written.partition(".")[2])
        if total is not None and abs(total - told) <= max(NEAR * abs(told), 0.51 * last_digit):
            hits += 1
        else:
            misses += 1
    return hits, misses


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
