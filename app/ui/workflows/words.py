"""The steps of a workflow in words: interfaces, arguments, values.

The module also formats the result of a step as HTML: its size with its first and last row, or the
error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from app.ui.controls.labels import grey
from app.ui.theme.i18n import mark, said, tr
from backends.data.presentation import show

if TYPE_CHECKING:
    from app.ui.theme.tokens import Tokens
    from backends.data.values import Scalar
    from backends.data.workflow.report import StepTold
    from backends.data.workflow.step import Preview, Step, Workflow


DOES = {
    "read_rows": mark("Read rows"),
    "read_series": mark("Read over time"),
    "read_cross_section": mark("Read at one point in time"),
    "read_constituents": mark("Read the members of a group"),
    "returns": mark("Returns"),
    "total_return": mark("Return between two days"),
    "growth": mark("Growth from first to last"),
    "change": mark("Change from row to row"),
    "cumulate": mark("Running sum"),
    "rolling": mark("Moving window"),
    "resample": mark("One row for each period"),
    "combine": mark("Combine rows"),
    "summarise": mark("Combine rows, several columns at once"),
    "mean_median": mark("Mean and median"),
    "correlation": mark("Correlation"),
    "correlations": mark("Correlation for each"),
    "compute": mark("Compute a column"),
    "technical": mark("Technical indicator"),
    "forecast": mark("Forecast"),
    "line": mark("Draw lines"),
    "bar": mark("Draw bars"),
    "scatter": mark("Draw points"),
    "pie": mark("Draw a pie"),
    "candlestick": mark("Draw candles"),
    "overlay": mark("Overlay charts"),
    "show_table": mark("Show a table"),
    "select": mark("Keep columns and rows"),
    "read_value": mark("Read one cell"),
    "merge": mark("Put side by side"),
    "stack": mark("Put one below the other"),
    "pivot": mark("Turn values into columns"),
    "unpivot": mark("Turn columns into rows"),
    "rank": mark("Rank"),
    "loop_rank": mark("Compute for each, and rank"),
    "rename": mark("Rename columns"),
    "query": mark("Ask the database"),
}
CALLED = {
    "interface": mark("what it does"),
    "source": mark("table"),
    "data": mark("rows of"),
    "left": mark("left rows of"),
    "right": mark("right rows of"),
    "charts": mark("charts of"),
    "where": mark("only where"),
    "column": mark("column"),
    "columns": mark("columns"),
    "op": mark("compared"),
    "value": mark("value"),
    "values": mark("values"),
    "other": mark("other column"),
    "time": mark("time"),
    "by": mark("by"),
    "entities": mark("of"),
    "entity": mark("of"),
    "start": mark("from"),
    "end": mark("until"),
    "at": mark("at"),
    "since": mark("not before"),
    "exact": mark("that day only"),
    "every": mark("for each"),
    "aggregate": mark("combined as"),
    "aggregates": mark("combined as"),
    "written": mark("periods in words"),
    "order_by": mark("ordered by"),
    "descending": mark("highest first"),
    "n": mark("at most"),
    "distinct": mark("each once"),
    "group": mark("group"),
    "name": mark("name"),
    "names": mark("names"),
    "members": mark("members"),
    "cumulative": mark("since the first row"),
    "how": mark("how"),
    "lag": mark("rows before"),
    "window": mark("window"),
    "indicator": mark("indicator"),
    "steps": mark("how many"),
    "level": mark("confidence"),
    "x": mark("x axis"),
    "y": mark("y axis"),
    "title": mark("title"),
    "labels": mark("labels"),
    "save": mark("also saved"),
    "row": mark("row"),
    "rows": mark("rows"),
    "on": mark("joined on"),
    "label": mark("label"),
    "first": mark("first"),
    "second": mark("second"),
    "operator": mark("sign"),
    "volume": mark("volume"),
    "open": mark("opening price"),
    "high": mark("high"),
    "low": mark("low"),
    "close": mark("close"),
    "panes": mark("pane"),
    "fast": mark("fast"),
    "slow": mark("slow"),
    "signal": mark("signal"),
    "argument": mark("put into"),
    "tables": mark("tables"),
    "sql": mark("SELECT"),
}
# The parameters of designed workflows, as labels for the fields that ask for them.
ASKED = {
    "entity": mark("of whom"),
    "start": mark("first day"),
    "end": mark("last day"),
    "rows": mark("how many rows"),
    "values": mark("how many values"),
    "deviations": mark("standard deviations"),
    "top": mark("how many, largest first"),
    "series": mark("which series"),
    "measure": mark("which measure"),
    "column": mark("which column"),
}
LEFT_OUT = ("argument",)
RESULTS = ("data", "left", "right", "charts")

CHOSEN = {  # choices that are the same for every table
    "sum": mark("sum"),
    "mean": mark("mean"),
    "median": mark("median"),
    "min": mark("min"),
    "max": mark("max"),
    "count": mark("count"),
    "first": mark("first"),
    "last": mark("last"),
    "absolute": mark("absolute"),
    "percent": mark("percent"),
    "day": mark("day"),
    "week": mark("week"),
    "month": mark("month"),
    "quarter": mark("quarter"),
    "year": mark("year"),
}
LISTS = {"every", "aggregate", "aggregates", "how"}  # the arguments that have these choices


def does(interface: str) -> str:
    """Return a short description of an interface; return its name if it has no description."""
    return tr(DOES[interface]) if interface in DOES else interface.replace("_", " ")


def called(argument: str) -> str:
    """Return the label of an argument."""
    return tr(CALLED[argument]) if argument in CALLED else argument.replace("_", " ")


def asked(parameter: str) -> str:
    """Return the label of a parameter."""
    return tr(ASKED[parameter]) if parameter in ASKED else parameter.replace("_", " ")


def numbered(workflow: Workflow) -> dict[str, str]:
    """Return the displayed names of results, which contain the numbers of their steps."""
    return {s.id: tr("step {number}", number=n) for n, s in enumerate(workflow.steps, 1)}


def in_words(step: Step, names: dict[str, str], results: dict[str, str]) -> str:
    """Return, in words, the arguments of a step.

    names: the names of tables by uuid. results: the names of earlier results.
    """
    return " · ".join(parts(step.arguments, names | results) + looped(step, results))


def parts(arguments: dict[str, Any], names: dict[str, str]) -> list[str]:
    """Return each argument in words, leaving out empty ones."""
    made: list[str] = []
    for name, value in arguments.items():
        if value in (None, "", []) or value is False or name in LEFT_OUT:
            continue
        if name == "where":
            conditions = cast("list[dict[str, Any]]", value)
            both = tr(" and ").join(map(condition, conditions))
            made.append(f"{called(name)} {both}")
        elif name == "arguments" and isinstance(value, dict):
            made += parts(cast("dict[str, Any]", value), names)
        elif name == "tables":
            tables = cast("list[dict[str, Any]]", value)
            called_ = ", ".join(words_of(table.get("source"), names) for table in tables)
            made.append(f"{called(name)} {called_}")
        elif name == "sql":
            made.append(" ".join(str(value).split()))
        elif name == "interface":
            made.append(does(str(value)))
        elif value is True:
            made.append(called(name))
        else:
            made.append(f"{called(name)} {words_of(value, names)}")
    return made


def looped(step: Step, results: dict[str, str]) -> list[str]:
    """Return, in words, the values for which a step is repeated."""
    if step.each is None:
        return []
    column, rows = step.each.column, results.get(step.each.data, step.each.data)
    return [tr("once for each {column} of {rows}", column=column, rows=rows)]


def condition(held: dict[str, Any]) -> str:
    """Return a condition in words."""
    other = held.get("other") or words_of(held.get("value"), {})
    return f"{held.get('column')} {held.get('op')} {other}".strip()


def words_of(value: Any, names: dict[str, str]) -> str:
    """Return the value of an argument in words."""
    if isinstance(value, list):
        return ", ".join(words_of(one, names) for one in cast("list[Any]", value))
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        if list(held) == ["parameter"]:
            return f"‹{held['parameter']}›"
        return ", ".join(f"{key} → {words_of(one, names)}" for key, one in held.items())
    if isinstance(value, str):
        return names.get(value, value)
    return "" if value is None else show(value) if isinstance(value, float) else str(value)


def changes(before: Workflow, after: Workflow, names: dict[str, str]) -> str:
    """Return, in words, how two workflows differ: changed arguments, and steps that were added,
    removed or moved.
    """
    results, olds = numbered(after) | names, {step.id: step for step in before.steps}
    told: list[str] = []
    for new in after.steps:
        old = olds.get(new.id)
        said = (
            [tr("new: {does}", does=does(new.interface))]
            if old is None
            else differences(old, new, results)
        )
        if said:
            told.append(f"{results[new.id]}: {', '.join(said)}")
    kept = [step.id for step in after.steps if step.id in olds]
    stayed = [step.id for step in before.steps if step.id in kept]
    told += [tr("in another order")] if kept != stayed else []
    told += [tr("without {does}", does=does(s.interface)) for s in before.steps if s.id not in kept]
    return "; ".join(told)


def differences(old: Step, new: Step, results: dict[str, str]) -> list[str]:
    """Return, in words, how a step has changed."""
    said = [does(new.interface)] if new.interface != old.interface else []
    for name in dict.fromkeys([*old.arguments, *new.arguments]):
        was, now = old.arguments.get(name), new.arguments.get(name)
        if was != now:
            said.append(f"{called(name)} {short(was, results)} → {short(now, results)}")
    return said


def short(value: Any, names: dict[str, str]) -> str:
    """Return the value of an argument in a short form; return a dash if it is empty."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return tr(" and ").join(condition(one) for one in cast("list[dict[str, Any]]", value))
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return words_of(value, names) or "–"


