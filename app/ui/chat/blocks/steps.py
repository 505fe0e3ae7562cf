"""The quiet lines of a turn as small HTML: steps, the reading, citations, its end. All foreign text
is escaped.
"""

from __future__ import annotations

import html
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.domain.events import RUN_CODE
from app.domain.thoughts import is_ended, thought_in
from app.ui.words import mark, said, tr
from app.ui.words.commands import place_for

if TYPE_CHECKING:
    from app.domain.events import Call, CallResult, CellRef, Citation, Ended, Rateable, Status
    from app.ui.chat.blocks.pieces import Kind
    from app.ui.theme.tokens import Tokens

SHOWN = 4000  # characters of a result in an opened step
MOST_THOUGHT = 40_000  # characters of a thought
CITED = 3  # citations listed before the rest is folded
WORDS = {
    RUN_CODE: mark("Ran"),
    "look_up": mark("Looked up"),
    "list_rows": mark("Listed"),
    "count": mark("Counted"),
    "get_widget_data": mark("Sent"),
    "search_documents": mark("Searched"),
}
COMPUTED = mark("Computed")
RATINGS = {"thumbs_up": mark("Good answer"), "thumbs_down": mark("Poor answer")}
GAP = " &nbsp; "
UNBROKEN = 60


def link(href: str, text: str, style: str = "") -> str:
    """Return a link."""
    return around(href, html.escape(text), style)


def around(href: str, made: str, style: str = "") -> str:
    """Return HTML as a link."""
    return (
        f"<a href='{html.escape(href, quote=True)}' style='text-decoration:none;{style}'>{made}</a>"
    )


def grey(text: str, colour: str) -> str:
    """Return text in a colour."""
    return f"<span style='color:{colour}'>{html.escape(text)}</span>"


def step(index: int, call: Call | None, result: CallResult, *, opened: bool, tokens: Tokens) -> str:
    """One line for a call; opened, its arguments and its result."""
    name, arguments = told(call, result)
    word = (
        (tr("Refused") if name == RUN_CODE and not result.seconds else tr("Failed"))
        if result.failed
        else tr(WORDS.get(name, COMPUTED))
    )
    about = summary(name, arguments, result)
    line = link(f"step:{index}", f"{'▾' if opened else '▸'} {word}", f"color:{tokens.text}")
    line += (
        f" {grey(about, tokens.muted)}{GAP}{grey(f'{result.seconds * 1000:.0f} ms', tokens.faint)}"
    )
    if opened:
        body = f"{pretty(arguments)}\n{pretty_text(result.content)}"[:SHOWN]
        line += f"<pre style='color:{tokens.muted}; white-space:pre-wrap'>{html.escape(body)}</pre>"
    return line


def thinking(
    index: int, item: Status, *, grows: bool, opened: bool, tokens: Tokens
) -> list[tuple[Kind, str]]:
    """A thought that has begun: while it grows, its end so far; one that broke off stays to be
    read.
    """
    line = (
        grey(tr("Thinking …"), tokens.faint)
        if grows
        else grey(tr("Thought, not to its end"), tokens.muted)
    )
    thought = thought_in(item).strip()
    if not thought:
        return [("step", line)] if grows else []
    shown = replace(item, details=[{"thought": thought[-SHOWN:] if grows else thought}])
    return [("step", detailed(index, shown, line, opened=opened, tokens=tokens))]


def more(href: str, left: int, tokens: Tokens) -> str:
    """The way to what of a very long text is not shown. left: characters."""
    told = grey(tr("{count:,} more characters", count=left), tokens.muted)
    return told + GAP + link(href, tr("Show more"), f"color:{tokens.accent}")


def detailed(index: int, status: Status, line: str, *, opened: bool, tokens: Tokens) -> str:
    """A step that has more to tell; opened, its details, however deep."""
    head = link(f"step:{index}", "▾" if opened else "▸", f"color:{tokens.muted}")
    if not opened:
        return f"{head} {line}"
    body = "\n".join(detail_of(detail) for detail in status.details)
    most = MOST_THOUGHT if is_ended(status) else SHOWN
    body = body if len(body) <= most else f"{body[:most]}\n…"
    told = (
        f"<pre style='color:{tokens.muted}; white-space:pre-wrap'>{html.escape(body)}</pre>"
        if body
        else ""
    )
    return f"{head} {line}{told}"


