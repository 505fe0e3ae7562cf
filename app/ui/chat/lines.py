"""The short lines of a turn as HTML: steps, interpretation, citations, workflow steps and how the
turn ended.

Untrusted text is escaped.
"""

from __future__ import annotations

import html
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from app.domain.events import (
    RUN_CODE,
    Ended,
    Rateable,
    Status,
    Thought,
    is_thought_ended,
    thought_in,
)
from app.ui.controls.actions import (
    Action,
    Ask,
    ChangeAnswer,
    Deed,
    OpenSettings,
    OpenWorkflow,
    Rate,
    Reinterpret,
    UnfoldStep,
    UnfoldText,
)
from app.ui.controls.labels import (
    GAP,
    grey,
    link,
    unbroken,
)
from app.ui.theme.i18n import mark, place_for, said, tr
from app.ui.workflows.words import does, in_words, numbered, result_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.events import CallResult, CopilotCall, Reading
    from app.services.library.workflows import Ran
    from app.ui.theme.tokens import Tokens


SHOWN = 4000  # number of characters of a result that an expanded step shows
MOST_THOUGHT = 40_000  # number of characters of a thought that are shown
WORDS = {
    RUN_CODE: mark("Ran"),
    "look_up": mark("Looked up"),
    "list_rows": mark("Listed"),
    "count": mark("Counted"),
    "get_widget_data": mark("Sent"),
    "search_documents": mark("Searched"),
}
COMPUTED = mark("Computed")
QUERY = "query"  # not shown as a step, because what it computed is shown above the result
RATINGS = {"thumbs_up": mark("Good answer"), "thumbs_down": mark("Poor answer")}


def step(
    index: int, call: CopilotCall | None, result: CallResult, *, opened: bool, tokens: Tokens
) -> str:
    """Return the line of a call; if it is expanded, include its arguments and its result."""
    name, arguments = told(call, result)
    word = (
        (tr("Refused") if name == RUN_CODE and not result.seconds else tr("Failed"))
        if result.failed
        else tr(WORDS.get(name, COMPUTED))
    )
    about = summary(name, arguments, result)
    line = link(UnfoldStep(index), f"{'▾' if opened else '▸'} {word}", f"color:{tokens.text}")
    line += (
        f" {grey(about, tokens.muted)}{GAP}{grey(f'{result.seconds * 1000:.0f} ms', tokens.faint)}"
    )
    if opened:
        body = f"{pretty(arguments)}\n{pretty_text(result.content)}"[:SHOWN]
        line += f"<pre style='color:{tokens.muted}; white-space:pre-wrap'>{html.escape(body)}</pre>"
    return line


def thinking(
    index: int, item: Status, *, grows: bool, opened: bool, tokens: Tokens
) -> list[tuple[PieceKind, str]]:
    """Return the line of a model's reasoning that is incomplete.

    While the reasoning is still growing, its latest part is shown. If the reasoning was
    interrupted, all of it is shown.
    """
    line = (
        grey(tr("Thinking …"), tokens.faint)
        if grows
        else grey(tr("Thought (interrupted)"), tokens.muted)
    )
    thought = thought_in(item).strip()
    if not thought:
        return [("step", line)] if grows else []
    shown = replace(item, thought=Thought(thought[-SHOWN:] if grows else thought))
    return [("step", detailed(index, shown, line, opened=opened, tokens=tokens))]


def more(unfold: UnfoldText, left: int, tokens: Tokens) -> str:
    """Return the link that shows more of a very long text. left: the number of characters
    hidden.
    """
    told = grey(tr("{count:,} more characters", count=left), tokens.muted)
    return told + GAP + link(unfold, tr("Show more"), f"color:{tokens.accent}")


def detailed(index: int, status: Status, line: str, *, opened: bool, tokens: Tokens) -> str:
    """Return the line of a step with details; if it is expanded, include the details themselves."""
    head = link(UnfoldStep(index), "▾" if opened else "▸", f"color:{tokens.muted}")
    if not opened:
        return f"{head} {line}"
    told = [thought_in(status)] if status.thought is not None else []
    body = "\n".join([*told, *map(detail_of, status.details)])
    most = MOST_THOUGHT if is_thought_ended(status) else SHOWN
    body = body if len(body) <= most else f"{body[:most]}\n…"
    block = (
        f"<pre style='color:{tokens.muted}; white-space:pre-wrap'>{html.escape(body)}</pre>"
        if body
        else ""
    )
    return f"{head} {line}{block}"


