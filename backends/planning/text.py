"""The text of a request: its script, and how dates are written in it. This module also provides the
words that describe a plan in English, Chinese and Japanese.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.data.values import Profile


CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]")
SPACED = re.compile(
    r"(?<=\d)\s+(?=[年月日号季周天])|(?<=[年月第])\s+(?=[\d一二三四上下第])|(?<=[\d一二三四])\s+(?=季度|四半期)"
)


def tight(text: str) -> str:
    """Return a text without the spaces that some people put between digits and 年, 月 or 日."""
    return SPACED.sub("", text)


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """Return an English word without plural and tense endings. For example, both bookings and
    booked become book.
    """
    for endings in (
        (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("es", "e"), ("s", "")),
        (("ing", ""), ("ed", ""), ("e", "")),
    ):
        for ending, instead in endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
                word = word[: -len(ending)] + instead
                break
    return word


# 1990-1, as written in a table with a year and a quarter
YEAR_QUARTER = re.compile(r"(?<![\d.-])(?P<year>(?:18|19|20)\d\d)-(?P<q>[1-4])(?![\d.%-])")


def quarters_said(text: str, profiles: list[Profile]) -> str:
    """Return the question with "1990-1" written out as a quarter, if all its tables have both a
    year column and a quarter column.
    """
    if not profiles or not all(
        {"year", "quarter"} <= {c.role for c in p.columns} for p in profiles
    ):
        return text
    chinese = CJK.search(text)
    return YEAR_QUARTER.sub(r"\g<year>年第\g<q>季度" if chinese else r"Q\g<q> \g<year>", text)


WORDS: dict[str, dict[str, str]] = {
    "return": {"en": "return", "zh": "收益率", "ja": "収益率"},
    "the return": {"en": "the return", "zh": "收益率", "ja": "収益率"},
    "cumulative return": {"en": "cumulative return", "zh": "累计收益率", "ja": "累積収益率"},
    "the cumulative return": {
        "en": "the cumulative return",
        "zh": "累计收益率",
        "ja": "累積収益率",
    },
    "mean and median": {"en": "mean and median", "zh": "均值与中位数", "ja": "平均と中央値"},
    "forecast": {"en": "forecast", "zh": "预测", "ja": "予測"},
    "its forecast": {"en": "{} and its forecast", "zh": "{}并预测", "ja": "{}とその予測"},
    "candles": {"en": "candles", "zh": "K线", "ja": "ローソク足"},
    "indicators": {"en": "candles and indicators", "zh": "K线和指标", "ja": "ローソク足と指標"},
    "rows": {"en": "rows", "zh": "行数", "ja": "行数"},
    "data": {"en": "rows", "zh": "数据", "ja": "データ"},
    "line": {"en": "lines", "zh": "折线图", "ja": "折れ線グラフ"},
    "bar": {"en": "bars", "zh": "柱状图", "ja": "棒グラフ"},
    "scatter": {"en": "points", "zh": "散点图", "ja": "散布図"},
    "pie": {"en": "a pie", "zh": "饼图", "ja": "円グラフ"},
    "candlestick": {"en": "candles", "zh": "K线图", "ja": "ローソク足チャート"},
    "overlay": {"en": "one chart", "zh": "同一张图", "ja": "1 つのグラフ"},
    "show_table": {"en": "a table", "zh": "表格", "ja": "表"},
}
SHOWN = ("line", "bar", "scatter", "pie", "candlestick", "overlay", "show_table")
BETWEEN = {"en": ", ", "zh": "、", "ja": "、"}


def word(name: str, language: str) -> str:
    """Return a word that plans use, in a given language."""
    return WORDS[name][language]


def measured(metrics: list[str], made: list[str], language: str) -> str:
    """Return a description of what is measured. made: the interfaces that a plan's steps use."""
    if "loop_rank" in made:
        return word("the return", language)
    if "returns" in made:
        return word("the cumulative return", language)
    if "forecast" in made:
        return word("its forecast", language).format(", ".join(metrics))
    if "candlestick" in made:
        return word("indicators", language)
    return ", ".join(metrics) or word("data", language)


def getting(
    what: str, names: list[str], days: tuple[str, str] | None, made: list[str], language: str
) -> str:
    """Return the description of the task that gets data. names: who or what it is about, if they
    are listed. made: the interfaces that the steps use.
    """
    who, members = BETWEEN[language].join(names[:6]), "read_constituents" in made and what
    if language == "zh":
        often = "loop_rank" in made or "read_constituents" in made
        head = "循环获取" if often else "依次获取" if len(names) > 1 else "获取"
        of = f"{who}{'每个成员' if members else ''}"
        apart = (
            " " if days and of[-1:].isascii() and of[-1:].isalnum() else ""
        )  # 中证1000 2023-01-01 contains two separate numbers
        of += f"{apart}{days[0]}到{days[1]}" if days else ""
        return f"{head}{of}的{what}" if of else f"{head} {what}"
    if language == "ja":
        of = f"{who}{'の各構成要素の' if members else 'の' if who else ''}{f'{days[0]}から{days[1]}までの' if days else ''}"
        return f"{of}{what} を{'それぞれ' if len(names) > 1 else ''}取得"
    of = f"{'each member of ' if members else ''}{who}"
    return f"Get {what} of {of} {f'from {days[0]} to {days[1]}' if days else ''}".strip()


def showing(title: str, made: list[str], language: str) -> str:
    """Return the description of the task that displays the result."""
    forms = dict.fromkeys(word(name, language) for name in made if name in SHOWN)
    listed = BETWEEN[language].join(forms)
    if language == "zh":
        return f"用{listed}展示{title}"
    if language == "ja":
        return f"{title} を{listed}で表示"
    return f"Show {title} as {listed}"
