"""Plain questions that people who had not seen the product asked of a list of their own, each of
which was read wrongly or asked back.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from typing import Any

import pytest

from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.query.decide import decide
from backends.query.parser import parse

TODAY = dt.date(2026, 6, 15)
LISTS = {
    "Bills": """
Invoice No,Customer,Net,VAT,Gross,Issued,Due,Paid on
INV-1,Mill Lane,1000,200,1200,2026-01-10,2026-02-09,
INV-2,Quay Foods,1500,300,1800,2026-01-15,2026-02-14,2026-03-01
INV-3,Harrow & Sons,1400,280,1680,2026-03-02,2026-04-01,
INV-4,Mill Lane,900,180,1080,2026-04-10,2026-05-10,
INV-5,Quay Foods,1200,240,1440,2026-04-20,2026-05-20,2026-05-05
INV-6,Dale Sports,400,80,480,2026-05-11,2026-07-10,
""",
    "Dive log": """
Dive no,Site,Max depth (m),Buddy
1,Farne,12.5,Oli
2,Blue Hole,33.4,Oli
3,Farne,27,Ann
4,Swanage,9,Oli
""",
    "Records": """
Album,Label,Paid ($)
Blood on the Tracks,Columbia,12
Kind of Blue,Columbia,20
Blue Train,Blue Note,18
""",
    "Timesheet": """
Date,Name,Site,Hours
2026-05-04,Tomasz Wolski,Mill Lane,8
2026-05-05,Sam Whitaker,Mill Lane,11
2026-05-06,Tomasz Wolski,Quay,7
2026-05-07,Priya Nair,Quay,6
2026-06-03,Priya Nair,Quay,10
""",
    "会员名册": """
会员编号,姓名,性别,手机号,会员类型,欠费(元)
CD001,徐静,女,13800000001,年卡,0
CD002,胡雨,男,13800000002,次卡,300
CD003,李娜,女,13800000003,年卡,1200
CD004,王强,男,13800000004,年卡,0
CD005,赵敏,女,13800000005,次卡,600
""",
    "流水": """
日期,收支,类别,金额,经手人
2026/5/3,支出,场地费,"1,955元",王敏
2026年5月7日,收入,会费,"3,000元",出纳
2026.5.23,支出,用球,395.50元,王敏
2026-06-01,支出,场地费,"¥1,400",出纳
2026-06-02,收入,散客,¥120,出纳
""",
    "Firings": """
Firing,Date,Kiln,Pieces,Broken,Gas (l),Loaded by,Glazed,Shelf
F1,2026-03-02,Big,24,3,10,Dr. Maeve Orr,y,1
F2,2026-03-09,Small,31,0,14,Dr. Joe Hunt,n,2
F3,2026-04-06,Big,18,1,9,Dr. Maeve Orr,y,2
F4,2026-05-04,Big,20,2,11,Dr. Ann Lowe,n,1
""",
    "Allotments": """
Plot,Tenant,Rent (£),Rent paid,Last year's rent (£)
1,Abbott,50,2026-03-01,40
2,Bello,30,2026-05-09,35
3,Clegg,45,,40
""",
    "Members": """
Member,Joined,Section,Fee (€),Paid on
Anna Berg,2021-03-04,Tennis,120,2026-02-01
Tom Hale,2019-05-11,Rowing,150,
Ines Roca,2024-09-01,Tennis,120,2026-03-14
Paul Ott,2020-01-15,Chess,60,
Mia Lund,2023-06-30,Rowing,90,2026-01-20
""",
    "Fees": """
Name,Section,Fee,Paid
Anna Berg,Tennis,120,yes
Tom Hale,Rowing,150,no
Ines Roca,Tennis,120,yes
Paul Ott,Chess,60,no
""",
    "Invoices": """
