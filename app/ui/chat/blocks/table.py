"""A table in an answer: hairlines between rows, numbers to the right."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QTextBlockFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextTableCellFormat,
    QTextTableFormat,
)

from app.ui.chat.blocks.document import sliver, text_format
from app.ui.style.tokens import CHROME_PX

if TYPE_CHECKING:
    from markdown_it.token import Token

    from app.ui.chat.blocks.inline import Inline
    from app.ui.style.tokens import Tokens

NUMBER = re.compile(r"^\s*[-+−]?[$€£¥]?[\d,.\u2009 ]+\s?(?:%|[A-Za-z]{1,3})?\s*$")
SIDES = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}


@dataclass
class Row:
    """One row: the tokens of its cells, and the side each stands on, if the table says so."""

    cells: list[list[Token]] = field(default_factory=list["list[Token]"])
    sides: list[str] = field(default_factory=list[str])


def rows_of(found: list[Token]) -> list[Row]:
    """Return the rows of a table's tokens, the head first."""
    rows: list[Row] = []
    for token in found:
        if token.type == "tr_open":
            rows.append(Row())
        elif token.type in ("th_open", "td_open"):
            rows[-1].sides.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
            rows[-1].cells.append([])
        elif token.type == "inline":
            rows[-1].cells[-1] = token.children or []
    return rows


def set_table(cursor: QTextCursor, found: list[Token], inline: Inline, tokens: Tokens) -> None:
    """Set a table at the cursor, which then stands behind it."""
    rows = rows_of(found)
    columns = len(rows[0].cells)
    cursor.setBlockFormat(sliver())
    form = QTextTableFormat()
    form.setBorder(0)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
    form.setCellPadding(7)
    form.setCellSpacing(0)
    form.setHeaderRowCount(1)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table = cursor.insertTable(len(rows), columns, form)
    outer = cursor
    for number, row in enumerate(rows):
        words = text_format(tokens, muted=number == 0, pixels=CHROME_PX)
        for column, cell in enumerate(row.cells[:columns]):
            place = table.cellAt(number, column)
            if number < len(rows) - 1:
                place.setFormat(lined(tokens))
            inline.cursor = place.firstCursorPosition()
            inline.cursor.setBlockFormat(aligned(rows, row, column))
            inline.put(cell, words)
    inline.cursor = outer
    outer.movePosition(QTextCursor.MoveOperation.End)
    outer.setBlockFormat(sliver())


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
