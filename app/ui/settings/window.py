"""The settings window: a list of pages beside the open page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.domain.settings import PAGES
from app.ui.copilots.assistants import AssistantsPage
from app.ui.documents.page import DocumentsPage
from app.ui.models.page import ModelsPage
from app.ui.settings.about import AboutPage
from app.ui.settings.page import SettingsPage
from app.ui.settings.plugins import PluginsPage
from app.ui.settings.skills import SkillsPage
from app.ui.settings.trust import DiagnosticsPage, PermissionsPage
from app.ui.theme.i18n import tr
from app.ui.theme.style import roomy, scaled
from app.ui.workflows.library import LibraryPage

if TYPE_CHECKING:
    from app.domain.model import Shelf

MODELS, SKILLS, PERMISSIONS, DIAGNOSTICS = "models", "skills", "permissions", "diagnostics"
PLUGINS, LIBRARY, ASSISTANTS = "plugins", "library", "assistants"
DOCUMENTS, ABOUT = "documents", "about"


class SettingsWindow(QDialog):
    """The window with the models page and all pages of settings. Signals: opened() each time it is
    shown.
    """

    opened = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.resize(roomy(self, 900, 640))
        self.models = ModelsPage(self)
        self.pages = [SettingsPage(page, self) for page in PAGES]
        self.skills = SkillsPage(self)
        self.plugins, self.library = PluginsPage(self), LibraryPage(self)
        self.assistants = AssistantsPage(self)
        self.documents = DocumentsPage(self)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Pages"))
        self.stack = QStackedWidget(self)
        self._add(MODELS, tr("Models"), self.models)
        for page in self.pages:
            self._add(page.page.id, tr(page.page.title), page)
        self._add(SKILLS, tr("Skills"), self.skills)
        self.permissions, self.diagnostics = PermissionsPage(self), DiagnosticsPage(self)
        self._add(PERMISSIONS, tr("Permissions"), self.permissions)
        self._add(DIAGNOSTICS, tr("Diagnostics"), self.diagnostics)
        self._add(PLUGINS, tr("Plugins"), self.plugins)
        self._add(DOCUMENTS, tr("Documents"), self.documents)
        self._add(LIBRARY, tr("Library"), self.library)
        self._add(ASSISTANTS, tr("Assistants"), self.assistants)
        self.about = AboutPage(self)
        self._add(ABOUT, tr("About"), self.about)
        self.developer = QCheckBox(tr("Show developer settings"), self)
        self.developer.toggled.connect(self._show_developer)
        self._show_developer(False)
        side = QFrame(self)
        side.setObjectName("sidebar")
        side.setMinimumWidth(scaled(190))
        side.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.list.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        left = QVBoxLayout(side)
        left.setContentsMargins(10, 14, 10, 12)
        left.addWidget(self.list, 1)
        left.addWidget(self.developer)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(self.stack, 1)
        self.list.currentRowChanged.connect(self.stack.setCurrentIndex)
        QShortcut(QKeySequence("Ctrl+W"), self).activated.connect(self.close)

    def _add(self, name: str, title: str, page: QWidget) -> None:
        item = QListWidgetItem(title, self.list)
        item.setData(Qt.ItemDataRole.UserRole, name)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(page)
        page.setAutoFillBackground(False)
        scroll.viewport().setAutoFillBackground(False)
        self.stack.addWidget(scroll)

    def show_page(self, name: str) -> None:
        """Show the page with a given id, and bring the window to the front."""
        for row in range(self.list.count()):
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) == name:
                self.list.setCurrentRow(row)
        if not self.isVisible():
            # Centre the window on the main window again, because X11 would move it down by the
            # height of its title bar each time it is shown.
            self.setAttribute(Qt.WidgetAttribute.WA_Moved, False)
        self.show()
        self.activateWindow()
        self.list.setFocus()
        self.opened.emit()

    def set_shelf(self, shelf: Shelf) -> None:
        """Show the models, and offer them in settings that choose a model."""
        self.models.set_shelf(shelf)
        for page in self.pages:
            page.set_shelf(shelf)

    def _show_developer(self, on: bool) -> None:
        for page in self.pages:
            page.show_developer(on)
