"""What of a request no step does, and how a plan is repaired."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.planning.asked import CUES, FORMS, INDICATORS
from backends.planning.tables import aliases, plain
from backends.planning.text import lexicon, name_words, stem
from backends.planning.times import GRAINS

if TYPE_CHECKING:
    from backends.data.workflow.step import Step, Workflow
    from backends.planning.tables import View


REPAIRS = 2  # of one step


def mended(workflow: Workflow, failed: str, error: str) -> Workflow | None:
    """Return the workflow with what made a step fail mended; None if it cannot be mended.

    Days without a rhythm and several values a day are summed up by month; a report that is not
    there gives way to the newest before it; too many lines become bars.
    """
    step = next((s for s in workflow.steps if s.id == failed), None)
    if step is None:
        return None
    if step.interface == "forecast" and re.search("rhythm|several values", error):
        return with_arguments(workflow, str(step.arguments.get("data")), {"every": "month"})
    if step.interface == "read_cross_section" and step.arguments.get("exact"):
        return with_arguments(workflow, failed, {"exact": None})
    if step.interface == "read_series" and "more than" in error:
        return with_arguments(workflow, failed, {"every": "month"})
    if step.interface == "line" and "more than" in error:
        return replaced(
            workflow, step.model_copy(update={"interface": "bar", "arguments": without(step, "by")})
        )
    return None


def without(step: Step, name: str) -> dict[str, Any]:
    """Return a step's arguments but one."""
    return {key: value for key, value in step.arguments.items() if key != name}


def with_arguments(workflow: Workflow, name: str, more: dict[str, Any]) -> Workflow | None:
    """Return the workflow with arguments of a step changed, those that are None left out; None if
    nothing changes.
    """
    step = next((s for s in workflow.steps if s.id == name), None)
    if step is None or step.interface not in ("read_series", "read_cross_section"):
        return None
    made = {key: value for key, value in (step.arguments | more).items() if value is not None}
    if made == step.arguments:
        return None
    return replaced(workflow, step.model_copy(update={"arguments": made}))


def replaced(workflow: Workflow, step: Step) -> Workflow:
    """Return the workflow with one step in place of that of its name."""
    steps = [step if s.id == step.id else s for s in workflow.steps]
    return workflow.model_copy(update={"steps": steps})


WORD = re.compile(r"[a-z][a-z'’-]{2,}")
RUN = re.compile(r"[\u3400-\u9fff]+")
ASKING = set(
    [
        "please",
        "want",
        "would",
        "like",
        "show",
        "see",
        "give",
        "tell",
        "draw",
        "plot",
        "display",
        "get",
        "find",
        "look",
        "compute",
        "calculate",
        "work",
        "figure",
        "between",
        "first",
        "second",
        "then",
        "also",
        "both",
        "one",
        "together",
        "same",
        "using",
        "use",
        "used",
        "with",
        "each",
        "per",
        "against",
        "over",
        "next",
        "last",
        "past",
        "coming",
        "series",
        "line",
        "lines",
        "bars",
        "columns",
        "rows",
        "value",
        "values",
        "number",
        "numbers",
        "data",
        "period",
        "periods",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "quarter",
        "quarters",
        "year",
        "years",
        "today",
        "now",
        "start",
        "end",
        "beginning",
        "middle",
        "whole",
        "single",
        "current",
        "far",
        "much",
        "many",
        "name",
        "names",
        "list",
        "table",
        "chart",
        "graph",
        "picture",
        "diagram",
        "file",
        "results",
        "result",
        "order",
        "ordered",
        "descending",
        "ascending",
        "calendar",
        "daily",
        "weekly",
        "monthly",
        "quarterly",
        "annual",
        "yearly",
        "through",
        "until",
        "since",
        "during",
        "well",
        "plus",
        "only",
        "just",
        "which",
        "what",
        "when",
        "where",
        "who",
        "whose",
        "how",
        "does",
        "did",
        "was",
        "were",
        "are",
        "has",
        "have",
        "had",
        "their",
        "them",
        "its",
        "it",
        "all",
        "any",
        "every",
    ]
)
SMALL = re.compile(
    r"请|帮我|帮忙|我们国家|我们|我|你|想要?|看看|看一?下|看|一下|下|的|和|与|及|以及|跟|同|在|了|是|吗|呢|吧|把|给|用|于|从|到|至|按|根据|基于|"
    r"展示|显示|查询|获取|计算|统计|列出|绘图|绘制|滚动|那个|名叫|这个?|那|他|它|其|里面?|中|内|上市公司|公司|基金经理|基金|股票|指数|财务指标|技术指标|指标|"
    r"数据|情况|分别|期间|各自|分布|截面|时序|网站上?|财经|市场|申万|[一二三]级行业|行业|怎么样|什么样?|哪[些个只家]?|如何|多只|两只|两者|两|多少|有|"
    r"并且?|同时|再|然后|将|且|或者?|以|每|各|个|只|家|支|名称|名字|简要|文字|月度|全国|中国|国内|整|这段时间|时间|走势|开始|最后|最近|今日|今天|新闻|消息|动态|增速|一张|一个|一些|柱状图?|所有|全部|大|小|高|低"
)


def unread(rest: str, views: list[View], zh: bool) -> list[str]:
    """Return the words of a request that are neither a day, an entity, a column, a wish nor a small
    word.

    rest: the request, days, entities and columns masked. views: the tables a plan reads.
    """
    left = rest.lower()
    phrases = {
        p for v in views for c in v.profile.columns for p in aliases().get(plain(c.name), [])
    }
    for phrase in sorted(phrases, key=len, reverse=True):
        left = (
            left.replace(phrase, " ")
            if RUN.search(phrase)
            else re.sub(rf"\b{re.escape(phrase)}\b", " ", left)
        )
    for form in [*CUES.values(), *(f for f, _ in FORMS), *(f for f, _ in GRAINS), INDICATORS]:
        left = form.sub(" ", left)
    if zh:
        names = [c.name for v in views for c in v.profile.columns] + [v.profile.name for v in views]
        names += [
            part
            for v in views
            for c in v.profile.columns
            for part in re.split(r"[/、,，()（）]", c.meaning)
        ]
        for name in sorted((n.lower() for n in names if RUN.search(n)), key=len, reverse=True):
            left = left.replace(name, " ")
        return [run for run in RUN.findall(SMALL.sub(" ", left)) if len(run) > 1]
    known = {
        stem(w)
        for v in views
        for c in v.profile.columns
        for w in [*name_words(c.name), *name_words(c.meaning)]
    }
    known |= {
        stem(w)
        for v in views
        for w in [*name_words(v.profile.name), *name_words(v.profile.description)]
    }
    short = lexicon("en")
    small = short.stop | short.common | ASKING
    return list(
        dict.fromkeys(w for w in WORD.findall(left) if w not in small and stem(w) not in known)
    )
