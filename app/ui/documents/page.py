"""The documents page of the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.documents.library import DEFAULT
from app.ui.controls.labels import ElidedLabel, label
from app.ui.documents.panel import DocumentsPanel, data_size
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QHideEvent, QShowEvent

    from app.services.documents import SearchCoverage


class DocumentsPage(QWidget):
    """The documents page.

    Signals: chosen(library), folder_wanted(), files_wanted(), new_wanted(), update_wanted(),
    attach_wanted(), remove_wanted(path) for a path that was added, rebuild_wanted(),
    embedders_wanted() to choose an embedding model, ocr_wanted() to download the OCR model,
    turned(is_shown).
    """

    chosen = Signal(str)
    folder_wanted = Signal()
    files_wanted = Signal()
    new_wanted = Signal()
    update_wanted = Signal()
    attach_wanted = Signal()
    remove_wanted = Signal(str)
    rebuild_wanted = Signal()
    embedders_wanted = Signal()
    ocr_wanted = Signal()
    turned = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        about = tr(
            "Folders and files to search and cite by page. They stay where they are and are not "
            "changed."
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
        self.update_.setToolTip(tr("Read new or changed files"))
        second.addWidget(self.update_)
        self.rebuild = self._button(tr("Rebuild …"), self.rebuild_wanted.emit)
        self.rebuild.setToolTip(tr("Read and index every document of this library again"))
        second.addWidget(self.rebuild)
        second.addStretch(1)
        self.coverage = label("", "caption", self)
        self.embedders = self._button(tr("Embedders …"), self.embedders_wanted.emit)
        self.embedders.setObjectName("link")
        self.embedders.setToolTip(tr("Models for search by meaning"))
        self.scans = label("", "caption", self)
        self.ocr = self._button("", self.ocr_wanted.emit)
        self.ocr.setObjectName("link")
        self.ocr.setToolTip(tr("Download the OCR model; it then works offline"))
        self.ocr.setAccessibleName(tr("Download the OCR model; it then works offline"))
        fourth = QHBoxLayout()
        fourth.addWidget(self.scans, 1)
        fourth.addWidget(self.ocr)
        self.scans.hide()
        self.ocr.hide()
        third = QHBoxLayout()
        third.addWidget(self.coverage, 1)
        third.addWidget(self.embedders)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        column.addWidget(label(tr("Documents"), "title", self))
        column.addWidget(label(about, "muted", self))
        column.addLayout(first)
        column.addLayout(second)
        column.addLayout(third)
        column.addLayout(fourth)
        column.addLayout(self._roots)
        column.addWidget(self.panel, 1)

    def library(self) -> str:
        """Return the name of the chosen library."""
        return str(self.libraries.currentData() or "")

    def show_libraries(self, names: Sequence[str], shown: str) -> None:
        """Offer libraries. shown: the library to select."""
        self.libraries.clear()
        for name in names:
            self.libraries.addItem(library_name(name), name)
        self.libraries.setCurrentIndex(max(0, self.libraries.findData(shown)))

    def show_coverage(self, coverage: SearchCoverage) -> None:
        """Show how the libraries are searched, the progress of embedding, and the size of the
        index.
        """
        self.coverage.setText(coverage_in_words(coverage))

    def show_scans(self, unread: int, ocr: str | None, download_bytes: int) -> None:
        """Show the state of scanned pages and offer the OCR model with its size.

        ocr: the OCR model, or None. download_bytes: the size of the download; 0 if no model can be
        downloaded.
        """
        self.scans.setVisible(unread > 0)
        self.ocr.setVisible(unread > 0 and ocr is None and download_bytes > 0)
        self.ocr.setText(tr("Read scanned pages ({size}) …", size=data_size(download_bytes)))
        count = tr("%n scanned pages unread", "", unread)
        if ocr is None:
            self.scans.setText(tr("{pages}, not searchable", pages=count))
        else:
            self.scans.setText(tr("{pages}; {model} is reading them", pages=count, model=ocr))

    def showEvent(self, event: QShowEvent) -> None:
        """Start updating the page."""
        super().showEvent(event)
        self.turned.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop updating the page."""
        super().hideEvent(event)
        self.turned.emit(False)

    def show_roots(self, paths: Sequence[str]) -> None:
        """Show the added files and folders with buttons to remove them."""
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
        self.rebuild.setEnabled(bool(paths))

    def _button(self, text: str, press: object) -> QPushButton:
        made = QPushButton(text, self)
        made.clicked.connect(press)
        return made


def library_name(name: str) -> str:
    """Return the displayed name of a library; the name of the default library is translated."""
    return tr("Documents") if name == DEFAULT else name


def coverage_in_words(coverage: SearchCoverage) -> str:
    """Return a line that says how the libraries are searched."""
    if coverage.embedder is None:
        told = [tr("Searched by keyword. With an embedder, search also works by meaning.")]
    elif coverage.embedded >= coverage.passages:
        told = [tr("Searched by keyword and meaning, with {model}", model=coverage.embedder)]
    else:
        told = [
            tr(
                "Searched by keyword; {model} has read {done} of {total} passages",
                model=coverage.embedder,
                done=f"{coverage.embedded:,}",
                total=f"{coverage.passages:,}",
            )
        ]
        if coverage.left is not None:
            told.append(time_left(coverage.left))
    if coverage.unsupported:
        told.append(
            tr(
                "%n passages by keyword only, until you download an embedder for their language",
                "",
                coverage.unsupported,
            )
        )
    if coverage.reranker is not None:
        told.append(tr("ordered by {model}", model=coverage.reranker))
    if coverage.passages:
        told.append(tr("index: {size}", size=data_size(coverage.size)))
    return " · ".join(told)


def time_left(seconds: float) -> str:
    """Return, in words, roughly how much longer something will take."""
    if seconds < 90:
        return tr("about %n s left", "", max(1, round(seconds)))
    if seconds < 90 * 60:
        return tr("about %n min left", "", round(seconds / 60))
    return tr("about %n h left", "", round(seconds / 3600))
