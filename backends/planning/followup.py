"""A follow-up request: the previous question with other names or dates, a forecast of its numbers,
or the same workflow displayed in another way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from backends.data.steps import STEPS
from backends.data.workflow.step import Step, Task, Workflow
from backends.planning.request import CUES, INDICATORS, read_cues
from backends.planning.tables import View, find_entities, plain
from backends.planning.text import CJK, showing
from backends.planning.times import read_time, said_out

if TYPE_CHECKING:
    import datetime as dt

    from backends.data.values import Profile
    from backends.data.workflow.report import Shown
    from backends.data.workflow.step import Workflow
    from backends.planning.tables import Entity


SMALL = re.compile(
    r"\b(?:and|or|but|now|then|next|what|how|about|only|just|also|same|again|the|in|on|at|for|of|from|to|do|it|that|this|please|instead|with|by|show|me)\b"
    r"|那么?|然后|接着|再|只看|只要|换成|换|改成|改为|看看?|把它|在|的|呢|吗|如果|一下|和|与|请|以及|[#\s?!.,:;？！。，、]+",
    re.IGNORECASE,
)
LEAD = re.compile(
    r"^(?:(?:and|but|now|then|next|please)\b[\s,]*)+|^(?:然后|接着|再|请|那么?)+", re.IGNORECASE
)
BETWEEN = re.compile(
    r"\s*(?:,|，|、|and|or|versus|vs\.?|和|与|跟|及)?\s*(?:and|和|与)?\s*", re.IGNORECASE
)
FORECAST = re.compile(CUES["forecast"].pattern, re.IGNORECASE)


class Before(NamedTuple):
    """A question that was answered, the workflow that answered it, and who or what the question was
    about.
    """

    question: str
    workflow: Workflow
    names: list[str]


def as_whole(question: str, before: Before, profiles: list[Profile], today: dt.date) -> str | None:
    """Return a follow-up question as a complete question, or None if it is not a follow-up.

    before: the previous question and the workflow that answered it.
    """
    views = [View(profile) for profile in profiles if profile.source in before.workflow.sources()]
    question = LEAD.sub("", question.strip())
    entities, rest = find_entities(question, [View(profile) for profile in profiles])
    wanted, rest = read_cues(rest)
    if wanted.has("forecast"):
        return forecast_of(question, entities, FORECAST.sub(" ", rest), before, views)
    if wanted.indicators and not SMALL.sub("", INDICATORS.sub(" ", rest)):
        said = before.question.rstrip(".?!。？！ ")
        return f"{said}{'，加上' if CJK.search(said) else ' with '}{', '.join(wanted.indicators)}"
    time, rest = read_time(rest, today)
    if SMALL.sub("", rest) or not (entities or time.said):
        return None
    made = renamed(before.question, entities, views) if entities else before.question
    return redated(made, time.said, today) if made is not None and time.said else made


def forecast_of(
    question: str, entities: list[Entity], rest: str, before: Before, views: list[View]
) -> str | None:
    """Return a request for a forecast of the data that a workflow read, or None if the question
    names other data.
    """
    steps = before.workflow.steps
    if entities or SMALL.sub("", rest) or any(s.interface == "read_constituents" for s in steps):
        return None
    step = next((s for s in steps if s.arguments.get("columns") and "source" in s.arguments), None)
    if step is None:
        return None
    numbers = {c.name for view in views for c in view.numbers}
    columns = [str(c) for c in step.arguments["columns"] if c in numbers]
    if not columns:
        return None
    names = before.names[:1]
    zh = bool(CJK.search(question))
    what = "的".join([*names, columns[0]]) if zh else " of ".join([columns[0], *names])
    said = question.rstrip(".?!。？！ ")
    return f"{what}：{said}" if zh else f"{said} of {what}"


def renamed(before: str, entities: list[Entity], views: list[View]) -> str | None:
    """Return a question with its names replaced by other names of the same kind, or None if it
    contains no names of this kind.
    """
    columns = {(p.source, p.column) for e in entities for p in e.places}
    old, _ = find_entities(before, views)
    spans = [
        (e.at, e.at + len(e.said))
        for e in old
        if columns & {(p.source, p.column) for p in e.places} and plain(before) == before.lower()
    ]
    if not spans:
        return None
    first, last = spans[0]
    made = before
    for start, end in reversed(spans[1:]):
        at = max((b for _, b in spans if b <= start), default=start)
        if BETWEEN.fullmatch(before[at:start]):
            made = made[:at] + made[end:]
        else:
            return None
    zh = bool(CJK.search(before))
    names = [str(e.places[0].value) for e in entities]
    return made[:first] + ("、" if zh else " and ").join(names) + made[last:]


def redated(before: str, said: str, today: dt.date) -> str:
    """Return a question in which its dates are replaced by others. If it has no dates, these are
    added at the end.
    """
    before = said_out(before, today)
    _, text = read_cues(before)
    time, _ = read_time(text, today)
    if time.said and time.said in before:
        at = before.index(time.said)
        gap = " " if before[:at][-1:].isascii() and before[:at][-1:].isalnum() else ""
        return f"{before[:at]}{gap}{said}{before[at + len(time.said) :]}"
    return f"{said}{before}" if CJK.search(before) else f"{before.rstrip('.?! ')} {said}"


ASIDES = r"(?:(?:and|now|then|also|please|can you|could you) )*"
IT = r"(?:it|that|this|them|the (?:same|result|results|table|data|rows))"
ASKED = re.compile(
    rf"{ASIDES}(?:(?:draw|show|plot|make|give|print)(?: me)?(?: {IT})? )?(?:as|in|with)? ?(?:an? |the"
    r" )?(?P<form>bars?|lines?|table)(?: (?:chart|graph|plot|diagram))?(?: instead)?(?:"
    r" please)?[.!?]?"
    r"|(?:请|再|那)*(?:把它|把这个|把结果)?(?:画成|做成|换成|改成|改为|用|以|画|列成|打印成?)(?:一?[张个])?(?P<zh>柱状图|柱形图|条形图|折线图|线图|表格|表)(?:表示|显示|展示)?[吧。！？]?"
    rf"|(?P<save>{ASIDES}(?:save|export) {IT}(?: (?:as|to|into) (?:an? )?(?:csv|table|file)(?:"
    r" file)?)?[.!?]?"
    r"|(?:请|再|然后)*(?:把(?:它|这个|结果|表格?|数据))?(?:保存|导出|存)(?:成|为|到|下来)?(?:一?个)?(?:csv|CSV)?(?:表格|文件)?[吧。！]?)",
    re.IGNORECASE,
)
DRAWN = ("line", "bar", "scatter", "pie")


def shown_again(
    question: str, workflow: Workflow, shown: list[Shown], language: str
) -> Workflow | None:
    """Return the previous workflow, changed to display its result in the way a question asks for.
    Return None if the question asks for anything else, or if the result cannot be displayed in this
    way.

    shown: the outputs that the workflow displayed.
    """
    match = ASKED.fullmatch(question.strip())
    last = next(
        (s for s in reversed(workflow.steps) if s.interface in (*DRAWN, "show_table")), None
    )
    if match is None or last is None or "data" not in last.arguments:
        return None
    said = (match["form"] or match["zh"] or "table").lower()
    form = (
        "line"
        if "line" in said or "线" in said
        else "bar"
        if "bar" in said or "柱" in said or "条" in said
        else "show_table"
    )
    title = str(last.arguments.get("title") or "")
    step = (
        table(last, title, save=bool(match["save"]))
        if form == "show_table"
        else drawn(last, form, title, shown)
    )
    if step is None:
        return None
    data = [s for s in workflow.steps if STEPS[s.interface].kind != "visualization"]
    tasks = [t for t in workflow.tasks if t.kind != "visualization"]
    told = Task(kind="visualization", instruction=showing(title, [form], language), steps=[step.id])  # type: ignore[arg-type]
    return workflow.model_copy(update={"steps": [*data, step], "tasks": [*tasks, told]})


def table(last: Step, title: str, *, save: bool) -> Step:
    """Return the step that shows the rows from another step as a table."""
    arguments = {"data": last.arguments["data"], "title": title, "save": save}
    return Step(
        id=last.id, interface="show_table", arguments=arguments, description=last.description
    )


def drawn(last: Step, form: str, title: str, shown: list[Shown]) -> Step | None:
    """Return the step that plots the rows from another step, or None if these rows lack the names
    and numbers that a chart needs.
    """
    if last.interface in ("line", "bar", "scatter"):
        return last.model_copy(update={"interface": form})
    sheet = next(
        (one for one in shown if one.step == last.id and one.kind == "table" and one.rows), None
    )
    if sheet is None:
        return None
    numbers = [
        n for n, v in zip(sheet.columns, sheet.rows[0], strict=True) if isinstance(v, int | float)
    ]
    names = [n for n in sheet.columns if n not in numbers]
    if not numbers or not names:
        return None
    arguments = {"data": last.arguments["data"], "x": names[0], "y": numbers[:1], "title": title}
    arguments |= {"by": names[1]} if len(names) > 1 else {}
    return Step(id=last.id, interface=form, arguments=arguments, description=last.description)
