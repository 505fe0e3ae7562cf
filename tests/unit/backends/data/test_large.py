"""Large tables answer as small ones do: text kept as a list of values, first rows without a
sort.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.data.errors import NothingSelected
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.table import connect, table_from_rows

pytestmark = pytest.mark.slow

ROWS = 30_000
CITIES = [
    "Berlin",
    "berlin",
    "BERLIN",
    "Paris",
    "São Paulo",
    "东京",
    "O'Hare",
    'a "b"',
    "İzmir",
    "10",
]
CELLS: list[dict[str, Any]] = [
    {
        "city": CITIES[i * 7 % 11 % len(CITIES)] if i % 13 else None,
        "name": f"name {i % 29_000}",
        "sold": i * 37 % 1000,
    }
    for i in range(ROWS)
]
FRAME = pd.DataFrame(CELLS)
TABLE = table_from_rows(CELLS, source="s", hash_="h", connection=connect(threads=4))


def run(interface: str, **arguments: Any) -> Any:
    return INTERFACES[interface].run(TABLE, {"source": "s", **arguments})


def folded(value: str | None) -> str | None:
    """Fold case as DuckDB does."""
    return None if value is None else TABLE.one("SELECT lower(?)", [value])[0]


LOWER = FRAME["city"].map({city: folded(city) for city in CITIES})


def test_only_text_of_few_values_is_kept_as_a_list_of_them() -> None:
    kinds = {c.name: (c.kind, bool(c.dictionary)) for c in TABLE.columns}
    assert kinds == {"city": ("text", True), "name": ("text", False), "sold": ("number", False)}
    city = profile(TABLE, "Large").columns[0]
    assert (city.kind, city.role, city.complete) == ("text", "category", True)
    assert set(city.values) == set(CITIES)
    assert city.missing == FRAME["city"].isna().sum()


@given(
    op=st.sampled_from(["=", "!=", "in", "contains", ">", "<=", "between", "empty", "not empty"]),
    values=st.lists(
        st.sampled_from([*CITIES, "paris", "oslo", "x'; DROP TABLE t; --", "", 10, True]),
        min_size=2,
        max_size=2,
    ),
)
@settings(max_examples=80, deadline=None)  # fmt: skip
def test_conditions_on_listed_text_select_what_pandas_selects(op: str, values: list[Any]) -> None:
    value: Any = {"in": values, "between": values, "empty": None, "not empty": None}.get(
        op, values[0]
    )
    as_text = [folded(str(v).lower() if isinstance(v, bool) else str(v)) for v in values]
    one = str(as_text[0])
    present = LOWER.notna()
    expected = {
        "=": one == LOWER,
        "!=": present & (one != LOWER),
        "in": LOWER.isin(as_text),
        "contains": present & LOWER.fillna("").str.contains(one, regex=False),
        ">": present & (LOWER.fillna("").map(lambda v: v.encode()) > one.encode()),
        "<=": present & (LOWER.fillna("").map(lambda v: v.encode()) <= one.encode()),
        "between": present & LOWER.fillna("").map(lambda v: str(as_text[0]).encode() <= v.encode() <= str(as_text[1]).encode()),
        "empty": ~present,
        "not empty": present,
    }[op]  # fmt: skip
    condition = {"column": "city", "op": op, "value": value}
    assert run("count", where=[condition]).value == int(expected.sum())


def test_groups_and_orders_of_listed_text_are_those_of_text() -> None:
    result = run("group", by="city", column="sold", aggregate="sum")
    truth = FRAME.groupby("city")["sold"].sum()
    assert {row[0]: row[1] for row in result.rows} == truth.to_dict()
    assert [row[0] for row in result.rows] == sorted(truth.index, key=lambda v: v.encode())
    last = run("list_rows", columns=["city"], order_by="city", descending=True, n=1).rows[0][0]
    assert last == max(CITIES, key=lambda v: v.encode())
    assert run("distinct", column="city").value == len(CITIES)
    assert run("find_values", phrases=["paris"]).rows[0] == ["paris", "city", "Paris", True]


@pytest.mark.parametrize("limit", [1, 7, 50])
@pytest.mark.parametrize("modulo", [2, 97, 999])
def test_the_first_rows_are_the_first_in_the_source(limit: int, modulo: int) -> None:
    truth = FRAME.index[FRAME["sold"] % 1000 == modulo][:limit]
    where = [{"column": "sold", "op": "=", "value": modulo}]
    result = run("list_rows", columns=["name"], where=where, n=limit)
    assert [row[0] for row in result.rows] == FRAME.loc[truth, "name"].tolist()
    assert result.matched == int((FRAME["sold"] == modulo).sum())
    cells = run("sum", column="sold", where=where).cells
    assert [c.row for c in cells] == FRAME.index[FRAME["sold"] == modulo][:50].tolist()


def test_a_value_no_row_has_selects_nothing() -> None:
    where = [{"column": "city", "op": "=", "value": "Oslo"}]
    with pytest.raises(NothingSelected):
        run("look_up", columns=["sold"], where=where)
    assert run("count", where=where).value == 0


@pytest.mark.parametrize(
    ("odd", "kind"),
    [
        ("x", "text"),
        ("0042", "text"),
        ("1.5", "number"),
        ("1234567890123456789", "text"),
        ("", "number"),
    ],
)
def test_one_odd_cell_far_down_decides_all_the_same(odd: str, kind: str) -> None:
    """Most columns are told by their first cells; that must not decide what those do not show."""
    rows = [{"n": str(i)} for i in range(5000)] + [{"n": odd}]
    column = table_from_rows(rows, source="s").columns[0]
    assert (column.kind, column.sql) == (
        kind,
        "VARCHAR" if kind == "text" else "DOUBLE" if odd else "BIGINT",
    )


def test_a_late_cell_that_is_no_date_keeps_a_column_text() -> None:
    days = [{"d": f"2024-{1 + i % 12:02}-{1 + i % 28:02}"} for i in range(5000)]
    assert table_from_rows(days, source="s").columns[0].kind == "date"
    assert table_from_rows([*days, {"d": "soon"}], source="s").columns[0].kind == "text"
    empty = [{"d": "", "x": 1}] * 3000
    assert table_from_rows([*empty, *days], source="s").columns[0].kind == "date"


@pytest.mark.parametrize("odd", [0, 1])
@pytest.mark.parametrize(
    "make",
    [
        lambda i: i * 7919 % 100_003,
        lambda i: (i * 7919 % 100_003) / 7,
        lambda i: 5,
        lambda i: 1 if i % 100 else 10**9,
        lambda i: i // 50_000,
        lambda i: None if i % 3 else -i,
        lambda i: i,
        lambda i: 10.0 ** (i % 200 - 100),
    ],
)
def test_the_median_of_many_is_that_of_pandas(make: Any, odd: int) -> None:
    values = [make(i) for i in range(400_000 + odd)]
    table = table_from_rows([{"v": v} for v in values], source="s")
    result = INTERFACES["median"].run(table, {"source": "s", "column": "v"})
    truth = pd.Series(values, dtype="float64").median()
    assert result.value == pytest.approx(truth, rel=1e-14)
    some = INTERFACES["median"].run(
        table, {"source": "s", "column": "v", "where": [{"column": "v", "op": ">=", "value": 0}]}
    )
    held = pd.Series([v for v in values if v is not None and v >= 0], dtype="float64")
    assert some.value == pytest.approx(held.median(), rel=1e-14)
    assert some.matched == len(held)


def test_folding_case_keeps_the_number_of_characters() -> None:
    """What comparing lengths first stands on: true of every character there is."""
    characters = [chr(c) for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    sql = (
        "SELECT count(*) FROM (SELECT unnest(CAST(? AS VARCHAR[])) AS c) WHERE length(c) <> 1 OR"
        " length(lower(c)) <> 1"
    )
    assert TABLE.one(sql, [characters]) == (0,)


@pytest.mark.parametrize("op", ["=", "!="])
@pytest.mark.parametrize("value", ["NAME 42", "name 42", "name", "ｎame 42", "", "name 28999"])
def test_text_of_many_values_is_compared_without_regard_to_case(op: str, value: str) -> None:
    same = FRAME["name"].str.lower() == value.lower()
    condition = {"column": "name", "op": op, "value": value}
    assert run("count", where=[condition]).value == int((same if op == "=" else ~same).sum())


@pytest.mark.parametrize(
    ("interface", "arguments"),
    [
        ("group", {"by": "when", "column": "v", "aggregate": "sum"}),
        ("series", {"by": ["when"], "column": "v", "aggregate": "sum"}),
        ("latest", {"by": ["when"], "column": "v"}),
        ("list_rows", {"columns": ["when", "v"], "order_by": "when", "n": 3}),
        ("count", {"where": [{"column": "when", "op": "in", "value": ["q1 2024", "Q3 2023"]}]}),
        ("distinct", {"column": "when"}),
    ],
)
def test_periods_written_as_text_are_in_times_order_however_large_the_table(
    interface: str, arguments: dict[str, Any]
) -> None:
    quarters = [f"Q{1 + i % 4} {2022 + i % 3}" for i in range(12)]
    rows = [{"when": quarters[i * 5 % 12], "v": i % 12} for i in range(12_000)]
    small, large = (table_from_rows(some, source="s", hash_="h") for some in (rows[:120], rows))
    assert (small.columns[0].dictionary, bool(large.columns[0].dictionary)) == ("", True)
    few, many = (INTERFACES[interface].run(t, {"source": "s", **arguments}) for t in (small, large))
    assert [row[0] for row in few.rows] == [row[0] for row in many.rows] or interface == "list_rows"
    assert (few.label, few.columns) == (many.label, many.columns)
    if interface == "list_rows":
        assert {row[0] for row in many.rows} == {few.rows[0][0]}


WHOLE = pd.DataFrame(
    {
        "day": pd.to_datetime("2023-11-05") + pd.to_timedelta([i * 7919 % 500 for i in range(110_001)], unit="D"),
        "of": [None if i % 11 == 0 else float(i * 37 % 10_007) for i in range(110_001)],
        "kind": [f"k{i % 5}" for i in range(110_001)],
    }
)  # fmt: skip


@pytest.mark.parametrize("rows", [110_001, 110_000, 99_998])
def test_medians_of_whole_columns_and_of_parts_are_those_of_pandas(rows: int) -> None:
    frame = WHOLE.head(rows)
    cells = [
        {"of": None if pd.isna(v) else v, "kind": k}
        for v, k in zip(frame["of"], frame["kind"], strict=True)
    ]
    table = table_from_rows(cells, source="s")
    ask, where = {"source": "s", "column": "of"}, [{"column": "kind", "op": "=", "value": "k3"}]
    for _ in range(2):  # the second time it is known
        whole = INTERFACES["median"].run(table, ask)
        assert (whole.value, whole.matched) == (frame["of"].median(), frame["of"].count())
    part = INTERFACES["median"].run(table, ask | {"where": where})
    assert part.value == frame.loc[frame["kind"] == "k3", "of"].median()
    sides = {
        "first": where,
        "second": [{"column": "kind", "op": "=", "value": "k1"}],
        "aggregate": "median",
    }
    apart = frame.loc[frame["kind"] == "k1", "of"].median() - part.value
    assert INTERFACES["difference"].run(table, ask | sides).value == apart
    with pytest.raises(NothingSelected):
        INTERFACES["median"].run(table, ask | {"where": [{"column": "of", "op": "<", "value": -1}]})


@pytest.mark.parametrize(
    ("part", "form"), [("year", "%Y"), ("month", "%Y-%m"), ("day", "%Y-%m-%d")]
)
def test_parts_of_dates_group_as_those_of_pandas(part: str, form: str) -> None:
    frame = WHOLE.head(12_000)
    cells = [{"day": str(d.date()) if i % 7 else None, "of": i} for i, d in enumerate(frame["day"])]
    table = table_from_rows(cells, source="s")
    known = frame.assign(of=range(12_000))[frame.index % 7 != 0]
    truth = known.groupby(known["day"].dt.strftime(form))["of"].sum()
    made = INTERFACES["group"].run(
        table, {"source": "s", "by": "day", "column": "of", "aggregate": "sum", "date_part": part}
    )
    assert made.rows == [[k, v] for k, v in truth.items()][:50]
    assert made.matched == len(known)
    line = INTERFACES["series"].run(
        table, {"source": "s", "by": ["day"], "column": "of", "aggregate": "sum", "date_part": part}
    )
    assert line.rows == [[k, v] for k, v in truth.items()]
    best = INTERFACES["group"].run(
        table,
        {
            "source": "s",
            "by": "day",
            "column": "of",
            "aggregate": "sum",
            "date_part": part,
            "order": "highest",
        },
    )
    assert (best.label, best.value) == (truth.idxmax(), truth.max())


def test_quarters_group_as_those_of_pandas() -> None:
    frame = WHOLE.head(12_000)
    table = table_from_rows([{"day": str(d.date())} for d in frame["day"]], source="s")
    quarters = frame["day"].dt.to_period("Q").astype(str).str.replace("Q", "-Q")
    truth = quarters.value_counts().sort_index()
    made = INTERFACES["group"].run(
        table, {"source": "s", "by": "day", "aggregate": "count", "date_part": "quarter"}
    )
    assert made.rows == [[k, v] for k, v in truth.items()]


def test_the_different_values_are_counted_and_listed_in_one_look() -> None:
    rows = [{"v": None if i % 10 == 0 else f"v{min(i % 97, 60)}"} for i in range(9000)]
    table = table_from_rows(rows, source="s")
    frame = pd.Series([row["v"] for row in rows])
    result = INTERFACES["distinct"].run(table, {"source": "s", "column": "v"})
    assert (result.value, result.matched) == (frame.nunique(), len(frame))
    assert len(result.rows) == 50
    assert {row[0]: row[1] for row in result.rows} == frame.value_counts()[
        [row[0] for row in result.rows]
    ].to_dict()
    assert result.rows[0] == ["v60", int((frame == "v60").sum())]
    assert result.left_out == "11 more values"
    empty = table_from_rows([{"v": None, "w": 1}], source="s")
    assert INTERFACES["distinct"].run(empty, {"source": "s", "column": "v"}).value == 0
