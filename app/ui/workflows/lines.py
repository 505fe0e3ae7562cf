"""The steps of a workflow under an answer, as small HTML: what each did, and the first and last row
it gave.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from app.ui.chat.blocks.steps import GAP, grey, link
from app.ui.words import said, tr
from app.ui.workflows.words import does, in_words, numbered
from backends.data.presentation import show

if TYPE_CHECKING:
    from app.services.library.answers import Ran
    from app.ui.theme.tokens import Tokens
    from backends.data.values import Scalar
    from backends.data.workflow.output import Preview
    from backends.data.workflow.told import StepTold

COLUMNS, CELL = 6, 40  # of a row that is shown, and characters of a cell


def line(ran: Ran, seconds: float, *, opened: bool, tokens: Tokens) -> str:
    """Return the line of a workflow that ran; opened, its steps below."""
    count = tr("%n steps", "", len(ran.workflow.steps))
    word = ("▾ " if opened else "▸ ") + tr("Computed")
    head = link(f"step:{ran.at}", word, f"color:{tokens.text}")
    head += f" {grey(count, tokens.muted)}{GAP}{grey(f'{seconds * 1000:.0f} ms', tokens.faint)}"
    head += GAP + link(f"flow:{ran.at}", tr("Change steps …"), f"color:{tokens.accent}")
    return head + (listing(ran, tokens) if opened else "")


def listing(ran: Ran, tokens: Tokens) -> str:
    """Return the steps, each with its arguments in words and what came of it."""
    results, by_id = numbered(ran.workflow), {told.id: told for told in ran.result.steps}
    made: list[str] = []
    for number, step in enumerate(ran.workflow.steps, 1):
        about = in_words(step, ran.result.names, results)
        words = f"{number}&nbsp;&nbsp;<b>{html.escape(does(step.interface))}</b>"
        words += f"&nbsp; {grey(about, tokens.muted)}"
        made.append(f"<p style='margin:8px 0 2px 0'>{words}</p>{came(by_id.get(step.id), tokens)}")
    return "".join(made)


def came(told: StepTold | None, tokens: Tokens) -> str:
    """Return what came of a step: how much, and its first and last row; or why nothing did."""
    if told is None:
        return paragraph(tr("Not run: a step before it failed."), tokens.faint)
    if told.error:
        return paragraph(f"{said(told.error)} {said(told.remedy)}".strip(), tokens.danger)
    preview = told.preview
    if preview is None:
        return ""
    if preview.kind == "value":
        value = tr("{name}: {value}", name=preview.name, value=show(preview.value, preview.unit))
        return paragraph(value, tokens.text)
    if preview.kind == "chart":
        return paragraph(tr("A chart of %n rows", "", preview.rows), tokens.faint)
    return paragraph(size(preview), tokens.faint) + rows(preview, tokens)


def size(preview: Preview) -> str:
    """Return how many rows and columns a result has."""
    rows, columns = tr("%n rows", "", preview.rows), tr("%n columns", "", len(preview.columns))
    return f"{rows} × {columns}"


def paragraph(text: str, colour: str) -> str:
    """Return a line below a step."""
    return f"<p style='margin:0 0 0 18px'>{grey(text, colour)}</p>"


def rows(preview: Preview, tokens: Tokens) -> str:
    """Return head, first and last row as a table."""
    names = list(preview.columns)
    more = ["…"] if len(names) > COLUMNS else []
    lines = [[*names[:COLUMNS], *more]]
    for row in [preview.first, preview.last] if preview.rows > 1 else [preview.first]:
        lines.append([*(cell(v) for v in row[:COLUMNS]), *more])
    if preview.rows > 2:
        lines.insert(2, ["⋮"] * len(lines[0]))
    made = "".join(
        "<tr>"
        + "".join(f"<td style='padding-right:14px'>{grey(c, tokens.muted)}</td>" for c in one)
        + "</tr>"
        for one in lines
    )
    return f"<table cellspacing='0' cellpadding='1' style='margin-left:18px'>{made}</table>"


def cell(value: Scalar) -> str:
    """Return a value as it stands in a row."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else show(value)
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"
