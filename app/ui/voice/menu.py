"""The voice menu: which microphone and loudspeaker, which language, and how it behaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.style.icons import icon

if TYPE_CHECKING:
    from app.domain.sound import Device
    from app.services.voice.live.choices import Choices
    from app.ui.style.tokens import Tokens

LANGUAGES: dict[str | None, str] = {
    None: "Found out",
    "en": "English",
    "zh": "中文",
    "ja": "日本語",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
}
SWITCHES = {"names": "Expect the names in my tables", "send": "Send what I said at once"}


class VoiceMenu(QMenu):
    """Signals: chosen(name of a choice, its value). It goes when it closes."""

    chosen = Signal(str, object)

    def __init__(
        self,
        choices: Choices,
        microphones: list[Device],
        loudspeakers: list[Device],
        tokens: Tokens,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._tokens = tokens
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, title, found in (
            ("microphone", "Microphone", microphones),
            ("loudspeaker", "Loudspeaker", loudspeakers),
        ):
            now = getattr(choices, name)
            values: dict[str | None, str] = {None: "System's default"} | {one.name: one.name for one in found}
            if now not in values:
                values[now] = f"{now} (not plugged in)"
            self._choose(name, title if found else f"{title} (none found)", values, now)
        self._choose("language", "I speak", LANGUAGES, choices.language)
        self.addSeparator()
        for name, text in SWITCHES.items():
            action = self._action(text, self, checked=getattr(choices, name))
            action.toggled.connect(lambda on, name=name: self.chosen.emit(name, on))

    def above(self, button: QWidget) -> QPoint:
        """Return where it stands above a button, its right side with the button's."""
        size = self.sizeHint()
        return button.mapToGlobal(QPoint(button.width() - size.width(), -size.height() - 4))

    def _choose(self, name: str, title: str, values: dict[str | None, str], now: str | None) -> None:
        menu = self.addMenu(title)
        group = QActionGroup(menu)
        for value, text in values.items():
            action = self._action(text, menu, checked=value == now)
            action.triggered.connect(lambda _=False, value=value: self.chosen.emit(name, value))
            group.addAction(action)

    def _action(self, text: str, menu: QMenu, *, checked: bool) -> QAction:
        action = QAction(text, menu)
        action.setCheckable(True)
        action.setChecked(checked)
        if checked:  # the style sheet leaves no room for the system's own mark
            action.setIcon(icon("check", self._tokens.accent))
        menu.addAction(action)
        return action
