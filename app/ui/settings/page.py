"""A page of settings: a row for each, those for developers on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from app.ui.settings.row import SettingRow
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.model import Shelf
    from app.domain.settings.definition import Page, Setting


class SettingsPage(QWidget):
    """Signals: changed(setting, value), by the person only."""

    changed = Signal(object, object)

    def __init__(self, page: Page, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.page = page
        self.rows = [SettingRow(setting, self) for setting in page.settings]
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(0)
        head = QLabel(tr(page.title), self)
        head.setObjectName("title")
        column.addWidget(head)
        column.addSpacing(6)
        self._rows: list[tuple[SettingRow, QFrame]] = []
        for row in self.rows:
            line = QFrame(self)
            line.setObjectName("line")
            line.setFixedHeight(1)
            self._rows.append((row, line))
            column.addWidget(line)
            column.addWidget(row)
            row.changed.connect(
                lambda value, setting=row.setting: self.changed.emit(setting, value)
            )
        column.addStretch(1)

    def add_below(self, part: QWidget) -> None:
        """Show something below the settings."""
        self._column.insertWidget(self._column.count() - 1, part)

    def row_of(self, setting: Setting[Any]) -> SettingRow | None:
        """Return the row of a setting, if it is on this page."""
        return next((row for row in self.rows if row.setting.key == setting.key), None)

    def set_shelf(self, shelf: Shelf) -> None:
        """Offer the models that can be used."""
        for row in self.rows:
            if row.setting.kind == "model":
                row.set_models(shelf.of_type(row.setting.of))

    def show_developer(self, on: bool) -> None:
        """Show the settings for developers, or hide them."""
        above = False
        for row, line in self._rows:
            shown = on or row.setting.level == "user"
            row.setVisible(shown)
            line.setVisible(shown and above)
            above = above or shown
