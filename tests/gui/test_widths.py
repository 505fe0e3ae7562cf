"""Columns of a table are as wide as Qt would make them, found in a third of its time."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTableView

from app.ui.dashboard.table.model import LIT, TableModel
from app.ui.dashboard.table.view import TableBody
from app.ui.theme import style
from app.ui.theme.tokens import LIGHT

if TYPE_CHECKING:
    from backends.data.values import Scalar

WORDS = (
    "illicit",
    "WWWW",
    "上海 北京",
    "iiiiiiiiiiii",
    "ünïcode",
    "12,345.67",
    "Привет",
    "fi ffi AV To",
    "é",
    "",
)


def bold_of(body: TableBody) -> QFont:
    font = QFont(body.font())
    font.setWeight(LIT)
    return font


@pytest.mark.parametrize(("rows", "columns"), [(203, 14), (7, 2), (0, 3)])
def test_a_column_is_as_wide_as_its_widest_cell(qapp: Any, rows: int, columns: int) -> None:
    style.apply(qapp, LIGHT)
    drawn = random.Random(rows)
    cells: list[tuple[Scalar, ...]] = [
        tuple(
            " ".join(drawn.choices(WORDS, k=drawn.randint(1, 4)))
            if c % 2
            else drawn.random() * 10**9
            for c in range(columns)
        )
        for _ in range(rows)
    ]
    model = TableModel(
        [(f"c{c}", c % 2 == 0) for c in range(columns)],
        rows,
        lambda at, count: cells[at : at + count],
    )
    body = TableBody(model, "t")
    model.setParent(body)
    body.resize(700, 400)
    body.show()
    told = [body.sizeHintForColumn(c) for c in range(columns)]
    plain, bold = body.fontMetrics(), QFontMetrics(bold_of(body))
    for column in range(columns):
        words = [
            model.text(row, column)
            for row in range(min(rows, body.horizontalHeader().resizeContentsPrecision()))
        ]
        more = max(
            (bold.horizontalAdvance(w) - plain.horizontalAdvance(w) for w in words), default=0
        )
        least = QTableView.sizeHintForColumn(body, column)  # of cells none of which is lit
        assert least <= told[column] <= least + max(more, 0)
    body.close()
