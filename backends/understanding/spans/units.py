"""Units as people say them and as columns carry them: kilos and kg, pounds and £, 公斤, 万元."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile

SAID: dict[str, str] = {
    word: unit
    for unit, words in {
        "kg": "kg kilo kilos kilogram kilograms 公斤 千克",
        "g": "g gram grams 克",
        "t": "t ton tons tonne tonnes 吨",
        "kt": "kt kilotonne kilotonnes kilotons",
        "lb": "lb lbs",
        "km": "km kilometre kilometres kilometer kilometers 公里 千米",
        "mi": "mi mile miles",
        "m": "m metre metres meter meters 米",
        "cm": "cm centimetre centimetres 厘米",
        "mm": "mm millimetre millimetres 毫米",
        "m2": "m2 m² ㎡ sqm 平方米 平米 平",
        "m3": "m3 m³ 立方米 方",
        "l": "l litre litres liter liters 升",
        "kwh": "kwh 度电 千瓦时",
        "eur": "eur euro euros €",
        "usd": "usd dollar dollars bucks $ 美元",
        "gbp": "gbp pound pounds quid £",
        "cny": "cny rmb yuan 元 块 块钱 ¥",
        "万元": "万元 万",
        "亿元": "亿元 亿",
        "h": "h hour hours hrs hr 小时 钟头 个小时",
        "min": "min mins minute minutes 分钟",
        "s": "s sec secs second seconds 秒",
        "d": "d day days 天",
        "°c": "°c c celsius degrees degree ℃ 度 摄氏度",
        "kcal": "kcal calories 千卡 大卡",
        "ha": "ha hectare hectares 公顷",
        "mw": "mw megawatt megawatts",
        "kn": "kn knot knots",
        "pcm": "pcm",
    }.items()
    for word in words.split()
}
MONEY = {"eur", "usd", "gbp", "cny", "万元", "亿元", "jpy"}
SIZED = re.compile(r"^(?:m|k|mn|bn)(?= ?(?:usd|eur|gbp)$)")
TRAILING = re.compile(
    r"(?:[\s_(（\[]|(?<=[\u4e00-\u9fff]))([a-z°℃㎡£€$¥²³/0-9]+|[\u4e00-\u9fff]{1,3})[)）\]]?\s*$"
)


def unit_said(word: str) -> str | None:
    """Return the unit a word of a question means."""
    return SAID.get(word.lower())


def unit_held(column: ColumnProfile) -> str | None:
    """Return the unit of a column, in the same spelling as `unit_said`."""
    own = (column.unit or "").lower().replace(" ", "")
    found = SAID.get(own) or SAID.get(SIZED.sub("", own))
    if found or column.role != "measure":
        return found
    front = re.match(
        r"(kwh|mwh|kg|km|mins|hours|hrs|litres|tonnes)(?=[_ A-Z])", column.name, re.IGNORECASE
    )
    if front:
        return SAID.get(front[1].lower())
    match = TRAILING.search(column.name.lower())
    return (SAID.get(match[1]) or SAID.get(SIZED.sub("", match[1]))) if match else None


def is_money(column: ColumnProfile) -> bool:
    """Tell whether a column counts money."""
    return unit_held(column) in MONEY or bool(
        re.search(
            r"amount|amt|revenue|price|cost|fee|salary|total|paid|fare|income|wage|金额|费|价|薪|工资|收入|额$",
            column.name,
            re.I,
        )
    )


def is_sum_of_money(column: ColumnProfile) -> bool:
    """Tell whether a column surely counts money: by its unit, or a name that means nothing else."""
    return unit_held(column) in MONEY or bool(
        re.search(
            r"amount|amt|revenue|price|cost|salary|wage|fare|takings|turnover|rent|donation",
            column.name,
            re.I,
        )
    )


# how many of the smallest unit of its kind each is
SIZES = {
    "s": ("time", 1.0),
    "min": ("time", 60.0),
    "h": ("time", 3600.0),
    "d": ("time", 86400.0),
    "g": ("weight", 1.0),
    "kg": ("weight", 1e3),
    "t": ("weight", 1e6),
    "kt": ("weight", 1e9),
    "mm": ("length", 1.0),
    "cm": ("length", 10.0),
    "m": ("length", 1e3),
    "km": ("length", 1e6),
    "mi": ("length", 1609344.0),
}


def factor(said: str | None, held: str | None) -> float:
    """Return how many of the unit a column holds one of the unit said is: 60 for hours and minutes;
    else 1.
    """
    one, two = SIZES.get(said or ""), SIZES.get(held or "")
    return one[1] / two[1] if one and two and one[0] == two[0] else 1.0
