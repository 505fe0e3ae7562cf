"""The title bar of a tile, with its buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QToolButton, QWidget

from app.ui.controls.keys import keeps_escape
from app.ui.controls.labels import ElidedLabel
from app.ui.theme.i18n import mark, tr
from app.ui.theme.icons import icon
from app.ui.theme.style import scaled
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QContextMenuEvent,
        QFocusEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
    )


class TileButton(QToolButton):
    """A button in a title bar; a quiet button is painted only while `hot` is set.

    sign: the name of its icon. Signals: focus_moved().
    """

    focus_moved = Signal()

    def __init__(self, sign: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.sign, self.hot = sign, False
        self.setIconSize(QSize(16, 16))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Report that the focus has moved."""
        super().focusInEvent(event)
        self.focus_moved.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report that the focus has moved."""
        super().focusOutEvent(event)
        self.focus_moved.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the button, or leave its space empty."""
        if self.hot or self.objectName() != "tile":
            super().paintEvent(event)


HEIGHT = 40
NARROW = 300  # in pixels: bars narrower than this show icons instead of text
NAME, EACH = (
    220,
    40,
    # in pixels: width needed for the name and texts beside quiet buttons, and for each button
)
ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


KEYS = mark(
    "A tile of the dashboard. Arrow keys move it, Shift and arrow keys resize it, Enter opens it"
    " larger, Delete removes it."
)