def detail_of(detail: Any) -> str:
    """Return a detail in words: a thought as it was thought, a plan as its tasks, anything else as
    JSON.
    """
    if isinstance(detail, dict) and isinstance(detail.get("plan"), list):
        tasks = [str(task.get("instruction")) for task in detail["plan"] if isinstance(task, dict)]
        return "\n".join(f"{number}  {text}" for number, text in enumerate(tasks, 1))
    if isinstance(detail, dict) and isinstance(detail.get("thought"), str):
        return detail["thought"]
    return detail if isinstance(detail, str) else pretty(detail)


def told(call: Call | None, result: CallResult) -> tuple[str, dict[str, Any]]:
    """Return what was run, and with which arguments: of our tools, the tool's own."""
    if call is None:
        return result.function, {}
    inner = call.arguments.get("parameters")
    if call.function == "execute_agent_tool" and isinstance(inner, dict):
        return str(call.arguments.get("tool_name", result.function)), inner
    return call.function, call.arguments


def summary(name: str, arguments: dict[str, Any], result: CallResult) -> str:
    """Return in a few words what was done: the tool, its columns, its conditions."""
    columns = arguments.get("columns") or [arguments.get("column")]
    parts = [] if name in WORDS else [name.replace("_", " ")]
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
    """Return a condition in a few words: close > 5, paid < owed, returned_on empty."""
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
    """Return how many rows a result stands on, if it says so."""
    try:
        value = json.loads(content)
    except ValueError:
        return None
    found = value.get("matched") if isinstance(value, dict) else None
    return found if isinstance(found, int) else None


def pretty(value: Any) -> str:
    """Return a value as readable JSON, what is empty left out."""
    if isinstance(value, dict):
        value = {k: v for k, v in value.items() if v not in (None, [], "", {})}
    return json.dumps(value, ensure_ascii=False, indent=1) if value else ""


def pretty_text(content: str) -> str:
    """Return JSON text readable; other text as it is."""
    try:
        return pretty(json.loads(content))
    except ValueError:
        return content


def understood(status: Status, details: dict[str, Any], tokens: Tokens) -> str:
    """The reading in words, its alternatives as links."""
    interpretation = details.get("interpretation") or {}
    asking = interpretation.get("decision") == "ask"
    others = (details.get("alternatives") or [])[: 3 if asking else 2]
    shown = [] if asking else [str(word) for word in interpretation.get("words") or []]
    links = [
        link(
            f"alt:{i}",
            unbroken(" · ".join(differing(other, shown)) + "?"),
            f"color:{tokens.accent}",
        )
        for i, other in enumerate(others)
        if isinstance(other, dict)
    ]
    said = [] if asking else [grey(tr("Understood:"), tokens.muted), html.escape(status.message)]
    if ignored := interpretation.get("ignored"):
        names = ", ".join(map(str, ignored))
        first, later = (
            tr("Not understood: {names}", names=names),
            tr("not understood: {names}", names=names),
        )
        said.append(grey(first if asking else later, tokens.danger))
    if asking and links:
        said.append(grey(unbroken(tr("Did you mean:")), tokens.muted))
    return GAP.join([*said, *links])


def unbroken(text: str) -> str:
    """Return text that stays on one line, unless it is longer than a line is likely to be."""
    return text.replace(" ", "\u00a0") if len(text) <= UNBROKEN else text


def differing(reading: dict[str, Any], shown: list[str]) -> list[str]:
    """Return the words of a reading that another does not have; all if it has them all."""
    words = [str(word) for word in reading.get("words") or []]
    return [word for word in words if word not in shown] or words


def place(cell: CellRef) -> str:
    """Return where a number stands, rows counted from 1 as a person does; in a spreadsheet as it
    names its cells.
    """
    first, last = f"{cell.row + 1:,}", f"{(cell.last or 0) + 1:,}"
    if cell.last is None or cell.last == cell.row:
        if cell.address:
            return f"{cell.address}, {cell.column}"
        return tr("row {row}, {column}", row=first, column=cell.column)
    if cell.address:
        return f"{cell.address}, " + tr("%n cells of {column}", "", cell.cells, column=cell.column)
    return tr(
        "rows {first}–{last}, {cells} cells of {column}",
        first=first,
        last=last,
        cells=f"{cell.cells:,}",
        column=cell.column,
    )