No,Customer,Issued,Due,Net,VAT,Gross,Status
1001,Alder Ltd,2026-04-02,2026-05-02,1200,240,1440,paid
1002,Birch & Co,2026-04-10,2026-05-10,800,160,960,open
1003,Cedar AG,2026-04-21,2026-05-21,2400,480,2880,open
1005,Birch & Co,2026-05-20,2026-06-19,950,190,1140,open
1006,Dune SA,2026-06-01,2026-07-01,300,60,360,open
""",
    "Visits": """
Patient ID,Name,Date of birth,Visit date,Doctor,Duration (min),Bill (£),Insurance,Follow-up needed
P-101,Amy Ford,1984-02-11,2026-05-04,Dr Shah,15,45,AXA,no
P-102,Bob Lane,1951-07-23,2026-05-04,Dr Shah,30,80,Bupa,yes
P-103,Cara Moss,2015-06-30,2026-05-06,Dr Neri,10,25,none,no
P-101,Amy Ford,1984-02-11,2026-05-12,Dr Shah,20,55,AXA,no
P-103,Cara Moss,2015-06-30,2026-06-01,Dr Neri,15,45,none,yes
""",
    "Stock": """
Product,Category,Price,Stock,Reorder level,Sold last month
Oak table,Furniture,349.00,4,5,3
Desk lamp,Lighting,39.90,22,10,18
Armchair,Furniture,279.50,2,4,1
Vase,Decor,34.90,28,10,12
Bookcase,Furniture,199.00,0,3,5
""",
    "Staff": """
Name,Department,Start date,Salary (€),Full-time
Ana Diaz,Sales,2017-03-01,62000,yes
Dev Nair,IT,2023-05-02,48000,no
Eli Katz,HR,2015-11-20,41000,no
Hana Ito,Sales,2024-01-08,36500,yes
""",
    "売上": """
日付,店,商品,数量,単価,金額,年齢
2026-04-03,A店,りんご,12,6,72,30
2026-04-05,B店,牛乳,20,4,80,40
2026-05-11,A店,パン,8,9,72,50
""",
    "预约": """
预约号,日期,科室,医生,患者年龄,状态,费用
A001,2026-06-01,内科,王医生,34,已完成,80
A002,2026-06-01,外科,李医生,81,已取消,0
A003,2026-06-02,内科,王医生,28,已完成,120
A004,2026-06-02,儿科,赵医生,6,已完成,60
A006,2026-06-03,内科,孙医生,45,已取消,0
""",
    "Boats": """
Boat,Berth,Owner,Paid in,Fee 2026 (€),Length (m),Blood group,Lap
31071,A,Hansen,2026-02-03,310,6.5,O+,1
31072,B,Olsen,,420,9.5,O-,2
31073,A,Berg,2025-03-11,310,7.5,A+,3
31074,C,Dahl,2026-03-15,520,12,O+,4
31075,A,Vik,2026-04-20,310,6,B+,5
31076,B,Moe,,420,9,O+,6
31077,C,Lie,2026-05-02,520,11,A-,7
31078,A,Bakke,2026-05-09,310,6.2,O+,8
31079,B,Haug,2026-05-10,420,8.8,O-,9
31080,A,Lund,,310,7,O+,10
31081,B,Strand,2026-05-30,420,9.9,A+,11
31082,C,Aas,2026-06-02,520,13,O+,12
""",
    "Orders": """
Order No,Client,Ordered,Value GBP,Cancelled
9001,Mill Lane Deli,2026-03-02,120,
9002,Cafe Roma,2026-03-09,80,2026-03-10
9003,Mill Lane Deli,2026-04-11,95,
9004,Quay Bistro,2026-04-20,310,
9005,Cafe Roma,2026-05-05,260,
9006,Cafe Roma,2026-05-19,40,
""",
    "Stores": """
Item,Supplier,In stock,Minimum,Price (€)
Face masks,Medico,120,200,0.3
Gloves,Medico,400,300,0.1
Syringes,Alpha,90,100,0.5
Plasters,Alpha,800,200,0.05
""",
    "Appointments": """
