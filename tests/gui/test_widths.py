"""Columns of a table are as wide as Qt would make them, found in a third of its time."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QTableView

from app.ui.dashboard.card import TableBody
from app.ui.dashboard.table_model import TableModel
from app.ui.style import theme
from app.ui.style.tokens import LIGHT

if TYPE_CHECKING:
    from backends.kernel import Scalar

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


@pytest.mark.parametrize(("rows", "columns"), [(203, 14), (7, 2), (0, 3)])
def test_a_column_is_as_wide_as_its_widest_cell(qapp: Any, rows: int, columns: int) -> None:
    theme.apply(qapp, LIGHT)
    drawn = random.Random(rows)
    cells: list[tuple[Scalar, ...]] = [
        tuple(
            " ".join(drawn.choices(WORDS, k=drawn.randint(1, 4))) if c % 2 else drawn.random() * 10**9
            for c in range(columns)
        )
        for _ in range(rows)
    ]
    model = TableModel(
        [(f"c{c}", c % 2 == 0) for c in range(columns)], rows, lambda at, count: cells[at : at + count]
    )
    body = TableBody(model, "t")
    model.setParent(body)
    body.resize(700, 400)
    body.show()
    told = [body.sizeHintForColumn(c) for c in range(columns)]
    assert told == [QTableView.sizeHintForColumn(body, c) for c in range(columns)]
    body.close()
