"""Two dialogs: one adds a copilot by its address, and the other shows a copilot's details.

A third dialog reports a bad answer; it shows what is sent and to whom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.copilot import OTHER, WRONG
from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, tr

if TYPE_CHECKING:
    from app.domain.copilot import AddedCopilot


WIDTH, LINE = 460, 320
DIALECTS = {
    mark("Detect"): "",
    mark("OpenBB, current"): "today",
    mark("OpenBB, 2024"): "2024",
    mark("Open Interpreter"): "lmc",
}
SPOKEN = {
    "2024": mark("OpenBB protocol, 2024"),
    "today": mark("OpenBB protocol, current"),
    "lmc": mark("Open Interpreter (LMC)"),
}
INTRO = mark("A copilot with the OpenBB protocol, or an Open Interpreter server.")


class AddCopilot(QDialog):
    """The dialog that adds a copilot.

    Signals: wanted() each time Add is pressed. The entries stay in the fields until the copilot has
    been added.

    allowed: the hosts that the user has allowed in this window.
    """

    wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add copilot"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.allowed: set[str] = set()
        self._asked = ""
        self.address = field(self, tr("Address"), "http://127.0.0.1:7777")
        self.name = field(self, tr("Name"), tr("optional; by default its own name"))
        self.headers = QPlainTextEdit(self)
        self.headers.setAccessibleName(tr("Headers"))
        self.headers.setPlaceholderText("X-API-KEY: …")
        self.headers.setTabChangesFocus(True)
        self.headers.setFixedHeight(64)
        self.dialect = QPushButton(self)
        self.speaks = QMenu(self)
        self.dialect.setMenu(self.speaks)
        for name in DIALECTS:
            self.speaks.addAction(tr(name)).triggered.connect(
                lambda _=False, n=name: self._choose(n)
            )
        self._choose(next(iter(DIALECTS)))
        self.told = label("", "problem", self)
        self.told.setFixedWidth(WIDTH)
        self.told.hide()
        self.cancel, self.add = QPushButton(tr("Cancel"), self), QPushButton(tr("Add"), self)
        self.add.setObjectName("primary")
        self.add.setDefault(True)
        self.add.setEnabled(False)
        self.cancel.clicked.connect(self.reject)
        self.add.clicked.connect(self._press)
        self.address.textChanged.connect(self._changed)
        self._lay_out()

    def _lay_out(self) -> None:
        intro = label(tr(INTRO), "muted", self)
        intro.setFixedWidth(WIDTH)
        kept = QLabel(
            tr("One per line. Stored in the system's keyring and sent only to this copilot."), self
        )
        kept.setObjectName("caption")
        form = QFormLayout()
        form.setSpacing(8)
        for words, part in (
            (tr("Address"), self.address),
            (tr("Name"), self.name),
            (tr("Headers"), self.headers),
        ):
            form.addRow(words, part)
        form.addRow("", kept)
        row = QHBoxLayout()
        row.addWidget(self.dialect)
        row.addStretch(1)
        form.addRow(tr("Speaks", "a protocol"), row)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        column.setSpacing(12)
        column.addWidget(intro)
        column.addLayout(form)
        column.addWidget(self.told)
        column.addLayout(buttons)

    def spoken(self) -> str:
        """Return the chosen dialect; an empty text means that the dialect is detected
        automatically.
        """
        return DIALECTS[self._spoken]

    def _choose(self, name: str) -> None:
        self._spoken = name
        self.dialect.setText(f"{tr(name)}  ▾")
        self.dialect.setAccessibleName(tr("Speaks: {name}", name=tr(name)))

    def tell(self, text: str) -> None:
        """Show an error and let the user try again."""
        self._asked = ""
        self._show(text, tr("Add"))

    def ask(self, text: str, host: str) -> None:
        """Ask whether Deskpilot may connect to another machine."""
        self._asked = host
        self._show(
            " ".join([text, tr("Allow it if you trust that host.")]), tr("Allow {host}", host=host)
        )

    def _show(self, text: str, button: str) -> None:
        self.told.setText(text)
        self.told.show()
        self.add.setText(button)
        self.add.setEnabled(True)

    def _changed(self, text: str) -> None:
        self._asked = ""
        self.told.hide()
        self.add.setText(tr("Add"))
        self.add.setEnabled(bool(text.strip()))

    def _press(self) -> None:
        if self._asked:
            self.allowed.add(self._asked)
        self.add.setEnabled(False)
        self.add.setText(tr("Looking …"))
        self.wanted.emit()


class AboutCopilot(QDialog):
    """The details of a copilot, with its picture. Signals: remove_wanted(name)."""

    remove_wanted = Signal(str)

    def __init__(self, added: AddedCopilot, picture: bytes, parent: QWidget) -> None:
        super().__init__(parent)
        copilot = added.copilot
        self.setWindowTitle(copilot.name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        head = QHBoxLayout()
        head.setSpacing(12)
        image = QImage.fromData(picture)
        if not image.isNull():
            shown, way = QLabel(self), Qt.TransformationMode.SmoothTransformation
            shown.setPixmap(
                QPixmap.fromImage(image.scaled(48, 48, Qt.AspectRatioMode.KeepAspectRatio, way))
            )
            head.addWidget(shown)
        name = plain(copilot.name, self)
        name.setObjectName("title")
        head.addWidget(name, 1)
        facts = QFormLayout()
        facts.setHorizontalSpacing(16)
        for what, told in known(added):
            label = plain(what, self)
            label.setObjectName("muted")
            facts.addRow(label, plain(told, self))
        remove, close = QPushButton(tr("Remove"), self), QPushButton(tr("Close"), self)
        remove.clicked.connect(lambda: self.remove_wanted.emit(added.name))
        remove.clicked.connect(self.accept)
        close.clicked.connect(self.reject)
        close.setDefault(True)
        close.setFocus()
        buttons = QHBoxLayout()
        buttons.addWidget(remove)
        buttons.addStretch(1)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        column.setSpacing(12)
        column.addLayout(head)
        if copilot.description:
            about = plain(copilot.description, self)
            about.setFixedWidth(WIDTH)
            column.addWidget(about)
        column.addLayout(facts)
        column.addLayout(buttons)


def known(added: AddedCopilot) -> list[tuple[str, str]]:
    """Return the details of a copilot, leaving out empty ones."""
    copilot = added.copilot
    own = {feature.key for feature in copilot.own_features()}
    features = sorted(key for key in copilot.features if copilot.has(key) and key not in own)
    facts = [
        (tr("Known as"), added.name),
        (tr("Questions go to"), copilot.query_url),
        (tr("Found at"), added.address),
        (tr("Speaks", "a protocol"), tr(SPOKEN[copilot.dialect])),
        (tr("Features"), ", ".join(features)),
        (tr("Headers"), ", ".join(added.secrets)),
        (tr("Changed"), copilot.note),
    ]
    return [(what, told) for what, told in facts if told]


def plain(text: str, parent: QWidget) -> QLabel:
    """Return a label for untrusted text, which is never treated as markup; it wraps and can be
    copied.
    """
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(min(LINE, label.fontMetrics().horizontalAdvance(text) + 2))
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def field(parent: QWidget, name: str, hint: str) -> QLineEdit:
    """Return a text field."""
    line = QLineEdit(parent)
    line.setAccessibleName(name)
    line.setPlaceholderText(hint)
    return line


RATING_WIDTH = 420
SHOWN = {WRONG: mark("Incorrect or made up"), OTHER: mark("Something else")}


class RateAnswer(QDialog):
    """The dialog that reports a bad answer. Signals: sent(tags, comment)."""

    sent = Signal(list, str)

    def __init__(self, name: str, host: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("What is wrong with it?"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        told = QLabel(
            tr(
                "Sent to {name} at {host}: the question, its answer, and your comment.",
                name=name,
                host=host,
            ),
            self,
        )
        told.setTextFormat(Qt.TextFormat.PlainText)
        told.setWordWrap(True)
        told.setFixedWidth(RATING_WIDTH)
        told.setObjectName("muted")
        self.tags = {tag: QCheckBox(tr(text), self) for tag, text in SHOWN.items()}
        self.comment = QPlainTextEdit(self)
        self.comment.setAccessibleName(tr("Comment"))
        self.comment.setPlaceholderText(tr("Optional"))
        self.comment.setTabChangesFocus(True)
        self.comment.setFixedHeight(72)
        self.cancel, self.send = QPushButton(tr("Cancel"), self), QPushButton(tr("Send"), self)
        self.send.setObjectName("primary")
        self.send.setDefault(True)
        self.cancel.clicked.connect(self.reject)
        self.send.clicked.connect(self._send)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        column.setSpacing(12)
        for part in (told, *self.tags.values(), self.comment):
            column.addWidget(part)
        column.addLayout(buttons)

    def _send(self) -> None:
        chosen = [tag for tag, box in self.tags.items() if box.isChecked()]
        self.sent.emit(chosen, self.comment.toPlainText().strip())
        self.accept()
