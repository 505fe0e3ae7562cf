"""Put a result into words with templates: no number is written by a model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.data import presentation as computed
from backends.data.presentation import ROWS, label, show, table
from backends.understanding.asking.telling import at

if TYPE_CHECKING:
    from backends.data.values import Result
    from backends.understanding import Reading

DAY = re.compile(r"\d{4}-\d\d-\d\d")
MORE = {"en": "more rows", "zh": "行未显示", "ja": "行は省略"}
NAMES = {
    "en": {
        "sum": "total",
        "mean": "average",
        "median": "median",
        "highest": "highest",
        "lowest": "lowest",
    },
    "zh": {
        "sum": "总和",
        "mean": "平均值",
        "median": "中位数",
        "highest": "最高",
        "lowest": "最低",
    },
    "ja": {"sum": "合計", "mean": "平均", "median": "中央値", "highest": "最大", "lowest": "最小"},
}


def phrase(reading: Reading, result: Result, language: str) -> str:
    """Return the answer as Markdown with marks [1], [2] … for the citations."""
    write = WRITERS.get(result.interface, rows)
    result = headed(reading, result, language)
    return write(reading, result, language if language in NAMES else "en")


def headed(reading: Reading, result: Result, language: str) -> Result:
    """Return a result whose computed column is called as the language has it."""
    if result.interface not in ("group", "series") or not result.columns:
        return result
    named = result.columns[-1]
    if (
        column_of(reading)
        and result.reach is not None
        and result.reach.cells == len(result.rows)
        and reading.arguments.get("aggregate") != "count"
    ):
        named = column_of(reading)  # one row each: nothing was averaged
    if named != column_of(reading):
        named = computed.said(named, language)
    return result.model_copy(update={"columns": [*result.columns[:-1], named]})


def marks(result: Result) -> str:
    """Return the marks of the cells that are cited; see `cited`."""
    return "".join(f" [{i + 1}]" for i in range(cited(result)))


def cited(result: Result) -> int:
    """Return how many cells an answer cites: each it quotes, or the first of the many it was
    computed from.
    """
    if result.interface in ("difference", "between") and len(result.cells) == 2:
        return 2
    if result.interface in ("look_up", "list_rows", "extreme"):
        return min(len(result.cells), 3)
    return min(len(result.cells), 1)


def where(reading: Reading, language: str) -> str:
    """Return the conditions in words, ready to stand behind a noun."""
    if not reading.conditions:
        return ""
    if language == "en":
        return f" ({', '.join(reading.conditions)})"
    return f"（{('、' if language == 'ja' else '，').join(reading.conditions)}）"


def column_of(reading: Reading) -> str:
    """Return the column a reading is about."""
    named = reading.arguments.get("column") or next(
        iter(reading.arguments.get("columns") or []), ""
    )
    return str(named)


def one_cell(reading: Reading, result: Result, language: str) -> str:
    """A looked-up value, or the newest one."""
    if result.value is None:
        return rows(reading, result, language)
    value, column = show(result.value, result.unit), column_of(reading)
    beside = ""
    if result.interface == "latest":
        named = [
            f"{c} {label(v)}"
            for c, v in zip(result.columns, result.rows[0], strict=True)
            if c != column
        ]
        beside = (", " if language == "en" else "、").join(named)
    if language == "zh":
        tail = f"（{beside}）" if beside else ""
        return (
            f"{'最新的 ' if beside else ''}{column}{where(reading, language)}为"
            f" **{value}**{marks(result)}{tail}。"
        )
    if language == "ja":
        tail = f"（{beside}）" if beside else ""
        return (
            f"{'最新の ' if beside else ''}{column}{where(reading, language)}は"
            f" **{value}**{marks(result)} です{tail}。"
        )
    head = "The latest " if beside else ""
    return (
        f"{head}{column}{where(reading, language)} is"
        f" **{value}**{marks(result)}{f', at {beside}' if beside else ''}."
    )


def counted(reading: Reading, result: Result, language: str) -> str:
    """A number of rows."""
    value = show(result.value)
    if language == "zh":
        return f"共有 **{value}** 行{where(reading, language)}{marks(result)}。"
    if language == "ja":
        return f"**{value}** 行です{where(reading, language)}{marks(result)}。"
    noun = "row" if result.value == 1 else "rows"
    return f"**{value}** {noun}{where(reading, language)}{marks(result)}."


def different(reading: Reading, result: Result, language: str) -> str:
    """A number of different values, and the first of them."""
    listed = (", " if language == "en" else "、").join(label(row[0]) for row in result.rows[:ROWS])
    more = "…" if isinstance(result.value, int) and result.value > ROWS else ""
    column, value = column_of(reading), show(result.value)
    if language == "zh":
        return (
            f"{column}{where(reading, language)}有 **{value}** 种{marks(result)}：{listed}{more}。"
        )
    if language == "ja":
        return (
            f"{column}{where(reading, language)}は **{value}**"
            f" 種類です{marks(result)}：{listed}{more}。"
        )
    place = where(reading, language)
    return f"{column} has **{value}** different values{place}{marks(result)}: {listed}{more}."


def aggregated(reading: Reading, result: Result, language: str) -> str:
    """A sum, mean or median."""
    name, value = NAMES[language][result.interface], show(result.value, result.unit)
    column, number = column_of(reading), show(result.matched)
    if language == "zh":
        return (
            f"{column}{where(reading, language)}的{name}是 **{value}**{marks(result)}，共"
            f" {number} 行。"
        )
    if language == "ja":
        return (
            f"{column}{where(reading, language)}の{name}は **{value}**{marks(result)}"
            f" です（{number} 行）。"
        )
    return (
        f"The {name} of {column}{where(reading, language)} is **{value}**{marks(result)}, over"
        f" {number} rows."
    )


def highest(reading: Reading, result: Result, language: str) -> str:
    """The highest or lowest value and where it stands, or the first n."""
    if len(result.rows) != 1:
        head = rows(reading, result, language)
        return head
    direction = NAMES[language][str(reading.arguments.get("direction", "highest"))]
    column, value = column_of(reading), show(result.value, result.unit)
    beside = [
        f"{c} {label(v)}"
        for c, v in zip(result.columns, result.rows[0], strict=True)
        if c != column
    ]
    if language == "zh":
        tail = f"：{'，'.join(beside)}" if beside else ""
        return f"{column}{where(reading, language)}{direction}为 **{value}**{marks(result)}{tail}。"
    if language == "ja":
        tail = f"（{'、'.join(beside)}）" if beside else ""
        return (
            f"{column}{where(reading, language)}の{direction}は **{value}**{marks(result)}"
            f" です{tail}。"
        )
    tail = f", at {', '.join(beside)}" if beside else ""
    return (
        f"The {direction} {column}{where(reading, language)} is **{value}**{marks(result)}{tail}."
    )


def changed(reading: Reading, result: Result, language: str) -> str:
    """A difference between two points, or how far they are apart."""
    first, second = (show(side) for side in result.rows[0])
    what, value = measured(reading, result, language), show(result.value, result.unit)
    apart = reading.arguments.get("how") == "gap"
    if language == "zh":
        verb, between = (
            ("相差", f"{first} 与 {second}") if apart else ("的变化是", f"从 {first} 到 {second}")
        )
        return f"{what}{where(reading, language)}{verb} **{value}**{marks(result)}：{between}。"
    if language == "ja":
        verb, between = (
            ("の差", f"{first} と {second}") if apart else ("の変化", f"{first} から {second}")
        )
        subject = f"{what}{where(reading, language)}{verb}"
        return f"{subject}は **{value}**{marks(result)} です（{between}）。"
    verb, between = (
        ("differs by", f"{first} and {second}")
        if apart
        else ("changed by", f"from {first} to {second}")
    )
    return f"{what}{where(reading, language)} {verb} **{value}**{marks(result)}: {between}."


def apart(reading: Reading, result: Result, language: str) -> str:
    """How far one column lies above another."""
    first, second = (show(side) for side in result.rows[0])
    upper, lower = result.columns
    how, value = reading.arguments.get("how"), result.value
    below = isinstance(value, int | float) and value < 0
    number = show(-value if below and isinstance(value, int | float) else value, result.unit)
    name = NAMES[language].get(str(reading.arguments.get("aggregate")), "")
    place = where(reading, language)
    if language == "zh":
        verb = (
            f"与 {lower}{place}相差"
            if how == "gap"
            else f"比 {lower}{place}{'低' if below else '高'}"
        )
        tail = f"（{result.matched} 行的{name}）" if name and result.matched > 1 else ""
        return f"{upper} {verb} **{number}**{marks(result)}：{first} 与 {second}{tail}。"
    if language == "ja":
        tail = f"、{result.matched} 行の{name}" if name and result.matched > 1 else ""
        side = "の差は" if how == "gap" else f"より{'下に' if below else '上に'}"
        subject = f"{upper} と {lower}{place}" if how == "gap" else f"{upper} は {lower}{place}"
        return f"{subject}{side} **{number}**{marks(result)} です（{first} と {second}{tail}）。"
    verb = f"and {lower}{place} differ by" if how == "gap" else "is"
    side = "" if how == "gap" else f" {'below' if below else 'above'} {lower}{place}"
    tail = f", the {name} of {show(result.matched)} rows" if name and result.matched > 1 else ""
    return f"{upper} {verb} **{number}**{side}{marks(result)}: {first} and {second}{tail}."


def measured(reading: Reading, result: Result, language: str) -> str:
    """Return what is compared, with how it was computed from several rows; without a column, the
    number of rows.
    """
    aggregate, column = str(reading.arguments.get("aggregate")), column_of(reading)
    if aggregate == "count" or not column:
        return "The number of rows" if language == "en" else "行数"
    name = NAMES[language].get(aggregate)
    if name is None or result.matched == len(result.rows[0]):  # one cell on each side
        return column
    if language == "en":
        return f"The {name} of {column}"
    return f"{column}{'の' if language == 'ja' else '的'}{name}"


def shared(reading: Reading, result: Result, language: str) -> str:
    """A part of a whole."""
    part, whole = result.rows[0]
    value, of = show(result.value, "%"), f" of {column_of(reading)}" if column_of(reading) else ""
    if language == "zh":
        return (
            f"占比为 **{value}**{where(reading, language)}{marks(result)}：{show(whole)} 中的"
            f" {show(part)}。"
        )
    if language == "ja":
        return (
            f"割合は **{value}** です{where(reading, language)}{marks(result)}：{show(whole)}"
            f" のうち {show(part)}。"
        )
    return (
        f"That is **{value}**{of}{where(reading, language)}{marks(result)}: {show(part)} of"
        f" {show(whole)}."
    )


def grouped(reading: Reading, result: Result, language: str) -> str:
    """The first group, or all of them."""
    if len(result.rows) != 1 or not reading.arguments.get("order"):
        return rows(reading, result, language)
    name, value = label(result.label), show(result.value, result.unit)
    direction = NAMES[language][str(reading.arguments["order"])]
    if language == "zh":
        return (
            f"**{name}**"
            f" 的{result.columns[1]}{where(reading, language)}{direction}"
            f"：**{value}**{marks(result)}。"
        )
    if language == "ja":
        return (
            f"{result.columns[1]}{where(reading, language)}が{direction}なのは **{name}** で、"
            f"**{value}**{marks(result)} です。"
        )
    return (
        f"**{name}** has the {direction} {result.columns[1]}{where(reading, language)}:"
        f" **{value}**{marks(result)}."
    )


def over_time(reading: Reading, result: Result, language: str) -> str:
    """A series: where it begins and ends; the chart shows the rest."""
    (start, first), (end, last) = result.rows[0], result.rows[-1]
    by = [str(name) for name in reading.arguments.get("by") or []]
    start, end = at(start, language, by), at(end, language, by)
    points, column = show(len(result.rows)), result.columns[1]
    if language == "zh":
        return (
            f"{column}{where(reading, language)}：从 {start} 的 **{show(first)}** 到 {end} 的"
            f" **{show(last)}**{marks(result)}，共 {points} 个点。"
        )
    if language == "ja":
        return (
            f"{column}{where(reading, language)}：{start} の **{show(first)}** から {end} の"
            f" **{show(last)}** まで{marks(result)}、{points} 点。"
        )
    start, end = (f"{'on' if DAY.fullmatch(point) else 'at'} {point}" for point in (start, end))
    return (
        f"{column}{where(reading, language)} goes from **{show(first)}** {start} to"
        f" **{show(last)}** {end}{marks(result)}, {points} points."
    )


def rows(reading: Reading, result: Result, language: str) -> str:
    """Rows as a Markdown table, the first 20."""
    number = show(result.matched)
    if len(result.columns) == 1 and len(result.rows) > 1:
        comma, colon, end = (", ", ": ", ".") if language == "en" else ("、", "：", "。")
        listed = comma.join(label(row[0]) for row in result.rows[:50])
        head = f"{result.columns[0]}{where(reading, language)}{marks(result)}{colon}{listed}"
        return head + ("…" if result.left_out else end)
    if result.interface in ("look_up", "list_rows"):
        said = f": {number} rows" if language == "en" else f"：{number} 行"
    else:  # the table holds fewer than it was made from
        said = {"zh": f"，取自 {number} 行", "ja": f"（{number} 行から）"}.get(
            language, f", of {number} rows"
        )
    # the last column of groups is computed: no year, but of the lowest and the highest
    counted = result.interface in ("group", "series") and reading.arguments.get("aggregate") in (
        *("sum", "mean", "median", "count"),
    )
    computed = [len(result.columns) - 1] if counted else []
    lines = [f"{' · '.join(reading.words)}{said}{marks(result)}", "", table(result, computed)]
    left = result.matched - min(len(result.rows), ROWS)
    if result.interface in ("look_up", "list_rows") and left > 0:
        lines.append(f"\n… {show(left)} {MORE[language]}")
    return "\n".join(lines)


WRITERS = {
    "look_up": one_cell,
    "latest": one_cell,
    "count": counted,
    "distinct": different,
    "sum": aggregated,
    "mean": aggregated,
    "median": aggregated,
    "extreme": highest,
    "difference": changed,
    "between": apart,
    "share": shared,
    "group": grouped,
    "series": over_time,
    "list_rows": rows,
}
