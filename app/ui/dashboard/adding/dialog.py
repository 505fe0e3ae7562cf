"""Choose a widget or a dashboard of a backend; add and remove backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
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

from app.domain.backends.apps import read_apps
from app.ui.dashboard.adding.backend_form import BackendForm
from app.ui.escape import keeps_escape
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.backends.specs import Backend

WHAT = Qt.ItemDataRole.UserRole


class AddDialog(QDialog):
    """Signals: widget_chosen(backend, widget id), app_chosen(backend, number), removed(backend); those of the form
    below it: backend_given(url, headers, keys).
    """

    widget_chosen = Signal(str, str)
    app_chosen = Signal(str, int)
    removed = Signal(str)
    backend_given = Signal(str, dict, dict)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("larger")
        self.setWindowTitle(tr("Add a widget"))
        self.setAccessibleName(tr("Add a widget"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(520, 560)
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
        self.add = self._button(tr("Add to the dashboard"), lambda: self._choose(self.tree.currentItem()))
        self.remove = self._button(tr("Remove backend"), self._remove)
        self.another = self._button(tr("Add widget backend …"), self.ask_backend)
        self.form = BackendForm(self)
        self.form.given.connect(self.backend_given)
        self.form.cancelled.connect(lambda: self._show_form(False))
        self.list = QWidget(self)
        column = QVBoxLayout(self.list)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        row = QHBoxLayout()
        for part in (self.another, self.remove):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self.add)
        for part in (self.field, self.tree, self.told):
            column.addWidget(part, 1 if part is self.tree else 0)
        column.addLayout(row)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(20, 16, 20, 16)
        whole.addWidget(self.list)
        whole.addWidget(self.form)
        self._show_form(False)

    def show_backends(self, backends: list[Backend]) -> None:
        """Show what the backends publish; without any, the form to add one."""
        self.tree.clear()
        for backend in backends:
            top = self._item(None, backend.name, ("backend", backend.id, ""), "")
            for number, one in enumerate(read_apps(backend.apps)):
                words = tr(
                    "{name}  ·  dashboard, %n widgets", "", sum(len(t) for _, t in one.tabs), name=one.name
                )
                self._item(top, words, ("app", backend.id, str(number)), one.description)
            for spec in backend.specs():
                words = f"{spec.name}  ·  {', '.join(p for p in (spec.category, spec.kind) if p)}"
                self._item(top, words, ("widget", backend.id, spec.id), spec.description)
            top.setExpanded(True)
        self._show_form(not backends)
        self._tell()

    def ask_backend(self) -> None:
        """Show the form for another backend."""
        self._show_form(True)

    def fail(self, text: str) -> None:
        """Tell why a backend could not be added."""
        self.form.fail(text)

    def event(self, event: QEvent) -> bool:
        """Keep Escape, which would stop the answer otherwise."""
        return keeps_escape(event) or super().event(event)

    def _show_form(self, on: bool) -> None:
        self.form.setVisible(on)
        self.list.setVisible(not on)
        if on:
            self.form.begin(can_cancel=self.tree.topLevelItemCount() > 0)

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
        for child in [top.child(m) for top in tops if top is not None for m in range(top.childCount())]:
            if child is not None:
                words = f"{child.text(0)} {child.toolTip(0)}".lower()
                child.setHidden(not all(word in words for word in wanted))

    def _what(self, item: QTreeWidgetItem | None) -> tuple[str, str, str]:
        what = item.data(0, WHAT) if item is not None else None
        return (str(what[0]), str(what[1]), str(what[2])) if what else ("", "", "")

    def _tell(self) -> None:
        item = self.tree.currentItem()
        kind, _, _ = self._what(item)
        self.told.setText(item.toolTip(0) if item is not None else "")
        self.add.setEnabled(kind in ("widget", "app"))
        self.remove.setEnabled(bool(kind))

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        kind, backend, rest = self._what(item)
        if kind == "widget":
            self.widget_chosen.emit(backend, rest)
        elif kind == "app":
            self.app_chosen.emit(backend, int(rest))

    def _remove(self) -> None:
        kind, backend, _ = self._what(self.tree.currentItem())
        if kind:
            self.removed.emit(backend)
