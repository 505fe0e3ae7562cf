"""The dashboards as tabs, and the menu that adds widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QMenu, QTabBar, QWidget

from app.ui.theme.i18n import mark, tr
from app.ui.theme.icons import icon, icon_button
from app.ui.theme.style import scaled
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QObject

    from app.domain.dashboard import Tab

HEIGHT, PROMPT = 40, 60  # in pixels; maximum number of characters of a question in the menu
LONGEST = 28  # maximum number of characters of a name on its tab; the tooltip has the full name
FIRST = mark("Dashboard")  # name of a dashboard that the user has not named


def shown(name: str) -> str:
    """Return the displayed name of a dashboard."""
    return tr(FIRST) if name == FIRST else name


def cut(name: str) -> str:
    """Return a name, shortened to fit its tab."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


class Tabs(QFrame):
    """The tabs.

    Signals: opened(id), added(), renamed(id, name), closed(id); widget_wanted(), note_wanted(),
    file_wanted(); prompted(words, widget ids) when a question offered for the open dashboard is
    chosen. prompts: a function that returns these questions.
    """

    opened = Signal(str)
    added = Signal()
    renamed = Signal(str, str)
    closed = Signal(str)
    widget_wanted = Signal()
    note_wanted = Signal()
    file_wanted = Signal()
    prompted = Signal(str, list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tabs")
        self._ids: list[str] = []
        self._telling = False
        self.prompts: Callable[[], list[tuple[str, list[str]]]] = list
        self.bar = QTabBar(self)
        self.bar.setAccessibleName(tr("Dashboards"))
        self.bar.setDrawBase(False)
        self._naming: tuple[QLineEdit, str] | None = None
        self.bar.setExpanding(False)
        self.bar.setUsesScrollButtons(True)
        # if not all tabs fit, they can be scrolled
        self.bar.setElideMode(Qt.TextElideMode.ElideNone)
        self.bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.bar.customContextMenuRequested.connect(lambda at: self._menu_of(self.bar.tabAt(at)))
        self.bar.currentChanged.connect(self._turned)
        self.bar.tabBarDoubleClicked.connect(self.rename)
        self.bar.installEventFilter(self)
        self.add = icon_button("quiet", tr("Add to the dashboard"), self, self._offer, 16)
        self.more = icon_button(
            "quiet", tr("This dashboard"), self, lambda: self._menu_of(self.bar.currentIndex()), 16
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(2)
        row.addWidget(self.bar, 1)
        row.addWidget(self.more)
        row.addWidget(self.add)
        self.set_tokens(LIGHT)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.setFixedHeight(scaled(HEIGHT))
        self.add.setIcon(icon("plus", tokens.text, 16))
        self.more.setIcon(icon("more", tokens.muted, 16))

    def show_tabs(self, tabs: Sequence[Tab], current: str) -> None:
        """Show the dashboards. current: the id of the open one."""
        self._telling = True
        while self.bar.count() > len(tabs):
            self.bar.removeTab(self.bar.count() - 1)
        for place, tab in enumerate(tabs):
            if place == self.bar.count():
                self.bar.addTab("")
            name = shown(tab.name)
            self.bar.setTabText(place, cut(name).replace("&", "&&"))
            self.bar.setTabToolTip(place, name)
        self._ids = [tab.id for tab in tabs]
        if current in self._ids:
            self.bar.setCurrentIndex(self._ids.index(current))
        self._telling = False
        if self._naming is not None and self._naming[1] not in self._ids:
            field, self._naming = self._naming[0], None  # the dashboard was closed in the meantime
            field.hide()
            field.deleteLater()

    def rename(self, place: int) -> None:
        """Edit the name of a tab in place."""
        if not 0 <= place < len(self._ids):
            return
        tab_id = self._ids[place]
        field = QLineEdit(self.bar.tabToolTip(place), self)
        field.setAccessibleName(tr("Name of the dashboard"))
        box = self.bar.tabRect(place)
        field.setGeometry(self.bar.x() + box.x(), 5, max(box.width(), 140), 30)
        field.selectAll()
        field.show()
        field.setFocus()
        field.editingFinished.connect(lambda: self._named(field, tab_id))
        self._naming = (field, tab_id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Rename the dashboard with F2 and close it with Delete."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            place = self.bar.currentIndex()
            if event.key() == Qt.Key.Key_F2:
                self.rename(place)
                return True
            if event.key() == Qt.Key.Key_Delete and 0 <= place < len(self._ids):
                self.closed.emit(self._ids[place])
                return True
        return super().eventFilter(watched, event)

    def _named(self, field: QLineEdit, tab_id: str) -> None:
        if field.isVisible():
            self._naming = None
            field.hide()
            field.deleteLater()
            self.renamed.emit(tab_id, FIRST if field.text() == shown(FIRST) else field.text())

    def _turned(self, place: int) -> None:
        if not self._telling and 0 <= place < len(self._ids):
            self.opened.emit(self._ids[place])

    def _offer(self) -> None:
        actions: list[tuple[str, Callable[[], None]]] = [
            (tr("Live data from a backend …"), self.widget_wanted.emit),
            (tr("File …"), self.file_wanted.emit),
            (tr("Note"), self.note_wanted.emit),
            (tr("New dashboard"), self.added.emit),
        ]
        self._popup(actions, self.add)

    def _menu_of(self, place: int) -> None:
        if 0 <= place < len(self._ids):
            tab_id = self._ids[place]
            actions: list[tuple[str, Callable[[], None]]] = [
                (tr("Rename"), lambda: self.rename(place)),
                (tr("Close"), lambda: self.closed.emit(tab_id)),
            ]
            for words, named in self.prompts() if place == self.bar.currentIndex() else ():
                cut = f"{words[:PROMPT]}{'…' if len(words) > PROMPT else ''}"
                ask = tr("Ask: {question}", question=cut)
                actions.append(
                    (ask.replace("&", "&&"), lambda w=words, n=named: self.prompted.emit(w, n))
                )
            self._popup(actions, self.more)

    def _popup(self, actions: list[tuple[str, Callable[[], None]]], under: QWidget) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, run in actions:
            action = QAction(text, menu)
            action.triggered.connect(lambda _=False, do=run: do())
            menu.addAction(action)
        at = under.mapToGlobal(under.rect().bottomRight())
        menu.popup(at - QPoint(menu.sizeHint().width(), 0))
