"""Profile a table: what each column contains, and which role it has."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import TYPE_CHECKING

from backends.data.periods import days_of
from backends.data.table import MANY, Table, quote
from backends.data.values import ColumnProfile, Profile, Role, Scalar

if TYPE_CHECKING:
    from backends.data.column_types import TypedColumn

VALUES = 100
UNITS = {
    "pct": "%",
    "percent": "%",
    "percentage": "%",
    "usd": "USD",
    "eur": "EUR",
    "gbp": "GBP",
    "cny": "CNY",
    "jpy": "JPY",
    "kg": "kg",
    "g": "g",
    "km": "km",
    "m": "m",
    "cm": "cm",
    "mm": "mm",
    "mi": "mi",
    "c": "°C",
    "f": "°F",
    "kwh": "kWh",
    "mwh": "MWh",
    "min": "min",
    "mins": "min",
    "minutes": "min",
    "sec": "s",
    "hours": "h",
    "hrs": "h",
    "days": "d",
    "kmh": "km/h",
    "mph": "mph",
    "ha": "ha",
    "l": "l",
    "ml": "ml",
    "mb": "MB",
    "gb": "GB",
    "ms": "ms",
    "t": "t",
    "kt": "kt",
}
# These are matched against the words in a name, which is split at capitals and underscores.
NOT_ADDITIVE = re.compile(
    r"\brates?\b|price|\bunit"
    r" cost|\bavg\b|average|\bmean\b|median|percent|\bpct\b|ratio|\bage\b|temp|score|rating|index|\bcpi\b|speed|height|"
    r"\blat|\blon|\bper\b|interest|\byield\b|margin|\bshare\b|\bclose\b|\bopen\b|\bhigh\b|\blow\b|vwap|level|depth|magnitude|density|"
    r"humidity|pressure|latency|body ?weight|\bpulse\b|heart|systolic|diastolic|\bpH\b|\bgpa\b|grade|\bbmi\b|\binfl|unemp|real"
    r" ?(?:int|gdp)|率|(?<!总)价|均|比例|占比|年龄|温度|评分|指数|"
    r"身高|体重|得分|分数|湿度|单价|百分比|浓度|等级|pm ?2|aqi|glucose|blood sugar|spo ?2|odometer|"
    r"高压|低压|血压|血圧|收缩压|舒张压|血糖|血氧|心拍|脉搏|脈拍|[气気体水室]温|表显里程",
    re.IGNORECASE,
)
# The units of values that are measured anew each time; adding up such values makes no sense.
INTENSIVE = frozenset(
    [
        "%",
        "°C",
        "°F",
        "℃",
        "mmHg",
        "bpm",
        "hPa",
        "dB",
        "km/h",
        "mph",
        "m/s",
        "cm",
        "mm",
        "次/分",
        "拍/分",
        "回/分",
        "岁",
        "歳",
    ]
)
# Amounts that exist at a point in time, as opposed to amounts that are added during a period. If
# they were summed over time, the same amount would be counted several times.
STOCK = re.compile(
    r"\bpop\b|population|inventor(?:y|ies)|\bstock (?:on hand|level|qty|quantity|count)|\bin"
    r" stock\b|\bon hand\b|balance\b|head ?count|\bstaff\b|"
    r"employees|employed|subscribers|subscriptions|\bmembers\b|\bdebt\b|\bdeposits"
    r" outstanding|outstanding|\breserves\b|\bassets\b|\bliabilities\b|"
    r"^m[0-3]$|money"
    r" supply|\bholdings\b|\bbacklog\b|人口|库存|存量|余额|在职|员工(?:总)?数|用户总数|会员总数|保有量|负债|资产",
    re.IGNORECASE,
)
YEAR = re.compile(
    r"year|\byr\b|^fy|年|built|planted|founded|established|launched|since|vintage|opened|released|published|born|commissioned|completed|joined|hired|建成|成立",
    re.IGNORECASE,
)
QUARTER = re.compile(r"quarter|qtr|^q$|季", re.IGNORECASE)
MONTH = re.compile(r"month|\bmon\b|^月|月份", re.IGNORECASE)
IDENTIFIER = re.compile(
    r"(^|[_\s.])(id|code|no|nr|number|uuid|sku|isbn|zip|postcode|phone|tel|telephone|mobile|fax|ref)$|(?<=[a-z])(?-i:ID|Id|No|Nr|Num|Code|Ref)$|(?-i:ID)$|编号|代码|号码|单号|学号|工号|手机号|电话|電話|携帯",
    re.I,
)


def profile(
    table: Table, name: str, description: str = "", symbols: list[str] | None = None
) -> Profile:
    """Return the profile of a table. It is fast even for a million rows."""
    rows = table.count()
    columns = [profile_column(table, column, rows) for column in table.columns]
    columns = with_stocks(table, columns, rows)
    names = [column.name for column in table.columns]
    first = table.rows(0, 1)
    last = table.rows(max(0, rows - 1), 1)
    return Profile(
        source=table.source,
        name=name,
        description=description,
        rows=rows,
        hash=table.hash,
        columns=columns,
        first_row=dict(zip(names, map(travelling, first[0]), strict=True)) if first else {},
        last_row=dict(zip(names, map(travelling, last[0]), strict=True)) if last else {},
        symbols=symbols or [],
    )


def travelling(value: Scalar) -> Scalar:
    """Return a value in a form that JSON supports, which excludes infinite numbers."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def with_stocks(table: Table, columns: list[ColumnProfile], rows: int) -> list[ColumnProfile]:
    """Mark stocks as not additive in a table with one row for each point in time, because they
    cannot be summed over time.

    A sum does make sense if several rows share a point in time, for example one for each city, or
    if each row is an item with its own name and day.
    """
    stocks = {c.name for c in columns if c.additive and STOCK.search(spaced(c.name))}
    times = [
        c.name
        for c in columns
        if c.kind in ("date", "time") or c.role in ("period", "year", "quarter", "month")
    ]
    named = any(
        c.distinct >= 0.5 * rows
        for c in columns
        if c.name not in times and c.role in ("category", "identifier")
    )
    if not stocks or not times or named or rows < 2:
        return columns
    listed = ", ".join(map(quote, times))
    (points,) = table.one(f"SELECT count(*) FROM (SELECT DISTINCT {listed} FROM {table.relation})")
    if points < rows:
        return columns
    return [c.model_copy(update={"additive": False}) if c.name in stocks else c for c in columns]


