"""The dashboard pane: the grid of widgets and the chart of the last answer."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QPoint, Signal
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget

from app.ui.controls.drops import copied
from app.ui.controls.keys import named_after
from app.ui.theme.i18n import tr
from app.ui.theme.style import scaled
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDragLeaveEvent,
        QDragMoveEvent,
        QDropEvent,
        QResizeEvent,
    )

    from app.domain.dashboard import Tiles
    from app.ui.controls.message_boxes import Notice
    from app.ui.dashboard.card import Card
    from app.ui.dashboard.grid import Grid
    from app.ui.dashboard.table.view import TableBody
    from app.ui.dashboard.tabs import Tabs

NO_FOCUS = 0  # Qt's value; its enums are loaded after the first paint
EDGE, STEP = (
    36,
    14,
)  # in pixels: the distance from the edge at which dragging scrolls the pane; the scroll step


class DashboardPane(QScrollArea):
    """Shows cards in a grid.

    Signals: arranged(tiles) when the user changes the layout; files(paths, cell) dropped on the
    pane; seen() when the window becomes active.

    For a card, with its uuid: context_wanted(uuid, bool), retried(uuid), allowed(uuid, server),
    removed(uuid), larger_wanted(uuid), chart_wanted(uuid), export_wanted(uuid), menu_wanted(uuid);
    carried(uuid, global point) when it is dropped outside.

    dressed() when the theme changes; undone() to undo the last removal; composed(text) to ask a
    copilot.
    """

    arranged = Signal(object)
    files = Signal(list, object)
    seen = Signal()
    context_wanted = Signal(str, bool)
    retried = Signal(str)
    allowed = Signal(str, str)
    removed = Signal(str)
    larger_wanted = Signal(str)
    chart_wanted = Signal(str)
    export_wanted = Signal(str)
    menu_wanted = Signal(str)
    dressed = Signal()
    undone = Signal()
    carried = Signal(str, QPoint)
    composed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dashboard")
        self.setAccessibleName(tr("Dashboard"))
        self.setProperty("focusPolicy", NO_FOCUS)
        self.setWidgetResizable(True)
        self.setAcceptDrops(True)
        self.tokens: Tokens = LIGHT
        self.cards: dict[str, Card] = {}

    @cached_property
    def _empty(self) -> QLabel:
        """Return the label that an empty pane shows."""
        label = QLabel(self)
        words = tr("Drop a file here, press {key}, or add a widget with +.")
        named_after(label, "widget.attach", words, tr("Drop a file here, or add a widget with +."))
        label.setObjectName("caption")
        label.setAlignment(QtCore.Qt.AlignmentFlag.AlignCenter)
        label.setWordWrap(True)
        label.setGeometry(self.viewport().geometry())
        return label

    @cached_property
    def grid(self) -> Grid:
        """Return the grid, which is created when it is first needed, after the first paint."""
        from app.ui.dashboard.grid import Grid

        grid = Grid()
        grid.set_tokens(self.tokens)
        self.setWidget(grid)
        grid.arranged.connect(self.arranged)
        grid.hovering.connect(self._scroll_under)
        grid.carried.connect(self.carried)
        return grid

    @cached_property
    def tabs(self) -> Tabs:
        """Return the tabs of the dashboards, which are created when they are first shown."""
        from app.ui.dashboard.tabs import HEIGHT, Tabs

        tabs = Tabs(self)
        tabs.set_tokens(self.tokens)
        self.setViewportMargins(0, scaled(HEIGHT), 0, 0)
        tabs.setGeometry(0, 0, self.width(), scaled(HEIGHT))
        tabs.show()
        return tabs

    @cached_property
    def notice(self) -> Notice:
        """Return the notice at the bottom, which is created for its first message."""
        from app.ui.controls.message_boxes import Notice

        notice = Notice(self)
        notice.fit(self.viewport().geometry())
        notice.undone.connect(self.undone)
        return notice

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.tokens = tokens
        if "grid" in self.__dict__:
            self.grid.set_tokens(tokens)
        for card in self.cards.values():
            card.set_tokens(tokens)
        if "tabs" in self.__dict__:
            self.tabs.set_tokens(tokens)
            self.setViewportMargins(0, self.tabs.height(), 0, 0)
        self.dressed.emit()

    def add(self, uid: str, card: Card) -> None:
        """Add a card; `show_tiles` places it."""
        self.cards[uid] = card
        card.set_tokens(self.tokens)
        bar = card.bar
        bar.context_wanted.connect(lambda on: self.context_wanted.emit(uid, on))
        bar.reload_wanted.connect(lambda: self.retried.emit(uid))
        bar.larger_wanted.connect(lambda: self.larger_wanted.emit(uid))
        bar.chart_wanted.connect(lambda: self.chart_wanted.emit(uid))
        bar.export_wanted.connect(lambda: self.export_wanted.emit(uid))
        bar.menu_wanted.connect(lambda: self.menu_wanted.emit(uid))
        bar.remove_wanted.connect(lambda: self.removed.emit(uid))
        bar.focused.connect(lambda on: self.ensureWidgetVisible(card, 0, 12) if on else None)
        self.grid.add(uid, card)

    def take(self, uid: str) -> None:
        """Remove a card; if it has the focus, the next card gets it."""
        focus, card = QApplication.focusWidget(), self.cards.pop(uid)
        if focus is not None and card.isAncestorOf(focus):
            order = [tile.id for tile in self.grid.tiles if tile.id in self.cards or tile.id == uid]
            place = order.index(uid) if uid in order else 0
            for other in [*order[place + 1 :], *order[:place][::-1]][:1]:
                self.cards[other].bar.setFocus(QtCore.Qt.FocusReason.OtherFocusReason)
        self.grid.take(uid)

    def show_body(self, uid: str, body: QWidget, caption: str) -> None:
        """Replace the body of a card."""
        self.cards[uid].set_body(body, caption)
        self.cards[uid].set_tokens(self.tokens)

    def show_tiles(self, tiles: Tiles) -> None:
        """Place the cards."""
        self.grid.show_tiles(tiles)
        if not tiles or "_empty" in self.__dict__:
            self._empty.setVisible(not tiles)

    def table(self, uid: str) -> TableBody | None:
        """Return the table in a card; None if the card shows something else."""
        card = self.cards.get(uid)
        return card.table() if card is not None else None

    def show_card(self, uid: str) -> None:
        """Scroll to a card."""
        if uid in self.cards:
            self.ensureWidgetVisible(self.cards[uid], 0, 12)

    def reveal(self, uid: str, row: int, column: str, *, wanted: bool = True) -> bool:
        """Scroll to a cell of a table and highlight it; return whether the cell exists.

        wanted: see `TableBody.reveal`.
        """
        table = self.table(uid)
        if table is None:
            return False
        self.show_card(uid)
        return table.reveal(row, column, wanted=wanted)

    def _scroll_under(self, point: QPoint) -> None:
        """Scroll while a tile is dragged near the upper or lower edge."""
        y, bar = self.viewport().mapFromGlobal(point).y(), self.verticalScrollBar()
        by = -STEP if y < EDGE else STEP if y > self.viewport().height() - EDGE else 0
        if by:
            bar.setValue(bar.value() + by)
            self.grid.follow_hand()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the label of an empty pane centred."""
        super().resizeEvent(event)
        if "_empty" in self.__dict__:
            self._empty.setGeometry(self.viewport().geometry())
        if "tabs" in self.__dict__:
            self.tabs.setGeometry(0, 0, self.width(), self.tabs.height())
        if "notice" in self.__dict__:
            self.notice.fit(self.viewport().geometry())

    def changeEvent(self, event: QEvent) -> None:
        """Report when the window becomes active."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.seen.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            copied(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Make room for the dragged files."""
        self.grid.preview_new(self.grid.mapFrom(self, event.position().toPoint()))
        copied(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Close the space that was made for the dragged files."""
        self.grid.preview_new(None)

    def dropEvent(self, event: QDropEvent) -> None:
        """Report the dropped files."""
        cell = self.grid.preview_new(self.grid.mapFrom(self, event.position().toPoint()))
        self.grid.preview_new(None)
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        copied(event)
        self.files.emit(paths, cell)
