"""What of a request no step does, and how a plan is repaired."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.planning.asked import CUES, FORMS, INDICATORS
from backends.planning.tables import aliases, plain
from backends.planning.times import GRAINS
from backends.query.annotate import Annotation
from backends.query.parser import spoken_words, words_of

if TYPE_CHECKING:
    import datetime as dt

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


RUN = re.compile(r"[\u3400-\u9fff]+")
WORD = re.compile(r"[a-z][a-z'’-]{2,}")
SMALL = re.compile(
    r"请|帮我|帮忙|我们国家|我们|我|你|想要?|看看|看一?下|看|一下|下|的|和|与|及|以及|跟|同|在|了|是|吗|呢|吧|把|给|用|于|从|到|至|按|根据|基于|"
    r"展示|显示|查询|获取|计算|统计|列出|绘图|绘制|滚动|那个|名叫|这个?|那|他|它|其|里面?|中|内|上市公司|公司|基金经理|基金|股票|指数|财务指标|技术指标|指标|"
    r"数据|情况|分别|期间|各自|分布|截面|时序|网站上?|财经|市场|申万|[一二三]级行业|行业|怎么样|什么样?|哪[些个只家]?|如何|多只|两只|两者|两|多少|有|"
    r"并且?|同时|再|然后|将|且|或者?|以|每|各|个|只|家|支|名称|名字|简要|文字|月度|全国|中国|国内|整|这段时间|时间|走势|开始|最后|最近|今日|今天|新闻|消息|动态|增速|一张|一个|一些|柱状图?|所有|全部|大|小|高|低"
)


def unread(rest: str, views: list[View], today: dt.date) -> list[str]:
    """Return the words of a request that are neither a day, an entity, a column, a wish nor a small
    word.

    rest: the request, days, entities and columns masked. views: the tables a plan reads.
    """
    left = rest.lower().replace("#", " ")
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
    left = SMALL.sub(" ", left)
    unknown = [unknown_words(left, view, today) for view in views]
    return [word for word in (unknown[0] if unknown else ()) if all(word in u for u in unknown)]


def unknown_words(text: str, view: View, today: dt.date) -> list[str]:
    """Return the words of a text that mean nothing of a table."""
    table = words_of(view.profile, spoken_words(text, view.profile))
    annotation = Annotation(text, table, today)
    found: list[str] = []
    for span in annotation.spans:
        keys = [token.key for token in annotation.tokens[span.first : span.last]]
        if span.unknown and not all(key in table.title for key in keys):
            found += [*RUN.findall(span.text), *WORD.findall(span.text)]
    return list(dict.fromkeys(word for word in found if len(word) > 1))
