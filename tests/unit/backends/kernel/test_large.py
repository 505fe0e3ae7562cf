"""Large tables answer as small ones do: text kept as a list of values, first rows without a sort."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.kernel import INTERFACES, NothingSelected, connect, profile, table_from_rows

ROWS = 30_000
CITIES = ["Berlin", "berlin", "BERLIN", "Paris", "São Paulo", "东京", "O'Hare", 'a "b"', "İzmir", "10"]
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
    value: Any = {"in": values, "between": values, "empty": None, "not empty": None}.get(op, values[0])
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
    [("x", "text"), ("0042", "text"), ("1.5", "number"), ("1234567890123456789", "text"), ("", "number")],
)
def test_one_odd_cell_far_down_decides_all_the_same(odd: str, kind: str) -> None:
    """Most columns are told by their first cells; that must not decide what those do not show."""
    rows = [{"n": str(i)} for i in range(5000)] + [{"n": odd}]
    column = table_from_rows(rows, source="s").columns[0]
    assert (column.kind, column.sql) == (kind, "VARCHAR" if kind == "text" else "DOUBLE" if odd else "BIGINT")


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
    sql = "SELECT count(*) FROM (SELECT unnest(CAST(? AS VARCHAR[])) AS c) WHERE length(c) <> 1 OR length(lower(c)) <> 1"
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