# maximum number of a row's columns that are shown, and of characters in each cell
COLUMNS, CELL = 6, 40


def result_html(told: StepTold | None, tokens: Tokens) -> str:
    """Return the result of a step: its size with its first and last row, or the error."""
    if told is None:
        return line_below(tr("Not run: an earlier step failed."), tokens.faint)
    if told.error:
        return line_below(f"{said(told.error)} {said(told.remedy)}".strip(), tokens.danger)
    preview = told.preview
    if preview is None:
        return ""
    if preview.kind == "value":
        value = tr("{name}: {value}", name=preview.name, value=show(preview.value, preview.unit))
        return line_below(value, tokens.text)
    if preview.kind == "chart":
        return line_below(tr("A chart of %n rows", "", preview.rows), tokens.faint)
    return line_below(result_size(preview), tokens.faint) + result_rows(preview, tokens)


def result_size(preview: Preview) -> str:
    """Return, in words, the numbers of rows and columns in a result."""
    rows, columns = tr("%n rows", "", preview.rows), tr("%n columns", "", len(preview.columns))
    return f"{rows} × {columns}"


def line_below(text: str, colour: str) -> str:
    """Return a line to show below a step."""
    return f"<p style='margin:0 0 0 18px'>{grey(text, colour)}</p>"


def result_rows(preview: Preview, tokens: Tokens) -> str:
    """Return the header, the first row and the last row as a table."""
    names = list(preview.columns)
    more = ["…"] if len(names) > COLUMNS else []
    lines = [[*names[:COLUMNS], *more]]
    for row in [preview.first, preview.last] if preview.rows > 1 else [preview.first]:
        lines.append([*(cell_text(v) for v in row[:COLUMNS]), *more])
    if preview.rows > 2:
        lines.insert(2, ["⋮"] * len(lines[0]))
    made = "".join(
        "<tr>"
        + "".join(f"<td style='padding-right:14px'>{grey(c, tokens.muted)}</td>" for c in one)
        + "</tr>"
        for one in lines
    )
    return f"<table cellspacing='0' cellpadding='1' style='margin-left:18px'>{made}</table>"


def cell_text(value: Scalar) -> str:
    """Return a value as the text of a cell."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else show(value)
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"
