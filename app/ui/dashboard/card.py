"""A card: a title bar around a table, another body or an error; its body in a larger window."""

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
    """A body that paints in the colours of the theme."""

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        ...


@runtime_checkable
class SnapshotBody(Protocol):
    """A body that draws itself as a picture."""

    def take_picture(self, form: str, take: Callable[[bytes], None]) -> None:
        """Return the picture to `take`, as png or svg."""
        ...


@runtime_checkable
class QuotableBody(Protocol):
    """A body with pages on which quotes can be marked."""

    def show_quotes(self, boxes: list[QuoteBox]) -> bool:
        """Mark quotes; return whether there is one on these pages."""
        ...


@runtime_checkable
class MarkableBody(Protocol):
    """A body with words on which a quote can be marked."""

    def mark(self, page: int, quote: str) -> bool:
        """Mark a quote; return whether it is there."""
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
        """Show something else."""
        self._leave_corners(body)
        self._column.replaceWidget(self.body, body)
        before, self.body = self.body, body
        if before.hasFocus():
            body.setFocus()
        before.deleteLater()
        self.bar.caption.setText(caption)

    def set_params(self, params: QWidget | None) -> None:
        """Show fields below the title bar, in place of those before."""
        if self.params is not None:
            self._column.removeWidget(self.params)
            self.params.deleteLater()
        self.params = params
        if params is not None:
            self._column.insertWidget(1, params)

    def _leave_corners(self, body: QWidget) -> None:
        """Keep a body with square corners, which a property marks, away from the round ones of the
        card.
        """
        self._column.setContentsMargins(1, 1, 1, RADIUS_CARD if body.property("square") else 1)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply the theme to the bar and the content."""
        self.bar.set_tokens(tokens)
        if isinstance(self.body, ThemedBody):
            self.body.set_tokens(tokens)

    def table(self) -> TableBody | None:
        """Return the table it shows, if it shows one."""
        return self.body if isinstance(self.body, TableBody) else None

    def set_attached(self, attached: bool) -> None:
        """Show whether the table is sent with questions."""
        self.bar.set_attached(attached)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the quiet buttons."""
        self.bar.set_hot(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide them again."""
        self.bar.set_hot(False)
        super().leaveEvent(event)


class Problem(QWidget):
    """The message of a widget that cannot be read, and buttons: `retry`, and `allow` if it is on
    another server.
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
    """What a widget shows while its file is read. bar: how far that is; stop: the button below
    it.
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
        column.addSpacing(88)  # below the words in the middle
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def tell(self, far: float) -> None:
        """Show the progress, from 0 to 1, and offer to stop."""
        self.setText(tr("Reading {name}: {percent} %", name=self._name, percent=int(far * 100)))
        self.bar.setValue(int(far * 100))
        self.bar.show()
        self.stop.show()


class Larger(QDialog):
    """Shows a widget's body; Escape closes it, nothing waits for it. uid: of the widget."""

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
        """Keep Escape, which would stop the answer otherwise."""
        return keeps_escape(event) or super().event(event)
