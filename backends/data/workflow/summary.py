"""The summary of a workflow: tasks, interfaces and findings. Every number in it comes from a
result.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from backends.data.presentation import listed, show, shown_in, written
from backends.data.workflow.report import ROWS

if TYPE_CHECKING:
    from backends.data.moments import PartialPeriod
    from backends.data.values import Scalar
    from backends.data.workflow.report import Shown, WorkflowResult
    from backends.data.workflow.step import Workflow

KINDS = {  # descriptions of what a task does
    "zh": {
        "acquisition": "获取",
        "processing": "计算",
        "prediction": "预测",
        "visualization": "展示",
        "manipulation": "整理",
    },
    "ja": {
        "acquisition": "取得",
        "processing": "計算",
        "prediction": "予測",
        "visualization": "表示",
        "manipulation": "整形",
    },
}
WORDS = {
    "en": {
        "one": "I did this in one task:",
        "several": "I did this in {} tasks:",
        "colon": ": ",
        "rows": "more rows",
        "save": "Press CSV at the table below to choose where it is saved.",
        "bars": "- {name}: {top} is highest, **{high}**; {bottom} is lowest, **{low}**",
        "line": "- {name}: from **{start}** {at} {first} to **{end}** {at} {last}",
        "part": "{label} is not a whole {every}: it has {held} of {of} {unit}.",
        "year": "year",
        "quarter": "quarter",
        "month": "month",
        "week": "week",
        "quarters": "quarters",
        "months": "months",
        "days": "days",
        "points": "points in time",
    },
    "zh": {
        "one": "我用一个任务完成：",
        "several": "我把问题拆成 {} 个任务：",
        "colon": "：",
        "rows": "行未显示",
        "save": "在下面的表格上按 CSV，选择保存的位置。",
        "bars": "- {name}：{top} 最高，**{high}**；{bottom} 最低，**{low}**",
        "line": "- {name}：从 {first} 的 **{start}** 到 {last} 的 **{end}**",
        "part": "{label} 不是完整的一{every}：{of} {unit}中只有 {held} {unit}。",
        "year": "年",
        "quarter": "个季度",
        "month": "个月",
        "week": "周",
        "quarters": "个季度",
        "months": "个月",
        "days": "天",
        "points": "个时点",
    },
    "ja": {
        "one": "1 つの作業で計算しました：",
        "several": "{} つの作業に分けて計算しました：",
        "colon": "：",
        "rows": "行は省略",
        "save": "保存先を選ぶには、下の表の CSV を押してください。",
        "bars": "- {name}：最大は {top} の **{high}**、最小は {bottom} の **{low}**",
        "line": "- {name}：{first} の **{start}** から {last} の **{end}** まで",
        "part": "{label} は 1 {every}に足りません：{of} {unit}のうち {held} {unit}だけです。",
        "year": "年",
        "quarter": "四半期",
        "month": "か月",
        "week": "週",
        "quarters": "四半期",
        "months": "か月",
        "days": "日",
        "points": "時点",
    },
}
NAMED = 4  # maximum number of traces that are described in words
WIDTH = 80  # maximum number of characters in a cell


@dataclass(frozen=True)
class SummaryPiece:
    """A chart or table in an answer. uid: its id, which is the same for the same steps over the
    same data. figure: in Plotly's format.
    """

    kind: Literal["chart", "table"]
    title: str
    left_out: str
    uid: str
    rows: list[dict[str, Any]]
    figure: dict[str, Any] | None = None


def pieces(workflow: Workflow, result: WorkflowResult, language: str) -> list[SummaryPiece]:
    """Return the charts and tables in an answer. Charts drawn on top of each other count as one."""
    made: list[SummaryPiece] = []
    for one in (shown_in(each, language) for each in seen(workflow, result)):
        uid, left = piece_uid(result.hashes, workflow, one.step), one.left_out or ""
        if one.kind == "chart":
            made.append(
                SummaryPiece(
                    "chart", one.title, left, uid, listed(rows_of(one), language), one.figure
                )
            )
        elif one.kind == "table":
            rows = [dict(zip(one.columns, row, strict=True)) for row in one.rows]
            made.append(SummaryPiece("table", one.title, left, uid, rows))
    return made


def piece_uid(hashes: dict[str, str], workflow: Workflow, step: str) -> str:
    """Return the id of a piece, which is the same for the same steps over the same data."""
    text = f"{hashes}{workflow.model_dump_json()}{step}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def seen(workflow: Workflow, result: WorkflowResult) -> list[Shown]:
    """Return the outputs that are shown, leaving out charts that are only parts of others."""
    overlaid = {
        name for step in workflow.steps if step.interface == "overlay" for name in step.inputs()
    }
    return [one for one in result.shown if one.kind != "chart" or one.step not in overlaid]


def summary(workflow: Workflow, result: WorkflowResult, language: str) -> str:
    """Return the summary as Markdown: in Chinese for `zh`, in Japanese for `ja`, otherwise in
    English.
    """
    language = language if language in WORDS else "en"
    words, by_id = WORDS[language], {step.id: step for step in result.steps}
    found = [
        text for one in seen(workflow, result) if (text := told(shown_in(one, language), language))
    ]
    found += [f"*{not_whole(part, language)}*" for part in result.parts]
    tasks: list[str] = []
    for task in workflow.tasks:
        used = list(dict.fromkeys(by_id[s].interface for s in task.steps if s in by_id))
        names = ", ".join(f"`{name}`" for name in used)
        kind = KINDS.get(language, {}).get(task.kind, task.kind)
        tasks.append(f"- [{kind}] {task.instruction}{words['colon']}{names}")
    if not tasks:
        return "\n\n".join(found)
    head = words["one"] if len(tasks) == 1 else words["several"].format(len(tasks))
    return "\n\n".join([*found, head + "\n\n" + "\n".join(tasks)])


def not_whole(part: PartialPeriod, language: str = "en") -> str:
    """Return the sentence that says that an incomplete period is compared with complete ones."""
    words = WORDS[language]
    return words["part"].format(
        label=part.label,
        every=words[part.every],
        held=part.held,
        of=part.of,
        unit=words[f"{part.unit}s"],
    )


def told(one: Shown, language: str) -> str:
    """Describe a chart, table or value in words."""
    if one.kind == "value":
        return f"{short(one.title)}{WORDS[language]['colon']}**{show(one.value, one.unit)}**"
    if one.kind == "table":
        return table(one, language)
    axis = str(one.figure.get("layout", {}).get("yaxis", {}).get("title", {}).get("text", ""))
    traces = one.figure.get("data", [])
    if traces and traces[0]["type"] == "candlestick":
        traces = traces[:1]  # the panes below the price are visible in the chart
    lines = [trace_words(trace, axis, WORDS[language]) for trace in traces[:NAMED]]
    if len(traces) > NAMED:
        lines.append("- …")
    return "\n".join(line for line in lines if line)


def trace_words(trace: dict[str, Any], axis: str, words: dict[str, str]) -> str:
    """Return where a line starts and ends, or which bars are the highest and lowest. axis: the
    quantity that the trace shows.
    """
    name = short(trace.get("name", ""))
    unit = "%" if name.endswith("%") or (axis.endswith("%") and "yaxis" not in trace) else None
    cells = trace.get("close") if trace["type"] == "candlestick" else trace.get("y")
    points = [
        (x, y) for x, y in zip(trace.get("x") or [], cells or [], strict=False) if y is not None
    ]
    if not points:
        return ""
    if trace["type"] == "bar" and len(points) <= 400 and not is_day(points[0][0]):
        top, low = max(points, key=lambda p: p[1]), min(points, key=lambda p: p[1])
        ends = {
            "top": short(top[0]),
            "high": show(top[1], unit),
            "bottom": short(low[0]),
            "low": show(low[1], unit),
        }
        return words["bars"].format(name=name, **ends)
    (first, start), (last, end) = points[0], points[-1]
    at = "on" if is_day(first) else "at"
    ends = {
        "first": short(first),
        "start": show(start, unit),
        "last": short(last),
        "end": show(end, unit),
    }
    return words["line"].format(name=name, at=at, **ends)


def short(label: object) -> str:
    """Return a name from the user's data on one line. It is truncated if it is too long for a
    name.
    """
    text = " ".join(str(label).split())
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}…"


def is_day(text: object) -> bool:
    """Return whether the label of a bar is a day."""
    return isinstance(text, str) and len(text) >= 10 and text[4:5] == "-" and text[:4].isdigit()


def table(one: Shown, language: str) -> str:
    """Return the first rows of a table as Markdown. If it is to be saved, a sentence says how."""
    years = {i for i, cells in enumerate(zip(*one.rows, strict=True)) if all(map(is_year, cells))}
    rows = [
        [str(v) if i in years else show(v)[:WIDTH] for i, v in enumerate(row)]
        for row in one.rows[:ROWS]
    ]
    left = one.rows_in_all - min(len(one.rows), ROWS)
    # inside the table: if a reader shows the whole table below, this line is dropped with the
    # excerpt
    if left > 0:
        more = f"… {show(left)} {WORDS[language]['rows']}"
        rows.append([more, *[""] * (len(one.columns) - 1)])
    made = written([name[:WIDTH] for name in one.columns], rows)
    return f"{made}\n\n{WORDS[language]['save']}" if one.save else made


def is_year(value: Scalar) -> bool:
    """Return whether a number could be a year, which is written without a thousands separator."""
    return isinstance(value, int) and 1900 <= value <= 2100


def rows_of(one: Shown) -> list[dict[str, Any]]:
    """Return the data of a chart as rows, for reading and saving."""
    made: list[dict[str, Any]] = []
    for trace in one.figure.get("data", []):
        if trace["type"] == "candlestick":
            keys = ("open", "high", "low", "close")
            made += [{"x": x} | {k: trace[k][i] for k in keys} for i, x in enumerate(trace["x"])]
        elif trace["type"] in ("scatter", "bar"):
            made += [
                {"series": trace["name"], "x": x, "y": y}
                for x, y in zip(trace["x"], trace["y"], strict=True)
            ]
        else:
            made += [
                {"label": a, "value": b}
                for a, b in zip(trace["labels"], trace["values"], strict=True)
            ]
    return made
