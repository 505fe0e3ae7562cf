"""An assistant is put together or changed in a window of its own; it stays open until it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.assistant import Assistant
from app.ui import boxes
from app.ui.settings.controls import Chooser
from app.ui.style.labels import field_label, label
from app.ui.style.long_words import fit_editor
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Sequence


class AssistantWindow(QDialog):
    """Signals: written(assistant). servers: the plugins and servers of tools there are, by id and name."""

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