Date,Time,Patient,Doctor,Attended
2026-05-01,09:00,Ann Lee,Dr Shah,yes
2026-05-02,09:30,Bob Ray,Dr Neri,no
2026-05-05,10:00,Cy Moe,Dr Shah,no
2026-06-02,09:00,Di Poe,Dr Neri,yes
2026-06-03,11:00,Ed Roy,Dr Shah,no
""",
    "会员": """
会员编号,姓名,类别,年龄,状态
M001,王强,普通,34,已缴
M002,李丽,家庭,41,未缴
M003,赵敏,学生,19,已缴
M004,孙浩,普通,58,未缴
M005,周杰,学生,21,已缴
M006,吴芳,家庭,47,已缴
""",
    "Clinic": """
Date,Patient,Doctor,Status,Waiting minutes,Fee (EUR)
2025-04-01,Ann Lee,Dr. Amara Okafor,Completed,10,40
2025-04-02,Bob Ray,Dr. Priya Nair,No-show,,0
2025-04-03,Cy Moe,Dr. Amara Okafor,Completed,30,60
2025-05-02,Di Poe,Dr. Priya Nair,Completed,20,50
""",
    "名单": """
会员编号,姓名,等级,会费,是否缴费
CD001,徐静,初级,600,是
CD002,胡雨,初级,650,否
CD003,李娜,高级,950,否
CD004,王强,高级,950,是
CD005,赵敏,中级,800,是
CD006,刘洋,中级,800,是
""",
    "收支明细": """
日期,类型,项目,金额
2026-01-05,收入,会费,100
2026-01-19,支出,场地,80
2026-02-03,收入,赞助,200
2026-02-07,支出,聚餐,30
""",
    "体检": """
姓名,班级,日期,最高(℃),费用(元),付款方式
李明,一班,2026-05-01,36.5,60,现金
王芳,二班,2026-05-02,37.5,60,微信
赵强,一班,2026-06-03,38.5,90,微信
孙丽,二班,2026-06-04,36.5,60,现金
周杰,二班,2026-06-05,37.5,90,微信
""",
    "Lorries": """
Job,Driver,Went with,From,To,Km,Load (t),Quote (£k),Left,Back,Rating,Remark
J1,Ann,solo,Hull,Leeds,95,12,4,2026-05-01,2026-05-02,4,ramp washed
J2,Ann,Deb,Leeds,York,40,8,9,2026-05-03,2026-05-06,5,
J3,Bea,Deb,York,Hull,60,20,2,2026-05-07,2026-05-08,3,
J4,Cat,solo,Hull,York,65,6,7,2026-05-09,2026-05-13,2,half load
J5,Bea,solo,Leeds,Hull,90,9,1,2026-06-02,2026-06-03,5,
""",
    "Counts": """
Day,Bird,Number seen,Place,Wind (km/h),First noted (year),State
2026-05-01,Teal,12,Mere,10,1931,IN
2026-05-02,Teal,30,Fen,22,1931,OH
2026-05-03,Heron,2,Mere,35,1874,IN
2026-05-04,Snipe,5,Fen,18,1902,OH
""",
    "Quiz": """
Night,Team,Music,Sport,Total,Booked on,Phone fee ($)
2026-01-07,Owls,7,5,20,2026-01-02,3
2026-01-07,Foxes,4,9,25,2026-01-01,4
2026-01-14,Owls,8,6,31,2026-01-10,5
2026-01-14,Foxes,6,7,22,2026-01-09,6
""",
    "水样记录": """
采样日,断面,pH,DO(mg/L),高(cm),采样人,备注
2026-05-01,上游,7.1,6.5,30,老邱,
2026-05-02,下游,8.2,3.5,12,小顾,
2026-05-03,上游,7.6,3.9,8,老邱,浑浊
2026-05-04,下游,6.9,7.2,9,小顾,
""",
    "货车运输台账": """
