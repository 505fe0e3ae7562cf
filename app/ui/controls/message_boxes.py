"""Message boxes that never block the window, and the notice at the bottom of a pane.

The notice has an Undo button if something can be undone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRegularExpression, QSize, QStandardPaths, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QDesktopServices,
    QIcon,
    QKeySequence,
    QPainter,
    QPalette,
    QRegularExpressionValidator,
    QShortcut,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QTreeView,
    QWidget,
)

from app.ui.controls.labels import ElidedLabel
from app.ui.theme.i18n import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QRect


WAYS = ("backButton", "forwardButton", "toParentButton")
WIDE = {0: 300, 1: 90, 2: 130, 3: 160}  # widths in pixels of the name, size, type and date
NAMED = QRegularExpression(r"[^\x00-\x1f]*")  # Qt reports an error for a null character in a name
SHOWN = 400  # number of characters shown from the text to be saved
TABLES = "*.csv *.tsv *.parquet *.xlsx *.xls *.json *.jsonl *.sqlite *.db *.duckdb"
LABELS = {
    QFileDialog.DialogLabel.LookIn: mark("Look in:"),
    QFileDialog.DialogLabel.FileName: mark("File name:"),
    QFileDialog.DialogLabel.FileType: mark("Files of type:"),
}
DOCUMENTS = (
    "*.pdf *.docx *.pptx *.epub *.eml *.md *.txt *.html *.htm *.png *.jpg *.jpeg *.webp *.gif"
)


def tell(parent: QWidget, text: str, way: str = "", go: Callable[[], object] | None = None) -> None:
    """Show a message. way: the label of an additional button, which runs `go`."""
    box = opened(parent, text, QMessageBox.StandardButton.Ok)
    if way and go is not None:
        box.addButton(way, QMessageBox.ButtonRole.ActionRole).clicked.connect(go)


def ask_to_leave(parent: QWidget, link: str) -> None:
    """Open an address in the browser if the user agrees."""
    text = tr("Open this address in your browser?\n\n{link}", link=link)
    box = opened(parent, text, QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel)
    box.button(QMessageBox.StandardButton.Open).clicked.connect(
        lambda: QDesktopServices.openUrl(QUrl(link))
    )


def ask_text(parent: QWidget, label: str, text: str, given: Callable[[str], object]) -> None:
    """Ask for a line of text.

    Nothing happens if the field is left empty or the dialog is cancelled.
    """
    dialog = QInputDialog(parent)
    dialog.setWindowTitle("Deskpilot")
    dialog.setLabelText(label)
    dialog.setTextValue(text)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.textValueSelected.connect(lambda words: given(words) if words.strip() else None)
    dialog.open()


def ask_words(
    parent: QWidget, title: str, about: str, text: str, given: Callable[[str], object]
) -> None:
    """Ask for several lines of text; an empty text is valid. about: what the text is for."""
    dialog = QInputDialog(parent)
    dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
    dialog.setWindowTitle(title)
    dialog.setLabelText(about)
    dialog.setTextValue(text)
    dialog.setOkButtonText(tr("Save"))
    for field in dialog.findChildren(QPlainTextEdit):
        field.setTabChangesFocus(True)  # otherwise, the buttons cannot be reached with the keyboard
    for words in dialog.findChildren(QLabel):
        words.setWordWrap(True)  # otherwise, the dialog is as wide as its longest line
    dialog.resize(460, 300)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.textValueSelected.connect(given)
    dialog.open()


def ask_first(parent: QWidget, text: str, yes: str, agreed: Callable[[], object]) -> None:
    """Ask before an action that cannot be undone; pressing Return does not confirm it.

    yes: the label of the button that confirms.
    """
    box = opened(parent, text, QMessageBox.StandardButton.Cancel)
    box.addButton(yes, QMessageBox.ButtonRole.AcceptRole).clicked.connect(agreed)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)


class LastFolder:
    """The folder where files were last chosen in this process. now: empty until files have been
    chosen.
    """

    now = ""


def file_dialog(parent: QWidget, title: str) -> QFileDialog:
    """Return a file dialog that opens in the last folder used, or the first time in the user's
    documents folder.
    """
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    places = QStandardPaths.StandardLocation
    begun = [QStandardPaths.writableLocation(places.DocumentsLocation), str(Path.home())]
    found = (folder for folder in [LastFolder.now, *begun] if folder and Path(folder).is_dir())
    dialog.setDirectory(next(found, ""))
    for part, text in LABELS.items():  # these texts are missing from Qt's own translations
        dialog.setLabelText(part, tr(text))
    for field in dialog.findChildren(QLineEdit):  # the system's own dialog has no such fields
        field.setValidator(QRegularExpressionValidator(NAMED, field))
    dialog.filesSelected.connect(remember_folder)
    ink = dialog.palette().color(QPalette.ColorRole.WindowText)
    for button in dialog.findChildren(QToolButton):
        if button.objectName() in WAYS:  # these icons are black in every theme
            button.setIcon(tinted(button.icon(), ink))
    for rows in dialog.findChildren(QTreeView):
        for column, wide in WIDE.items():
            rows.header().resizeSection(column, wide)
    # wide enough for names and dates
    dialog.resize(QSize(900, 540).boundedTo(parent.window().size()))
    return dialog


def tinted(icon: QIcon, ink: QColor) -> QIcon:
    """Return an icon in a single colour."""
    picture = icon.pixmap(QSize(32, 32))
    painter = QPainter(picture)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(picture.rect(), ink)
    painter.end()
    return QIcon(picture)


def remember_folder(paths: list[str]) -> None:
    """Make the next dialog open in the folder that contains these files; their paths may have been
    typed.
    """
    if paths:
        LastFolder.now = str(Path(paths[0]).parent)


def choose_some(
    parent: QWidget, title: str, endings: str, chosen: Callable[[list[str]], object]
) -> None:
    """Ask for files with certain extensions, such as `*.zip *.json`."""
    dialog = file_dialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilter(f"{title} ({endings})")
    dialog.filesSelected.connect(chosen)
    dialog.open()


def choose_files(parent: QWidget, chosen: Callable[[list[str]], object]) -> None:
    """Ask for tables and documents."""
    dialog = file_dialog(parent, tr("Attach tables or documents"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    kinds = {
        tr("Tables and documents"): f"{TABLES} {DOCUMENTS}",
        tr("Tables"): TABLES,
        tr("Documents"): DOCUMENTS,
    }
    dialog.setNameFilters([f"{name} ({endings})" for name, endings in kinds.items()])
    dialog.filesSelected.connect(chosen)
    dialog.open()


def choose_folder(parent: QWidget, title: str, chosen: Callable[[str], object]) -> None:
    """Ask for a folder."""
    dialog = file_dialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
    dialog.fileSelected.connect(chosen)
    dialog.open()


def choose_place(parent: QWidget, name: str, chosen: Callable[[str], object]) -> None:
    """Ask where to save a file. name: the name to propose."""
    safe = "".join("-" if c in '<>:"/\\|?*' or ord(c) < 32 else c for c in name)
    dialog = file_dialog(parent, tr("Save"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(safe.rpartition(".")[2])
    dialog.selectFile(safe)
    dialog.fileSelected.connect(chosen)
    dialog.open()


def opened(parent: QWidget, text: str, buttons: QMessageBox.StandardButton) -> QMessageBox:
    """Open a box and return it."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Deskpilot", text, buttons, parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box


