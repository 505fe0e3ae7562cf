"""Marks of exams now and then: several rows a day, one column of numbers, parts of a whole; against
pandas.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pandas as pd
import pytest

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.workflow.output import Chart, OutputSheet, OutputValue
from backends.data.workflow.run import run_workflow
from backends.planning import plan

NOW = dt.datetime(2026, 6, 15, 20)
DAYS = ("2025-10-16", "2025-12-18", "2026-03-12", "2026-05-07")
ROWS: list[dict[str, Any]] = [
    {"考试日": day, "姓名": f"{name}{klass}", "班级": f"初二{klass}班", "科目": subject, "成绩": 60 + (7 * d + 11 * s + 5 * k + 3 * n) % 37}
    for d, day in enumerate(DAYS)
    for s, subject in enumerate(("地理", "历史", "生物"))
    for k, klass in enumerate("一二三")
    for n, name in enumerate(("林", "陈", "吴", "何"))
]  # fmt: skip
FRAME = pd.DataFrame(ROWS)
TABLE = table_from_rows(ROWS, source="marks", hash_="m")
KNOWN = profile(TABLE, "统考成绩")


def last(question: str) -> Any:
    """Return what a request ends with; nothing of it may be left unread or doubted."""
    made = asyncio.run(plan(question, [KNOWN], now=NOW))
    assert made is not None
    assert not made.unread
    assert not made.doubts
    finished = run_workflow(made.workflow, lambda _: TABLE)
    assert not finished.failed
    return finished.done[-1].output


def test_the_only_column_of_numbers_is_meant_by_a_mean() -> None:
    shown = last("2026年5月7日地理每班的平均分，按从高到低")
    own = FRAME[(FRAME.考试日 == DAYS[3]) & (FRAME.科目 == "地理")].groupby("班级").成绩.mean()
    assert isinstance(shown, Chart)
    trace = shown.figure["data"][0]
    assert dict(zip(trace["x"], trace["y"], strict=True)) == pytest.approx(own.to_dict())


def test_each_exam_has_a_point() -> None:
    shown = last("林一每次考试的总分走势")
    own = FRAME[FRAME.姓名 == "林一"].groupby("考试日").成绩.sum()
    assert isinstance(shown, Chart)
    assert shown.figure["data"][0]["y"] == pytest.approx(own.tolist())


def test_a_part_of_the_whole_is_one_number() -> None:
    shown = last("历史的成绩占全部成绩的百分比是多少")
    assert isinstance(shown, OutputValue)
    own = FRAME.groupby("科目").成绩.sum()
    assert shown.value == pytest.approx(100 * own["历史"] / own.sum())


def test_parts_of_the_whole_are_told_for_each_of_a_kind() -> None:
    shown = last("各科目成绩占比，列表")
    own = FRAME.groupby("科目").成绩.sum()
    assert isinstance(shown, OutputSheet)
    rows = shown.table.rows(0, 9)
    assert {row[0]: row[1] for row in rows} == pytest.approx((100 * own / own.sum()).to_dict())