def spaced(name: str) -> str:
    """Return the name of a column, split into words."""
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", name).replace("_", " ")


def profile_column(table: Table, column: TypedColumn, rows: int) -> ColumnProfile:
    """Return the profile of a column.

    Above 100,000 rows, the number of distinct values is an estimate (HyperLogLog, error about 2 %).
    """
    name = quote(column.name)
    count = "approx_count_distinct" if rows > 100_000 else "count(DISTINCT "
    distinct_sql = f"{count}({name})" if rows > 100_000 else f"{count}{name})"
    # the ends of a range must be finite
    ended = f" FILTER (isfinite({name}))" if column.sql == "DOUBLE" else ""
    low, high, present, distinct = table.one(
        f"SELECT min({name}){ended}, max({name}){ended}, count({name}), {distinct_sql} FROM"
        f" {table.relation}"
    )
    if column.kind == "number" and rows >= MANY:
        table.median(column.name)  # this is often needed and slow, so it is computed in advance
    integer = column.sql == "BIGINT"
    listed = column.kind in ("text", "boolean") or (integer and distinct <= 40)
    values: list[Scalar] = []
    if listed:
        values = [row[0] for row in table.values(column.name) if row[0] is not None][: VALUES + 1]
    if column.periods:
        written = sorted(
            column.periods, key=lambda text: days_of(text) or (dt.date.max, dt.date.max)
        )
        values = [*written]
        low, high = values[0], values[-1]
    role = role_of(column, low, high, int(distinct), int(present))
    if role == "measure":
        values = []
    ranged = column.kind in ("number", "date", "time") or role == "period"
    return ColumnProfile(
        name=column.name,
        kind=column.kind,
        role=role,
        unit=unit_of(column),
        integer=integer,
        distinct=int(distinct),
        missing=rows - int(present),
        low=low if ranged else None,
        high=high if ranged else None,
        values=values if column.periods else values[:VALUES],
        complete=bool(values) and (len(values) <= VALUES or bool(column.periods)),
        additive=is_additive(column) if role == "measure" else None,
    )


def role_of(column: TypedColumn, low: Scalar, high: Scalar, distinct: int, present: int) -> Role:
    """Return the role of a column."""
    if column.kind == "number":
        if distinct == present >= 20 and is_numbering(column, low, high, present):
            return "identifier"
        return number_role(column, low, high)
    if column.kind == "text":
        if column.periods:
            return "period"
        if IDENTIFIER.search(column.name) and distinct >= 0.9 * present:
            return "identifier"
    return "category"


def is_numbering(column: TypedColumn, low: Scalar, high: Scalar, present: int) -> bool:
    """Return whether a column merely numbers the rows: 1, 2, 3 …, without a unit."""
    if not isinstance(low, int) or not isinstance(high, int) or unit_of(column) is not None:
        return False
    return low in (0, 1) and high - low + 1 == present


def number_role(column: TypedColumn, low: Scalar, high: Scalar) -> Role:
    """Return the role of a numeric column: a year, a month, a code, or a measure."""
    words = spaced(column.name)
    if column.sql == "DOUBLE" and IDENTIFIER.search(column.name):
        return "identifier"
    if column.sql == "BIGINT" and isinstance(low, int) and isinstance(high, int):
        if low >= 1000 and high <= 2200 and YEAR.search(words):
            return "year"
        if low >= 1 and high <= 4 and QUARTER.search(words):
            return "quarter"
        if low >= 1 and high <= 12 and MONTH.search(words):
            return "month"
        if IDENTIFIER.search(column.name):
            return "identifier"
    return "measure"


def unit_of(column: TypedColumn) -> str | None:
    """Return the unit that a column's name states in brackets or as its last word, or else the unit
    in its cells.
    """
    bracket = re.search(r"[(（\[]([^)）\]]{1,20})[)）\]]", column.name)
    if bracket:
        return bracket[1].strip()
    if column.percent:
        return "%"
    last = re.split(r"[_\s]+|(?<=[a-z])(?=[A-Z])", column.name.strip())[-1]
    if last != column.name.strip() and (len(last) > 1 or "_" in column.name or " " in column.name):
        return UNITS.get(last.lower(), column.currency or None)
    return column.currency or None


def is_additive(column: TypedColumn) -> bool:
    """Return whether the sum of a measure makes sense, as it does for amounts but not for rates and
    prices.
    """
    if column.percent or "%" in column.name or unit_of(column) in INTENSIVE:
        return False
    name = spaced(column.name)
    amount = unit_of(column) in ("kWh", "MWh", "kg", "t", "l") and not re.search(
        r"\bper\b", name, re.I
    )
    name = re.sub("yield|产量", "", name, flags=re.IGNORECASE) if amount else name
    return not NOT_ADDITIVE.search(name)
