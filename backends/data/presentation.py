"""Format results for users: column names in their language, numbers, and Markdown tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from backends.data.values import Result, Scalar
    from backends.data.workflow.report import Shown


HOW = {
    "mean": ("平均值", "平均"),
    "sum": ("总和", "合計"),
    "median": ("中位数", "中央値"),
    "min": ("最小值", "最小値"),
    "max": ("最大值", "最大値"),
    "count": ("个数", "件数"),
    "std": ("标准差", "標準偏差"),
    "first": ("首个值", "最初の値"),
    "last": ("末个值", "最後の値"),
    "highest": ("最高", "最大"),
    "lowest": ("最低", "最小"),
}
PLAIN = {
    "return %": ("收益率 %", "収益率 %"),
    "cumulative return %": ("累计收益率 %", "累積収益率 %"),
    "growth %": ("增长率 %", "伸び率 %"),
    "change %": ("变化率 %", "変化率 %"),
    "change": ("变化", "変化"),
    "growth": ("增长", "伸び"),
    "rows": ("行数", "行数"),
}
# what column headings start with if there are several aggregates
COMPUTED = ("mean", "median", "sum", "std", "min", "max")
DRAWN = {"series": ("系列", "系列"), "label": ("标签", "ラベル"), "value": ("数值", "値")}
FORECAST = {
    "forecast": ("预测", "予測"),
    "low": ("下限", "下限"),
    "high": ("上限", "上限"),
    "naive": ("基准", "単純予測"),
}
LONG = {"name": ("名称", "名前"), "value": ("数值", "値")}
FORMS: list[tuple[re.Pattern[str], tuple[str, str]]] = [
    (re.compile(form), (zh, ja))
    for form, zh, ja in (
        (r"(?P<h>mean|sum|median|min|max|std) of (?P<n>\d+)", "{n} 期{h}", "{n} 期の{h}"),
        (r"cumulative (?P<x>.+)", "累计{x}", "累計{x}"),
        (
            r"correlation of (?P<x>.+) and (?P<y>.+)",
            "{x} 与 {y} 的相关系数",
            "{x} と {y} の相関係数",
        ),
        (rf"(?P<h>{'|'.join(HOW)}) of (?P<x>.+)", "{x}的{h}", "{x}の{h}"),
        (r"(?P<n>[\d,]+) more rows", "另有 {n} 行", "ほか {n} 行"),
        (r"(?P<n>[\d,]+) more groups", "另有 {n} 组", "ほか {n} グループ"),
        (r"(?P<n>[\d,]+) of (?P<m>[\d,]+) points", "{m} 个点中的 {n} 个", "{m} 点のうち {n} 点"),
    )
]
PLACES = {"zh": 0, "ja": 1}


def said(name: str, language: str) -> str:
    """Return the name of a computed column in a given language. Other names are returned
    unchanged.
    """
    if language not in PLACES:
        return name
    at = PLACES[language]
    if name in PLAIN or name in COMPUTED:
        return (PLAIN.get(name) or HOW[name])[at]
    for form, made in FORMS:
        if match := form.fullmatch(name):
            parts = match.groupdict()
            if "h" in parts:
                parts["h"] = HOW[parts["h"]][at]
            return made[at].format(
                **parts | {key: said(parts[key], language) for key in "xy" if key in parts}
            )
    return name


def headed(columns: list[str], language: str) -> list[str]:
    """Return the headings of a table's columns. The columns of forecasts, and those of rows made
    from columns, are recognised by occurring together.
    """
    if language not in PLACES:
        return columns
    whole = next((known for known in (FORECAST, LONG) if known.keys() <= set(columns)), {})
    named = [
        whole[name][PLACES[language]] if name in whole else said(name, language) for name in columns
    ]
    return named if len(set(named)) == len(named) else columns


def shown_in(one: Shown, language: str) -> Shown:
    """Return an output with its names in a given language."""
    if language not in PLACES:
        return one
    title = said(one.title, language) if one.kind == "value" else one.title
    left = said(one.left_out, language) if one.left_out else one.left_out
    made = {"title": title, "left_out": left, "columns": headed(one.columns, language)}
    return one.model_copy(update=made | {"figure": drawn(one.figure, language)})


def drawn(figure: dict[str, Any], language: str) -> dict[str, Any]:
    """Return a chart with the names of its traces and axes in a given language."""
    if not figure.get("data"):
        return figure
    traces = [
        trace | ({"name": parts(str(trace["name"]), language)} if trace.get("name") else {})
        for trace in figure["data"]
    ]
    layout: dict[str, Any] = figure.get("layout", {})
    axis = layout.get("yaxis", {})
    if text := axis.get("title", {}).get("text"):
        layout = layout | {
            "yaxis": axis | {"title": axis["title"] | {"text": said(str(text), language)}}
        }
    return figure | {"data": traces, "layout": layout}


def listed(rows: list[dict[str, Any]], language: str) -> list[dict[str, Any]]:
    """Return the points of a chart as rows, with headings in a given language."""
    if language not in PLACES:
        return rows
    at = PLACES[language]
    return [
        {DRAWN[key][at] if key in DRAWN else key: value for key, value in row.items()}
        for row in rows
    ]


def parts(name: str, language: str) -> str:
    """Return the name of a trace, which may consist of the names of an entity and a column."""
    return " · ".join(said(part, language) for part in name.split(" · "))


EXACT = 1e-9  # maximum rounding error of a computed value that counts as a whole number
LARGE = 10_000  # from this size, whole numbers are written without ".0"
LARGEST = 1e15  # beyond this, the digits of a float are meaningless, and too many for a cell


def show(value: Scalar, unit: str | None = None) -> str:
    """Return a value as shown to users: fractions are shortened to a readable number of digits, and
    thousands are grouped.
    """
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        value += 0.0  # turns -0.0 into 0.0
    if isinstance(value, int):
        text = f"{value:,}"
    elif isinstance(value, float) and abs(value) >= LARGEST:
        text = f"{value:.6g}"
    elif isinstance(value, float) and value.is_integer() and (not value or abs(value) >= LARGE):
        text = f"{value:,.0f}"
    elif isinstance(value, float):
        plain = repr(value)
        decimals = len(plain.partition(".")[2]) if "e" not in plain else 99
        short = f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4g}"
        if not set(short) & set(".e") and abs(value - round(value)) > EXACT:
            short += ".0"  # "37" would suggest that it is exactly 37
        text = short if decimals > 4 else f"{value:,}"
    else:
        return value.removesuffix(" 00:00:00")
    return f"{text} {unit}" if unit and unit != "%" else f"{text}{' %' if unit == '%' else ''}"


ROWS = 20  # maximum number of rows shown


def label(value: Scalar) -> str:
    """Return a label. In years, thousands are not grouped."""
    return str(value) if isinstance(value, int) and 1000 <= value <= 2200 else show(value)


def table(result: Result, computed: Collection[int] = ()) -> str:
    """Return the first rows of a result as a table. Numbers are right-aligned.

    computed: the positions of columns with counts, sums and similar numbers, which cannot be years.
    """
    numbers = [at for at in range(len(result.columns)) if is_number(result, at)]
    shown = result.rows[:ROWS]
    cells = [
        cells_of([row[at] for row in shown], computed=at in computed)
        for at in range(len(result.columns))
    ]
    return written(result.columns, [list(row) for row in zip(*cells, strict=True)], numbers)


def cells_of(values: list[Scalar], *, computed: bool) -> list[str]:
    """Return the cells of one column as shown to users. Numbers get the same number of decimals, if
    a few suffice for all of them.

    computed: whether the numbers cannot be years.
    """
    cells = [show(value) if computed else label(value) for value in values]
    numbers = [value for value in values if isinstance(value, int | float)]
    decimals = max((len(cell.partition(".")[2]) for cell in cells), default=0)
    if not 0 < decimals <= 2 or not numbers:
        return cells
    return [
        f"{value:,.{decimals}f}" if is_countable(value) else cell
        for value, cell in zip(values, cells, strict=True)
    ]


def is_countable(value: Scalar) -> bool:
    """Return whether a cell is a number whose digits are all written."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST


def written(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()
) -> str:
    """Return a table in Markdown. right: the positions of the right-aligned columns."""
    rule = "|".join("---:" if at in right else "---" for at in range(len(columns)))
    head, *body = ("| " + " | ".join(map(escape, row)) + " |" for row in (columns, *rows))
    return "\n".join([head, f"|{rule}|", *body])


def is_number(result: Result, column: int) -> bool:
    """Return whether a column of a result contains numbers."""
    return bool(result.rows) and isinstance(result.rows[0][column], int | float)


def escape(text: str) -> str:
    """Return text that cannot break out of a table cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
