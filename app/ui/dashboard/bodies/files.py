"""Several files in one tile, one of which is chosen and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QTabBar, QVBoxLayout, QWidget

from app.domain.errors import BackendError
from app.openbb.content import Content, bytes_of
from app.ui.theme.i18n import told, tr
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.events import QuoteBox


class FilesBody(QWidget):
    """A selector for files, with the chosen file below it.

    Signals: linked(address) when a link in a file is clicked. make: a function that creates the
    widget for some content and a name.
    """

    linked = Signal(str)

    def __init__(
        self,
        files: list[dict[str, str]],
        make: Callable[[Content, str], QWidget],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._files, self._make, self._tokens = files, make, LIGHT
        self.chooser = QTabBar(self)
        self.chooser.setAccessibleName(tr("Files"))
        self.chooser.setDrawBase(False)
        self.chooser.setExpanding(False)
        for file in files:
            self.chooser.addTab(file.get("filename", "").replace("&", "&&"))
        self.chooser.currentChanged.connect(self.choose)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 8)
        self._column.setSpacing(0)
        self._column.addWidget(self.chooser)
        self.shown = self._body(0)
        self._column.addWidget(self.shown, 1)

    def choose(self, number: int) -> None:
        """Show another file."""
        body = self._body(number)
        self._column.replaceWidget(self.shown, body)
        self.shown.deleteLater()
        self.shown = body
        self.set_tokens(self._tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        dress = getattr(self.shown, "set_tokens", None)
        if dress is not None:
            dress(tokens)

    def show_quotes(self, boxes: list[QuoteBox]) -> bool:
        """Highlight quotes in the visible file or, if it does not have their pages, in the first
        file that does.
        """
        pages = [n for n, file in enumerate(self._files) if file["kind"] == "pdf"]
        here = self.chooser.currentIndex()
        for number in sorted(pages, key=lambda n: n != here):
            self.chooser.setCurrentIndex(number)
            if getattr(self.shown, "show_quotes", lambda _: False)(boxes):
                return True
        return False

    def _body(self, number: int) -> QWidget:
        file = self._files[number]
        kind, name = file["kind"], file.get("filename", "")
        try:
            value = (
                [file] if kind in ("pdf", "image") else bytes_of(file).decode("utf-8", "replace")
            )
            made = self._make(Content(kind, value), name)
        except BackendError as error:
            made = QLabel(told(error), self)
            made.setWordWrap(True)
            made.setObjectName("muted")
            made.setMargin(14)
        if hasattr(made, "linked"):
            made.linked.connect(self.linked)  # pyright: ignore[reportAttributeAccessIssue]
        return made
