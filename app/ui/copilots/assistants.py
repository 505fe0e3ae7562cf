"""The assistants page, its controller, and the dialogs that create, edit and publish an
assistant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
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
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.domain.copilot import SERVED_BY, Assistant
from app.domain.errors import DeskpilotError
from app.ui.controls import message_boxes
from app.ui.controls.fields import Chooser
from app.ui.controls.labels import field_label, fit_editor, label
from app.ui.theme.i18n import told, tr
from app.ui.theme.style import roomy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.tool import Tool
    from app.services.deskpilot import Tools
    from app.services.models.models import ModelCatalog
    from app.services.tasks import Do, Work


class PublishWindow(QDialog):
    """The dialog that publishes an assistant.

    Signals: agreed(granted) with the calls, as (server, tool) pairs, that are allowed from now on.
    """

    agreed = Signal(list)

    def __init__(self, one: Assistant, tools: list[Tool], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Publish {name}", name=one.name))
        self.resize(520, 320)
        told = tr(
            "Anyone with the token can use it. Calls you allow here run without asking you each "
            "time; you can revoke your permission at any time."
        )
        self.boxes = [
            (tool, self._box(tool, (tool.server, tool.name) in one.granted)) for tool in tools
        ]
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.publish = QPushButton(tr("Publish"), self)
        self.publish.setObjectName("primary")
        self.publish.setAutoDefault(False)
        self.publish.clicked.connect(self._send)
        self.token = QLineEdit(self)
        self.token.setReadOnly(True)
        self.caption = field_label(tr("Token (shown only once)"), self.token, self)
        self.copy = QPushButton(tr("Copy"), self)
        self.copy.setAccessibleName(tr("Copy token"))
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.token.text()))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(8)
        column.addWidget(label(told, "muted", self))
        column.addWidget(self._list(), 1)
        line = QHBoxLayout()
        line.addWidget(self.token, 1)
        line.addWidget(self.copy)
        column.addWidget(self.caption)
        column.addLayout(line)
        column.addWidget(self.problem)
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(self.publish)
        column.addLayout(last)
        for part in (self.caption, self.token, self.copy):
            part.hide()

    def show_token(self, token: str) -> None:
        """Show the token; it is shown only once."""
        for _, box in self.boxes:
            box.setEnabled(False)
        self.problem.hide()
        self.publish.hide()
        self.token.setText(token)
        for part in (self.caption, self.token, self.copy):
            part.show()
        self.copy.setFocus()

    def fail(self, text: str) -> None:
        """Show why the assistant was not published."""
        self.problem.setText(text)
        self.problem.show()

    def _list(self) -> QScrollArea:
        """Return the check boxes in a scrollable list, because there may be many."""
        held = QWidget(self)
        held.setAutoFillBackground(False)
        column = QVBoxLayout(held)
        column.setContentsMargins(0, 0, 0, 0)
        for _, box in self.boxes:
            column.addWidget(box)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(held)
        scroll.viewport().setAutoFillBackground(False)
        return scroll

    def _box(self, tool: Tool, on: bool) -> QCheckBox:
        does = tr("makes changes") if tool.writes else tr("only reads")
        text = tr("{tool} of {server} ({does})", tool=tool.name, server=tool.server, does=does)
        box = QCheckBox(text.replace("&", "&&"), self)
        box.setChecked(on)
        return box

    def _send(self) -> None:
        self.agreed.emit([(tool.server, tool.name) for tool, box in self.boxes if box.isChecked()])


class AssistantWindow(QDialog):
    """The window that creates or edits an assistant. Signals: written(assistant).

    servers: the available plugins and tool servers, by id and name.
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
        self.resize(roomy(self, 560, 560))
        self.name = QLineEdit(known.name, self)
        self.name.setReadOnly(one is not None)
        self.name.setPlaceholderText("helper")
        self.model = Chooser(tr("Model"), self)
        self.model.set_options([("", tr("Default model")), *models], known.model)
        self.prompt = QPlainTextEdit(self)
        fit_editor(self.prompt, known.prompt)
        self.prompt.setPlainText(known.prompt)
        self.prompt.setTabChangesFocus(True)
        self.prompt.setPlaceholderText(tr("Instructions for the assistant."))
        gone = [(name, name) for name in known.servers if name not in dict(servers)]
        self.servers = [
            (name, self._box(title, name in known.servers)) for name, title in [*servers, *gone]
        ]
        self.tables = QListWidget(self)
        self.tables.setAccessibleName(tr("Tables"))
        self.tables.setMaximumHeight(90)
        self._add_tables(list(known.widgets))
        self.more = QPushButton(tr("Add table …"), self)
        self.less = QPushButton(tr("Remove"), self)
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.save = QPushButton(tr("Save"), self)
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
        self.model.set_value(self.model.value)  # the model's name already shows what is chosen
        column.addWidget(field_label(tr("Instructions"), self.prompt, self))
        column.addWidget(self.prompt, 1)
        column.addWidget(label(tr("Plugins"), "caption", self))
        for _, box in self.servers:
            column.addWidget(box)
        if not self.servers:
            column.addWidget(label(tr("No plugins yet."), "muted", self))
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
        """Show why the assistant was not saved; the text that was entered stays."""
        self.problem.setText(text)
        self.problem.show()

    def _box(self, title: str, on: bool) -> QCheckBox:
        box = QCheckBox(title.replace("&", "&&"), self)
        box.setChecked(on)
        return box

    def _choose(self) -> None:
        message_boxes.choose_some(self, tr("Tables"), message_boxes.TABLES, self._add_tables)

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
    """The assistants page.

    Signals: write_wanted(the assistant to edit, or None for a new one); publish_wanted(assistant);
    unpublish_wanted(name), remove_wanted(name); take_back_wanted(name, server, tool).
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
            "A named model with instructions, plugins and tables. Other programs can use a "
            "published one through the gateway, with a token."
        )
        self.problem = label("", "problem", self)
        self.problem.hide()
        self._none = label(tr("No assistants yet."), "muted", self)
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
        """Show the assistants. address: the address of the gateway; empty if it is not running."""
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
        """Show an error; an empty text hides it."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))


