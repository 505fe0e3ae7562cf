"""Rows of a source by entity, range, point in time and group, against pandas."""

from __future__ import annotations

import pandas as pd
import pytest

from backends.data.errors import NothingSelected, WrongArguments
from tests.unit.backends.data.workflow.conftest import GDP, MEMBERS, PRICES, Run, frame_of


def test_a_series_of_one_entity_in_a_range(run: Run) -> None:
    made = frame_of(
        run(("read_series", {"source": "prices", "time": ["day"], "columns": ["close"], "by": "stock", "entities": ["Alpha"], "start": "2022-03-01", "end": "2022-04-15"}))
    )  # fmt: skip
    wanted = PRICES[(PRICES.stock == "Alpha") & PRICES.day.between("2022-03-01", "2022-04-15")]
    assert made.day.tolist() == wanted.day.tolist()
    assert made.close.tolist() == wanted.close.tolist()


def test_a_series_of_two_entities_stands_in_times_order(run: Run) -> None:
    made = frame_of(
        run(("read_series", {"source": "prices", "time": ["day"], "columns": ["close", "vol"], "by": "stock", "entities": ["beta", "Alpha"]}))
    )  # fmt: skip
    wanted = PRICES[PRICES.stock.isin(["Alpha", "Beta"])]
    assert (
        made[["day", "stock", "close", "vol"]].values.tolist()
        == wanted[["day", "stock", "close", "vol"]].values.tolist()
    )


@pytest.mark.parametrize(
    ("every", "rule"), [("week", "W"), ("month", "ME"), ("quarter", "QE"), ("year", "YE")]
)
@pytest.mark.parametrize("how", ["sum", "mean", "last", "max", "count"])
def test_a_series_by_period_is_what_pandas_resamples(
    run: Run, every: str, rule: str, how: str
) -> None:
    made = frame_of(
        run(("read_series", {"source": "prices", "time": ["day"], "columns": ["close"], "by": "stock", "entities": ["Beta"], "every": every, "aggregate": how}))
    )  # fmt: skip
    own = PRICES[PRICES.stock == "Beta"]
    wanted = getattr(own.set_index(pd.to_datetime(own.day)).close.resample(rule), how)()
    assert made.day.tolist() == wanted.index.strftime("%Y-%m-%d").tolist()
    assert made.close.tolist() == pytest.approx(wanted.tolist())


def test_rows_are_counted_by_period(run: Run) -> None:
    made = frame_of(run(("read_series", {"source": "prices", "time": ["day"], "every": "year"})))
    assert made.rows.tolist() == PRICES.groupby(PRICES.day.str[:4]).size().tolist()


def test_written_quarters_count_as_their_last_day(run: Run) -> None:
    made = frame_of(
        run(("read_series", {"source": "gdp", "time": ["quarter"], "columns": ["gdp_yoy"], "start": "2012-07-11", "end": "2022-07-11"}))
    )  # fmt: skip
    assert made.date.tolist()[0] == "2012-09-30"
    assert made.date.tolist()[-1] == "2022-06-30"
    assert made.gdp_yoy.tolist() == pytest.approx(GDP.gdp_yoy[10:50].tolist())


def test_a_cross_section_has_the_newest_row_until_a_day(run: Run) -> None:
    made = frame_of(
        run(("read_cross_section", {"source": "prices", "by": "stock", "columns": ["close"], "time": ["day"], "at": "2022-03-05"}))
    )  # fmt: skip
    wanted = PRICES[PRICES.day <= "2022-03-05"].groupby("stock").tail(1).set_index("stock").close
    assert dict(zip(made.stock, made.close, strict=True)) == wanted.to_dict()


def test_a_cross_section_of_a_day_that_is_exact_has_no_other(run: Run) -> None:
    with pytest.raises(NothingSelected):
        run(
            (
                "read_cross_section",
                {
                    "source": "prices",
                    "by": "stock",
                    "columns": ["close"],
                    "time": ["day"],
                    "at": "2022-03-05",
                    "exact": True,
                },
            )
        )


@pytest.mark.parametrize(
    ("at", "members"), [("2022-12-31", ["Alpha", "Beta"]), (None, ["Alpha", "Gamma"])]
)
def test_members_are_those_of_the_newest_list(run: Run, at: str | None, members: list[str]) -> None:
    made = frame_of(
        run(("read_constituents", {"source": "members", "group": "index_name", "name": "big", "members": ["con_name"], "time": ["trade_date"], "at": at}))
    )  # fmt: skip
    assert made.con_name.tolist() == members
    assert len(MEMBERS) == 6


def test_rows_are_read_ordered_and_once(run: Run) -> None:
    made = frame_of(
        run(
            (
                "read_rows",
                {
                    "source": "prices",
                    "columns": ["stock"],
                    "distinct": True,
                    "order_by": "stock",
                    "descending": True,
                },
            )
        )
    )
    assert made.stock.tolist() == ["Gamma", "Beta", "Alpha"]
    made = frame_of(
        run(("read_rows", {"source": "prices", "columns": ["close"], "order_by": "close", "n": 3}))
    )
    assert made.close.tolist() == PRICES.close.nsmallest(3).tolist()


def test_what_is_not_there_is_told(run: Run) -> None:
    with pytest.raises(NothingSelected, match="No row"):
        run(
            (
                "read_series",
                {
                    "source": "prices",
                    "time": ["day"],
                    "columns": ["close"],
                    "by": "stock",
                    "entities": ["Nobody"],
                },
            )
        )
    with pytest.raises(WrongArguments, match="point in time"):
        run(("read_series", {"source": "prices", "time": ["stock"], "columns": ["close"]}))