def show_whole(box: QMessageBox, text: str) -> None:
    """Show a text of any length, unabridged, in a part of the box that scrolls."""
    box.setDetailedText(text)
    for button in box.buttons():
        if box.buttonRole(button) == QMessageBox.ButtonRole.ActionRole:
            button.click()  # this expands the text


def ask_to_keep(
    parent: QWidget, text: str, held: str, keep: Callable[[], object], leave: Callable[[], object]
) -> None:
    """Ask whether to save a text, and show the full text on request.

    Nothing happens if the box is closed without an answer.
    """
    both = QMessageBox.StandardButton.Save | QMessageBox.StandardButton.Discard
    begun = held if len(held) <= SHOWN else f"{held[:SHOWN]} …"
    box = opened(parent, f"{text}\n\n{begun}", both | QMessageBox.StandardButton.Cancel)
    # the text is untrusted and must not be treated as markup
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setDetailedText(held)
    box.button(QMessageBox.StandardButton.Save).setText(tr("Keep"))
    box.button(QMessageBox.StandardButton.Cancel).setText(tr("Later"))
    box.button(QMessageBox.StandardButton.Save).clicked.connect(keep)
    box.button(QMessageBox.StandardButton.Discard).clicked.connect(leave)


SHOWN_MS, LONGER_MS, MARGIN = 8000, 60_000, 12


class Notice(QFrame):
    """A notice that disappears after eight seconds unless it is under the mouse or has the focus.

    Signals: undone().
    """

    undone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.label = ElidedLabel("", self)
        self.undo = QPushButton(tr("Undo"), self)
        self.undo.setObjectName("link")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self.label, 1)
        row.addWidget(self.undo)
        self._timer = QTimer(self)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self._go)
        self.undo.clicked.connect(self._on_undo)
        self._key = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), parent)
        self._key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._key.activated.connect(self._on_key)
        self.hide()

    def tell(self, text: str, *, undoable: bool = True, whole: bool = False) -> None:
        """Show a line of text for a while. whole: whether many items were removed at once, in which
        case the notice is shown for longer.
        """
        self.label.setText(text)
        self.undo.setVisible(undoable)
        self.undo.setAccessibleName(tr("{text}. Undo", text=text))
        self.show()
        self.raise_()
        self._timer.start(LONGER_MS if whole else SHOWN_MS)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def fit(self, box: QRect) -> None:
        """Move to the bottom of a rectangle."""
        height = self.sizeHint().height()
        width = max(box.width() - 2 * MARGIN, 0)
        self.setGeometry(box.x() + MARGIN, box.bottom() - height - MARGIN, width, height)

    def _go(self) -> None:
        if not self.underMouse() and not self.undo.hasFocus():
            self._timer.stop()
            self.hide()

    def _on_key(self) -> None:
        if self.undo.isVisible():
            self._on_undo()

    def _on_undo(self) -> None:
        self._timer.stop()
        self.hide()
        self.undone.emit()