class TitleBar(QPushButton):
    """The title bar of a tile. Screen readers see a button that opens the tile in a larger window.

    Signals: grabbed(global point), dragged(global point), dropped(), cancelled(); nudged(dx, dy)
    and stretched(dw, dh) when arrow keys are pressed; context_wanted(bool), reload_wanted(),
    larger_wanted(), chart_wanted(), export_wanted(), remove_wanted(), menu_wanted(); focused(bool).
    """

    grabbed = Signal(QPoint)
    dragged = Signal(QPoint)
    dropped = Signal()
    cancelled = Signal()
    nudged = Signal(int, int)
    stretched = Signal(int, int)
    context_wanted = Signal(bool)
    reload_wanted = Signal()
    larger_wanted = Signal()
    chart_wanted = Signal()
    export_wanted = Signal()
    remove_wanted = Signal()
    menu_wanted = Signal()
    focused = Signal(bool)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("cardHeader")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setAccessibleName(title)
        self.setAccessibleDescription(tr(KEYS))
        self.setFixedHeight(scaled(HEIGHT))
        self.clicked.connect(
            lambda: self.larger_wanted.emit() if self.larger in self.quiet else None
        )
        self._title, self._dragging = title, False
        self._press: QPoint | None = None
        self._hot = self._narrow = self._crowded = False
        self._tokens: Tokens = LIGHT
        self.name, self.caption = ElidedLabel(title, self), ElidedLabel("", self)
        self.name.setObjectName("cardTitle")
        self.caption.setObjectName("caption")
        again = tr("{title}: read the changed file again", title=title)
        self.stale = self._button("link", "refresh", again, self.reload_wanted)
        self.stale.setText(tr("Changed"))
        self.stale.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.stale.setToolTip(tr("The file has changed since it was read. Read it again"))
        self.stale.hide()
        self.refresh = self._button(
            "tile",
            "refresh",
            tr("{title}: refresh", title=title),
            self.reload_wanted,
            tr("Refresh"),
        )
        self.refresh.hide()
        self.chart = self._button(
            "tile",
            "chart",
            tr("{title}: plot a column", title=title),
            self.chart_wanted,
            tr("Plot a column"),
        )
        self.larger = self._button(
            "tile",
            "larger",
            tr("{title}: open larger", title=title),
            self.larger_wanted,
            tr("Open larger"),
        )
        self.export = self._button(
            "tile", "save", tr("{title}: save", title=title), self.export_wanted, tr("Save")
        )
        self.more = self._button(
            "tile", "more", tr("{title}: more", title=title), self.menu_wanted, tr("More")
        )
        gone = tr("{title}: remove", title=title)
        self.remove = self._button("tile", "close", gone, self.remove_wanted, tr("Remove"))
        self.context = self._button("link", "plus", "", self.context_wanted)
        self.context.setCheckable(True)
        self._lay_out()
        self.quiet = [self.chart, self.larger, self.export, self.more, self.remove]
        self.set_attached(False)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 6, 0)
        row.setSpacing(2)
        row.addWidget(self.name)
        row.addSpacing(4)
        row.addWidget(self.caption, 1)
        for part in self.buttons():
            row.addWidget(part)

    def leave_out(self, *buttons: TileButton) -> None:
        """Remove buttons that do not apply to this tile."""
        self.quiet = [button for button in self.quiet if button not in buttons]
        for button in buttons:
            button.hide()

    def offer_refresh(self) -> None:
        """Show a refresh button."""
        if self.refresh not in self.quiet:
            self.quiet.insert(0, self.refresh)
            self._show_quiet()

    def set_stoppable(self, *, on: bool) -> None:
        """Turn the refresh button into a stop button while the tile's content is being loaded."""
        words = tr("Stop") if on else tr("Refresh")
        self.refresh.sign = "stop" if on else "refresh"
        self.refresh.setToolTip(words)
        name = (
            tr("{title}: stop", title=self._title)
            if on
            else tr("{title}: refresh", title=self._title)
        )
        self.refresh.setAccessibleName(name)
        self._draw(self.refresh)

    def tell_stale(self, text: str, tip: str) -> None:
        """Mark the tile as out of date; an empty text removes the mark. Pressing the mark refreshes
        the tile.
        """
        self.stale.setText(text)
        self.stale.setToolTip(tip)
        self.stale.setAccessibleName(f"{self._title}: {text}. {tip}")
        self.stale.setVisible(bool(text))
        self._show_caption()

    def _button(self, kind: str, sign: str, name: str, signal: object, tip: str = "") -> TileButton:
        button = TileButton(sign, self)
        button.setObjectName(kind)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        button.setCursor(Qt.CursorShape.ArrowCursor)
        button.clicked.connect(signal)
        button.focus_moved.connect(self._show_quiet)
        return button

    def buttons(self) -> list[TileButton]:
        """Return the buttons in tab order."""
        quiet = [self.refresh, self.chart, self.larger, self.export, self.more, self.remove]
        return [self.stale, *quiet, self.context]

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        self.setFixedHeight(scaled(HEIGHT))
        for button in self.buttons():
            self._draw(button)

    def _draw(self, button: TileButton) -> None:
        accent = button.objectName() == "link"
        button.setIcon(icon(button.sign, self._tokens.accent if accent else self._tokens.muted, 16))

    def set_attached(self, attached: bool) -> None:
        """Show whether the table is sent with questions."""
        self.context.setChecked(attached)
        self.context.setText(tr("In context ✓") if attached else tr("Add as context"))
        self.context.sign = "check" if attached else "plus"
        self._draw(self.context)
        verb = tr("Remove from context") if attached else tr("Add as context")
        self.context.setAccessibleName(f"{self._title}: {verb}")
        told = (
            tr("In context: attached to your questions, so copilots can read it.")
            if attached
            else tr("Add this to the context to attach it to your questions.")
        )
        more = [tr("Remove from the context")] if attached else []
        self.context.setToolTip("\n".join([told, *more]))
        self.context.setAccessibleDescription(told)

    def set_hot(self, hot: bool) -> None:
        """Show the quiet buttons while the mouse is over the tile."""
        self._hot = hot
        self._show_quiet()

    def _show_caption(self) -> None:
        """Hide the caption and the buttons' texts if the name needs the space."""
        tight = self._narrow or (self._crowded and not self._has_room())
        marked = not self.stale.isHidden() and self.width() < scaled(NAME) + 5 * EACH
        self.caption.setVisible(not tight and not marked)
        styles = Qt.ToolButtonStyle
        self.context.setToolButtonStyle(
            styles.ToolButtonIconOnly if tight else styles.ToolButtonTextOnly
        )

    def _has_room(self) -> bool:
        """Return whether the name and the texts fit beside the quiet buttons."""
        return self.width() >= scaled(NAME) + EACH * len(self.quiet)

    def _show_quiet(self) -> None:
        """Paint the quiet buttons while the mouse or the focus is on the tile.

        In a narrow tile, they take space away from the name only then.
        """
        inside = QApplication.focusWidget()
        hot = self._hot or inside is self or (inside is not None and self.isAncestorOf(inside))
        self._crowded = hot
        self._show_caption()
        for button in self.quiet:
            button.hot = hot
            button.setVisible(hot or self._has_room())
            button.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show icons instead of text in a narrow tile."""
        super().resizeEvent(event)
        narrow = self._narrow = event.size().width() < scaled(NARROW)
        styles = Qt.ToolButtonStyle
        self.stale.setToolButtonStyle(
            styles.ToolButtonIconOnly if narrow else styles.ToolButtonTextBesideIcon
        )
        self._show_quiet()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Record where the tile was grabbed."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._press = event.globalPosition().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Start dragging once the mouse has moved far enough."""
        if self._press is None:
            return
        point = event.globalPosition().toPoint()
        far = (point - self._press).manhattanLength() >= QApplication.startDragDistance()
        if not self._dragging and far:
            self._dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.grabbed.emit(self._press)
        if self._dragging:
            self.dragged.emit(point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stop dragging."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._end(self.dropped)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the tile in a larger window."""
        if event.button() == Qt.MouseButton.LeftButton and self.larger in self.quiet:
            self.larger_wanted.emit()

    def _end(self, how: SignalInstance) -> None:
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self._press = None
        if self._dragging:
            self._dragging = False
            how.emit()

    def event(self, event: QEvent) -> bool:
        """Handle Escape here while the tile is being dragged; at other times it stops the
        answer.
        """
        return keeps_escape(event, lambda: self._dragging) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, resize, open or remove the tile with the keyboard."""
        key = Qt.Key(event.key())
        if key in ARROWS:
            resizes = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self.stretched if resizes else self.nudged).emit(*ARROWS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.larger in self.quiet:
            self.larger_wanted.emit()
        elif key == Qt.Key.Key_Delete:
            self.remove_wanted.emit()
        elif key == Qt.Key.Key_Escape and self._dragging:
            self._end(self.cancelled)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu, including when the menu key is pressed."""
        self.menu_wanted.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Report the focus to the tile, which draws the ring."""
        super().focusInEvent(event)
        self.focused.emit(event.reason() != Qt.FocusReason.MouseFocusReason)
        self._show_quiet()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report the loss of focus to the tile."""
        super().focusOutEvent(event)
        self.focused.emit(False)
        self._show_quiet()
