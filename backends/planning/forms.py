"""Show the result of the previous workflow in another way: as bars, lines or a table, or save
it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.data.steps import STEPS
from backends.data.workflow.step import Step, Task, Workflow
from backends.planning.words import showing

if TYPE_CHECKING:
    from backends.data.workflow.report import Shown

LEAD = r"(?:(?:and|now|then|also|please|can you|could you) )*"
IT = r"(?:it|that|this|them|the (?:same|result|results|table|data|rows))"
ASKED = re.compile(
    rf"{LEAD}(?:(?:draw|show|plot|make|give|print)(?: me)?(?: {IT})? )?(?:as|in|with)? ?(?:an? |the"
    r" )?(?P<form>bars?|lines?|table)(?: (?:chart|graph|plot|diagram))?(?: instead)?(?:"
    r" please)?[.!?]?"
    r"|(?:请|再|那)*(?:把它|把这个|把结果)?(?:画成|做成|换成|改成|改为|用|以|画|列成|打印成?)(?:一?[张个])?(?P<zh>柱状图|柱形图|条形图|折线图|线图|表格|表)(?:表示|显示|展示)?[吧。！？]?"
    rf"|(?P<save>{LEAD}(?:save|export) {IT}(?: (?:as|to|into) (?:an? )?(?:csv|table|file)(?:"
    r" file)?)?[.!?]?"
    r"|(?:请|再|然后)*(?:把(?:它|这个|结果|表格?|数据))?(?:保存|导出|存)(?:成|为|到|下来)?(?:一?个)?(?:csv|CSV)?(?:表格|文件)?[吧。！]?)",
    re.IGNORECASE,
)
DRAWN = ("line", "bar", "scatter", "pie")


def shown_again(
    question: str, workflow: Workflow, shown: list[Shown], language: str
) -> Workflow | None:
    """Return the previous workflow with its result shown as a question asks.

    None if the question asks for anything else, or if it is not possible. shown: what the workflow
    showed.
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
    """Return the step that shows the rows of another step as a table."""
    arguments = {"data": last.arguments["data"], "title": title, "save": save}
    return Step(
        id=last.id, interface="show_table", arguments=arguments, description=last.description
    )


def drawn(last: Step, form: str, title: str, shown: list[Shown]) -> Step | None:
    """Return the step that draws the rows of another step; None if they lack names or numbers."""
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
