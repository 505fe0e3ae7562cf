"""A card, which has a title bar above a table, another body or an error message; and the larger
window that can show the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.keys import keeps_escape
from app.ui.dashboard.table.view import TableBody
from app.ui.dashboard.title_bar import TitleBar
from app.ui.theme.i18n import tr
from app.ui.theme.style import set_mark
from app.ui.theme.tokens import RADIUS_CARD

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QEnterEvent

    from app.domain.events import QuoteBox
    from app.ui.theme.tokens import Tokens


BAR_PX = 180


@runtime_checkable
class ThemedBody(Protocol):
    """A body painted in the colours of the theme."""

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        ...


@runtime_checkable
class SnapshotBody(Protocol):
    """A body that can export itself as a picture."""

    def take_picture(self, form: str, take: Callable[[bytes], None]) -> None:
        """Pass the picture to `take`. form: "png" or "svg"."""
        ...


@runtime_checkable
class QuotableBody(Protocol):
    """A body with pages on which quotes can be highlighted."""

    def show_quotes(self, boxes: list[QuoteBox]) -> bool:
        """Highlight quotes; return whether its pages contain any of them."""
        ...


@runtime_checkable
class MarkableBody(Protocol):
    """A body with text in which a quote can be highlighted."""

    def mark(self, page: int, quote: str) -> bool:
        """Highlight a quote; return whether it was found."""
        ...


class Card(QFrame):
    """A frame with a title bar and a body."""

    def __init__(
        self, title: str, caption: str, body: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.bar = TitleBar(title, self)
        self.context = self.bar.context
        self._column = QVBoxLayout(self)
        self._leave_corners(body)
        self._column.setSpacing(0)
        self._column.addWidget(self.bar)
        self.params: QWidget | None = None
        self.body = body
        self._column.addWidget(body, 1)
        self.bar.caption.setText(caption)
        self.bar.focused.connect(lambda on: set_mark(self, "focused", on))

    def set_body(self, body: QWidget, caption: str) -> None:
        """Replace the body and the caption."""
        self._leave_corners(body)
        self._column.replaceWidget(self.body, body)
        before, self.body = self.body, body
        if before.hasFocus():
            body.setFocus()
        before.deleteLater()
        self.bar.caption.setText(caption)

    def set_params(self, params: QWidget | None) -> None:
        """Replace the fields below the title bar; None removes them."""
        if self.params is not None:
            self._column.removeWidget(self.params)
            self.params.deleteLater()
        self.params = params
        if params is not None:
            self._column.insertWidget(1, params)

    def _leave_corners(self, body: QWidget) -> None:
        """Keep a body that is marked as square away from the card's rounded corners."""
        self._column.setContentsMargins(1, 1, 1, RADIUS_CARD if body.property("square") else 1)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply the theme to the bar and the content."""
        self.bar.set_tokens(tokens)
        if isinstance(self.body, ThemedBody):
            self.body.set_tokens(tokens)

    def table(self) -> TableBody | None:
        """Return the table in this card; None if it shows something else."""
        return self.body if isinstance(self.body, TableBody) else None

    def set_attached(self, attached: bool) -> None:
        """Show whether the table is sent with questions."""
        self.bar.set_attached(attached)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the buttons that are hidden while the mouse is not over the card."""
        self.bar.set_hot(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the buttons that are shown only while the mouse is over the card."""
        self.bar.set_hot(False)
        super().leaveEvent(event)


class Problem(QWidget):
    """The error message of a widget that cannot be read.

    Its buttons are `retry` and, if the content is on another server, `allow`.
    """

    def __init__(
        self, name: str, text: str, server: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        label = QLabel(text, self)
        label.setWordWrap(True)
        label.setObjectName("muted")
        self.retry = QPushButton(tr("Try again"), self)
        self.retry.setObjectName("link")
        self.retry.setAccessibleName(tr("Read {name} again", name=name))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(label)
        self.allow = QPushButton(tr("Allow {server}", server=server), self)
        self.allow.setObjectName("link")
        self.allow.setVisible(bool(server))
        column.addWidget(self.allow, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.retry, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)


class ReadingNotice(QLabel):
    """The notice shown while a widget's file is being read. bar: the progress bar. stop: the button
    below the text.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(tr("Reading {name} …", name=name), parent)
        self._name = name
        self.setObjectName("muted")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(BAR_PX, 6)
        self.bar.setAccessibleName(tr("Reading {name} …", name=name))
        self.bar.hide()
        self.stop = QPushButton(tr("Stop"), self)
        self.stop.hide()
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(1)
        column.addSpacing(88)  # placed below the text in the middle
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def tell(self, far: float) -> None:
        """Show the progress, from 0 to 1, and offer to stop the reading."""
        self.setText(tr("Reading {name}: {percent} %", name=self._name, percent=int(far * 100)))
        self.bar.setValue(int(far * 100))
        self.bar.show()
        self.stop.show()


class Larger(QDialog):
    """A larger window for a widget's body. Escape closes it, and it does not block other windows.
    uid: the widget's id.
    """

    def __init__(self, uid: str, title: str, body: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.uid, self.body = uid, body
        self.setObjectName("larger")
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(body)
        space = parent.window().size()
        self.resize(max(space.width() * 3 // 4, 480), max(space.height() * 3 // 4, 360))

    def event(self, event: QEvent) -> bool:
        """Handle Escape here; otherwise it would stop the answer."""
        return keeps_escape(event) or super().event(event)
