"""The page of assistants: what each is made of, put together or changed in a window of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.assistant import SERVED_BY, Assistant
from app.ui.main import boxes
from app.ui.settings.row import Chooser
from app.ui.theme.labels import field_label, fit_editor, label
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Sequence


class AssistantWindow(QDialog):
    """Signals: written(assistant). servers: the plugins and servers of tools there are, by id and
    name.
    """

    written = Signal(object)

    def __init__(
        self,
        one: Assistant | None,
        models: Sequence[tuple[str, str]],
        servers: Sequence[tuple[str, str]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        known = one or Assistant("")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(known.name or tr("A new assistant"))
        self.resize(560, 560)
        self.name = QLineEdit(known.name, self)
        self.name.setReadOnly(one is not None)
        self.name.setPlaceholderText("helper")
        self.model = Chooser(tr("Model"), self)
        self.model.set_options([("", tr("The model of the settings")), *models], known.model)
        self.prompt = QPlainTextEdit(self)
        fit_editor(self.prompt, known.prompt)
        self.prompt.setPlainText(known.prompt)
        self.prompt.setTabChangesFocus(True)
        self.prompt.setPlaceholderText(tr("What the assistant is told before each conversation."))
        gone = [(name, name) for name in known.servers if name not in dict(servers)]
        self.servers = [
            (name, self._box(title, name in known.servers)) for name, title in [*servers, *gone]
        ]
        self.tables = QListWidget(self)
        self.tables.setAccessibleName(tr("Tables"))
        self.tables.setMaximumHeight(90)
        self._add_tables(list(known.widgets))
        self.more = QPushButton(tr("Add table …"), self)
        self.less = QPushButton(tr("Leave out"), self)
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.save = QPushButton(tr("Keep"), self)
        self.save.setObjectName("primary")
        for button, pressed in (
            (self.more, self._choose),
            (self.less, self._leave_out),
            (self.save, self._send),
        ):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, do=pressed: do())
        self._arrange()

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(8)
        for text, part in ((tr("Name"), self.name), (tr("Model"), self.model)):
            column.addWidget(field_label(text, part, self))
            column.addWidget(part)
        self.model.set_value(self.model.value)  # its name says what is chosen
        column.addWidget(field_label(tr("Instructions"), self.prompt, self))
        column.addWidget(self.prompt, 1)
        column.addWidget(label(tr("Plugins"), "caption", self))
        for _, box in self.servers:
            column.addWidget(box)
        if not self.servers:
            column.addWidget(label(tr("There is none yet."), "muted", self))
        column.addWidget(label(tr("Tables"), "caption", self))
        column.addWidget(self.tables)
        line = QHBoxLayout()
        line.addWidget(self.more)
        line.addWidget(self.less)
        line.addStretch(1)
        column.addLayout(line)
        column.addWidget(self.problem)
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(self.save)
        column.addLayout(last)

    def fail(self, text: str) -> None:
        """Say why it was not kept; what was written stays."""
        self.problem.setText(text)
        self.problem.show()

    def _box(self, title: str, on: bool) -> QCheckBox:
        box = QCheckBox(title.replace("&", "&&"), self)
        box.setChecked(on)
        return box

    def _choose(self) -> None:
        boxes.choose_some(self, tr("Tables"), boxes.TABLES, self._add_tables)

    def _add_tables(self, paths: list[str]) -> None:
        known = self._paths()
        for path in dict.fromkeys(paths):
            if path not in known:
                QListWidgetItem(path, self.tables)

    def _leave_out(self) -> None:
        for item in self.tables.selectedItems():
            self.tables.takeItem(self.tables.row(item))

    def _paths(self) -> list[str]:
        return [self.tables.item(row).text() for row in range(self.tables.count())]

    def _send(self) -> None:
        chosen = tuple(name for name, box in self.servers if box.isChecked())
        prompt = self.prompt.toPlainText().strip()
        self.written.emit(
            Assistant(
                self.name.text().strip(), self.model.value, prompt, chosen, tuple(self._paths())
            )
        )


class AssistantsPage(QWidget):
    """Signals: write_wanted(assistant) to be changed, None for a new one;
    publish_wanted(assistant); by name: unpublish_wanted, remove_wanted; take_back_wanted(name,
    server, tool).
    """

    write_wanted = Signal(object)
    publish_wanted = Signal(object)
    unpublish_wanted = Signal(str)
    remove_wanted = Signal(str)
    take_back_wanted = Signal(str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[AssistantRow] = []
        about = tr(
            "A model, what it is told, plugins and tables, under a name. Published, other programs"
            " ask it through the gateway, with a token of its own."
        )
        self.problem = label("", "problem", self)
        self.problem.hide()
        self._none = label(tr("There is none yet."), "muted", self)
        self.add = QPushButton(tr("New assistant …"), self)
        self.add.clicked.connect(lambda: self.write_wanted.emit(None))
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        for part in (
            label(tr("Assistants"), "title", self),
            label(about, "muted", self),
            self.problem,
        ):
            column.addWidget(part)
        column.addLayout(self._list)
        column.addWidget(self._none)
        column.addWidget(self.add, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)

    def show_assistants(self, known: list[Assistant], address: str) -> None:
        """Show the assistants. address: where the gateway listens; empty if it does not run."""
        while (item := self._list.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self.rows = [AssistantRow(one, address, self) for one in known]
        for row in self.rows:
            self._list.addWidget(row)
            one = row.assistant
            row.edit.clicked.connect(lambda _=False, one=one: self.write_wanted.emit(one))
            row.publish.clicked.connect(lambda _=False, one=one: self.publish_wanted.emit(one))
            row.unpublish.clicked.connect(
                lambda _=False, one=one: self.unpublish_wanted.emit(one.name)
            )
            row.remove.clicked.connect(lambda _=False, one=one: self.remove_wanted.emit(one.name))
            for (server, tool), button in row.granted:
                button.clicked.connect(
                    lambda _=False, told=(one.name, server, tool): self.take_back_wanted.emit(*told)
                )
        self._none.setVisible(not self.rows)

    def tell(self, text: str) -> None:
        """Say what went wrong; nothing if all is well."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))


