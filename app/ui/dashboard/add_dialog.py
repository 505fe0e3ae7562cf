"""The dialog that adds widgets and dashboards from a backend, or tables from a database, and its
controller.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.domain.dashboard import Widget
from app.domain.database import ROWS
from app.domain.errors import DeskpilotError
from app.openbb.widgets import TYPES, read_apps
from app.services.dashboard.placement import place_app, place_widget
from app.ui.controls.keys import keeps_escape
from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, told, tr
from app.ui.theme.style import roomy

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.openbb.widgets import Backend
    from app.services.dashboard.databases import Database, Databases
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane


class AddressForm(QWidget):
    """A form that starts with an address. Signals: cancelled().

    A subclass creates its other fields and then calls `lay_out`.
    """

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.url = QLineEdit(self)
        self.url.returnPressed.connect(self.press)
        self.told = label("", "", self)
        self.told.setAccessibleName(tr("What went wrong"))

    def lay_out(self, title: str, about: str, *parts: QWidget, send: Callable[[], None]) -> None:
        """Arrange the explanation, the address, the other fields and the buttons. send: a function
        that is called when Add is pressed.
        """
        self._send = send
        self.add = QPushButton(tr("Add"), self)  # created last to be last in the tab order
        self.cancel = QPushButton(tr("Back"), self)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.cancel, self.add):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        self.add.clicked.connect(self.press)
        self.cancel.clicked.connect(self.cancelled)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        head, explained = label(title, "brand", self), label(about, "muted", self)
        for part in (head, explained, self.url, *parts, self.told):
            column.addWidget(part)
        column.addStretch(1)
        column.addLayout(buttons)

    def begin(self) -> None:
        """Reset the form to the address that was last entered."""
        self.told.clear()
        self.add.setEnabled(True)
        self.url.setFocus()

    def fail(self, text: str) -> None:
        """Show why the backend or database could not be added."""
        self.told.setText(text)
        self.add.setEnabled(True)

    def press(self) -> None:
        """Send the input, unless a request is already in progress."""
        if self.add.isEnabled():
            self.told.setText(tr("Asking …"))
            self.add.setEnabled(False)
            self._send()


SECRET_ROWS = 3


class BackendForm(AddressForm):
    """The form that adds a backend. Signals: given(url, headers, keys), cancelled()."""

    given = Signal(str, dict, dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.url.setPlaceholderText("http://127.0.0.1:7779")
        self.url.setAccessibleName(tr("Address of the backend"))
        self.rows = [SecretRow(self) for _ in range(SECRET_ROWS)]
        about = tr(
            "A server that publishes widgets.json. Only this server is contacted; its keys are"
            " stored in the system's keyring."
        )
        secrets = label(tr("Headers and keys (optional)"), "caption", self)
        self.lay_out(tr("Add widget backend"), about, secrets, *self.rows, send=self._tell)

    def begin(self) -> None:
        """Reset the form and clear the headers and keys."""
        for row in self.rows:
            row.clear()
        super().begin()

    def _tell(self) -> None:
        pairs = [row.pair() for row in self.rows]
        headers = {name: secret for kind, name, secret in pairs if name and kind == "header"}
        keys = {name: secret for kind, name, secret in pairs if name and kind == "key"}
        self.given.emit(self.url.text(), headers, keys)


class SecretRow(QWidget):
    """A row for a header or key: its kind, its name and its secret, which is hidden."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.kind = QComboBox(self)
        self.kind.addItems([tr("Header"), tr("Key in the address")])
        self.kind.setAccessibleName(tr("Header or key"))
        self.name, self.secret = QLineEdit(self), QLineEdit(self)
        self.name.setPlaceholderText(tr("Name, such as X-API-KEY"))
        self.name.setAccessibleName(tr("Name of the header or key"))
        self.secret.setPlaceholderText(tr("Secret"))
        self.secret.setAccessibleName(tr("Secret"))
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.kind)
        row.addWidget(self.name, 1)
        row.addWidget(self.secret, 1)

    def pair(self) -> tuple[str, str, str]:
        """Return the kind, name and secret."""
        kind = "header" if self.kind.currentIndex() == 0 else "key"
        return kind, self.name.text().strip(), self.secret.text().strip()

    def clear(self) -> None:
        """Clear the fields."""
        self.name.clear()
        self.secret.clear()


