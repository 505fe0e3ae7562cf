"""Questions about sheets that people keep of their trips, quizzes, freezers, flats and marks."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.query.decide import decide
from backends.query.parser import annotated, parse, rank

TODAY = dt.date(2026, 6, 15)
Facts = tuple[tuple[str, ...], list[tuple[Any, ...]]]
TABLES: dict[str, Facts] = {
    "Barn lets": (
        ("Booked on", "Guest", "Arrive", "Nights", "Price per night (£)", "Owing (£)", "Form back"),
        [
            ("2026-01-02", "Patel", "2026-06-18", 7, 80, 0, "2026-02-01"),
            ("2026-02-12", "Lind", "2026-07-03", 3, 95, 120, None),
            ("2026-03-05", "Ross", "2026-06-25", 7, 80, 300, "2026-04-11"),
            ("2026-03-05", "Kemp", "2026-08-01", 2, 99, 45, None),
        ],
    ),
    "Pub quiz": (
        ("Date", "Team", "Music", "Score", "Place"),
        [
            ("2026-03-26", "Foxes", 7, 41, 1),
            ("2026-03-26", "Owls", 5, 38, 2),
            ("2026-04-02", "Foxes", 6, 33, 3),
            ("2026-04-02", "Owls", 8, 44, 1),
            ("2026-04-09", "Newts", 4, 45, 1),
        ],
    ),
    "Freezer": (
        ("Item", "Weight (g)", "Portions", "Frozen on", "Use by", "Home made"),
        [
            ("gammon", 925, 4, "2026-02-03", "2026-06-01", "N"),
            ("peas", 400, 6, "2025-11-20", "2026-05-30", "N"),
            ("soup", 1200, 5, "2026-03-09", "2026-09-09", "Y"),
        ],
    ),
    "Loco sheds": (
        ("No.", "Company", "Maker", "Price (£)"),
        [(11, "LMS", "Hornby", 50), (12, "BR", "Hornby", 40), (13, "LMS", "Dapol", 99)],
    ),
    "Gala": (
        ("Event", "Stroke", "m", "Swimmer", "Time s"),
        [
            (1, "Free", 50, "Gray", 29.05),
            (2, "Back", 100, "Nash", 76.79),
            (2, "Back", 100, "Reed", 78.72),
            (3, "Back", 50, "Brook", 35.1),
            (4, "Free", 100, "Gray", 61.0),
        ],
    ),
    "出租登记": (
        ("房号", "楼层", "租客", "押金(元)", "付款方式"),
        [
            (601, 6, "黄红霞", 900, "季付"),
            (602, 6, "陈立新", 800, "月付"),
            (301, 3, "林佳琪", 700, "季付"),
        ],
    ),
    "高铁票": (
        ("出发日期", "出发站", "到达站", "票价(元)", "满意度"),
        [
            ("2026-02-01", "武汉", "上海", 300, 5),
            ("2026-02-05", "上海", "武汉", 310, 4),
            ("2026-03-01", "武汉", "长沙", 160, 5),
        ],
    ),
    "茶叶存货": (
        ("茶名", "茶类", "进价(元/斤)", "库存(斤)", "进货日期"),
        [
            ("龙井", "绿茶", 600, 10, "2026-05-17"),
            ("碧螺春", "绿茶", 400, 30, "2026-01-02"),
            ("祁门", "红茶", 200, 20, "2025-10-02"),
        ],
    ),
    "老爸血压": (
        ("日期", "早晚", "高压", "心率"),
        [
            ("2026-05-01", "早", 150, 60),
            ("2026-05-01", "晚", 140, 61),
            ("2026-05-02", "早", 173, 70),
            ("2026-05-03", "早", 160, 75),
        ],
    ),
    "Guest list": (
        ("Guest", "Side", "Seats", "Replied", "RSVP", "Hotel £"),
        [
            ("Iyer", "groom", 4, "2026-05-01", "yes", 90),
            ("Kaur", "groom", 3, None, None, None),
            ("Rao", "bride", 8, "2026-04-20", "no", None),
            ("Shah", "bride", 2, "2026-05-09", "yes", 120),
        ],
    ),
    "Lift calls": (
        ("Job", "Date", "Called", "Arrived", "Site", "Fault"),
        [
            (3301, "2026-03-01", "09:29", "10:39", "Quay", "doors"),
            (3302, "2026-02-16", "15:43", "16:13", "Mater", "doors"),
            (3303, "2026-04-05", "08:10", "08:20", "Quay", "noise"),
        ],
    ),
    "Cricket": (
        ("Date", "Opponent", "Toss", "Result"),
        [
            ("2026-04-05", "Bulls", "won", "Lost"),
            ("2026-04-12", "Royals", "lost", "Won"),
            ("2026-04-19", "Bulls", "won", "Won"),
            ("2026-04-26", "Royals", "lost", "Won"),
        ],
    ),
    "Road defects": (
        ("Reported", "Road", "Defect", "Complaints", "Mended", "Via"),
        [
            ("2026-01-03", "Quarry Road", "pothole", 5, "2026-01-09", "phone"),
            ("2026-03-04", "Quarry Road", "kerb", 1, None, "web"),
            ("2026-03-06", "Beacon Lane", "pothole", 1, "2026-04-01", "web"),
        ],
    ),
    "闲鱼出货": (
        ("物品", "标价(元)", "体重(kg)", "日期", "首发年份"),
        [
            ("音箱", 100, 71.0, "2026-03-01", 1958),
            ("路由器", 99.5, 70.5, "2026-04-01", 1960),
            ("婴儿车", 300, 71.4, "2026-05-01", 1971),
            ("主机", 1200, None, "2026-06-01", 1959),
        ],
    ),
    "銭湯の記録": (
        ("日付", "銭湯名", "湯温(℃)"),
        [
            ("2026-06-06", "松の湯", 43.0),
            ("2026-06-07", "梅の湯", 44.0),
            ("2026-06-08", "松の湯", 45.5),
            ("2026-06-13", "竹の湯", 42.0),
        ],
    ),
    "五月月考": (
        ("学号", "姓名", "英语"),
        [("001", "王梓", 100), ("002", "李欣", 99), ("003", "张浩", 120)],
    ),
}


def answers(name: str, question: str) -> list[Any]:
    """Return the cells of the first reading's result, or nothing where none is answered."""
    names, facts = TABLES[name]
    table = table_from_rows([dict(zip(names, fact, strict=True)) for fact in facts], source="s")
    decided = decide(parse(question, [profile(table, name)], today=TODAY), None)
    if decided.decision not in ("answer", "confirm"):
        return []
    rows = run_query(decided.candidates[0].query, {"s": table}).rows
    return [str(cell) if isinstance(cell, dt.date) else cell for row in rows for cell in row]