class AssistantRow(QFrame):
    """One assistant. granted: a button for each call it may make by itself, which takes that
    back.
    """

    def __init__(self, one: Assistant, address: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.assistant = one
        self.setObjectName("newsItem")  # a hairline below
        self._words = QVBoxLayout()
        self._words.setSpacing(3)
        self._say(one.name, "strong")
        self._say(
            tr("Model: {name}", name=one.model) if one.model else tr("The model of the settings")
        )
        self._say(" ".join(one.prompt.split())[:200], "")
        self._say(tr("Plugins: {names}", names=", ".join(one.servers)) if one.servers else "")
        tables = ", ".join(path.replace("\\", "/").rpartition("/")[2] for path in one.widgets)
        self._say(tr("Tables: {names}", names=tables) if tables else "")
        self.granted: list[tuple[tuple[str, str], QPushButton]] = []
        self.address: QPushButton | None = None
        if one.token:
            self._say_published(address)
        buttons = QVBoxLayout()
        buttons.setSpacing(4)
        self.edit = self._button(tr("Edit …"))
        self.publish = self._button(tr("Publish anew …") if one.token else tr("Publish …"))
        self.unpublish = self._button(tr("Unpublish"))
        self.unpublish.setVisible(bool(one.token))
        self.remove = self._button(tr("Remove"))
        for button in (self.edit, self.publish, self.unpublish, self.remove):
            buttons.addWidget(button, alignment=Qt.AlignmentFlag.AlignRight)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(12)
        row.addLayout(self._words, 1)
        row.addLayout(buttons)
        row.setAlignment(buttons, Qt.AlignmentFlag.AlignTop)

    def _say_published(self, address: str) -> None:
        """Say where it is asked, and what it may do by itself."""
        name = self.assistant.name
        if address:
            place = f"{address}/v1"
            told = tr("Published: ask the model {name} at {place}", name=name, place=place)
            self.address = self._line(told, tr("Copy address"), place)
            self.address.clicked.connect(lambda: QGuiApplication.clipboard().setText(place))
        else:
            self._say(
                tr("Published. It is asked once the gateway runs: {command}", command=SERVED_BY)
            )
        for server, tool in self.assistant.granted:
            what = f"{server}/{tool}"
            button = self._line(tr("May call {what} by itself", what=what), tr("Take back"), what)
            self.granted.append(((server, tool), button))

    def _line(self, text: str, word: str, what: str) -> QPushButton:
        """Add a line of words with a button."""
        line = QHBoxLayout()
        line.addWidget(label(text, "muted", self), 1)
        button = self._button(word, f"{word}: {what}, {self.assistant.name}")
        line.addWidget(button)
        self._words.addLayout(line)
        return button

    def _say(self, text: str, style: str = "muted") -> None:
        if text:
            self._words.addWidget(label(text, style, self))

    def _button(self, text: str, name: str = "") -> QPushButton:
        made = QPushButton(text, self)
        made.setObjectName("link")
        made.setAccessibleName(name or f"{text}: {self.assistant.name}")
        return made
