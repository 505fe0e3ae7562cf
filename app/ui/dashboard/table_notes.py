"""The dialog that shows and edits the notes on a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCompleter,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import DeskpilotError
from app.services.dashboard.table_notes import MARKETS
from app.ui.controls.keys import keeps_escape
from app.ui.controls.labels import field_label, label
from app.ui.markdown.tables import UNGROUPED
from app.ui.theme.i18n import mark, told, tr
from app.ui.theme.style import roomy, set_style

if TYPE_CHECKING:
    from app.data.library.entry import Note
    from app.services.dashboard.table_notes import TableDescription
    from app.services.dashboard.widgets import Widgets
    from app.services.library.workflows import Workflows
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane


KINDS = (mark("number"), mark("text"), mark("date"), mark("time"), mark("yes or no"))
# maximum number of a row's cells that are shown, and of characters in each cell
CELLS, LONG = 6, 40


def facts(told: dict[str, Any]) -> str:
    """Return the origin and the size of a table."""
    size = tr("%n rows", "", told["rows"]) + " × " + tr("%n columns", "", len(told["columns"]))
    where = told["table"] or told["path"]
    return "  ·  ".join(
        part for part in (size, where, told["cells"] or "", told["database"] or "") if part
    )


def kind_words(column: dict[str, Any]) -> str:
    """Return the type of a column, its unit, and the database's name for the type."""
    kind = str(column["type"])
    words = tr(kind) if kind in KINDS else kind
    more = [part for part in (column["unit"], column["source_type"]) if part]
    return f"{words} ({', '.join(more)})" if more else words


def held(column: dict[str, Any]) -> str:
    """Return a description of a column's content: its range or values, and how many cells are
    empty.
    """
    values = [short(value) for value in column["values"]]
    ends = column["range"]
    amounts = column["type"] == "number" and not UNGROUPED.search(str(column["name"]))
    told = " – ".join(amount(end) if amounts else short(end) for end in ends or ())
    told = told or ", ".join(values)
    many = tr("%n different values", "", column["distinct"])
    empty = tr("%n empty", "", column["missing"]) if column["missing"] else ""
    return "; ".join(part for part in (told or many, empty) if part)


def amount(value: object) -> str:
    """Return one end of a range, with grouped thousands."""
    return f"{value:,}" if isinstance(value, int) else short(value)


def row_words(told: dict[str, Any]) -> str:
    """Return the first and the last row as text."""
    rows = (
        (tr("First row: {cells}", cells=cells(told["first_row"]))),
        tr("Last row: {cells}", cells=cells(told["last_row"])),
    )
    return "\n".join(rows)


def cells(row: dict[str, Any]) -> str:
    """Return the first cells of a row as text."""
    shown = [f"{name}: {short(value)}" for name, value in list(row.items())[:CELLS]]
    return " · ".join(shown) + (" …" if len(row) > CELLS else "")


def short(value: object) -> str:
    """Return a value as text, shortened if it is long."""
    text = "" if value is None else f"{value:,.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


WIDEST = 260  # in pixels: maximum width of a column in the dialog's table
MEANING = 1  # index of the column that can be edited


