"""Columns that stay in view at the left while the others are scrolled: a view of their own over the
table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.ui.dashboard.card import TableBody
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QPaintEvent

    from app.ui.theme.tokens import Tokens

MOST = 0.6  # of the table's width; where they take more, they are scrolled like the others


class Pinned(TableBody):
    """Shows some columns of a table over it, in step with it."""

    def __init__(self, body: TableBody, columns: Iterable[int]) -> None:
        super().__init__(body.table(), "", body)
        self._body, self._columns = body, tuple(columns)
        self.setObjectName("pinned")
        self.setAccessibleName(tr("{table}, pinned columns", table=body.accessibleName()))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSelectionModel(body.selectionModel())
        self.setVerticalScrollMode(body.verticalScrollMode())
        for bar in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theirs, ours = body.horizontalHeader(), self.horizontalHeader()
        for place, column in enumerate(self._columns):
            for header in (theirs, ours):
                header.moveSection(header.visualIndex(column), place)
        for column in range(body.table().columnCount()):
            self.setColumnHidden(column, column not in self._columns or body.isColumnHidden(column))
            self.setColumnWidth(column, body.columnWidth(column))
            if column in self._columns:
                self.setItemDelegateForColumn(column, body.itemDelegateForColumn(column))
        ours.setSectionsClickable(True)
        ours.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        ours.sectionClicked.connect(theirs.sectionClicked)
        ours.customContextMenuRequested.connect(self._offer)
        ours.sectionResized.connect(lambda column, _, wide: body.setColumnWidth(column, wide))
        theirs.sectionResized.connect(self._resized)
        body.horizontalScrollBar().valueChanged.connect(lambda: self.viewport().update())
        body.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        self.verticalScrollBar().valueChanged.connect(body.verticalScrollBar().setValue)
        self.pressed_cell.connect(body.pressed_cell)
        self.pressable = body.pressable & set(self._columns)
        body.installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the height of the table."""
        if watched is self._body and event.type() in (
            QEvent.Type.Resize,
            QEvent.Type.LayoutRequest,
        ):
            self._fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells, and the edge under which the others are scrolled."""
        super().paintEvent(event)
        if self._body.horizontalScrollBar().value():
            painter, right = QPainter(self.viewport()), self.viewport().width() - 1
            painter.setPen(QPen(QColor(self.table().tokens.faint), 1))
            painter.drawLine(right, event.rect().top(), right, event.rect().bottom())

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme, with the table."""
        self.viewport().update()

    def _resized(self, column: int, _: int, wide: int) -> None:
        if self.columnWidth(column) != wide:
            self.setColumnWidth(column, wide)
        self._fit()

    def _fit(self) -> None:
        view = self._body.viewport()
        wide = sum(
            self.columnWidth(column) for column in self._columns if not self.isColumnHidden(column)
        )
        self.setGeometry(view.x(), 0, wide, view.y() + view.height())
        self.horizontalHeader().setFixedHeight(self._body.horizontalHeader().height())
        self.setVisible(0 < wide <= view.width() * MOST)
        self.verticalScrollBar().setValue(self._body.verticalScrollBar().value())

    def _offer(self, at: QPoint) -> None:
        theirs = self._body.horizontalHeader()
        column = self.horizontalHeader().logicalIndexAt(at)
        theirs.customContextMenuRequested.emit(
            QPoint(theirs.sectionViewportPosition(column) + 1, at.y())
        )