class AssistantRow(QFrame):
    """The row of an assistant.

    granted: a button for each call that the assistant may make without asking; pressing it revokes
    that permission.
    """

    def __init__(self, one: Assistant, address: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.assistant = one
        self.setObjectName("newsItem")  # this draws a thin line below the row
        self._words = QVBoxLayout()
        self._words.setSpacing(3)
        self._say(one.name, "strong")
        self._say(tr("Model: {name}", name=one.model) if one.model else tr("Default model"))
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
        self.publish = self._button(tr("Publish again …") if one.token else tr("Publish …"))
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
        """Show the address and permissions of a published assistant."""
        name = self.assistant.name
        if address:
            place = f"{address}/v1"
            told = tr("Published as the model {name} at {place}", name=name, place=place)
            self.address = self._line(told, tr("Copy address"), place)
            self.address.clicked.connect(lambda: QGuiApplication.clipboard().setText(place))
        else:
            self._say(
                tr("Published. Available while the gateway runs: {command}", command=SERVED_BY)
            )
        for server, tool in self.assistant.granted:
            what = f"{server}/{tool}"
            button = self._line(tr("Can call {what} without asking", what=what), tr("Revoke"), what)
            self.granted.append(((server, tool), button))

    def _line(self, text: str, word: str, what: str) -> QPushButton:
        """Add a line of text with a button."""
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


class AssistantsController(QObject):
    """Controls the assistants page. It reads the assistants each time they are shown, because a
    shell command may have changed them.
    """

    def __init__(self, page: AssistantsPage, belt: Tools, models: ModelCatalog, do: Do) -> None:
        super().__init__(page)
        self._page, self._belt, self._models, self._do = page, belt, models, do
        kept = belt.assistants
        page.write_wanted.connect(lambda one: do("write assistant", self._write(one)))
        page.publish_wanted.connect(self._publish)
        page.unpublish_wanted.connect(
            lambda name: self._change("unpublish", lambda: kept.revoke(name))
        )
        page.take_back_wanted.connect(
            lambda name, server, tool: self._change(
                "revoke", lambda: kept.revoke(name, (server, tool))
            )
        )
        page.remove_wanted.connect(self._ask_to_remove)

    def read(self) -> None:
        """Read and show the current assistants."""
        self._do("read assistants", self._read())

    async def _read(self) -> None:
        try:
            known, problem = await self._belt.assistants.all(), ""
        except DeskpilotError as error:
            known, problem = [], told(error)
        if shiboken6.isValid(self._page):
            self._page.tell(problem)
            self._page.show_assistants(known, self._belt.assistants.address())

    def _change(self, name: str, work: Work) -> None:
        async def changed() -> None:
            try:
                await work()
            except DeskpilotError as error:
                self._page.tell(told(error))
                return
            await self._read()

        self._do(name, changed())

    def _ask_to_remove(self, name: str) -> None:
        text = tr(
            "Remove the assistant {name}? Programs that use it will get no answers.", name=name
        )
        gone = self._belt.assistants
        message_boxes.ask_first(
            self._page.window(),
            text,
            tr("Remove"),
            lambda: self._change(f"remove assistant {name}", lambda: gone.remove(name)),
        )

    async def _write(self, one: Assistant | None) -> None:
        try:
            shelf = await self._models.shelf()
            models = [(model.id, model.name) for model in shelf.of_type("llm")]
        except DeskpilotError as error:
            models = []
            self._page.tell(told(error))
        servers = [(server.id, server.name) for server in self._belt.box.servers()]
        window = AssistantWindow(one, models, servers, self._page.window())
        window.written.connect(
            lambda made: self._do("keep assistant", self._put(window, made, is_new=one is None))
        )
        window.open()

    async def _put(self, window: AssistantWindow, made: Assistant, *, is_new: bool) -> None:
        kept = self._belt.assistants
        try:
            if is_new and made.name in {one.name for one in await kept.all()}:
                problem = tr("An assistant named {name} already exists.", name=made.name)
            else:
                await (kept.create(made) if is_new else kept.edit(made))
                problem = ""
        except DeskpilotError as error:
            problem = told(error)
        if shiboken6.isValid(window):
            if problem:
                window.fail(problem)
                return
            window.accept()
        await self._read()

    def _publish(self, one: Assistant) -> None:
        tools = [
            tool
            for server in self._belt.box.servers()
            if server.id in one.servers
            for tool in server.tools
        ]
        window = PublishWindow(one, tools, self._page.window())
        window.agreed.connect(
            lambda granted: self._do(
                "publish assistant", self._published(window, one.name, granted)
            )
        )
        window.open()

    async def _published(
        self, window: PublishWindow, name: str, granted: list[tuple[str, str]]
    ) -> None:
        try:
            token = await self._belt.assistants.publish(name, [(s, t) for s, t in granted])
        except DeskpilotError as error:
            if shiboken6.isValid(window):
                window.fail(told(error))
            return
        if shiboken6.isValid(window):
            window.show_token(token)
        await self._read()