@pytest.mark.parametrize(
    ("name", "question", "cells"),
    [
        ("Gala", "Average time in the 100 m Back", [77.755]),  # not 100 million
        ("Barn lets", "How many stays were exactly 7 nights?", [2]),
        ("Barn lets", "What was the average number of nights per booking?", [4.75]),
        ("Barn lets", "On which day does Patel arrive in June 2026?", ["2026-06-18"]),
        ("Barn lets", "What is the total amount still owing?", [465]),
        ("Barn lets", "How many bookings cost more than £90 per night?", [2]),
        ("Pub quiz", "Which team came first on 26 March 2026?", ["Foxes"]),
        ("Pub quiz", "How many times did Owls finish in second place?", [1]),
        ("Pub quiz", "What was the mean Music score across all teams?", [6]),
        ("Pub quiz", "How many different quiz dates were there in April?", [2]),
        ("Freezer", "Which item has been frozen the longest?", ["peas", "2025-11-20"]),
        ("Freezer", "For how many items is the use by date already past?", [2]),
        ("Freezer", "How many items are not marked with home made?", [2]),
        ("Loco sheds", "What is the total price of the locos made by Hornby?", [90]),
        ("出租登记", "6楼的押金一共收了多少?", [1700]),
        ("出租登记", "付款方式为季付的租客有几个?", [2]),
        ("高铁票", "从武汉到上海坐过几次?", [1]),
        ("高铁票", "满意度打5分的有多少单?", [2]),
        ("茶叶存货", "绿茶的平均进价是每斤多少元?", [500]),
        ("茶叶存货", "最近一次进货日期是哪天?", ["龙井", "2026-05-17"]),
        ("Guest list", "Which guests on the groom's side have not replied yet?", ["Kaur"]),
        (
            "Guest list",
            "What is the difference between the total seats of bride and the total seats of groom?",
            [3],
        ),
        ("Lift calls", "How many minutes passed between called and arrived on job 3301?", [70]),
        ("Lift calls", "When was the first call for doors?", ["15:43", "2026-02-16"]),
        ("Cricket", "How many matches were won?", [3]),
        (
            "Road defects",
            "How many defects have been reported on each road?",
            ["Beacon Lane", 1, "Quarry Road", 2],
        ),
        (
            "Road defects",
            "How many defects were reported via each channel?",
            ["phone", 1, "web", 2],
        ),
        ("闲鱼出货", "标价在100元到300元之间(含100元和300元)的物品有几件?", [2]),
        ("闲鱼出货", "最后一次记录的体重是多少公斤?", [71.4]),
        ("闲鱼出货", "首发年份早于1960年的物品有哪些?", ["音箱", "主机"]),
        ("銭湯の記録", "土曜日または日曜日に行った回数は何回ですか。", [3]),
        ("銭湯の記録", "湯温が43℃以上44℃以下の記録は何件ありますか。", [2]),
        ("老爸血压", "高压最高是哪天?", ["2026-05-02", 173]),
        ("五月月考", "英语考到100分及以上的有几个人?", [2]),
    ],
)
def test_what_people_ask_of_their_sheets_is_read(
    name: str, question: str, cells: list[Any]
) -> None:
    assert answers(name, question) == cells


