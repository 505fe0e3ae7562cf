"""Selecting, merging, stacking, pivoting and ranking, against pandas."""

from __future__ import annotations

import pandas as pd
import pytest

from backends.data.errors import NothingSelected, UnknownColumn, WrongArguments
from tests.unit.backends.data.workflow.conftest import PRICES, Run, frame_of, value_of

ALL = (
    "read_series",
    {"source": "prices", "time": ["day"], "columns": ["close", "vol"], "by": "stock"},
)
ALPHA = ("read_series", ALL[1] | {"entities": ["Alpha"]})
BETA = ("read_series", ALL[1] | {"entities": ["Beta"], "end": "2022-06-30"})


def test_columns_and_rows_are_kept(run: Run) -> None:
    made = frame_of(
        run(
            ALL,
            (
                "select",
                {
                    "data": "r1",
                    "columns": ["vol"],
                    "where": [{"column": "vol", "op": ">", "value": 8000}],
                    "n": 5,
                },
            ),
        )
    )
    assert made.vol.tolist() == PRICES.vol[PRICES.vol > 8000].head(5).tolist()
    with pytest.raises(NothingSelected):
        run(
            ALL, ("select", {"data": "r1", "where": [{"column": "vol", "op": ">", "value": 10**9}]})
        )
    with pytest.raises(UnknownColumn):
        run(ALL, ("select", {"data": "r1", "columns": ["nope"]}))


@pytest.mark.parametrize("row", [0, 3, -1, -2])
def test_one_cell_is_read(run: Run, row: int) -> None:
    assert (
        value_of(run(ALPHA, ("read_value", {"data": "r1", "column": "close", "row": row})))
        == PRICES[PRICES.stock == "Alpha"].close.iloc[row]
    )


def test_a_row_that_is_not_there_is_told(run: Run) -> None:
    with pytest.raises(NothingSelected, match="no row"):
        run(ALPHA, ("read_value", {"data": "r1", "column": "close", "row": 100_000}))


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
def test_results_are_joined_side_by_side(run: Run, how: str) -> None:
    made = frame_of(
        run(ALPHA, BETA, ("merge", {"left": "r1", "right": "r2", "on": ["day"], "how": how}))
    )
    alpha, beta = (
        PRICES[PRICES.stock == "Alpha"],
        PRICES[(PRICES.stock == "Beta") & (PRICES.day <= "2022-06-30")],
    )
    wanted = alpha.merge(beta, on="day", how=how, suffixes=("", " 2"))
    assert made.day.tolist() == wanted.day.tolist()
    assert made["close 2"].tolist() == pytest.approx(wanted["close 2"].tolist(), nan_ok=True)


def test_results_are_joined_only_on_columns_of_one_kind(run: Run) -> None:
    rename = ("rename", {"data": "r2", "names": {"stock": "name", "close": "stock"}})
    with pytest.raises(WrongArguments, match="number and text"):
        run(ALPHA, BETA, rename, ("merge", {"left": "r1", "right": "r3", "on": ["stock"]}))


def test_results_are_stacked(run: Run) -> None:
    made = frame_of(
        run(ALPHA, BETA, ("stack", {"data": ["r1", "r2"], "label": "from", "names": ["a", "b"]}))
    )
    assert made["from"].value_counts().to_dict() == {
        "a": (PRICES.stock == "Alpha").sum(),
        "b": ((PRICES.stock == "Beta") & (PRICES.day <= "2022-06-30")).sum(),
    }


@pytest.mark.parametrize("how", ["sum", "last", "mean"])
def test_values_become_columns(run: Run, how: str) -> None:
    made = frame_of(
        run(
            ALL,
            (
                "pivot",
                {
                    "data": "r1",
                    "rows": "day",
                    "columns": "stock",
                    "value": "close",
                    "aggregate": how,
                },
            ),
        )
    )
    wanted = PRICES.pivot_table(index="day", columns="stock", values="close", aggfunc=how)
    assert made.columns.tolist() == ["day", "Alpha", "Beta", "Gamma"]
    for name in ("Alpha", "Gamma"):
        assert made[name].tolist() == pytest.approx(wanted[name].tolist(), nan_ok=True)


def test_rows_are_ranked(run: Run) -> None:
    made = frame_of(run(ALL, ("rank", {"data": "r1", "by": "vol", "n": 10})))
    assert made.vol.tolist() == PRICES.vol.nlargest(10).tolist()
    made = frame_of(run(ALL, ("rank", {"data": "r1", "by": "close", "descending": False, "n": 4})))
    assert made.close.tolist() == PRICES.close.nsmallest(4).tolist()


def earned(name: str) -> float:
    """Return what one earned in 2023."""
    own = PRICES[(PRICES.stock == name) & (PRICES.day >= "2023-01-01")].close
    return 100 * (own.iloc[-1] / own.iloc[0] - 1)


def test_an_interface_is_used_for_each_member_and_ranked(run: Run) -> None:
    members = (
        "read_constituents",
        {
            "source": "members",
            "group": "index_name",
            "name": "Big",
            "members": ["con_name"],
            "time": ["trade_date"],
        },
    )
    loop = {
        "data": "r1",
        "column": "con_name",
        "interface": "total_return",
        "arguments": {
            "source": "prices",
            "value": "close",
            "time": ["day"],
            "by": "stock",
            "start": "2023-01-01",
        },
    }
    made = frame_of(run(members, ("loop_rank", loop)))
    wanted = sorted(((earned(n), n) for n in ("Alpha", "Gamma")), reverse=True)
    assert made.con_name.tolist() == [name for _, name in wanted]
    assert made["return %"].tolist() == pytest.approx([value for value, _ in wanted])


def test_a_member_without_rows_stands_last(run: Run) -> None:
    names = ("read_rows", {"source": "members", "columns": ["index_name", "con_name"]})
    loop = {
        "data": "r1",
        "column": "index_name",
        "interface": "total_return",
        "arguments": {"source": "prices", "value": "close", "time": ["day"], "by": "stock"},
    }
    with pytest.raises(NothingSelected, match="for these"):
        run(names, ("loop_rank", loop))
    with pytest.raises(WrongArguments, match="returns no value"):
        run(
            names,
            (
                "loop_rank",
                loop
                | {
                    "interface": "read_series",
                    "argument": "entities.0",
                    "arguments": {
                        "source": "prices",
                        "time": ["day"],
                        "columns": ["close"],
                        "entities": [""],
                    },
                },
            ),
        )


def test_columns_get_other_names(run: Run) -> None:
    made = frame_of(run(ALL, ("rename", {"data": "r1", "names": {"vol": "volume"}})))
    assert made.columns.tolist() == ["day", "stock", "close", "volume"]
    with pytest.raises(WrongArguments, match="the same name"):
        run(ALL, ("rename", {"data": "r1", "names": {"vol": "close"}}))
    assert isinstance(made, pd.DataFrame)
