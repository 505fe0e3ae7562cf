"""A table in an answer: hairlines between rows, numbers to the right, heads that order it when they are pressed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
)

from app.ui.chat.blocks.document import sliver, text_format
from app.ui.chat.blocks.inline import Inline, marks_in
from app.ui.chat.tables.figures import figures
from app.ui.chat.tables.ordered import NUMBER, View, ranks
from app.ui.style.tokens import CHROME_PX

if TYPE_CHECKING:
    from markdown_it.token import Token

    from app.ui.chat.blocks.document import Document
    from app.ui.chat.tables.ordered import Order
    from app.ui.style.tokens import Tokens

SHOWN = 60  # rows of a table that is not looked at as a whole
SIDES = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}
ARROWS = {False: "\u202f▲", True: "\u202f▼"}


@dataclass
class Row:
    """One row: the tokens of its cells, and the side each stands on, if the table says so. cites: how many citations
    its marks may name."""

    cells: list[list[Token]] = field(default_factory=list["list[Token]"])
    sides: list[str] = field(default_factory=list[str])
    cites: int = 0

    def texts(self) -> list[str]:
        """Return its cells as words; marks of citations are left out."""
        return [self._bare("".join(t.content for t in cell)).strip() for cell in self.cells]

    def _bare(self, text: str) -> str:
        for mark in reversed(marks_in(text, self.cites)):
            text = text[: mark.start()] + text[mark.end() :]
        return text


def rows_of(found: list[Token], cites: int = 0) -> list[Row]:
    """Return the rows of a table's tokens, the head first."""
    rows: list[Row] = []
    for token in found:
        if token.type == "tr_open":
            rows.append(Row(cites=cites))
        elif token.type in ("th_open", "td_open"):
            rows[-1].sides.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
            rows[-1].cells.append([])
        elif token.type == "inline":
            rows[-1].cells[-1] = token.children or []
    return rows


def texts_of(found: list[Token], order: Order | None, cites: int) -> list[list[str]]:
    """Return all cells of a table's tokens as words, the rows in an order, the head first.

    cites: how many citations there are; their marks are left out.
    """
    texts = [row.texts() for row in rows_of(found, cites)]
    body = texts[1:]
    return [texts[0], *(body[n] for n in ranks(body, order))]


def count_rows(source: str) -> int:
    """Return how many rows a table of Markdown has, its head apart."""
    return max(0, source.rstrip("\n").count("\n") - 1)


def arranged(rows: list[Row], view: View) -> list[Row]:
    """Return the rows that are shown, in their order, the head first."""
    body = rows[1:]
    if view.order is not None:
        body = [body[n] for n in ranks([row.texts() for row in body], view.order)]
    return [rows[0], *(body if view.whole else body[:SHOWN])]


def set_table(
    cursor: QTextCursor,
    found: list[Token],
    inline: Inline,
    tokens: Tokens,
    view: View | None = None,
) -> None:
    """Set a table at the cursor, which then stands behind it. view: None where its heads press nothing."""
    every = rows_of(found, inline.cites)
    rows = arranged(every, view or View(whole=True))
    seen = cut(every) if view is not None and view.cut else {}
    cursor.setBlockFormat(sliver())
    form = QTextTableFormat()
    form.setBorder(0)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
    form.setCellPadding(7)
    form.setCellSpacing(0)
    form.setHeaderRowCount(1)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table = cursor.insertTable(len(rows), len(rows[0].cells), form)
    outer = cursor
    for number, row in enumerate(rows):
        set_row(
            table,
            number,
            row,
            Setting(inline, tokens, every, view, seen),
            last=number == len(rows) - 1,
        )
    inline.cursor = outer
    outer.movePosition(QTextCursor.MoveOperation.End)
    outer.setBlockFormat(sliver())


@dataclass(frozen=True)
class Setting:
    """What the rows of one table are set with. every: all its rows, the head first. seen: what is shown in place of
    long figures, by the number of their column."""

    inline: Inline
    tokens: Tokens
    every: list[Row]
    view: View | None
    seen: dict[int, dict[str, str]] = field(default_factory=dict[int, "dict[str, str]"])


def cut(every: list[Row]) -> dict[int, dict[str, str]]:
    """Return what is shown in place of long figures: by column, the whole value → what is shown."""
    texts = [row.texts() for row in every]
    made: dict[int, dict[str, str]] = {}
    for column, name in enumerate(texts[0]):
        cells = [row[column] if column < len(row) else "" for row in texts[1:]]
        held = zip(cells, figures(name, cells), strict=True)
        if told := {whole: short for whole, short in held if short != whole}:
            made[column] = told
    return made


def set_row(table: QTextTable, number: int, row: Row, how: Setting, *, last: bool) -> None:
    """Set one row."""
    words = text_format(how.tokens, muted=number == 0, pixels=CHROME_PX)
    for column, cell in enumerate(row.cells[: table.columns()]):
        place = table.cellAt(number, column)
        if not last:
            place.setFormat(lined(how.tokens))
        how.inline.cursor = place.firstCursorPosition()
        how.inline.cursor.setBlockFormat(aligned(how.every, row, column))
        if number == 0 and how.view is not None:
            set_head(how.inline, cell, column, words, how.view)
        elif number and (
            short := how.seen.get(column, {}).get(whole := "".join(t.content for t in cell))
        ):
            told = QTextCharFormat(words)
            told.setToolTip(whole)
            how.inline.cursor.insertText(short, told)
        else:
            how.inline.put(cell, words)


def set_head(
    inline: Inline, cell: list[Token], column: int, words: QTextCharFormat, view: View
) -> None:
    """Set a head one can press, with an arrow if the table is ordered by it."""
    pressed = QTextCharFormat(words)
    pressed.setAnchor(True)
    pressed.setAnchorHref(f"sort:{column}")
    inline.put(cell, pressed)
    if view.order is not None and view.order.column == column:
        inline.cursor.insertText(ARROWS[view.order.descending], pressed)


def extend_table(document: Document, found: list[Token], rows: int, tokens: Tokens) -> None:
    """Add rows at the end of the table a document holds. found: tokens of its head and of those rows."""
    made, cursor = rows_of(found), QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
    table = cursor.currentTable()
    inline = Inline(cursor, tokens, cites=document.cites)
    how, before = Setting(inline, tokens, made, View()), table.rows()
    cursor.beginEditBlock()
    for column in range(table.columns()):
        table.cellAt(before - 1, column).setFormat(lined(tokens))
    added = made[1 : 1 + max(0, rows)]
    table.appendRows(len(added))
    for number, row in enumerate(added, before):
        set_row(table, number, row, how, last=number == before + len(added) - 1)
    cursor.endEditBlock()


def lined(tokens: Tokens) -> QTextTableCellFormat:
    """Return a cell with a hairline below."""
    form = QTextTableCellFormat()
    form.setBottomBorder(1)
    form.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBottomBorderBrush(QColor(tokens.hairline))
    return form


def aligned(rows: list[Row], row: Row, column: int) -> QTextBlockFormat:
    """Return the paragraph of a cell on its side: as the table says, else numbers to the right."""
    form = QTextBlockFormat()
    said = row.sides[column] or (rows[0].sides[column] if column < len(rows[0].sides) else "")
    first = rows[1].cells[column] if len(rows) > 1 and column < len(rows[1].cells) else []
    text = "".join(t.content for t in first)
    if not said and NUMBER.match(text):
        said = "right"
    form.setAlignment(SIDES.get(said, Qt.AlignmentFlag.AlignLeft))
    return form