司机,起点,终点,运费(万元),油费(万元),发车日期
陈强,武汉,长沙,3,1,2026-04-01
陈强,武汉,郑州,5,6,2026-04-09
马力,郑州,武汉,2,1,2026-05-02
马力,长沙,武汉,4,5,2026-05-12
""",
}


def first(name: str, question: str) -> tuple[str, list[list[Any]]]:
    """Return what is decided about a question, and the rows of the likeliest reading."""
    rows = list(csv.DictReader(io.StringIO(LISTS[name].strip())))
    source = "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"
    table = table_from_rows([dict(row) for row in rows], source=source, hash_=name)
    decided = decide(parse(question, [profile(table, name)], today=TODAY), None)
    return decided.decision, run_query(decided.candidates[0].query, {source: table}).rows


@pytest.mark.parametrize(
    ("name", "question", "answer"),
    [
        ("Members", "How many members have not paid?", [[2]]),
        ("Members", "Who joined last?", [["Ines Roca", "2024-09-01"]]),
        ("Fees", "How many members have not paid?", [[2]]),
        ("Fees", "How much money is outstanding?", [[210]]),
        ("Fees", "who still has to pay", [["Paul Ott"], ["Tom Hale"]]),
        ("Invoices", "Which customer owes us most?", [["Cedar AG", 2880]]),
        ("Invoices", "What is the largest invoice?", [["Cedar AG", 2880]]),
        ("Visits", "How many patients do we have?", [[3]]),
        ("Visits", "How much did Dr Neri bill in June?", [[45]]),
        ("Visits", "how many visits need a follow-up?", [[2]]),
        ("Visits", "how many minutes did Dr Shah work in total", [[65]]),
        (
            "Stock",
            "Which products are below their reorder level?",
            [["Armchair"], ["Bookcase"], ["Oak table"]],
        ),
        ("Stock", "How many vases are left?", [[28]]),
        ("Clinic", "How much did Dr. Okafor earn in April?", [[100]]),
        ("名单", "会费最多的两个人是谁？", [["李娜", 950], ["王强", 950]]),
        (
            "名单",
            "会费最多的三个人是谁？",
            [["李娜", 950], ["王强", 950], ["赵敏", 800], ["刘洋", 800]],
        ),
        ("名单", "名单里一共有多少人？", [[6]]),
        ("收支明细", "收支明细里收入的金额合计", [[300]]),
        ("名单", "谁没有交会费？", [["胡雨"], ["李娜"]]),
        ("名单", "没有缴费的会员有几个？", [[2]]),
        ("名单", "还没交会费的有几个人？", [[2]]),
        ("名单", "有多少人交了会费？", [[4]]),
        ("Stock", "what is our stock worth?", [[3810]]),
        ("Stock", "What is the total value of the stock?", [[3810]]),
        ("Firings", "How many litres of gas did the Big kiln take in total?", [[30]]),
        ("Firings", "What is the difference between total Pieces and total Broken?", [[87]]),
        ("Firings", "How many pieces were fired from March 2026 to April 2026?", [[73]]),
        ("Firings", "By how much did the average gas fall from March to May 2026?", [[-1]]),
        ("Firings", "How many firings did Dr. Orr load?", [[2]]),
        ("Firings", "Which firings were not glazed?", [["F2"], ["F4"]]),
        ("Firings", "Which firings were on shelf 2?", [["F2"], ["F3"]]),
        ("Firings", "How many firings were there from 1 to 10 March 2026?", [[2]]),
        ("Lorries", "Which driver covered the most km in total?", [["Bea", 150]]),
        ("Lorries", "How many of the solo jobs were rated at least 4?", [[2]]),
        ("Lorries", "How many quotes were over £5k?", [[2]]),
        ("Lorries", "Which job had the second longest run in km?", [["J5", 90]]),
        ("Lorries", "How many km did Ann drive?", [[135]]),
        ("Firings", "How many days were there between F1 and F3?", [[35]]),
        ("Counts", "How many teal were seen altogether?", [[42]]),
        ("Counts", "How many birds were first noted before 1900?", [[1]]),
        ("Counts", "What is the average wind in km/h at the Mere?", [[22.5]]),
        ("Lorries", "Which job comes second in load?", [["J1", 12]]),
        (
            "Quiz",
            "What is the difference between the average Music score and the average Sport score?",
            [[-0.5]],
        ),
        ("Quiz", "What is the phone fee in dollars of all the teams together?", [[18]]),
        ("水样记录", "DO低于4的采样有几次？", [[2]]),
        ("水样记录", "高度不到10厘米的有几次？", [[2]]),
        ("水样记录", "有多少次没有填写备注？", [[3]]),
        ("水样记录", "pH第二高的是哪一天？", [["2026-05-03", 7.6]]),
        ("货车运输台账", "陈强跑了几趟运输？", [[2]]),
        ("货车运输台账", "油费比运费还高的有几趟？", [[2]]),
        ("Allotments", "What is the total rent of all plots?", [[125]]),
        ("Allotments", "How many plots had their rent paid in May 2026?", [[1]]),
        ("Staff", "Who has been here the longest?", [["Eli Katz", "2015-11-20"]]),
        ("Staff", "How many part-timers do we have?", [[2]]),
        ("Staff", "percentage of staff in Sales", [[50]]),
        ("Staff", "how many in staff are part-timers", [[2]]),
        ("売上", "平均年齢は", [[40]]),
        ("Boats", "Which boat has the biggest length?", [[31082, 13]]),
        ("Boats", "What is the total fee 2026 for berth A?", [[1550]]),
        ("Boats", "How many owners have blood group O+?", [[6]]),
        ("Boats", "How many boats are in laps 3 to 5?", [[3]]),
        (
            "Orders",
            "Top 2 clients by total ordered value",
            [["Cafe Roma", 380], ["Quay Bistro", 310]],
        ),
        ("Bills", "who owes us the most money?", [["Mill Lane", 2280]]),
        ("Bills", "which customer spent the most with us this year?", [["Quay Foods", 3240]]),
        ("Bills", "how many invoices in April and how much net?", [[2, 2100]]),
        (
            "Bills",
            "list the overdue invoices, oldest first",
            [["INV-1", "2026-02-09"], ["INV-3", "2026-04-01"], ["INV-4", "2026-05-10"]],
        ),
        ("Bills", "how many days on average do customers take to pay?", [[30]]),
        ("Bills", "how much VAT did we charge in April?", [[420]]),
        ("Dive log", "How many dives were deeper than 25 m?", [[2]]),
        ("Dive log", "What share of the dives was with Oli?", [[75]]),
        ("Records", "How many records are on the Columbia label?", [[2]]),
        ("Lorries", "How many km was the job from Hull to York?", [[65]]),
        ("Timesheet", "who worked most in May?", [["Tomasz Wolski", 15]]),
        (
            "Timesheet",
            "how many hours did each person work in May?",
            [["Tomasz Wolski", 15], ["Sam Whitaker", 11], ["Priya Nair", 6]],
        ),
        ("会员名册", "有几个人欠费？", [[3]]),
        ("会员名册", "有几个人欠费，一共欠多少钱？", [[3, 2100]]),
        ("会员名册", "把欠费的会员名单列出来", [["胡雨"], ["李娜"], ["赵敏"]]),
        ("会员名册", "谁欠得最多？", [["李娜", 1200]]),
        ("会员名册", "男会员和女会员各多少？", [["男", 2], ["女", 3]]),
        ("流水", "上个月支出多少？", [[2350.5]]),
        ("流水", "哪一类花得最多？", [["场地费", 3355]]),
        ("流水", "今年结余多少？", [[-630.5]]),
        ("流水", "画一张每个月支出金额的柱状图", [["2026-05-01", 2350.5], ["2026-06-01", 1400]]),
        ("Orders", "Total value of Cafe Roma, cancelled ones left out", [[300]]),
        ("Orders", "How many orders have no cancelled date?", [[5]]),
        ("Stores", "Which items are below their minimum level?", [["Face masks"], ["Syringes"]]),
        ("Appointments", "How many appointments were missed in May?", [[2]]),
        ("会员", "每类会员各有多少人", [["普通", 2], ["家庭", 2], ["学生", 2]]),
        ("会员", "年龄最大的会员是谁", [["孙浩", 58]]),
        ("体检", "哪个班的费用合计最高?", [["二班", 210]]),
        ("体检", "用微信付款的有几笔?", [[3]]),
        ("体检", "六月份最高气温的平均值是多少?", [[37.5]]),
        ("预约", "每个科室有多少个预约？", [["内科", 3], ["儿科", 1], ["外科", 1]]),
        ("预约", "取消的预约有多少？", [[2]]),
        ("预约", "哪个医生看的病人最多", [["王医生", 2]]),
        ("预约", "有多少预约已完成", [[3]]),
    ],
)
def test_a_plain_question_is_answered_at_once(
    name: str, question: str, answer: list[list[Any]]
) -> None:
    decision, rows = first(name, question)
    assert decision in ("answer", "confirm")
    assert sorted(map(str, rows)) == sorted(map(str, answer))


def test_a_whole_question_is_about_all_rows_and_a_part_of_one_about_those_before() -> None:
    rows = [dict(row) for row in csv.DictReader(io.StringIO(LISTS["Clinic"].strip()))]
    table = table_from_rows(rows, source="s", hash_="Clinic")
    about = profile(table, "Clinic")

    def ask(question: str) -> list[list[Any]]:
        before = parse("How many visits of Dr. Okafor?", [about], today=TODAY)[0].query
        query = parse(question, [about], today=TODAY, previous=before)[0].query
        return run_query(query, {"s": table}).rows

    assert ask("What is the average waiting time?") == [[20]]
    assert ask("List the patients with a no-show") == [["Bob Ray"]]
    assert ask("Which patient waited longest?")[0][0] == "Cy Moe"
    assert ask("How many visits were there in total?") == [[4]]
    assert ask("and the average fee?") == [[50]]


@pytest.mark.parametrize(
    ("before", "question", "show"),
    [
        ("每个等级的会费合计", "换成折线图", "line"),
        ("每个等级的会费合计", "改成饼图", "pie"),
        ("total fee by doctor", "as a line chart", "line"),
        ("total fee by doctor", "draw it as a line chart", "line"),
        ("total fee by doctor", "make it a bar chart", "bar"),
    ],
)
def test_a_further_question_may_ask_for_another_form(before: str, question: str, show: str) -> None:
    """The starter model drew up a table of people who do not exist."""
    name = "名单" if before[0] == "每" else "Clinic"
    rows = [dict(row) for row in csv.DictReader(io.StringIO(LISTS[name].strip()))]
    about = profile(table_from_rows(rows, source="s", hash_=name), name)
    previous = parse(before, [about], today=TODAY)[0].query
    (first, *_) = decide(parse(question, [about], today=TODAY, previous=previous), None).candidates
    assert first.query == previous.model_copy(update={"show": show})
    assert not first.unread


@pytest.mark.parametrize(
    "question", ["各等级的会费合计，画柱状图", "用柱状图显示每个等级的会费合计"]
)
def test_a_wish_to_draw_is_no_unread_word(question: str) -> None:
    rows = [dict(row) for row in csv.DictReader(io.StringIO(LISTS["名单"].strip()))]
    about = profile(table_from_rows(rows, source="s", hash_="名单"), "名单")
    first = decide(parse(question, [about], today=TODAY), None)
    assert (first.decision, first.candidates[0].unread) == ("answer", ())
    assert first.candidates[0].query.show == "bar"