def readings(name: str, question: str) -> list[Any]:
    """Return what the readings of a question give that say so without an unread word."""
    names, facts = TABLES[name]
    table = table_from_rows([dict(zip(names, fact, strict=True)) for fact in facts], source="s")
    told = parse(question, [profile(table, name)], today=TODAY)
    return [run_query(one.query, {"s": table}).rows for one in told if not one.unread]


def test_leaving_out_blanks_changes_no_mean_but_is_never_dropped_from_a_count() -> None:
    assert answers("Guest list", "What is the average hotel £, leaving out blanks?") == [105]
    assert [[4]] not in readings("Guest list", "How many guests are there, leaving out blanks?")


def test_what_a_price_includes_is_a_part_of_its_name() -> None:
    names = ("单号", "金额(含税)", "金额(不含税)")
    rows = [dict(zip(names, fact, strict=True)) for fact in (("a", 113, 100), ("b", 226, 200))]
    table = table_from_rows(rows, source="s")
    for asked, total in (("金额(含税)", 339), ("金额(不含税)", 300)):
        told = parse(f"{asked}合计是多少?", [profile(table, "发票")], today=TODAY)
        assert run_query(told[0].query, {"s": table}).rows == [[total]]


def test_how_heavy_asks_for_the_weight_first() -> None:
    names, facts = TABLES["Freezer"]
    table = table_from_rows([dict(zip(names, fact, strict=True)) for fact in facts], source="s")
    told = rank(annotated("How heavy is the gammon?", profile(table, "Freezer"), TODAY))
    assert run_query(told[0].frame.query, {"s": table}).rows == [[925]]
