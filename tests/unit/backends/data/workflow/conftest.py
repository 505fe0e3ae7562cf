"""Prices, members and quarters, once as pandas has them and once as tables of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backends.data.table import Table, table_from_rows
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import (
    Chart,
    Output,
    OutputFrame,
    OutputSheet,
    OutputValue,
    Step,
    Workflow,
)


def made_prices() -> pd.DataFrame:
    """Two years of three shares' days, one of them with holes."""
    chance = np.random.default_rng(7)
    days = pd.bdate_range("2022-01-03", "2023-12-29")
    parts = []
    for name, start in (("Alpha", 20.0), ("Beta", 80.0), ("Gamma", 5.0)):
        close = start * np.exp(np.cumsum(chance.normal(0.0004, 0.015, len(days))))
        open_ = close * (1 + chance.normal(0, 0.004, len(days)))
        part = pd.DataFrame(
            {
                "day": days.strftime("%Y-%m-%d"),
                "stock": name,
                "open": open_.round(3),
                "high": (np.maximum(open_, close) * 1.01).round(3),
                "low": (np.minimum(open_, close) * 0.99).round(3),
                "close": close.round(3),
                "vol": chance.integers(1000, 9000, len(days)),
            }
        )
        parts.append(part.drop(part.index[40:45]) if name == "Gamma" else part)
    return pd.concat(parts).sort_values(["day", "stock"]).reset_index(drop=True)


PRICES = made_prices()
MEMBERS = pd.DataFrame(
    {
        "index_name": ["Big", "Big", "Small", "Big", "Big", "Small"],
        "con_name": ["Alpha", "Beta", "Gamma", "Alpha", "Gamma", "Beta"],
        "trade_date": ["2022-06-30"] * 3 + ["2023-06-30"] * 3,
    }
)
GDP = pd.DataFrame(
    {
        "quarter": [f"{y}Q{q}" for y in range(2010, 2023) for q in range(1, 5)],
        "gdp_yoy": [8 - 0.05 * i + (i % 4) * 0.3 for i in range(52)],
        "cpi": [2 + 0.02 * i for i in range(52)],
    }
)


def table_of(frame: pd.DataFrame, name: str) -> Table:
    """Return a table of ours."""
    return table_from_rows(frame.to_dict("records"), source=name, hash_=name)


@pytest.fixture(scope="session")
def tables() -> dict[str, Table]:
    """The tables by their uuid."""
    return {
        name: table_of(f, name)
        for name, f in (("prices", PRICES), ("members", MEMBERS), ("gdp", GDP))
    }


Run = Callable[..., Output]


@pytest.fixture
def run(tables: dict[str, Table]) -> Run:
    """Run steps, given as (interface, arguments), results r1, r2 …; return what the last one
    gives.
    """

    def go(*steps: tuple[str, dict[str, Any]]) -> Output:
        made = [Step(id=f"r{i + 1}", interface=n, arguments=a) for i, (n, a) in enumerate(steps)]
        finished = run_workflow(Workflow(steps=made), tables.__getitem__)
        for done in finished.done:
            if done.error is not None:
                raise done.error
        output = finished.done[-1].output
        assert output is not None
        return output

    return go


def frame_of(output: Output) -> pd.DataFrame:
    """Return rows as pandas has them."""
    assert isinstance(output, OutputFrame | OutputSheet)
    names = [c.name for c in output.table.columns]
    return pd.DataFrame(output.table.rows(0, output.table.count()), columns=names)


def value_of(output: Output) -> Any:
    """Return a value."""
    assert isinstance(output, OutputValue)
    return output.value


def figure_of(output: Output) -> dict[str, Any]:
    """Return a figure."""
    assert isinstance(output, Chart)
    return output.figure