class DatabaseForm(AddressForm):
    """The form that adds a database. Signals: given(url, password), cancelled()."""

    given = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.url.setPlaceholderText("postgresql://user@127.0.0.1:5432/shop")
        self.url.setAccessibleName(tr("Address of the database"))
        self.password = QLineEdit(self)
        self.password.setPlaceholderText(tr("Password (optional)"))
        self.password.setAccessibleName(tr("Password"))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.password.returnPressed.connect(self.press)
        about = tr(
            "PostgreSQL. Tables you choose are copied to this machine; the database is never "
            "changed. The password is stored in the system's keyring."
        )
        self.lay_out(tr("Add database"), about, self.password, send=self._tell)

    def begin(self) -> None:
        """Reset the form and clear the password."""
        self.password.clear()
        super().begin()

    def _tell(self) -> None:
        self.given.emit(self.url.text(), self.password.text())


WHAT = Qt.ItemDataRole.UserRole


KINDS = {  # users' names for the kinds of widgets that a backend offers
    "table": mark("Table"),
    "markdown": mark("Text"),
    "note": mark("Note"),
    "plotly": mark("Chart"),
    "candles": mark("Candlestick chart"),
    "metric": mark("Key figures"),
    "newsfeed": mark("News"),
    "pdf": mark("PDF"),
    "image": mark("Picture"),
    "html": mark("Web page"),
}


def name_of_kind(kind: str) -> str:
    """Return the name that users know for one of the protocol's kinds of widgets; empty if it has
    none.
    """
    own = "note" if kind == "note" else TYPES.get(kind, "")
    return tr(KINDS[own]) if own in KINDS else ""


