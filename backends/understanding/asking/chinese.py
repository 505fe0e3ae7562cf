"""What a Chinese question asks for: 哪个城市, 多少公斤, 缺勤多少次, 哪些同学, 按门店."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.asking.pronouns import time_or_person
from backends.understanding.parts import groupable
from backends.understanding.spans.text import bare

if TYPE_CHECKING:
    from backends.kernel import ColumnProfile
    from backends.understanding.asking.nouns import Nouns
    from backends.understanding.parts import Parts

ASKED = re.compile(
    r"(?:哪一?[个位家种类只款天年月条部座场些本间门道支辆台]?|什么|(?:有|了|下了|是)?多少[个种类家位条天名本间门]?|几[个种类家位条本间门]|列出所?有?|不同的?"
    r"|前[一二三四五六七八九十\d]+[个名位家大款种]?|每[个种家位]|各个?|按|最(?:常见|多|少|受欢迎|热门|畅销)的(?=[^是]{1,6}是))的?([\u4e00-\u9fff]{1,6})"
)
EACH = {"各", "每", "按"}
WANTED = re.compile(r"(?:给我|给|告诉我|要)([\u4e00-\u9fff]{2,6})[。？?！!]*$")
ROWS = re.compile(r"(?:多少|几)[条笔单套场趟起例]")
LISTED = re.compile(r"哪些|都?有谁|名单")


def settle_chinese(nouns: Nouns, parts: Parts) -> None:
    """Set what the question asks for."""
    wanted = WANTED.search(nouns.text)
    parts.asks_for = nouns.column(*wanted.span(1)) if wanted else None
    settled = parts.asks_for is not None
    for match in ASKED.finditer(nouns.text):
        column = nouns.column(*match.span(1))
        if match[0][0] in EACH:
            if column is not None and groupable(column, parts) and parts.grouped_by is None:
                parts.grouped_by = column
        elif not settled and ROWS.search(match[0]) and not (column and nouns.says_whole(column, match[1])):
            parts.asks_rows = settled = True
        elif not settled and column is not None:
            parts.asks_for, settled = column, True
    counted = measure_counted(nouns, parts) if parts.asks_for is None else None
    if counted is not None:
        parts.asks_for, parts.asks_rows = counted, False
    parts.asks_for = measure_before(nouns, parts) or parts.asks_for
    if settled or parts.asks_for is not None:
        return
    parts.asks_rows = bool(ROWS.search(nouns.text) or LISTED.search(nouns.text))
    if not parts.asks_rows:
        parts.asks_for, _ = time_or_person(nouns)
        if parts.asks_for is None and re.search("谁|哪位", nouns.text):
            parts.unknown = "谁"


def measure_counted(nouns: Nouns, parts: Parts) -> ColumnProfile | None:
    """Return the measure whose name ends in what is counted, as 销售杯数 for 多少杯."""
    counted = re.search(r"(?:多少|几)([\u4e00-\u9fff])", nouns.text)
    ends = (f"{counted[1]}数", f"{counted[1]}数量") if counted else ("\0",)
    return next((m.column for m in parts.measures if bare(m.column.name).endswith(ends)), None)


def measure_before(nouns: Nouns, parts: Parts) -> ColumnProfile | None:
    """Return the measure that stands right before 多少 or 几, as in 缺勤多少次."""
    cue = re.search(r"多少|几(?!号)", nouns.text)
    for match in parts.measures if cue else ():
        size = len(bare(match.column.name)) + 1
        if cue and match.score >= 0.6 and any(0 <= cue.start() - p <= size for p in match.places):
            return match.column
    return None
