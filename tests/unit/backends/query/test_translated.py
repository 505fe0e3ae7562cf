"""Chinese questions about tables with English column names, and English ones about Chinese names,
against pandas.
"""

from __future__ import annotations

import datetime as dt
from importlib.resources import files
from typing import Any

import pandas as pd
import pytest

from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.table import Table, table_from_rows
from backends.data.values import Profile
from backends.query.decide import decide
from backends.query.lexicon import lexicon
from backends.query.parser import parse
from backends.query.translated import dictionary, english_of

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
    opened, known = TABLES[table]
    candidates = parse(question, [known], today=NOW)
    assert decide(candidates, None).decision in ("answer", "confirm")
    rows = run_query(candidates[0].query, {table: opened}).rows
    expected = pd.DataFrame(ROWS[table]).groupby(group)[measure].agg(how).to_dict()
    assert {row[0]: row[1] for row in rows} == pytest.approx(expected)


WORDS = lexicon(("en", "zh"))


def says(said: str, name: str) -> bool:
    """Return whether Chinese words say all words of an English name."""
    return frozenset(WORDS.key(word) for word in name.split()) in english_of(said, WORDS)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("new cases", "新增病例"),
        ("new cases", "新增的病例"),
        ("new cases", "新增病例数"),
        ("health board", "卫生局"),
        ("beds", "床位数"),
        ("customer birth date", "客户出生日期"),
        ("unit price", "单价"),
        ("admissions", "入院人数"),
        ("gross margin", "毛利率"),
    ],
)
def test_chinese_words_beside_each_other_say_all_words_of_a_name(name: str, said: str) -> None:
    assert says(said, name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("new cases", "病例"),
        ("new cases", "新增床位和病例"),
        ("population", "人口密度"),
        ("unit", "单价"),
        ("growth", "人口增长率"),
    ],
)
def test_words_that_say_a_part_of_a_name_do_not_say_it_whole(name: str, said: str) -> None:
    assert not says(said, name)


@pytest.mark.parametrize("name", ["terms", "glossary"])
def test_no_word_stands_twice_in_a_list(name: str) -> None:
    lines = (files("resources.language") / f"{name}.yaml").read_text("utf-8").splitlines()
    keys = [line.split(":")[0] for line in lines if line and not line.startswith("#")]
    assert len(keys) == len(set(keys))


def test_terms_are_many_and_written_as_names_are_compared() -> None:
    assert len(dictionary()) >= 2000
    names = [name for names in dictionary().values() for name in names]
    assert all(word and word == word.lower() for name in names for word in name)
