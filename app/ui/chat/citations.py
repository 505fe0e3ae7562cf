"""The citations below an answer: the source of each number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.ui.controls.actions import Cite, UnfoldCitations
from app.ui.controls.labels import (
    GAP,
    around,
    grey,
    link,
)
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from app.domain.events import CellRef, Citation
    from app.ui.theme.tokens import Tokens


CITED = 3  # number of citations shown while the list is collapsed


def place(cell: CellRef) -> str:
    """Return the location of a number: its row, counted from 1, or its cell address in a
    spreadsheet.
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


def source_words(citation: Citation) -> str:
    """Return a citation as one line: source, page, cell and value."""
    where = citation.source() or tr("source")
    pages = citation.pages()
    where += tr(", page {pages}", pages=", ".join(map(str, pages))) if pages else ""
    if citation.cell is not None:
        where += tr(", {place}", place=place(citation.cell))
    where += "".join(f", {told}" for told in citation.about())
    if citation.value is not None:
        where += tr(": {value}", value=citation.value)
    return where


def cited(citations: list[Citation], *, opened: bool, tokens: Tokens) -> str:
    """Return the list of citations as HTML, collapsed if there are many."""
    shown = citations if opened else citations[:CITED]
    made: list[str] = []
    for number, citation in enumerate(shown, 1):
        where = grey(source_words(citation), tokens.muted)
        words = f"{grey(f'[{number}]', tokens.accent)} {where}"
        made.append(around(Cite(number), words))
    if len(citations) > CITED:
        text = tr("fewer") if opened else tr("%n more", "", len(citations) - CITED)
        made.append(link(UnfoldCitations(), text, f"color:{tokens.accent}"))
    return GAP.join(made)
