"""What was understood, in the language of the question: "mean", "by year" and "Q3 2009" in Chinese
and Japanese.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import Profile
    from backends.understanding.parts import Reading

MONTHS = {
    name: number
    for number, name in enumerate(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        start=1,
    )
}
WORDS = {
    "zh": {
        "mean": "平均值",
        "sum": "总和",
        "median": "中位数",
        "min": "最小值",
        "max": "最大值",
        "count": "计数",
        "rows": "行",
        "different": "不同的值",
        "highest": "最高",
        "lowest": "最低",
        "latest": "最新",
        "earliest": "最早",
        "list": "列出",
        "difference": "差值",
        "change in %": "变化百分比",
        "share of": "占比",
        "share": "占比",
        "spring": "春季",
        "summer": "夏季",
        "autumn": "秋季",
        "fall": "秋季",
        "winter": "冬季",
    },
    "ja": {
        "mean": "平均",
        "sum": "合計",
        "median": "中央値",
        "min": "最小値",
        "max": "最大値",
        "count": "件数",
        "rows": "行",
        "different": "種類",
        "highest": "最大",
        "lowest": "最小",
        "latest": "最新",
        "earliest": "最も古い",
        "list": "一覧",
        "difference": "差",
        "change in %": "変化率",
        "share of": "割合",
        "share": "割合",
        "spring": "春",
        "summer": "夏",
        "autumn": "秋",
        "fall": "秋",
        "winter": "冬",
        "春": "春",
        "夏": "夏",
        "秋": "秋",
        "冬": "冬",
    },
}
PARTS = {
    "zh": {"year": "年", "quarter": "季度", "month": "月", "week": "周", "day": "日"},
    "ja": {"year": "年", "quarter": "四半期", "month": "月", "week": "週", "day": "日"},
}
JOIN = {"zh": "和", "ja": "・"}
FORMS: list[
    tuple[re.Pattern[str], dict[str, str]]
] = [  # {n}: as it stands, {x}: a period, said in its turn
    (re.compile(form), {"zh": zh, "ja": ja})
    for form, zh, ja in (
        (r"Q(?P<n>[1-4]) (?P<m>\d{4})", "{m}年第{n}季度", "{m}年第{n}四半期"),
        (r"(?P<m>\d{4})-Q(?P<n>[1-4])", "{m}年第{n}季度", "{m}年第{n}四半期"),
        (r"H1 (?P<m>\d{4})", "{m}年上半年", "{m}年上半期"),
        (r"H2 (?P<m>\d{4})", "{m}年下半年", "{m}年下半期"),
        (r"(?P<n>(?:1[5-9]|2[01])\d\d)", "{n}年", "{n}年"),
        (r"(?P<n>\d{4})s", "{n}年代", "{n}年代"),
        (r"(?P<m>\d{4})-(?P<i>\d\d)", "{m}年{i}月", "{m}年{i}月"),
        (r"(?P<m>\d{4})-(?P<i>\d\d)-(?P<j>\d\d)", "{m}年{i}月{j}日", "{m}年{i}月{j}日"),
        (r"week of (?P<x>\S+)", "{x}那一周", "{x}の週"),
        (r"since (?P<x>.+)", "{x}以来", "{x}以降"),
        (r"after (?P<x>.+)", "{x}之后", "{x}より後"),
        (r"until (?P<x>.+)", "截至{x}", "{x}まで"),
        (r"before (?P<x>.+)", "{x}之前", "{x}より前"),
        (r"(?P<x>.+) [–→] (?P<y>.+)", "{x}到{y}", "{x}から{y}"),
        (r"(?P<n>.+) against (?P<m>.+)", "{n} 与 {m} 相比", "{n} と {m} の比較"),
        (r"not (?P<n>.+)", "不是 {n}", "{n} 以外"),
        (r"by (?P<p>.+)", "按{p}", "{p}ごと"),
        (r"top (?P<n>\d+)", "前 {n}", "上位 {n}"),
        (r"bottom (?P<n>\d+)", "后 {n}", "下位 {n}"),
        (
            r"(?P<w>spring|summer|autumn|fall|winter|[春夏秋冬]) (?P<m>\d{4})",
            "{m}年{w}",
            "{m}年{w}",
        ),
    )
]
DAY = re.compile(r"(?P<month>[A-Z][a-z]{2})(?: (?P<day>[12]?\d|3[01]))?(?: (?P<year>\d{4}))?")
EMPTY = re.compile(r"(?P<column>.+) empty")
LEFT = {"zh": "{} 为空", "ja": "{} が空"}


def in_words(text: str, language: str, names: Iterable[str] = ()) -> str:
    """Return one of the words of a reading, or a period, in a language; a name of the table stays
    as it is.
    """
    if language not in WORDS or not text or text in names:
        return text
    if text in WORDS[language]:
        return WORDS[language][text]
    if (
        (match := DAY.fullmatch(text))
        and match["month"] in MONTHS
        and (match["day"] or match["year"])
    ):
        year = f"{match['year']}年" if match["year"] else ""
        return f"{year}{MONTHS[match['month']]}月{match['day'] + '日' if match['day'] else ''}"
    if (match := EMPTY.fullmatch(text)) and match["column"] in names:
        return LEFT[language].format(match["column"])
    for form, made in FORMS:
        if match := form.fullmatch(text):
            said = {
                key: value_in(key, value, language, names)
                for key, value in match.groupdict().items()
            }
            if all(key not in said or said[key] != match[key] for key in ("x", "y")):
                return made[language].format(**said)
    return text


def value_in(key: str, value: str, language: str, names: Iterable[str]) -> str:
    """Return a part of a form in its turn: x, y are periods, i, j numbers of days and months, p a
    column or a grain.
    """
    if key in ("x", "y", "w"):
        return in_words(value, language, names)
    if key in ("i", "j"):
        return str(int(value))
    if key == "p":
        grains = [PARTS[language].get(grain) for grain in value.split()]
        return f" {value} " if None in grains else JOIN[language].join(filter(None, grains))
    return value


def at(label: object, language: str, by: list[str]) -> str:
    """Return a point of a series in words. by: the columns of time it is of, one or a year and its
    part.
    """
    text = str(label)
    if len(by) == 2 and (match := re.fullmatch(r"(\d{4})-([1-4]|1?\d)", text)):
        quarter = re.search("quarter|qtr|季|四半期", by[1], re.IGNORECASE)
        return in_words(
            f"Q{match[2]} {match[1]}" if quarter else f"{match[1]}-{match[2]:0>2}", language
        )
    return in_words(text, language)


def in_its_language(reading: Reading, profile: Profile, language: str) -> Reading:
    """Return a reading whose words are those of its question's language."""
    if language not in WORDS:
        return reading
    names = {c.name for c in profile.columns}
    names |= {value for c in profile.columns for value in c.values if isinstance(value, str)}
    said = [in_words(word, language, names).strip() for word in reading.words]
    if reading.words[:2] == ["count", "rows"]:
        said[:2] = ["行数"]
    conditions = [in_words(word, language, names).strip() for word in reading.conditions]
    return reading.model_copy(update={"words": said, "conditions": conditions})