def cited(citations: list[Citation], *, opened: bool, tokens: Tokens) -> str:
    """Where the numbers come from, many of them folded."""
    shown = citations if opened else citations[:CITED]
    made: list[str] = []
    for number, citation in enumerate(shown, 1):
        where = citation.source() or tr("source")
        pages = citation.pages()
        where += tr(", page {pages}", pages=", ".join(map(str, pages))) if pages else ""
        if citation.cell is not None:
            where += tr(", {place}", place=place(citation.cell))
        where += "".join(f", {told}" for told in citation.about())
        if citation.value is not None:
            where += tr(": {value}", value=citation.value)
        words = f"{grey(f'[{number}]', tokens.accent)} {grey(where, tokens.muted)}"
        made.append(around(f"cite:{number}", words))
    if len(citations) > CITED:
        text = tr("fewer") if opened else tr("%n more", "", len(citations) - CITED)
        made.append(link("act:citations", text, f"color:{tokens.accent}"))
    return GAP.join(made)


def suggestions(texts: list[str], tokens: Tokens) -> str:
    """Questions one might ask next, as links."""
    return GAP.join(link(f"ask:{text}", text, f"color:{tokens.accent}") for text in texts)


def state(
    ended: Ended, tokens: Tokens, branch: tuple[int, int] = (1, 1), *, told: bool = False
) -> str:
    """How a turn ended that did not end well, and the ways on. told: the line above says what went
    wrong.
    """
    colour = tokens.muted if ended.state == "stopped" else tokens.danger
    text = f"{'' if told else said(ended.text)} {said(ended.remedy)}".strip()
    text = text or ("" if told else tr("The answer was interrupted."))
    ways = [("again", tr("Try again")), ("edit", tr("Edit"))]
    ways[:0] = [("on", tr("Continue"))] if ended.state in ("stopped", "interrupted") else []
    page, label = place_for(f"{ended.text} {ended.remedy}")
    ways[:0] = [(f"settings.{page}", tr(label))] if page else []
    made = [grey(text, colour), *(link(f"act:{w}", t, f"color:{tokens.accent}") for w, t in ways)]
    return GAP.join([*made, *pager(branch, f"color:{tokens.accent}", tokens.muted)])


def actions(
    tokens: Tokens,
    rateable: Rateable | None = None,
    branch: tuple[int, int] = (1, 1),
    *,
    flow: bool = False,
) -> str:
    """What can be done with an answer; rated, where its copilot wants to know, and which rating it
    was told.

    flow: it was computed in steps one can change.
    """
    style = f"color:{tokens.faint}"
    ways = (
        ("copy", tr("Copy")),
        ("read", tr("Read aloud")),
        ("again", tr("Regenerate")),
        ("edit", tr("Edit question")),
    )
    ways += (("steps", tr("Steps")),) if flow else ()
    shown = [link(f"act:{what}", text, style) for what, text in ways]
    for vote, text in RATINGS.items() if rateable else ():
        told = rateable is not None and rateable.vote == vote
        shown.append(
            link(
                f"rate:{vote}",
                f"{tr(text)} ✓" if told else tr(text),
                f"color:{tokens.accent}" if told else style,
            )
        )
    return f"{GAP}{GAP}".join([*shown, *pager(branch, style, tokens.faint)])


def pager(branch: tuple[int, int], style: str, colour: str) -> list[str]:
    """Return the way to what was asked beside it, if anything was: ‹ 2/3 ›."""
    number, count = branch
    if count == 1:
        return []
    before = (
        link("act:before", "\u2039\u00a0", style) if number > 1 else grey("\u2039\u00a0", colour)
    )
    after = (
        link("act:after", "\u00a0\u203a", style) if number < count else grey("\u00a0\u203a", colour)
    )
    return [f"{before}{grey(f'{number}/{count}', colour)}{after}"]
