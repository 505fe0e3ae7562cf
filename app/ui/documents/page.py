"""The page of the libraries of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.documents.panel import DocumentsPanel
from app.ui.theme.labels import ElidedLabel, label
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Sequence


class DocumentsPage(QWidget):
    """Signals: chosen(library), folder_wanted(), files_wanted(), new_wanted(), update_wanted(),
    attach_wanted(), remove_wanted(path) of what was added.
    """

    chosen = Signal(str)
    folder_wanted = Signal()
    files_wanted = Signal()
    new_wanted = Signal()
    update_wanted = Signal()
    attach_wanted = Signal()
    remove_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        about = tr(
            "Folders and files that are searched and cited by page. They stay where they are;"
            " nothing is changed."
        )
        self.libraries = QComboBox(self)
        self.libraries.setAccessibleName(tr("Library"))
        self.libraries.setMinimumWidth(160)
        self.libraries.activated.connect(lambda _: self.chosen.emit(self.library()))
        self.panel = DocumentsPanel(self)
        self.panel.list.setMinimumHeight(240)
        self._roots = QVBoxLayout()
        self._roots.setSpacing(0)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.libraries)
        first.addWidget(self._button(tr("New library …"), self.new_wanted.emit))
        first.addStretch(1)
        self.attach = self._button(tr("Attach to the chat"), self.attach_wanted.emit)
        first.addWidget(self.attach)
        second.addWidget(self._button(tr("Add folder …"), self.folder_wanted.emit))
        second.addWidget(self._button(tr("Add files …"), self.files_wanted.emit))
        self.update_ = self._button(tr("Update"), self.update_wanted.emit)
        self.update_.setToolTip(tr("Read what is new or changed"))
        second.addWidget(self.update_)
        second.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        column.addWidget(label(tr("Documents"), "title", self))
        column.addWidget(label(about, "muted", self))
        column.addLayout(first)
        column.addLayout(second)
        column.addLayout(self._roots)
        column.addWidget(self.panel, 1)

    def library(self) -> str:
        """Return the name of the library that is shown."""
        return self.libraries.currentText()

    def show_libraries(self, names: Sequence[str], shown: str) -> None:
        """Offer libraries; one of them is shown."""
        self.libraries.clear()
        self.libraries.addItems(list(names))
        self.libraries.setCurrentText(shown)

    def show_roots(self, paths: Sequence[str]) -> None:
        """Show what was added, each with a way to remove it."""
        while (item := self._roots.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for path in paths:
            line = QWidget(self)
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            name = ElidedLabel(path, line)
            name.setObjectName("caption")
            remove = QPushButton(tr("Remove"), line)
            remove.setObjectName("link")
            remove.setAccessibleName(tr("Remove {name}", name=path))
            remove.clicked.connect(lambda _=False, path=path: self.remove_wanted.emit(path))
            row.addWidget(name, 1)
            row.addWidget(remove)
            self._roots.addWidget(line)
        self.attach.setEnabled(bool(paths))
        self.update_.setEnabled(bool(paths))

    def _button(self, text: str, press: object) -> QPushButton:
        made = QPushButton(text, self)
        made.clicked.connect(press)
        return made
