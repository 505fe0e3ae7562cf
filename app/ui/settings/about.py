"""The page about Deskpilot: its version, its licence and all its components."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.services.about import about
from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, tr

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.services.about import About, Component
    from app.services.tasks import Do

KINDS = {
    "clone": mark("run from its sources"),
    "pip": mark("installed with pip"),
    "pipx": mark("installed with pipx"),
    "uv": mark("installed with uv"),
    "deb": mark("installed as a Debian package"),
    "tree": mark("installed from an archive"),
}


class AboutPage(QWidget):
    """Lists the components and shows the licence of the chosen one.

    Signals: shown(), chosen(Component).
    """

    shown = Signal()
    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._components: tuple[Component, ...] = ()
        self.version = label("", "muted", self, copied=True)
        words = tr(
            "Free software under the GNU General Public License, version 3 or later, without any "
            "warranty. It contains the components below. Choose one to see its licence and the "
            "location of its source code."
        )
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(tr("Search components and licences"))
        self.search.setAccessibleName(tr("Search components and licences"))
        self.search.setClearButtonEnabled(True)
        self.list = QTreeWidget(self)
        self.list.setColumnCount(3)
        self.list.setHeaderLabels([tr("Component"), tr("Version"), tr("Licence")])
        self.list.setAccessibleName(tr("Components"))
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.list.setMinimumHeight(220)
        self.source = label("", "caption", self, copied=True)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("raw")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("Licence"))
        for part in (self.source, self.text):
            part.hide()  # hidden until a component is chosen
        self.search.textChanged.connect(self._filter)
        self.list.currentItemChanged.connect(lambda item, _: self._choose(item))
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        column.addWidget(label(tr("About Deskpilot"), "title", self))
        for part in (self.version, label(words, "muted", self), self.search):
            column.addWidget(part)
        column.addWidget(self.list, 3)
        column.addWidget(self.source)
        column.addWidget(self.text, 2)

    def showEvent(self, event: QShowEvent) -> None:
        """Request the components, which are not needed earlier."""
        super().showEvent(event)
        self.shown.emit()

    def show_about(self, told: About) -> None:
        """Show the components of this installation."""
        kind = tr(KINDS[told.kind])
        self.version.setText(tr("Version {version}, {kind}.", version=told.version, kind=kind))
        if told.components == self._components:
            return
        self._components = told.components
        self.list.clear()
        for one in told.components:
            row = QTreeWidgetItem([one.name, one.version, one.licence])
            row.setData(0, Qt.ItemDataRole.UserRole, one)
            self.list.addTopLevelItem(row)
        self.list.resizeColumnToContents(1)
        self._filter(self.search.text())

    def show_text(self, component: Component, text: str) -> None:
        """Show the licence of a component and where to find its source."""
        source = tr("Source code: {place}", place=component.source) if component.source else ""
        self.source.setText(source)
        self.source.setVisible(bool(source))
        self.text.setPlainText(text or tr("This component has no licence text of its own."))
        self.text.show()

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.data(0, Qt.ItemDataRole.UserRole))

    def _filter(self, words: str) -> None:
        wanted = words.casefold().split()
        for at in range(self.list.topLevelItemCount()):
            row = self.list.topLevelItem(at)
            assert row is not None
            held = f"{row.text(0)} {row.text(2)}".casefold()
            row.setHidden(not all(word in held for word in wanted))


class AboutController(QObject):
    """Reads the components when the page is shown, and licence texts when requested."""

    def __init__(self, page: AboutPage, do: Do) -> None:
        super().__init__(page)
        self._page, self._do = page, do
        page.shown.connect(lambda: do("read components", self._read()))
        page.chosen.connect(lambda component: do("read licence", self._read_text(component)))

    async def _read(self) -> None:
        self._page.show_about(await asyncio.to_thread(about))

    async def _read_text(self, component: Component) -> None:
        try:
            text = await asyncio.to_thread(component.text)
        except OSError as error:
            text = tr("The licence cannot be read: {why}.", why=error.strerror or error)
        self._page.show_text(component, text)