def detail_of(detail: Any) -> str:
    """Return a detail as text: a plan is shown as its tasks, anything else as JSON."""
    if isinstance(detail, dict) and isinstance(detail.get("plan"), list):
        tasks = [str(task.get("instruction")) for task in detail["plan"] if isinstance(task, dict)]
        return "\n".join(f"{number}  {text}" for number, text in enumerate(tasks, 1))
    return detail if isinstance(detail, str) else pretty(detail)


def told(call: CopilotCall | None, result: CallResult) -> tuple[str, dict[str, Any]]:
    """Return the name and arguments of a call; if the call goes through one of our tools, return
    those of the inner tool.
    """
    if call is None:
        return result.function, {}
    inner = call.arguments.get("parameters")
    if call.function == "execute_agent_tool" and isinstance(inner, dict):
        return str(call.arguments.get("tool_name", result.function)), inner
    return call.function, call.arguments


def summary(name: str, arguments: dict[str, Any], result: CallResult) -> str:
    """Return a short summary of a call: the tool, its columns and its conditions."""
    columns = arguments.get("columns") or [arguments.get("column")]
    parts = [] if name in WORDS or name == QUERY else [name.replace("_", " ")]
    parts += [tr("{language} code", language=arguments.get("language"))] if name == RUN_CODE else []
    parts += [str(c) for c in columns if c] if isinstance(columns, list) else []
    where = arguments.get("where")
    for condition in where if isinstance(where, list) else []:
        if isinstance(condition, dict):
            parts.append(restriction(condition))
    if (rows := matched(result.content)) is not None:
        parts.append(tr("%n rows", "", rows))
    return " · ".join(parts)


def restriction(condition: dict[str, Any]) -> str:
    """Return a condition as a short text, such as “close > 5”, “paid < owed” or “returned_on
    empty”.
    """
    other, value = condition.get("other"), condition.get("value")
    shown = (
        " – ".join(map(str, value))
        if isinstance(value, list)
        else ""
        if value is None
        else str(value)
    )
    return f"{condition.get('column')} {condition.get('op')} {other or shown}".strip()


def matched(content: str) -> int | None:
    """Return the number of rows in a result; None if the result does not specify it."""
    try:
        value = json.loads(content)
    except ValueError:
        return None
    found = value.get("matched") if isinstance(value, dict) else None
    return found if isinstance(found, int) else None


def pretty(value: Any) -> str:
    """Return a value as readable JSON, leaving out empty parts."""
    if isinstance(value, dict):
        value = {k: v for k, v in value.items() if v not in (None, [], "", {})}
    return json.dumps(value, ensure_ascii=False, indent=1) if value else ""


def pretty_text(content: str) -> str:
    """Return JSON text in a readable format; other text is returned unchanged."""
    try:
        return pretty(json.loads(content))
    except ValueError:
        return content


def understood(message: str, reading: Reading, tokens: Tokens) -> str:
    """Return the interpretation of a question in words, with the alternatives as links."""
    asking = reading.asks
    links = alternatives(reading, tokens)
    said = [] if asking else [grey(tr("Understood:"), tokens.muted), html.escape(message)]
    if reading.ignored:
        names = ", ".join(reading.ignored)
        first, later = (
            tr("Not understood: {names}", names=names),
            tr("not understood: {names}", names=names),
        )
        said.append(grey(first if asking else later, tokens.danger))
    if asking and links:
        said.append(grey(unbroken(tr("Did you mean:")), tokens.muted))
    return GAP.join([*said, *links])


def choices(reading: Reading, tokens: Tokens) -> str:
    """Return, as links, the interpretations that an answer lets the user choose from."""
    return GAP.join(alternatives(reading, tokens))


def alternatives(reading: Reading, tokens: Tokens) -> list[str]:
    """Return links to the other interpretations of a question, each labelled with what is different
    about it.
    """
    shown = () if reading.asks else reading.words
    return [
        link(
            Reinterpret(i),
            unbroken(" · ".join(differing(other, shown)) + "?"),
            f"color:{tokens.accent}",
        )
        for i, other in enumerate(reading.alternatives[: 3 if reading.asks else 2])
    ]


def without_choices(text: str, reading: Reading) -> str:
    """Return an answer without its list of interpretations, because the links below it show
    them.
    """
    listed = {f"- {' · '.join(other.words)}" for other in reading.alternatives}
    return "\n".join(line for line in text.split("\n") if line not in listed)


def differing(reading: Reading, shown: Sequence[str]) -> list[str]:
    """Return the words of an interpretation that another interpretation lacks; if it lacks none,
    return all the words.
    """
    return [word for word in reading.words if word not in shown] or list(reading.words)


