"""Tables in an answer: aligned numbers, sorting and copying."""

from __future__ import annotations

import csv
import html
import io
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QDate, QLocale, Qt
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

from app.ui.controls.actions import SortTable
from app.ui.markdown.document import sliver, text_format
from app.ui.markdown.inline import Inline, marks_in
from app.ui.theme.i18n import tr
from app.ui.theme.tokens import CHROME_PX

if TYPE_CHECKING:
    from markdown_it.token import Token

    from app.ui.markdown.document import BlockDocument
    from app.ui.theme.tokens import Tokens


PLAIN_NUMBER = re.compile(r"^-?\d+(\.\d+)?([eE][-+]?\d+)?$")
# names of columns whose numbers are identifiers, such as years, codes and telephone numbers
UNGROUPED = re.compile(
    r"(^|_|\b)(year|id|code|symbol|zip|phone|telephone|tel|fax|postcode|isbn"
    r"|(no|number)(?!s?[\s_]of\b))s?($|_|\b)"  # because a “number of rows” is an amount
    r"|(^|_|\b)mobile$"
    r"|年|代码|编号|コード"
    r"|(手机|电话|传真|号码|手机号|学号|工号|卡号|账号|帐号|证号|单号|身份证|邮编|邮政编码|条码)$"
    r"|(電話|携帯|番号|ファックス)$",
    re.IGNORECASE,
)
SMALL, LARGE = 1.0, 100.0
MONTHLY = re.compile(r"\bmonth\b|月份|の月$", re.IGNORECASE)  # names of columns that contain months
FIRST_DAY = re.compile(r"(\d{4})-(\d\d)-01$")


def figures(name: str, cells: list[str]) -> list[str]:
    """Return the cells of a column with its numbers formatted; a column with other content is
    unchanged.

    name: the name of the column. If it ends with %, two decimals are shown; the digits of years and
    codes are not grouped.
    """
    full = [cell for cell in cells if cell.strip()]
    if (
        not full
        or not all(PLAIN_NUMBER.match(cell.strip()) for cell in full)
        or UNGROUPED.search(name)
    ):
        return cells
    numbers = [float(cell) for cell in full]
    if any(
        len(cell.lstrip("-").partition(".")[0]) > 1 and cell.lstrip("-")[0] == "0" for cell in full
    ):
        return cells  # codes with leading zeros
    places = decimals(name, numbers, max(written(cell) for cell in full))
    return [shown(float(cell), places) if cell.strip() else cell for cell in cells]


def months(name: str, cells: list[str]) -> list[str]:
    """Return, as readable months, the cells of a column that gives months by their first days.

    Any other column is unchanged.
    """
    days = [FIRST_DAY.match(cell.strip()) for cell in cells]
    if not MONTHLY.search(name) or not cells or not all(days):
        return cells
    firsts = [QDate(int(day[1]), int(day[2]), 1) for day in days if day is not None]
    return [QLocale().toString(first, tr("MMM yyyy")) for first in firsts]


def shown(number: float, places: int) -> str:
    """Return a number as text with a given number of decimals and with grouped thousands."""
    text = f"{number:,.{places}f}"
    return text.lstrip("-") if not text.strip("-0.,") else text


def written(cell: str) -> int:
    """Return how many decimals a number is written with; 99 if it has an exponent."""
    return 99 if "e" in cell.lower() else len(cell.strip().partition(".")[2])


def decimals(name: str, numbers: list[float], most: int) -> int:
    """Return the number of decimals for a column.

    most: the number of decimals that the column's numbers are written with; fewer are returned if
    that many would be hard to read.
    """
    top = max(map(abs, numbers))
    if name.strip().endswith("%") or top >= LARGE:
        places = 2
    elif top >= SMALL:
        places = 3
    else:
        places = 3 - math.floor(math.log10(top)) if top else 0
    return min(places, most)


NUMBER = re.compile(r"^\s*([-+−]?)[$€£¥]?([\d,.\u2009\u202f ]*\d)\s?(%|[A-Za-z]{1,3})?\s*$")
CELLS = re.compile(r"(?<!\\)\|")
WHOLE, COLUMNS = (
    500,
    12,
)  # maximum numbers of a table's rows and columns shown; all of them are copied and saved
TIMES = {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12}


class TableOrder(NamedTuple):
    """The column by which rows are sorted, and the direction."""

    column: int
    descending: bool = False


class TableLayout(NamedTuple):
    """How a table is displayed.

    order: None for the original order. whole: whether more than the first rows are shown. cut:
    whether long numbers are shortened. chart: whether the table is shown as a chart.
    """

    order: TableOrder | None = None
    whole: bool = False
    cut: bool = False
    chart: bool = False


