"""Replace words for prices and growth by column names, by rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import Profile

SHARE_PRICE = re.compile(r"股票价格|股价")
CLOSES = ("收盘价", "收盘", "終値", "终值")
CANDLES = (
    ("开盘", "始値"),
    ("最高", "高値"),
    ("最低", "安値"),
)  # columns next to the closing price
CHANGE = re.compile(
    r"(?P<base>.*[^_\s])[_\s]?(?P<against>yoy|同比|环比|mom)(?:[(（]?%[)）]?)?", re.IGNORECASE
)
GROWTH = {
    "同比": (
        r"[\s_]+(?:year[- ]on[-"
        r" ]year[\s_]+)?growth(?:[\s_]+rates?)?(?![a-z])|(?:的)?(?:同比)?(?:增长率|增长速度|增速|增幅)(?:同比)?"
    ),
    "环比": r"(?:的)?环比(?:增长率|增长速度|增速|增幅)",
}


def columns_said(text: str, profiles: Iterable[Profile]) -> str:
    """Return a question in which words for prices and growth are replaced by column names."""
    for profile in profiles:
        names = [column.name for column in profile.columns]
        close = closing(names)
        if close is not None and not any(SHARE_PRICE.search(name) for name in names):
            text = SHARE_PRICE.sub(close, text)
        for name in names:
            text = growth_said(text, name)
    return text


def closing(names: list[str]) -> str | None:
    """Return the closing-price column of a Chinese or Japanese table of open, high, low and
    close.
    """
    if not all(any(word in name for name in names for word in words) for words in CANDLES):
        return None
    return next((name for close in CLOSES for name in names if name == close), None)


def growth_said(text: str, name: str) -> str:
    """Return a question in which "X growth" is replaced by the column that holds it: GDP增速 by
    GDP同比, "GDP growth" by gdp_yoy.
    """
    match = CHANGE.fullmatch(name)
    if match is None or name in text:
        return text
    against = "环比" if match["against"].lower() in ("环比", "mom") else "同比"
    form = rf"(?<![A-Za-z]){re.escape(match['base'])}(?:{GROWTH[against]})"
    return re.sub(form, lambda _: name, text, flags=re.IGNORECASE)