class AddDialog(QDialog):
    """The dialog that adds widgets, dashboards and tables.

    Signals: widget_chosen(backend, widget id), app_chosen(backend, number), removed(backend); for
    databases: copy_wanted(url, schema, table, whether only the first rows are copied),
    stop_wanted() to stop a copy, database_removed(url); from the forms: backend_given(url, headers,
    keys), database_given(url, password).
    """

    widget_chosen = Signal(str, str)
    app_chosen = Signal(str, int)
    removed = Signal(str)
    backend_given = Signal(str, dict, dict)
    copy_wanted = Signal(str, str, str, bool)
    stop_wanted = Signal()
    database_removed = Signal(str)
    database_given = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("larger")
        self.setWindowTitle(tr("Add a widget"))
        self.setAccessibleName(tr("Add a widget"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(roomy(self, 520, 560))
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search"))
        self.field.setAccessibleName(tr("Search widgets"))
        self.field.textChanged.connect(self._narrow)
        self.tree = QTreeWidget(self)
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(tr("Widgets"))
        self.tree.itemActivated.connect(self._choose)
        self.tree.currentItemChanged.connect(lambda *_: self._tell())
        self.told = QLabel(self)
        self.told.setObjectName("muted")
        self.told.setWordWrap(True)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.add = self._button(
            tr("Add to the dashboard"), lambda: self._choose(self.tree.currentItem())
        )
        self.stop = self._button(tr("Stop copying"), self.stop_wanted.emit)
        self.stop.hide()
        self.remove = self._button(tr("Remove backend"), self._remove)
        self.another = self._button(tr("Add widget backend …"), self.ask_backend)
        self.database = self._button(tr("Add database …"), self.ask_database)
        # the table that is so large that only its first rows can be copied
        self._large: tuple[str, str] | None = None
        self.form, self.databases = BackendForm(self), DatabaseForm(self)
        self.form.given.connect(self.backend_given)
        self.databases.given.connect(self.database_given)
        for form in (self.form, self.databases):
            form.cancelled.connect(lambda: self._show_form(None))
        self.list = self._listing()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(20, 16, 20, 16)
        whole.addWidget(self.list)
        whole.addWidget(self.form)
        whole.addWidget(self.databases)
        self._show_form(None)

    def _listing(self) -> QWidget:
        """Return the list of choices with the buttons below it."""
        listing = QWidget(self)
        column = QVBoxLayout(listing)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        row = QHBoxLayout()
        for part in (self.another, self.database):
            row.addWidget(part)
        row.addStretch(1)
        below = QHBoxLayout()
        below.addWidget(self.remove)
        below.addStretch(1)
        below.addWidget(self.stop)
        below.addWidget(self.add)
        for part in (self.field, self.tree, self.told):
            column.addWidget(part, 1 if part is self.tree else 0)
        column.addLayout(below)
        column.addLayout(row)
        return listing

    def show_all(self, backends: list[Backend], databases: list[Database]) -> None:
        """Show the widgets of backends and the tables of databases."""
        self.tree.clear()
        for backend in backends:
            top = self._item(None, backend.name, ("backend", backend.id, ""), "")
            for number, one in enumerate(read_apps(backend.apps)):
                words = tr(
                    "{name}  ·  dashboard, %n widgets",
                    "",
                    sum(len(t) for _, t in one.tabs),
                    name=one.name,
                )
                self._item(top, words, ("app", backend.id, str(number)), one.description)
            for spec in backend.specs():
                about = ", ".join(filter(None, (spec.category, name_of_kind(spec.kind))))
                words = "  ·  ".join(filter(None, (spec.name, about)))
                self._item(top, words, ("widget", backend.id, spec.id), spec.description)
            top.setExpanded(True)
        for database in databases:
            top = self._item(None, database.name, ("database", database.url, ""), database.url)
            for held in database.tables:
                size = tr("about %n rows", "", held.rows) if held.rows >= 0 else ""
                words = "  ·  ".join(
                    p for p in (held.full_name, tr("view") if held.view else size) if p
                )
                what = ("held", database.url, f"{held.schema}\n{held.name}")
                self._item(top, words, what, held.about)
            top.setExpanded(True)
        self._show_form(None)
        self._tell()

    def ask_backend(self) -> None:
        """Show the form for another backend."""
        self._show_form(self.form)

    def ask_database(self) -> None:
        """Show the form for a database."""
        self._show_form(self.databases)

    def fail(self, text: str) -> None:
        """Show why a backend or a database could not be added."""
        (self.databases if not self.databases.isHidden() else self.form).fail(text)

    def fail_copy(self, text: str, *, large: bool) -> None:
        """Show why a table was not copied. large: whether it is too large, in which case the dialog
        offers to copy its first rows.
        """
        kind, url, rest = self._what(self.tree.currentItem())
        self._large = (url, rest) if large and kind == "held" else None
        self._tell()
        self.told.setText(text)

    def show_copying(self, text: str) -> None:
        """Show the progress of a copy and offer to stop it; an empty text means that copying has
        ended.
        """
        focused = self.focusWidget()
        self.stop.setVisible(bool(text))
        if text:
            self.told.setText(text)
            self.add.setEnabled(False)
            if focused is self.add:  # a disabled button cannot keep the focus
                self.stop.setFocus()
        else:
            self._tell()

    def event(self, event: QEvent) -> bool:
        """Handle Escape here; otherwise it would stop the answer."""
        return keeps_escape(event) or super().event(event)

    def _show_form(self, form: QWidget | None) -> None:
        self.form.setVisible(form is self.form)
        self.databases.setVisible(form is self.databases)
        self.list.setVisible(form is None)
        if form is self.form:
            self.form.begin()
        elif form is self.databases:
            self.databases.begin()

    def _button(self, text: str, pressed: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.clicked.connect(pressed)
        return button

    def _item(
        self, top: QTreeWidgetItem | None, text: str, what: tuple[str, str, str], about: str
    ) -> QTreeWidgetItem:
        item = QTreeWidgetItem([text])
        item.setData(0, WHAT, what)
        item.setToolTip(0, about)
        if top is None:
            self.tree.addTopLevelItem(item)
        else:
            top.addChild(item)
        return item

    def _narrow(self, text: str) -> None:
        wanted = text.lower().split()
        tops = [self.tree.topLevelItem(n) for n in range(self.tree.topLevelItemCount())]
        for child in [
            top.child(m) for top in tops if top is not None for m in range(top.childCount())
        ]:
            if child is not None:
                words = f"{child.text(0)} {child.toolTip(0)}".lower()
                child.setHidden(not all(word in words for word in wanted))

    def _what(self, item: QTreeWidgetItem | None) -> tuple[str, str, str]:
        what = item.data(0, WHAT) if item is not None else None
        return (str(what[0]), str(what[1]), str(what[2])) if what else ("", "", "")

    def _tell(self) -> None:
        item = self.tree.currentItem()
        kind, url, rest = self._what(item)
        part = self._large == (url, rest)
        nothing = tr("Nothing to add yet. Add a widget backend or a database first.")
        if self.stop.isHidden():  # otherwise, the label shows the progress of a copy
            self.told.setText(
                item.toolTip(0) if item else "" if self.tree.topLevelItemCount() else nothing
            )
        self.add.setText(
            tr("Copy the first %n rows", "", ROWS) if part else tr("Add to the dashboard")
        )
        self.add.setEnabled(kind in ("widget", "app", "held") and self.stop.isHidden())
        of_database = kind in ("database", "held")
        self.remove.setText(tr("Remove database") if of_database else tr("Remove backend"))
        self.remove.setEnabled(bool(kind))

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        kind, backend, rest = self._what(item)
        if kind == "widget":
            self.widget_chosen.emit(backend, rest)
        elif kind == "app":
            self.app_chosen.emit(backend, int(rest))
        elif kind == "held" and self.add.isEnabled():
            schema, _, name = rest.partition("\n")
            self.copy_wanted.emit(backend, schema, name, self._large == (backend, rest))

    def _remove(self) -> None:
        kind, backend, _ = self._what(self.tree.currentItem())
        if kind:
            (self.database_removed if kind in ("database", "held") else self.removed).emit(backend)


class Adder(QObject):
    """Connects the + button of the dashboard with the services. Signals: opened(dialog)."""

    opened = Signal(object)

    def __init__(
        self,
        pane: DashboardPane,
        widgets: Widgets,
        dashboard: Dashboard,
        live: Live,
        databases: Databases,
        do: Do,
    ) -> None:
        super().__init__(pane)
        self._pane, self._do = pane, do
        self._dashboard = dashboard
        self._live = live
        self._widgets = widgets
        self._databases = databases
        self.dialog: AddDialog | None = None
        pane.tabs.widget_wanted.connect(self.open)
        pane.tabs.note_wanted.connect(lambda: do("note", self._note()))

    def open(self) -> None:
        """Open the dialog for choosing a widget or adding a backend."""
        if self.dialog is not None:
            self.dialog.raise_()
            return
        dialog = self.dialog = AddDialog(self._pane.window())
        dialog.destroyed.connect(self._closed)
        dialog.widget_chosen.connect(lambda b, w: self._do("place", self._place(b, w)))
        dialog.app_chosen.connect(lambda b, n: self._do("open dashboard", self._place_app(b, n)))
        dialog.removed.connect(lambda b: self._do("remove backend", self._remove(b)))
        dialog.backend_given.connect(lambda u, h, k: self._do("add backend", self._add(u, h, k)))
        self.opened.emit(dialog)
        self._do("read backends", self._read())
        dialog.open()

    def _closed(self) -> None:
        self.dialog = None

    async def _read(self) -> None:
        """Update the dialog, because a shell command may have changed something."""
        await self._live.backends.restore()
        await self.show()

    async def show(self) -> None:
        """Show the available backends and databases."""
        databases = await self._databases.all()
        if self.dialog is not None:
            self.dialog.show_all(self._live.backends.all(), databases)

    async def _add(self, url: str, headers: dict[str, str], keys: dict[str, str]) -> None:
        try:
            await self._live.backends.add(url, headers, keys)
        except DeskpilotError as error:
            if self.dialog is not None:
                self.dialog.fail(told(error))
            return
        await self.show()

    async def _remove(self, backend: str) -> None:
        await self._live.backends.remove(backend)
        await self.show()

    async def _place(self, backend: str, widget_id: str) -> None:
        made = await place_widget(self._dashboard, self._live, backend, widget_id)
        if self.dialog is not None:
            self.dialog.accept()
        self._pane.show_card(made.uuid)
        if made.uuid in self._pane.cards:
            # so that the user can type the note at once
            self._pane.cards[made.uuid].body.setFocus()

    async def _place_app(self, backend: str, number: int) -> None:
        missing = await place_app(self._dashboard, self._live, backend, number)
        if self.dialog is not None:
            self.dialog.accept()
        if missing:
            raise DeskpilotError(
                tr("%n widgets of this dashboard are not published by the backend.", "", missing),
                tr("The others are there."),
            )

    async def _note(self) -> None:
        made = Widget(uuid.uuid4().hex, tr("Note"), "", type="note")
        await self._widgets.add(made)
        self._pane.show_card(made.uuid)
        if made.uuid in self._pane.cards:
            # so that the user can type the note at once
            self._pane.cards[made.uuid].body.setFocus()