PLAIN = TableLayout()


def cells_of(line: str) -> list[str]:
    """Return the cells of a Markdown table row as they are written."""
    line = line.strip().removeprefix("|")
    cells = CELLS.split(line)
    return [
        cell.strip() for cell in (cells[:-1] if len(cells) > 1 and not cells[-1].strip() else cells)
    ]


def shortened(source: str, view: TableLayout, rows: int) -> str:
    """Return the displayed part of a table: its first rows, in the chosen order, and its first
    columns.

    rows: the maximum number of rows; if `view` shows the whole table, the limit is `WHOLE` instead.
    A smaller table is returned unchanged.
    """
    lines = source.rstrip("\n").split("\n")
    most = WHOLE if view.whole else rows
    width = len(cells_of(lines[0]))
    if len(lines) - 2 <= most and width <= COLUMNS:
        return source
    body = lines[2:]
    if view.order is not None:
        body = [body[n] for n in ranks([cells_of(line) for line in body], view.order)]
    kept = [*lines[:2], *body[:most]]
    if width <= COLUMNS:
        return "\n".join(kept)
    return "\n".join(f"| {' | '.join(cells_of(line)[:COLUMNS])} |" for line in kept)


def turned(order: TableOrder | None, column: int) -> TableOrder | None:
    """Return the order after a click on a column's header: ascending, then descending, then the
    original order.
    """
    if order is None or order.column != column:
        return TableOrder(column)
    return None if order.descending else TableOrder(column, descending=True)


def ranks(rows: list[list[str]], order: TableOrder | None) -> list[int]:
    """Return the indexes of rows in sorted order.

    Numbers are sorted by size and come before text; empty cells are always last.
    """
    places = list(range(len(rows)))
    if order is None:
        return places
    keys = [key_of(row[order.column] if order.column < len(row) else "") for row in rows]
    full, empty = [n for n in places if keys[n][0] < 2], [n for n in places if keys[n][0] == 2]
    return sorted(full, key=lambda n: keys[n], reverse=order.descending) + empty


def key_of(text: str) -> tuple[int, float, str]:
    """Return the sort key of a cell."""
    text = text.strip()
    if not text:
        return 2, 0.0, ""
    found = NUMBER.match(text)
    if found is None:
        return 1, 0.0, text.casefold()
    digits = re.sub(r"[,\u2009\u202f ]", "", found[2])
    if digits.count(".") > 1:  # for a date or a version number
        return 1, 0.0, text.casefold()
    sign = -1 if found[1] in ("-", "−") else 1
    return 0, sign * float(digits) * TIMES.get((found[3] or "").lower(), 1), ""


def as_tabs(rows: list[list[str]]) -> str:
    """Return rows with tabs between the cells, the format that spreadsheets accept."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)


def as_csv(rows: list[list[str]]) -> str:
    """Return rows as CSV."""
    held = io.StringIO()
    csv.writer(held).writerows(rows)
    return held.getvalue()


def as_html(rows: list[list[str]]) -> str:
    """Return rows as an HTML table. rows: the rows, with the header first."""
    made = [
        "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
        for tag, row in zip(["th", *["td"] * (len(rows) - 1)], rows, strict=True)
    ]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in made) + "</table>"


SHOWN = 60  # number of a table's rows that are shown before it is expanded
SIDES = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}
ARROWS = {False: "\u202f▲", True: "\u202f▼"}


@dataclass
class TableRow:
    """A row of a table.

    cells: the tokens of each cell. sides: the alignment of each cell, if the table specifies it.
    cites: the number of citations that its marks may refer to.
    """

    cells: list[list[Token]] = field(default_factory=list["list[Token]"])
    sides: list[str] = field(default_factory=list[str])
    cites: int = 0

    def texts(self) -> list[str]:
        """Return the text of the row's cells, without citation marks."""
        return [self._bare("".join(t.content for t in cell)).strip() for cell in self.cells]

    def _bare(self, text: str) -> str:
        for mark in reversed(marks_in(text, self.cites)):
            text = text[: mark.start()] + text[mark.end() :]
        return text


def rows_of(found: list[Token], cites: int = 0) -> list[TableRow]:
    """Return the rows in a table's tokens, with the header first."""
    rows: list[TableRow] = []
    for token in found:
        if token.type == "tr_open":
            rows.append(TableRow(cites=cites))
        elif token.type in ("th_open", "td_open"):
            rows[-1].sides.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
            rows[-1].cells.append([])
        elif token.type == "inline":
            rows[-1].cells[-1] = token.children or []
    return rows


