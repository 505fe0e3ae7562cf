"""Sort and filter a table by its header: one click sorts, a menu offers the rest."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QMenu, QVBoxLayout, QWidget

from app.data.arranged import Arranged, Order
from app.domain.errors import DeskpilotError
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.tasks import Do
    from app.ui.dashboard.card import TableBody
    from backends.data.table import Table


WIDE = 220


class Ordering(QObject):
    """Joins a table's header to its source, `table`. Signals: ordered(order), once the rows stand
    so.
    """

    ordered = Signal(object)

    def __init__(self, body: TableBody, table: Table, do: Do) -> None:
        super().__init__(body)
        self._body, self.table, self._do = body, table, do
        self._name = f"order {id(self)}"
        self._wanted = Order()
        self.served: Callable[[Order], bool] = lambda _: (
            False
        )  # whether the table's server brings the rows so
        header = body.horizontalHeader()
        header.setSectionsClickable(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.sectionClicked.connect(self.turn)
        header.customContextMenuRequested.connect(lambda at: self.offer(header.logicalIndexAt(at)))
        body.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        body.customContextMenuRequested.connect(
            lambda at: self.offer(
                body.indexAt(at).column()
                if body.indexAt(at).isValid()
                else body.currentIndex().column()
            )
        )

    @property
    def order(self) -> Order:
        """How the rows stand, or will as soon as they are sorted."""
        return self._wanted

    def turn(self, column: int) -> None:
        """Sort by a column: upwards, downwards, not at all."""
        name, order = self._body.table().names()[column], self.order
        if order.column != name:
            self.apply(replace(order, column=name, descending=False))
        elif not order.descending:
            self.apply(replace(order, descending=True))
        else:
            self.apply(replace(order, column="", descending=False))

    def filter(self, column: int, text: str) -> None:
        """Show only rows whose cell in a column fits; an empty text shows all."""
        name = self._body.table().names()[column]
        filters = {k: v for k, v in self.order.filters.items() if k != name}
        self.apply(
            replace(self.order, filters=filters | ({name: text.strip()} if text.strip() else {}))
        )

    def apply(self, order: Order) -> None:
        """Let the rows stand so."""
        self._wanted = order
        self._do(self._name, self._arrange(order))

    def forget(self) -> None:
        """Let the rows stand as they come."""
        self._wanted = Order()

    def offer(self, column: int) -> None:
        """Open the menu of a column."""
        if not 0 <= column < self._body.table().columnCount():
            return
        name = self._body.table().names()[column]
        menu = QMenu(self._body)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        actions: list[tuple[str, Callable[[], None]]] = [
            (
                tr("Sort upwards"),
                lambda: self.apply(replace(self.order, column=name, descending=False)),
            ),
            (
                tr("Sort downwards"),
                lambda: self.apply(replace(self.order, column=name, descending=True)),
            ),
            (tr("Filter …"), lambda: self.ask(column)),
        ]
        if not self.order.is_plain:
            actions.append((tr("As it came, all rows"), lambda: self.apply(Order())))
        for text, run in actions:
            menu.addAction(text).triggered.connect(lambda _=False, do=run: do())
        menu.popup(self._below(column))

    def ask(self, column: int) -> None:
        """Let the person write a filter."""
        name = self._body.table().names()[column]
        kind = self.table.column(name).kind
        ask = FilterField(name, kind, self.order.filters.get(name, ""), self._body)
        ask.given.connect(lambda text: self.filter(column, text))
        ask.popup(self._below(column))

    def _below(self, column: int) -> QPoint:
        header = self._body.horizontalHeader()
        x = max(header.sectionViewportPosition(column), 0)
        return header.mapToGlobal(QPoint(x, header.height()))

    async def _arrange(self, order: Order) -> None:
        try:
            here = not self.served(order) and not order.is_plain
            arranged = await asyncio.to_thread(Arranged, self.table, order) if here else None
        except DeskpilotError:
            self._wanted = self._body.table().order
            raise
        self._body.table().arrange(arranged, order)
        self.ordered.emit(order)


class FilterField(QFrame):
    """A field for a filter. Signals: given(text)."""

    given = Signal(str)

    def __init__(self, name: str, kind: str, text: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit(text, self)
        self.field.setPlaceholderText(
            tr("Words it holds, or = word") if kind == "text" else tr("> 5, 1..3 or = 2")
        )
        self.field.setAccessibleName(tr("Filter {name}", name=name))
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._give)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self.field)

    def popup(self, at: QPoint) -> None:
        """Open at a point of the screen."""
        self.resize(WIDE, self.sizeHint().height())
        box = self.screen().availableGeometry()
        self.move(min(at.x(), box.right() - WIDE), at.y())
        self.show()
        self.field.setFocus()

    def _give(self) -> None:
        self.given.emit(self.field.text())
        self.close()
