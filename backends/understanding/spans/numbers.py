"""Numbers in a question, with their units."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.spans.text import Question


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


SCALE = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "b": 1e9,
    "billion": 1e9,
    "百": 1e2,
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
    "hundred": 1e2,
}
WORDS = {
    w: i
    for i, w in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
        ]
    )
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100}
CHINESE = {c: i for i, c in enumerate("零一二三四五六七八九十")} | {
    "两": 2,
    "百": 100,
    "千": 1000,
    "万": 10000,
}
NUM = (
    r"(?:[$€£¥]\s?)?(-?\d(?:[\d,]*\d)?(?:\.\d+)?|\b(?:"
    + "|".join(WORDS)
    + r")\b|[一二两三四五六七八九十])"
    r"\s?(百万|千万|百|千|万|亿|k\b|mn?\b|bn\b|b\b|thousand\b|million\b|billion\b|hundred\b)?"
)
UNIT = (
    r"(?:\s?(?:%|percent|per"
    r" cent|°c|°f|degrees?|kg|km|cm|mm|m²|usd|eur|dollars?|euros?|pounds?|years?(?:"
    r" old)?|minutes?|mins?|hours?|points?|个|元|人|分|岁|平米|平方米?|平|公里|度|分钟?|小时|千克|公斤|吨|米|美元|单|次|件|天|台|辆|套|步|门|场))?"
)
MORE = (
    r"(?:(?:strictly"
    r" )?(?:more|greater|higher|larger|bigger|longer|older|taller|heavier|faster|warmer|hotter|stronger|better|deeper|later|[a-z]+er)"
    r" than|above|over|exceed(?:s|ed|ing)?|beyond|upwards"
    r" of|topp(?:ed|ing)|top(?=\s\d{3,})|超过了?|大于|高于|多于|超出了?|>)"
)
LESS = (
    r"(?:(?:less|fewer|lower|smaller|shorter|younger|lighter|slower|colder|cooler|cheaper|earlier)"
    r" than|below|under|beneath|低于|小于|少于|不足|不到|<)"
)
AT_LEAST = (
    r"(?:at least|no less than|no fewer than|not less than|a minimum of|minimum"
    r" of|>=|至少|不少于|不低于|不小于|大于等于)"
)
AT_MOST = (
    r"(?:at most|no more than|not more than|a maximum of|maximum of|up"
    r" to|<=|至多|最多(?=\d)|不超过|不高于|不多于|小于等于)"
)
RULES: list[tuple[str, re.Pattern[str]]] = [
    (
        "between",
        re.compile(
            rf"(?:between|from|介于|在)?\s?{NUM}{UNIT}\s?(?:and|to|-|–|到|至|和)\s?{NUM}{UNIT}(?:之间)?"
        ),
    ),
    (">=", re.compile(rf"{AT_LEAST}\s?{NUM}{UNIT}")),
    ("<=", re.compile(rf"{AT_MOST}\s?{NUM}{UNIT}")),
    (
        ">=",
        re.compile(
            rf"{NUM}{UNIT}\s?(?:or (?:more|above|higher|over|greater|older|longer|better)|and (?:above|over|more|up)|\+|及?以上)"
        ),
    ),
    (
        "<=",
        re.compile(
            rf"{NUM}{UNIT}\s?(?:or (?:less|fewer|below|lower|under|younger)|and (?:below|under|less)|及?以下|以内)"
        ),
    ),
    ("<", re.compile(rf"{LESS}\s?{NUM}{UNIT}")),
    (">", re.compile(rf"{MORE}\s?{NUM}{UNIT}")),
    (
        "=",
        re.compile(
            rf"(?:exactly|equal(?:s|ed)?(?: to)?|precisely|=|等于|恰好|正好|为(?=\s?\d)|是(?=\s?\d))\s?{NUM}{UNIT}"
        ),
    ),
]
ADJECTIVE = re.compile(
    r"((?!more|less|great|fewer|high|low|large|bigg|small|better)[a-z]+er )than\b"
)
TIME = r"(?!\s*(?:days?|weeks?|months?|quarters?|years?|hours?|天|周|个?月|个?季度|年))"
TOP = re.compile(
    rf"(?:^{NUM}\s+(?=[a-z]+ (?:with|having) the"
    rf" (?:most|least|fewest|[a-z]+est)\b)|\b(?:top|bottom)\s+{NUM}\b|\b(?:first|last)\s+{NUM}\b{TIME}|\b(?:which|what|the)\s+{NUM}\b(?=[^,.?]*\b(?:most|least|fewest|highest|lowest|[a-z]{{3,}}est)\b)|\b{NUM}\s+(?:[a-z]+"
    r" )?(?=[a-z]{3,}est\b|most|least|highest|lowest|largest|smallest|biggest|quickest|rarest|commonest|newest|latest|earliest|highest-rated"
    rf"|best|worst|longest|shortest|cheapest|oldest|youngest|fastest|slowest|tallest|heaviest|hottest|coldest|busiest)"
    rf"|(?:前|后|倒数|最(?![新近后])\w前?的?)\s?{NUM}\s?(?=[名位个大家种天月年条款部座场只])|(?:前|后){NUM}|(?<=的)\s?{NUM}\s?(?=[名位个大家种款部座天月年单件套本道台辆首条]))"
)


@dataclass(frozen=True)
class Comparison:
    """A number compared with: an operator and one or two numbers.

    percent: the question said so. unit: the word after the number. scale: what "million" or 万
    multiplied the numbers by.
    """

    op: str
    numbers: tuple[float, ...]
    start: int
    end: int
    percent: bool
    unit: str = ""
    scale: float = 1.0


SIGNS = [
    (re.compile(r"\bnegative\b|\bsub-?zero\b|为负|是负"), "<"),
    (re.compile(r"\bpositive\b|为正|是正"), ">"),
]


def find_comparisons(question: Question, *, years: bool = False) -> list[Comparison]:
    """Take comparisons out of the question; years: "from 2019 to 2020" is a period and stays."""
    found: list[Comparison] = []
    for op, pattern in RULES:
        for match in pattern.finditer(question.lower):
            if not question.free(match.start(), match.end()) or question.in_code(
                match.start(), match.end()
            ):
                continue
            groups = match.groups()
            numbers = tuple(
                sorted(
                    read(groups[i], groups[i + 1]) for i in range(0, len(groups), 2) if groups[i]
                )
            )
            if op == "between" and (
                len(numbers) != 2
                or not re.search(r"between|from|介于|之间|到|至|\d\s?[-–]\s?\d| to ", match[0])
            ):
                continue
            if (
                years
                and op == "between"
                and all(1900 <= n <= 2100 for n in numbers)
                and "," not in match[0]
            ):
                continue
            percent = "%" in match[0] or "percent" in match[0]
            adjective = ADJECTIVE.match(
                match[0]
            )  # "older than 65": "older" still has to find its column
            start = match.start() + (len(adjective[1]) if adjective else 0)
            scale = max(SCALE.get(groups[i] or "", 1.0) for i in range(1, len(groups), 2))
            question.take(start, match.end(), "> NUM")
            found.append(
                Comparison(op, numbers, start, match.end(), percent, unit_after(match[0]), scale)
            )
    for pattern, op in SIGNS:
        for match in pattern.finditer(question.lower):
            if question.free(match.start(), match.end()):
                question.take(match.start(), match.end(), "> NUM")
                found.append(Comparison(op, (0.0,), match.start(), match.end(), percent=False))
    return sorted(found, key=lambda c: c.start)


def find_top(question: Question) -> int | None:
    """Take "top 5", "the three largest", 前三 out of the question; return the number."""
    match = TOP.search(question.lower)
    if match is None or not question.free(match.start(), match.end()):
        return None
    groups = [g for g in match.groups()]
    value = next(
        (read(groups[i], groups[i + 1]) for i in range(0, len(groups), 2) if groups[i]), None
    )
    if value is None or not 1 <= value <= 50 or (value == 1 and question.language == "zh"):
        return None  # 最少的一个月 is the lowest
    kept = re.search(r"bottom|last|倒数|后", match[0])
    number = next(i for i, g in enumerate(match.groups(), 1) if g)
    question.take(
        match.start(number) if match[0].startswith("最") else match.start(),
        match.end(),
        "lowest TOP" if kept else "highest TOP" if re.search(r"top|first|前", match[0]) else "TOP",
    )
    return int(value)


def unit_after(said: str) -> str:
    """Return the sign or the word behind the last number of a comparison, such as € or km; else
    nothing.
    """
    if sign := re.search(r"[$€£¥]", said):
        return sign[0]
    bare = re.sub(r"(?:or|and) \w+$|以上|以下|以内|之间", "", said).strip()
    match = re.search(rf"(?:\d|\b(?:{'|'.join(WORDS)}))\s?([a-z°%/²³]+|[\u4e00-\u9fff]+)\s*$", bare)
    return match[1] if match else ""


def read(text: str, scale: str | None) -> float:
    """Return a number as written, its scale word applied."""
    bare = text.replace(",", "")
    value = WORDS.get(bare, CHINESE.get(bare, None))
    return float(bare if value is None else value) * SCALE.get(scale or "", 1.0)
