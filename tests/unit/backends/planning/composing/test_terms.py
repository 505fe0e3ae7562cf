"""Chinese requests over tables with English column names, and English ones over Chinese names,
against pandas.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from importlib.resources import files
from typing import Any

import pandas as pd
import pytest

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.table import Table
from backends.data.values import Profile
from backends.data.workflow.output import Chart, OutputSheet
from backends.data.workflow.run import run_workflow
from backends.planning import plan
from backends.planning.composing.mentions import compounds, phrases, terms

NOW = dt.datetime(2025, 7, 10, 20, 0)
BOARDS = ("Harrow", "Millom", "Tain", "Wick")
HEALTH = [
    {"Report Date": f"2024-{m:02}-03", "Health Board": b, "New Cases": 20 + 3 * k + (m * (k + 3)) % 11, "Total Cases": 900 + 31 * m + 70 * k, "hospital_admissions": 4 + (m * 5 + k * 3) % 7, "Length of Stay": 3 + (m + 2 * k) % 4}
    for m in range(1, 13)
    for k, b in enumerate(BOARDS)
]  # fmt: skip
PARCELS = [
    {"depotDate": f"2024-{m:02}-05", "courierName": c, "parcelsOut": 300 + 40 * k + (m * 17) % 29, "parcelsIn": 210 + 25 * k + (m * 13) % 31, "lateRate": 0.02 + 0.01 * k + 0.001 * m}
    for m in range(1, 13)
    for k, c in enumerate(("Bolt", "Dart", "Finch"))
]  # fmt: skip
WARDS = [
    {"日期": f"2024-{m:02}-07", "医院": h, "入院人数": 80 + 9 * k + (m * 7) % 13, "新增病例": 30 + 4 * k + (m * 5) % 9, "累计病例": 700 + 20 * m + 50 * k, "床位数": 120 + 30 * k}
    for m in range(1, 13)
    for k, h in enumerate(("东湖", "南山", "北城"))
]  # fmt: skip
ROWS: dict[str, list[dict[str, Any]]] = {"health": HEALTH, "parcels": PARCELS, "wards": WARDS}
TABLES: dict[str, tuple[Table, Profile]] = {}
for name, title in (("health", "Weekly returns"), ("parcels", "Sheet4"), ("wards", "月报")):
    opened = table_from_rows(ROWS[name], source=name, hash_=name)
    TABLES[name] = (opened, profile(opened, title))


def bars(table: str, question: str) -> dict[Any, Any]:
    """Return the bars a request of one table ends with; every word of it must have been
    understood.
    """
    made = asyncio.run(plan(question, [TABLES[table][1]], now=NOW))
    assert made is not None, question
    assert not made.unread, made.unread
    finished = run_workflow(made.workflow, lambda uid: TABLES[uid][0])
    assert not finished.failed, finished.failed
    shown = finished.done[-1].output
    if isinstance(shown, OutputSheet):
        return {row[0]: row[1] for row in shown.table.rows(0, 100)}
    assert isinstance(shown, Chart)
    trace = shown.figure["data"][0]
    return dict(zip(trace["x"], trace["y"], strict=True))


GROUPED = [
    ("health", "2024年各卫生局新增病例合计", "Health Board", "New Cases", "sum"),
    ("health", "2024年每个卫生局的入院人数合计", "Health Board", "hospital_admissions", "sum"),
    ("health", "2024年各卫生局平均住院天数", "Health Board", "Length of Stay", "mean"),
    ("parcels", "2024年各快递公司发件量合计", "courierName", "parcelsOut", "sum"),
    ("parcels", "2024年按快递公司看收件量合计", "courierName", "parcelsIn", "sum"),
    ("wards", "total admissions by hospital in 2024", "医院", "入院人数", "sum"),
    ("wards", "average new cases for each hospital in 2024", "医院", "新增病例", "mean"),
    ("wards", "average beds for each hospital in 2024", "医院", "床位数", "mean"),
]


@pytest.mark.parametrize(("table", "question", "group", "measure", "how"), GROUPED)
def test_a_group_and_a_measure_are_found_in_the_other_language(
    table: str, question: str, group: str, measure: str, how: str
) -> None:
    expected = pd.DataFrame(ROWS[table]).groupby(group)[measure].agg(how).to_dict()
    assert bars(table, question) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("New Cases", "新增病例"),
        ("newCases", "新增的病例"),
        ("new_cases", "新增病例数"),
        ("Health Board", "卫生局"),
        ("Number of Beds", "床位数"),
        ("Customer Birth Date", "客户出生日期"),
        ("unit_price", "单价"),
    ],
)
def test_chinese_words_beside_each_other_say_all_words_of_a_name(name: str, said: str) -> None:
    assert said in dict(compounds(name, f"各地的{said}是多少"))


def test_words_that_say_only_a_part_of_a_name_do_not_say_it_whole() -> None:
    assert not compounds("New Cases", "各地的病例")
    assert not compounds("New Cases", "新增床位和病例")
    assert "人口密度" not in dict(compounds("Population", "人口密度"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("入院人数", "admissions"),
        ("新增病例", "new cases"),
        ("发件量", "parcels sent"),
        ("毛利率", "gross margin"),
        ("客户出生日期", "customer birth date"),
    ],
)
def test_a_chinese_name_is_called_in_english(name: str, said: str) -> None:
    assert dict(phrases(name, "")).get(said, 0) >= 1.15


def test_an_english_word_of_a_longer_name_is_not_the_name() -> None:
    assert "unit" not in dict(phrases("单价", ""))
    assert "growth" not in dict(phrases("人口增长率", ""))


@pytest.mark.parametrize(
    "path", ["resources/language/terms.yaml", "resources/language/glossary.yaml"]
)
def test_no_word_stands_twice_in_a_list(path: str) -> None:
    folder, name = path.rsplit("/", 1)
    lines = (files(folder.replace("/", ".")) / name).read_text("utf-8").splitlines()
    keys = [line.split(":")[0] for line in lines if line and not line.startswith("#")]
    assert len(keys) == len(set(keys))


def test_terms_are_many_and_written_as_names_are_compared() -> None:
    assert len(terms()) >= 2000
    assert all(
        all(w and w == w.lower() for w in name) for names in terms().values() for name in names
    )


def test_a_wide_table_is_read_quickly() -> None:
    wide = [
        {
            f"{a} {b}": i + k
            for k, (a, b) in enumerate(
                (a, b)
                for a in ("New", "Total", "Daily", "Home", "Away")
                for b in ("Cases", "Goals", "Sales", "Orders", "Beds", "Visits")
            )
        }
        | {"Store Name": f"S{i}", "Order Date": f"2024-01-{i + 1:02}"}
        for i in range(20)
    ]
    about = profile(table_from_rows(wide, source="wide", hash_="wide"), "Wide")
    asyncio.run(plan("各门店新增病例合计", [about], now=NOW))
    taken: list[float] = []
    for question in ("各门店主队进球合计", "每个门店的新增订单平均值", "各门店总病例合计"):
        start = time.process_time()
        asyncio.run(plan(question, [about], now=NOW))
        taken.append(time.process_time() - start)
    assert min(taken) < 0.1, taken  # seconds
