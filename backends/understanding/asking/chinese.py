"""What a Chinese question asks for: 哪个城市, 多少公斤, 缺勤多少次, 哪些同学, 按门店."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.asking.pronouns import place_column, time_or_person
from backends.understanding.matching.rows import person_column
from backends.understanding.parts import groupable
from backends.understanding.spans.text import bare
from backends.understanding.spans.units import is_money

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.asking.nouns import Nouns
    from backends.understanding.parts import Parts

ASKED = re.compile(
    r"(?:哪一?[个位家种类只款天年月条部座场些本间门道支辆台栋幢]?|的[二三四五六七八九十两\d]+[个种类家位名款]|什么|(?:有|了|下了|是)?多少[个种类家位条天名本间门栋户]?|几[个种类家位条本间门栋]|列出所?有?|不同的?"
    r"|前[一二三四五六七八九十\d]+[个名位家大款种]?|每[个种家位]|各个?|按|最(?:常见|多|少|受欢迎|热门|畅销)的(?=[^是]{1,6}是)|最[\u4e00-\u9fff]{1,2}的(?=[^是]{1,6}是(?:哪|谁|什么)))的?([\u4e00-\u9fff]{1,6})"
)
EACH = {"各", "每", "按"}
YEARLY = re.compile(r"(?:每一?|各个?|按|逐|历)年(?![级龄假薪租])")
WANTED = re.compile(r"(?:给我|给|告诉我|要)([\u4e00-\u9fff]{2,6})[。？?！!]*$")
ROWS = re.compile(r"(?:多少|几)[条笔单套场趟起例]")
WHAT = re.compile(r"的([\u4e00-\u9fff]{1,6}?)(?:是(?:什么|谁|哪[\u4e00-\u9fff]*)|[。？?！!]*$)")
UNKNOWN = re.compile(
    r"^([\u4e00-\u9fff]{2,8}?)(?:一共|总共|共|现在|还)?有(?:几|多少)[单笔条个间次件本只]|的([\u4e00-\u9fff]{2,6}?)(?:是多少|是什么|多少钱)"
)
TAIL = re.compile(r"列出[^，,]*的([\u4e00-\u9fff]{1,6})[。？?]?$")
STEPS = re.compile(r"(?:多少|(?<!哪)几)个?(天|月|季度|年)(?!假)")
PEOPLE = re.compile("会员|员工|学生|同学|客户|顾客|客人|用户|患者|病人|老师|人")
LISTED = re.compile(r"哪些|都?有谁|名单")


def settle_chinese(nouns: Nouns, parts: Parts) -> None:
    """Set what the question asks for."""
    steps = STEPS.search(nouns.text)
    counted_steps = (
        steps is not None and nouns.each_row_is(steps) and measure_before(nouns, parts) is None
    )
    parts.asks_rows = counted_steps  # 几天 of a table of days counts its rows
    parts.asks_for = at_the_end(nouns)
    settled = parts.asks_for is not None or parts.asks_rows
    for match in ASKED.finditer(nouns.text):
        settled = by_cue(nouns, parts, match, settled=settled)
    if parts.grouped_by is None and YEARLY.search(nouns.text):
        years = (c for c in nouns.profile.columns if c.role == "year" and groupable(c, parts))
        parts.grouped_by = next(years, None)
    parts.unknown = unknown_noun(nouns)
    if counted_steps:
        return
    counted = measure_counted(nouns, parts) if parts.asks_for is None else None
    if counted is not None:
        parts.asks_for, parts.asks_rows = counted, False
    else:
        parts.asks_for = measure_before(nouns, parts) or parts.asks_for
    if settled or parts.asks_for is not None:
        return
    parts.asks_rows = bool(ROWS.search(nouns.text) or LISTED.search(nouns.text))
    if not parts.asks_rows:
        by_pronoun(nouns, parts)


def unknown_noun(nouns: Nouns) -> str:
    """Return the noun asked for or counted if nothing of the table is meant by it: 总统套房有几单,
    的基本工资是多少.
    """
    for match in UNKNOWN.finditer(nouns.question.masked()):
        said = match[1] or match[2]
        at = nouns.text.find(said)
        known = (
            at < 0
            or nouns.column(at, at + len(said)) is not None
            or any(c in nouns.profile.name for c in said)
        )
        if not known and nouns.strange(said):
            return said
    return ""


def at_the_end(nouns: Nouns) -> ColumnProfile | None:
    """Return the column that a wish ends in: 告诉我房号, 列出5号楼的房号."""
    if wanted := WANTED.search(nouns.text):
        return nouns.column(*wanted.span(1))
    if (
        (what := WHAT.search(nouns.text))
        and (column := nouns.column(*what.span(1)))
        and bare(column.name) == what[1]
    ):
        return column  # 郭思远的工号是什么
    tail = TAIL.search(nouns.text)
    listed = nouns.column(*tail.span(1)) if tail else None
    return listed if tail and listed is not None and bare(listed.name) == tail[1] else None


def by_cue(nouns: Nouns, parts: Parts, match: re.Match[str], *, settled: bool) -> bool:
    """Set what a noun behind a cue asks for; return whether it is settled now."""
    column = nouns.column(*match.span(1))
    if (match[0].startswith("哪") or "不同" in match[0]) and PEOPLE.match(
        re.sub("^不同的?", "", match[1])
    ):
        column = (
            person_column(nouns.matches) or column
        )  # 哪个会员 asks for a name, not for a number
    if match[0][0] in EACH:
        if column is not None and groupable(column, parts) and parts.grouped_by is None:
            parts.grouped_by = column
        return settled
    if (
        not settled
        and ROWS.search(match[0])
        and not (column and nouns.says_whole(column, match[1]))
    ):
        parts.asks_rows = True
        return True
    if not settled and column is not None:
        parts.asks_for = column
        return True
    return settled


def by_pronoun(nouns: Nouns, parts: Parts) -> None:
    """Set what 哪里, 什么时候 and 谁 ask for."""
    if re.search("哪里|哪儿|何处", nouns.text):
        parts.asks_for = place_column(nouns)
        return
    parts.asks_for, _ = time_or_person(nouns)
    if parts.asks_for is None and re.search("谁|哪位", nouns.text):
        parts.unknown = "谁"


def measure_counted(nouns: Nouns, parts: Parts) -> ColumnProfile | None:
    """Return the measure whose name ends in what is counted, as 销售杯数 for 多少杯."""
    counted = re.search(r"(?:多少|几)([\u4e00-\u9fff])", nouns.text)
    if counted is None:
        return None
    ends = (f"{counted[1]}数", f"{counted[1]}数量")
    named = [m.column for m in parts.measures if bare(m.column.name).endswith(ends)]
    held = [
        m.column for m in parts.measures if re.search(rf"[(（]{counted[1]}[)）]", m.column.name)
    ]
    return (named or held or [None])[0]


def measure_before(nouns: Nouns, parts: Parts) -> ColumnProfile | None:
    """Return the measure that stands right before 多少 or 几, as in 缺勤多少次."""
    cue = re.search(r"(?:多少|几(?!号))([次天本件人条套台辆页月年]?)", nouns.text)
    for match in parts.measures if cue else ():
        counts = re.search("([次天本件人条套台辆页月年])数", match.column.name)
        if cue and counts and cue[1] and cue[1] != counts[1]:
            continue  # 借过几次 asks for no days
        if cue and cue[1] in tuple("次笔单") and is_money(match.column):
            continue
        size = len(bare(match.column.name)) + 1
        if cue and match.score >= 0.6 and any(0 <= cue.start() - p <= size for p in match.places):
            return match.column
    return None