class KnownWindow(QDialog):
    """The dialog with a table's notes. Signals: said(description, {column: meaning}, the time at
    which a day ends); undone(the previous notes).
    """

    said = Signal(str, object, str)
    undone = Signal(object)

    def __init__(self, known: TableDescription, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(roomy(self, 760, 640))
        self.told = known
        self._before: tuple[Any, ...] = ()
        self.head = label("", "title", self, copied=True)
        self.facts, self.rows, self.news = (label("", "muted", self, copied=True) for _ in range(3))
        self.about = QPlainTextEdit(self)
        self.about.setTabChangesFocus(True)
        self.about.setFixedHeight(64)
        self.closes = QLineEdit(self)
        self.closes.setPlaceholderText(MARKETS[0])
        self.closes.setCompleter(QCompleter(MARKETS, self.closes))
        self.closes.setMaximumWidth(280)
        self.columns = QTableWidget(self)
        self.columns.setAccessibleName(tr("Columns and their meaning"))
        self.columns.setAccessibleDescription(tr("Type or press F2 to edit a column's meaning."))
        self.columns.setTabKeyNavigation(False)
        self.columns.verticalHeader().hide()
        self.columns.setShowGrid(False)
        self.undo = QPushButton(tr("Undo"), self)
        self.undo.setObjectName("link")
        self.undo.clicked.connect(lambda: self.undone.emit(self._before[0]))
        self.leave = QPushButton(tr("Close"), self)
        self.leave.clicked.connect(self.close)
        self.save = QPushButton(tr("Save"), self)
        self.save.setObjectName("primary")
        self.save.clicked.connect(self._say)
        for button in (self.undo, self.leave, self.save):
            button.setAutoDefault(False)
        QShortcut(QKeySequence.StandardKey.Save, self).activated.connect(self.save.click)
        self._lay_out()
        self.show_known(known)
        self.tell("")

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 18, 24, 16)
        column.setSpacing(8)
        column.addWidget(self.head)
        column.addWidget(self.facts)
        for words, part in (
            (tr("Description"), self.about),
            (
                tr("For daily data from another time zone: when its day ends (optional)"),
                self.closes,
            ),
        ):
            column.addWidget(field_label(words, part, self))
            column.addWidget(part)
        how = tr("Columns: double-click a meaning, or press F2, to edit it")
        column.addWidget(field_label(how, self.columns, self))
        column.addWidget(self.columns, 1)
        column.addWidget(self.rows)
        row = QHBoxLayout()
        row.addWidget(self.news, 1)
        row.addWidget(self.undo)
        row.addWidget(self.leave)
        row.addWidget(self.save)
        column.addLayout(row)

    def show_known(self, known: TableDescription) -> None:
        """Show the current notes."""
        self.told, told = known, known.parsing
        self.setWindowTitle(tr("About {name}", name=told["name"]))
        self.head.setText(str(told["name"]))
        self.facts.setText(facts(told))
        self.about.setPlainText(str(told["description"]))
        self.closes.setText(str(told["closes"]))
        self.rows.setText(row_words(told))
        self._fill(told["columns"], known.meanings)

    def _fill(self, columns: list[dict[str, Any]], meanings: dict[str, str]) -> None:
        heads = [tr("Column"), tr("Meaning"), tr("Type"), tr("Values")]
        self.columns.clear()
        self.columns.setRowCount(len(columns))
        self.columns.setColumnCount(len(heads))
        self.columns.setHorizontalHeaderLabels(heads)
        for row, one in enumerate(columns):
            texts = [str(one["name"]), meanings.get(one["name"], ""), kind_words(one), held(one)]
            for at, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                if at != MEANING:
                    item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
                self.columns.setItem(row, at, item)
        wide = self.columns.horizontalHeader()
        wide.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for at in (0, 2, 3):
            wide.setSectionResizeMode(at, QHeaderView.ResizeMode.ResizeToContents)
        wide.setMaximumSectionSize(WIDEST)
        wide.setSectionResizeMode(MEANING, QHeaderView.ResizeMode.Stretch)
        self.columns.setCurrentCell(0, MEANING)

    def _say(self) -> None:
        meanings: dict[str, str] = {}
        for row, one in enumerate(self.told.parsing["columns"]):
            if (item := self.columns.item(row, MEANING)) is not None:
                meanings[str(one["name"])] = item.text()
        self.said.emit(self.about.toPlainText(), meanings, self.closes.text())

    def tell(self, text: str, *, wrong: bool = False, before: tuple[Any, ...] = ()) -> None:
        """Show the result. before: the previous notes, for Undo."""
        self._before = before
        set_style(self.news, "problem" if wrong else "muted")
        self.news.setText(text)
        self.undo.setVisible(bool(before))

    def event(self, event: QEvent) -> bool:
        """Handle Escape here; otherwise it would stop the answer."""
        return keeps_escape(event) or super().event(event)


class TableNotes(QObject):
    """Connects the cards with the notes on their tables."""

    def __init__(self, pane: DashboardPane, widgets: Widgets, workflows: Workflows, do: Do) -> None:
        super().__init__(pane)
        self._pane = pane
        self._widgets = widgets
        self._do = do
        self._known = workflows.known
        pane.menu_wanted.connect(self._offer)

    def _offer(self, uid: str) -> None:
        """Open a card's menu."""
        bar = self._pane.cards[uid].bar
        menu = QMenu(self._pane)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if uid in self._widgets and self._widgets.is_open(uid):
            known = menu.addAction(tr("About this table …"))
            known.triggered.connect(lambda: self._do("read what is known", self.open(uid)))
            menu.addSeparator()
        for button in bar.quiet:
            if button is not bar.more:
                menu.addAction(button.toolTip()).triggered.connect(button.click)
        at = bar.more if bar.more.isVisible() else bar
        menu.popup(at.mapToGlobal(at.rect().bottomLeft()))

    async def open(self, uid: str) -> None:
        """Show the notes on a widget's table.

        Raises: UnknownWidget, SourceError.
        """
        window = KnownWindow(await self._known.read(uid), self._pane.window())
        window.said.connect(lambda *said: self._do("keep what is said", self._keep(window, *said)))
        window.undone.connect(lambda note: self._do("keep what is said", self._undo(window, note)))
        window.show()

    async def _keep(
        self, window: KnownWindow, about: str, meanings: dict[str, str], closes: str
    ) -> None:
        try:
            before = await self._known.say(window.told.uid, about, meanings, closes)
        except DeskpilotError as error:
            if shiboken6.isValid(window):
                window.tell(told(error), wrong=True)
            return
        await self._show(window, tr("Saved. The next question uses it."), (before,))

    async def _undo(self, window: KnownWindow, note: Note | None) -> None:
        await self._known.put_back(window.told.uid, note)
        await self._show(window, tr("Restored."), ())

    async def _show(self, window: KnownWindow, text: str, before: tuple[Note | None, ...]) -> None:
        known = await self._known.read(window.told.uid)
        if shiboken6.isValid(window):
            window.show_known(known)
            window.tell(text, before=before)
