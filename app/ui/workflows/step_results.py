"""The result of a workflow step as HTML: its size, its first and last row, or the error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.ui.controls.labels import grey
from app.ui.theme.i18n import said, tr
from backends.data.presentation import show

if TYPE_CHECKING:
    from app.ui.theme.tokens import Tokens
    from backends.data.values import Scalar
    from backends.data.workflow.report import StepTold
    from backends.data.workflow.step import Preview


COLUMNS, CELL = 6, 40  # columns shown of a row, and characters of a cell


def came(told: StepTold | None, tokens: Tokens) -> str:
    """Return the result of a step: its size, its first and last row, or the error."""
    if told is None:
        return paragraph(tr("Not run: an earlier step failed."), tokens.faint)
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
    """Return the number of rows and columns of a result in words."""
    rows, columns = tr("%n rows", "", preview.rows), tr("%n columns", "", len(preview.columns))
    return f"{rows} × {columns}"


def paragraph(text: str, colour: str) -> str:
    """Return a line below a step."""
    return f"<p style='margin:0 0 0 18px'>{grey(text, colour)}</p>"


def rows(preview: Preview, tokens: Tokens) -> str:
    """Return the header, the first row and the last row as a table."""
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
    """Return a value as the text of a cell."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else show(value)
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"
