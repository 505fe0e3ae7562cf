"""The data interfaces, each against pandas, and types taken cell by cell."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.data.errors import KernelError, NothingSelected, UnknownColumn, WrongArguments
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.table import table_from_rows

pytestmark = pytest.mark.slow

ROWS: list[dict[str, Any]] = [
    {"city": c, "day": d, "sold": s, "price": p, "code": k}
    for c, d, s, p, k in [
        ("Berlin", "2024-01-01", 10, 2.5, "007"),
        ("Paris", "2024-01-02", 30, 3.5, "010"),
        ("Berlin", "2024-02-01", 20, None, "011"),
        ("Rome", "2024-02-03", 30, 1.25, "012"),
        ("paris", "2024-03-05", 5, 4.0, "013"),
    ]
]
TABLE = table_from_rows(ROWS, source="s", hash_="h")
FRAME = pd.DataFrame(ROWS)


def run(interface: str, **arguments: Any) -> Any:
    return INTERFACES[interface].run(TABLE, {"source": "s", **arguments})


def where(column: str, op: str, value: Any = None) -> dict[str, Any]:
    return {"column": column, "op": op, "value": value}


def test_columns_have_the_type_of_what_they_hold() -> None:
    assert {c.name: c.kind for c in TABLE.columns} == {
        "city": "text", "day": "date", "sold": "number", "price": "number", "code": "text",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "kind", "first"),
    [
        (["1,200", "$3"], "number", 1200),
        (["12.5%", "3%"], "number", 12.5),
        (["03/04/2024", "03/05/2024"], "date", "2024-03-04"),
        (["31/01/2024", "01/02/2024"], "date", "2024-01-31"),
        (["5 Jan 2024", "6 Feb 2024"], "date", "2024-01-05"),
        (["2024年1月5日", "2024年1月6日"], "date", "2024-01-05"),
        (["2024-10-15T00:00:00-04:00", "2024-10-14T00:00:00-04:00"], "date", "2024-10-15"),
        (["2024-10-15 13:05:00", "2024-10-14 01:00:00"], "time", "2024-10-15 13:05:00"),
        (["1", "2", "n/a"], "number", 1),
        (["12", "abs", "7"], "number", 12),
        (["54,90", "1.164,70"], "number", 54.9),
        (["12,50 €", "3 €"], "number", 12.5),
        (["1,234", "5,678"], "number", 1234),
        (["6-5-23", "7-1-20"], "text", "6-5-23"),
        (["1", "2", "two"], "text", "1"),
        (["1", "n/a", "-"], "text", "1"),
        (["007", "010"], "text", "007"),
        (["2024-13-40", "2024-01-01"], "text", "2024-13-40"),
        (["", ""], "text", None),
        (["12345678901234567890", "1"], "text", "12345678901234567890"),
    ],
)
def test_text_is_typed_only_if_every_cell_reads_so(cells: list[str], kind: str, first: Any) -> None:
    table = table_from_rows([{"x": c} for c in cells], source="s")
    assert (table.columns[0].kind, table.rows(0, 1)[0][0]) == (kind, first)


def test_looking_up_cites_the_cell() -> None:
    result = run("look_up", columns=["price"], where=[where("city", "=", "ROME")])
    assert (result.value, result.matched) == (1.25, 1)
    assert [(c.row, c.column, c.value) for c in result.cells] == [(3, "price", 1.25)]


@pytest.mark.parametrize("interface", ["sum", "mean", "median"])
@pytest.mark.parametrize("column", ["sold", "price"])
def test_aggregates_are_those_of_pandas(interface: str, column: str) -> None:
    result = run(interface, column=column)
    assert math.isclose(result.value, getattr(FRAME[column], interface)())
    assert result.matched == FRAME[column].count()


def test_the_highest_names_every_row_that_shares_it() -> None:
    result = run("extreme", column="sold", direction="highest", show=["city"])
    assert (result.value, [row[0] for row in result.rows]) == (30, ["Paris", "Rome"])


def test_the_first_n_are_those_of_pandas() -> None:
    result = run("extreme", column="sold", direction="lowest", n=3)
    assert [row[-1] for row in result.rows] == FRAME["sold"].nsmallest(3).tolist()


def test_difference_and_change() -> None:
    sides = {
        "first": [where("city", "=", "Berlin"), where("day", "<", "2024-01-15")],
        "second": [where("city", "=", "Rome")],
    }
    assert run("difference", column="sold", **sides).value == 20
    assert run("difference", column="sold", how="percent", **sides).value == 200
    with pytest.raises(WrongArguments, match="2 rows"):
        run(
            "difference",
            column="sold",
            first=[where("city", "=", "Berlin")],
            second=[where("city", "=", "Rome")],
        )


def test_share_of_rows_and_of_a_sum() -> None:
    part = [where("city", "=", "berlin")]
    assert run("share", part=part).value == 40
    assert math.isclose(run("share", part=part, column="sold").value, 30 / 95 * 100)


def test_groups_are_those_of_pandas() -> None:
    result = run("group", by="city", column="sold", aggregate="sum", order="highest", n=5)
    assert [list(row) for row in result.rows] == [
        ["Berlin", 30],
        ["Paris", 30],
        ["Rome", 30],
        ["paris", 5],
    ]
    months = run("group", by="day", column="sold", aggregate="mean", date_part="month")
    assert months.rows == [["2024-01", 20], ["2024-02", 25], ["2024-03", 5]]


def test_a_series_is_in_times_order() -> None:
    result = run("series", by=["day"], column="sold")
    assert [row[1] for row in result.rows] == [10, 30, 20, 30, 5]
    assert run("latest", by=["day"], column="sold").value == 5


def test_phrases_are_found_as_values() -> None:
    assert run("find_values", phrases=["rom", "paris"]).rows[0] == ["paris", "city", "Paris", True]


def test_counting_none_is_an_answer_other_interfaces_say_so() -> None:
    nothing = [where("city", "=", "Oslo")]
    assert run("count", where=nothing).value == 0
    with pytest.raises(NothingSelected) as caught:
        run("mean", column="sold", where=nothing)
    assert caught.value.remedy


def test_an_unknown_column_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownColumn, match="no column 'nope'") as caught:
        run("sum", column="nope")
    assert caught.value.remedy == "It has: city, day, sold, price, code."


@pytest.mark.parametrize(
    "arguments",
    [{"colum": "x"}, {"column": "city"}, {"column": "sold", "where": [where("sold", "between", 3)]},
     {"column": "sold", "where": [where("sold", ">", "many")]}, {"column": "sold", "where": [where("day", "=", "soon")]},
     {"column": "sold\"; DROP TABLE x; --"}],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_told(arguments: dict[str, Any]) -> None:
    with pytest.raises((WrongArguments, UnknownColumn)):
        run("sum", **arguments)


OPERATORS = {
    "=": lambda s, v: s == v, "!=": lambda s, v: s != v, ">": lambda s, v: s > v, ">=": lambda s, v: s >= v,
    "<": lambda s, v: s < v, "<=": lambda s, v: s <= v,
}  # fmt: skip


@given(
    st.sampled_from(list(OPERATORS)),
    st.one_of(st.integers(-5, 40), st.floats(-5, 40).map(lambda f: round(f, 2))),
)
@settings(max_examples=60, deadline=None)
def test_comparisons_select_what_pandas_selects(op: str, value: float) -> None:
    expected = int(OPERATORS[op](FRAME["sold"], value).sum())
    assert run("count", where=[where("sold", op, value)]).value == expected


def test_a_day_on_a_timestamp_is_the_whole_day() -> None:
    table = table_from_rows(
        [{"at": f"2024-05-0{d} {h}:30:00"} for d in (1, 2, 3) for h in ("00", "23")], source="s"
    )

    def count(op: str, value: Any) -> Any:
        return (
            INTERFACES["count"].run(table, {"source": "s", "where": [where("at", op, value)]}).value
        )

    assert [
        count("=", "2024-05-02"),
        count("between", ["2024-05-01", "2024-05-02"]),
        count(">", "2024-05-02"),
    ] == [2, 4, 2]
    assert [count("<=", "2024-05-02"), count("<", "2024-05-02"), count("!=", "2024-05-02")] == [
        4,
        2,
        4,
    ]


def test_a_profile_says_what_columns_are_for() -> None:
    rows = [
        {
            "Order ID": f"{i:04}",
            "year": 2000 + i % 20,
            "quarter": 1 + i % 4,
            "price_usd": 1.5 * i,
            "Weight (kg)": i,
            "region": "NS"[i % 2],
        }
        for i in range(200)
    ]
    found = {c.name: c for c in profile(table_from_rows(rows, source="s"), "Orders").columns}
    assert [found[n].role for n in ("Order ID", "year", "quarter", "price_usd", "region")] == [
        "identifier", "year", "quarter", "measure", "category",
    ]  # fmt: skip
    assert (found["Weight (kg)"].unit, found["price_usd"].unit) == ("kg", "USD")
    assert (found["price_usd"].additive, found["Weight (kg)"].additive) == (False, True)
    assert found["region"].complete
    assert found["region"].values == ["N", "S"]


def test_queries_of_two_threads_do_not_meet() -> None:
    gate = threading.Barrier(4)
    cities = ["Berlin", "Rome", "Oslo", "Paris"]

    def ask(city: str) -> list[Any]:
        gate.wait()
        return [run("count", where=[where("city", "=", city)]).value for _ in range(25)]

    with ThreadPoolExecutor(4) as pool:
        answers = dict(zip(cities, pool.map(ask, cities), strict=True))
    assert answers == {"Berlin": [2] * 25, "Rome": [1] * 25, "Oslo": [0] * 25, "Paris": [2] * 25}


def test_cells_of_any_json_survive_the_way_into_the_table() -> None:
    rows: list[dict[str, Any]] = [
        {"mixed": "x", "number": 1, "huge": 10**400, "odd": "half \ud800 pair", "none": None},
        {"mixed": True, "number": 2.5, "huge": 1, "odd": "日本", "none": None},
        {"mixed": 7, "number": 2**63, "odd": {"value": 3, "description": "card"}},
    ]
    table = table_from_rows(rows, source="s")
    assert table.rows(0, 3) == [
        ("x", 1.0, str(10**400), "half ? pair", None),
        ("true", 2.5, "1", "日本", None),
        ("7", float(2**63), None, "3", None),
    ]


PAIRS: list[dict[str, Any]] = [
    {"day": f"2024-01-{i + 1:02}", "high": h, "low": low}
    for i, (h, low) in enumerate(
        [(237.49, 232.37), (233.85, 233.61), (5, None), (2.5, 4.25), (None, 1)]
    )
]
PAIRED = pd.DataFrame(PAIRS)


@pytest.mark.parametrize("row", [0, 1, 3])
@pytest.mark.parametrize("how", ["absolute", "gap", "percent"])
def test_one_column_is_taken_off_another_in_a_row(row: int, how: str) -> None:
    table = table_from_rows(PAIRS, source="s")
    high, low = Decimal(str(PAIRS[row]["high"])), Decimal(str(PAIRS[row]["low"]))
    truth = {"absolute": high - low, "gap": abs(high - low), "percent": (high - low) / low * 100}[
        how
    ]
    where = [{"column": "day", "op": "=", "value": PAIRS[row]["day"]}]
    asked = {"source": "s", "column": "high", "less": "low", "how": how, "where": where}
    result = INTERFACES["between"].run(table, asked)
    assert result.value == pytest.approx(float(truth), rel=1e-12)
    assert how == "percent" or result.value == float(truth)  # without the noise of binary fractions
    assert result.unit == ("%" if how == "percent" else None)
    assert [(c.row, c.column, c.value) for c in result.cells] == [
        (row, "high", float(high)),
        (row, "low", float(low)),
    ]


@pytest.mark.parametrize("aggregate", ["sum", "mean"])
def test_of_several_rows_the_differences_are_added_up_or_averaged_where_both_cells_are_there(
    aggregate: str,
) -> None:
    table = table_from_rows(PAIRS, source="s")
    asked = {"source": "s", "column": "high", "less": "low", "aggregate": aggregate}
    result = INTERFACES["between"].run(table, asked)
    apart = (PAIRED["high"] - PAIRED["low"]).dropna()
    assert result.value == pytest.approx(apart.agg(aggregate), rel=1e-12)
    assert (result.matched, len(result.cells)) == (len(apart), 2 * len(apart))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"less": "low"}, "3 rows meet the conditions"),
        ({"less": "low", "how": "percent", "aggregate": "sum"}, "3 rows meet the conditions"),
        ({"less": "day"}, "contains no numbers"),
        ({"less": "nope"}, "no column"),
        ({"less": "low", "where": [where("day", "=", "2024-01-03")]}, "No row"),
    ],
)
def test_what_cannot_be_taken_off_is_told(arguments: dict[str, Any], error: str) -> None:
    table = table_from_rows(PAIRS, source="s")
    with pytest.raises(KernelError, match=error) as caught:
        INTERFACES["between"].run(table, {"source": "s", "column": "high", **arguments})
    assert caught.value.remedy


@pytest.mark.parametrize("interface", ["sum", "mean", "median", "count"])
@pytest.mark.parametrize("least", [None, 10, 30])
def test_what_many_cells_make_says_where_the_last_of_them_stands(
    interface: str, least: int | None
) -> None:
    kept = [i for i, row in enumerate(ROWS) if least is None or row["sold"] >= least]
    conditions = [] if least is None else [where("sold", ">=", least)]
    column = {} if interface == "count" else {"column": "sold"}
    result = run(interface, where=conditions, **column)
    assert result.reach
    assert (result.cells[0].row, result.reach.last, result.matched) == (
        kept[0],
        kept[-1],
        len(kept),
    )


@pytest.mark.parametrize(
    ("name", "each", "additive"),
    [("pop", 1, False), ("m1", 1, False), ("人口", 1, False), ("库存", 1, False), ("Stock on hand", 1, False),
     ("pop", 2, True), ("sold", 1, True), ("gas_m3", 1, True)],
)  # fmt: skip
def test_stocks_are_not_added_up_over_time_where_a_row_is_a_point_in_time(
    name: str, each: int, additive: bool
) -> None:
    rows = [
        {"year": 2000 + i // 4, "quarter": 1 + i % 4, "city": f"c{city}", name: 100 + i}
        for i in range(24)
        for city in range(each)
    ]
    column = profile(table_from_rows(rows, source="s"), "t").columns[-1]
    assert (column.name, column.additive) == (name, additive)
    things = [
        {"item": f"item {i}", "expires": f"2026-01-{i + 1:02}", name: 3 + i} for i in range(20)
    ]
    assert profile(table_from_rows(things, source="s"), "t").columns[-1].additive