def suggestions(texts: list[str], tokens: Tokens) -> str:
    """Return suggested follow-up questions as links."""
    return GAP.join(link(Ask(text), text, f"color:{tokens.accent}") for text in texts)


def state(
    ended: Ended, tokens: Tokens, branch: tuple[int, int] = (1, 1), *, told: bool = False
) -> str:
    """Return a line that says how a failed turn ended, with its actions. told: whether the line
    above already shows the error.
    """
    colour = tokens.muted if ended.state == "stopped" else tokens.danger
    text = f"{'' if told else said(ended.text)} {said(ended.remedy)}".strip()
    text = text or ("" if told else tr("The answer was interrupted."))
    ways: list[tuple[Action, str]] = [
        (ChangeAnswer("again"), tr("Try again")),
        (ChangeAnswer("edit"), tr("Edit")),
    ]
    if ended.state in ("stopped", "interrupted"):
        ways.insert(0, (ChangeAnswer("on"), tr("Continue")))
    page, label = place_for(f"{ended.text} {ended.remedy}")
    if page:
        ways.insert(0, (OpenSettings(page), tr(label)))
    made = [
        grey(text, colour),
        *(link(action, text_, f"color:{tokens.accent}") for action, text_ in ways),
    ]
    return GAP.join([*made, *pager(branch, f"color:{tokens.accent}", tokens.muted)])


def actions(
    tokens: Tokens,
    rateable: Rateable | None = None,
    branch: tuple[int, int] = (1, 1),
    *,
    flow: bool = False,
) -> str:
    """Return the actions of an answer, with rating buttons if its copilot accepts ratings.

    flow: whether the answer was computed in steps that can be changed.
    """
    style = f"color:{tokens.faint}"
    ways: list[tuple[Deed, str]] = [
        ("copy", tr("Copy")),
        ("read", tr("Read aloud")),
        ("again", tr("Regenerate")),
        ("edit", tr("Edit question")),
    ]
    if flow:
        ways.append(("steps", tr("Steps")))
    shown = [link(ChangeAnswer(what), text, style) for what, text in ways]
    for vote, text in RATINGS.items() if rateable else ():
        told = rateable is not None and rateable.vote == vote
        shown.append(
            link(
                Rate(vote),
                f"{tr(text)} ✓" if told else tr(text),
                f"color:{tokens.accent}" if told else style,
            )
        )
    return f"{GAP}{GAP}".join([*shown, *pager(branch, style, tokens.faint)])


def pager(branch: tuple[int, int], style: str, colour: str) -> list[str]:
    """Return the links to the other versions of a question, such as ‹ 2/3 ›; empty if there are no
    other versions.
    """
    number, count = branch
    if count == 1:
        return []
    before = (
        link(ChangeAnswer("before"), "\u2039\u00a0", style)
        if number > 1
        else grey("\u2039\u00a0", colour)
    )
    after = (
        link(ChangeAnswer("after"), "\u00a0\u203a", style)
        if number < count
        else grey("\u00a0\u203a", colour)
    )
    return [f"{before}{grey(f'{number}/{count}', colour)}{after}"]


PieceKind = Literal[
    "question",
    "step",
    "reading",
    "text",
    "code",
    "table",
    "chart",
    "image",
    "citation",
    "state",
    "actions",
]


def workflow_line(ran: Ran, seconds: float, *, opened: bool, tokens: Tokens) -> str:
    """Return the line that reports a workflow run, with its steps below if it is expanded."""
    count = tr("%n steps", "", len(ran.workflow.steps))
    word = ("▾ " if opened else "▸ ") + tr("Computed")
    head = link(UnfoldStep(ran.at), word, f"color:{tokens.text}")
    head += f" {grey(count, tokens.muted)}{GAP}{grey(f'{seconds * 1000:.0f} ms', tokens.faint)}"
    head += GAP + link(OpenWorkflow(ran.at), tr("Change steps …"), f"color:{tokens.accent}")
    return head + (workflow_steps(ran, tokens) if opened else "")


def workflow_steps(ran: Ran, tokens: Tokens) -> str:
    """Return the steps, each with its arguments written out and its result."""
    results, by_id = numbered(ran.workflow), {told.id: told for told in ran.result.steps}
    made: list[str] = []
    for number, step in enumerate(ran.workflow.steps, 1):
        about = in_words(step, ran.result.names, results)
        words = f"{number}&nbsp;&nbsp;<b>{html.escape(does(step.interface))}</b>"
        words += f"&nbsp; {grey(about, tokens.muted)}"
        result = result_html(by_id.get(step.id), tokens)
        made.append(f"<p style='margin:8px 0 2px 0'>{words}</p>{result}")
    return "".join(made)
