"""One of a few values, chosen by tabs beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabBar, QWidget

if TYPE_CHECKING:
    from app.domain.widget_params import Param


class TabChoice(QTabBar):
    """Signals: chosen(value), by the person only."""

    chosen = Signal(object)

    def __init__(self, param: Param, value: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("paramTabs")
        self.setAccessibleName(param.label)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self._values = [option.value for option in param.options]
        for option in param.options:
            self.addTab(option.label.replace("&", "&&"))
            self.setTabToolTip(self.count() - 1, option.note)
        self.set_value(value)
        self.currentChanged.connect(lambda place: self.chosen.emit(self._values[place]))

    def set_value(self, value: object) -> None:
        """Show what is chosen now; the first where nothing is."""
        place = self._values.index(str(value)) if str(value) in self._values else 0
        before = self.blockSignals(True)
        self.setCurrentIndex(place)
        self.blockSignals(before)
