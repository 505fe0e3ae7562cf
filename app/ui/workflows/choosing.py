"""A button that chooses several of what there is; its menu stays open until one has chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.ui.words import tr

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent

NAMED = 4  # of what is chosen, on the button


class Staying(QMenu):
    """A menu whose ticks are set without closing it."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Set a tick."""
        if not self._tick(self.actionAt(event.position().toPoint())):
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Set a tick with Space; Return and Escape close the menu."""
        if event.key() != Qt.Key.Key_Space or not self._tick(self.activeAction()):
            super().keyPressEvent(event)

    def _tick(self, action: QAction | None) -> bool:
        if action is None or not action.isCheckable():
            return False
        action.trigger()
        return True


class Several(QPushButton):
    """Shows what is chosen; `nothing` says what it means if that is none: all, by default. Signals: chosen(list), when the menu has closed upon another choice."""

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        choices: tuple[tuple[Any, str], ...],
        value: list[Any],
        parent: QWidget,
        nothing: str = "",
    ) -> None:
        super().__init__(parent)
        self._name, self._before = name, list(value)
        self._nothing = nothing or tr("all")
        self.value = list(value)
        self.choices = Staying(self)
        self._words = dict(choices)
        for one, label in choices:
            action = self.choices.addAction(label)
            action.setCheckable(True)
            action.setChecked(one in value)
            action.toggled.connect(lambda on, one=one: self._toggle(one, on))
        self.choices.aboutToHide.connect(self._hidden)
        self.setMenu(self.choices)
        self._show()

    def _toggle(self, one: Any, on: bool) -> None:
        self.value = [v for v in self.value if v != one] + ([one] if on else [])
        self._show()

    def _show(self) -> None:
        words = [self._words.get(v, str(v)) for v in self.value]
        text = ", ".join(words[:NAMED]) + (" …" if len(words) > NAMED else "")
        self.setText(f"{text or self._nothing}  ▾")
        self.setAccessibleName(f"{self._name}: {', '.join(words) or self._nothing}")

    def _hidden(self) -> None:
        if self.value != self._before:
            self._before = list(self.value)
            self.chosen.emit(self.value)