def texts_of(found: list[Token], order: TableOrder | None, cites: int) -> list[list[str]]:
    """Return the texts of all cells in a table's tokens, with the rows in an order and the header
    first.

    cites: the number of citations. Citation marks are left out.
    """
    texts = [row.texts() for row in rows_of(found, cites)]
    body = texts[1:]
    return [texts[0], *(body[n] for n in ranks(body, order))]


def count_rows(source: str) -> int:
    """Return the number of rows in a Markdown table, without its header."""
    return max(0, source.rstrip("\n").count("\n") - 1)


def arranged(rows: list[TableRow], view: TableLayout) -> list[TableRow]:
    """Return the rows to show, in the chosen order, with the header first."""
    body = rows[1:]
    if view.order is not None:
        body = [body[n] for n in ranks([row.texts() for row in body], view.order)]
    return [rows[0], *(body if view.whole else body[:SHOWN])]


def set_table(
    cursor: QTextCursor,
    found: list[Token],
    inline: Inline,
    tokens: Tokens,
    view: TableLayout | None = None,
) -> None:
    """Insert a table at the cursor, and move the cursor to the position after it. view: None if its
    headers cannot be clicked.
    """
    every = rows_of(found, inline.cites)
    rows = arranged(every, view or TableLayout(whole=True))
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
            TableSetting(inline, tokens, every, view, seen),
            last=number == len(rows) - 1,
        )
    inline.cursor = outer
    outer.movePosition(QTextCursor.MoveOperation.End)
    outer.setBlockFormat(sliver())


@dataclass(frozen=True)
class TableSetting:
    """The context for the rows of a table.

    every: all the rows of the table, with the header first. seen: for each column, by index, the
    short forms displayed for long numbers.
    """

    inline: Inline
    tokens: Tokens
    every: list[TableRow]
    view: TableLayout | None
    seen: dict[int, dict[str, str]] = field(default_factory=dict[int, "dict[str, str]"])


def cut(every: list[TableRow]) -> dict[int, dict[str, str]]:
    """Return the short forms of long numbers: for each column, a mapping from full values to
    displayed ones.
    """
    texts = [row.texts() for row in every]
    made: dict[int, dict[str, str]] = {}
    for column, name in enumerate(texts[0]):
        cells = [row[column] if column < len(row) else "" for row in texts[1:]]
        held = zip(cells, figures(name, months(name, cells)), strict=True)
        if told := {whole: short for whole, short in held if short != whole}:
            made[column] = told
    return made


def set_row(
    table: QTextTable, number: int, row: TableRow, how: TableSetting, *, last: bool
) -> None:
    """Write a row."""
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
    inline: Inline, cell: list[Token], column: int, words: QTextCharFormat, view: TableLayout
) -> None:
    """Write a header cell that can be clicked, with an arrow if the table is sorted by it."""
    pressed = QTextCharFormat(words)
    pressed.setAnchor(True)
    pressed.setAnchorHref(SortTable(column).href)
    inline.put(cell, pressed)
    if view.order is not None and view.order.column == column:
        inline.cursor.insertText(ARROWS[view.order.descending], pressed)


def extend_table(document: BlockDocument, found: list[Token], rows: int, tokens: Tokens) -> None:
    """Append rows to the table in a document.

    found: the tokens of the table's header and of the appended rows. rows: the maximum number of
    rows to append.
    """
    made, cursor = rows_of(found), QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
    table = cursor.currentTable()
    inline = Inline(cursor, tokens, cites=document.cites)
    how, before = TableSetting(inline, tokens, made, TableLayout()), table.rows()
    cursor.beginEditBlock()
    for column in range(table.columns()):
        table.cellAt(before - 1, column).setFormat(lined(tokens))
    added = made[1 : 1 + max(0, rows)]
    table.appendRows(len(added))
    for number, row in enumerate(added, before):
        set_row(table, number, row, how, last=number == before + len(added) - 1)
    cursor.endEditBlock()


def lined(tokens: Tokens) -> QTextTableCellFormat:
    """Return the format of a cell with a thin line below it."""
    form = QTextTableCellFormat()
    form.setBottomBorder(1)
    form.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBottomBorderBrush(QColor(tokens.hairline))
    return form


def aligned(rows: list[TableRow], row: TableRow, column: int) -> QTextBlockFormat:
    """Return the paragraph format of a cell: the alignment specified by the table or, if there is
    none, numbers on the right.
    """
    form = QTextBlockFormat()
    said = row.sides[column] or (rows[0].sides[column] if column < len(rows[0].sides) else "")
    first = rows[1].cells[column] if len(rows) > 1 and column < len(rows[1].cells) else []
    text = "".join(t.content for t in first)
    if not said and NUMBER.match(text):
        said = "right"
    form.setAlignment(SIDES.get(said, Qt.AlignmentFlag.AlignLeft))
    return form
