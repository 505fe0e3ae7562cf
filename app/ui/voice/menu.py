"""The voice menu: microphone, loudspeaker, language, behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.controls.keys import shown_key
from app.ui.theme.i18n import mark, tr
from app.ui.theme.icons import icon

if TYPE_CHECKING:
    from app.domain.sound import Device
    from app.services.voice.choices import VoiceChoices
    from app.ui.theme.tokens import Tokens

Value = str | float | None
DEFAULT: dict[Value, str] = {None: mark("System's default")}
SPEEDS: dict[Value, str] = {
    0.8: mark("Slow"),
    1.0: mark("Normal"),
    1.25: mark("Fast"),
    1.5: mark("Very fast"),
}
LANGUAGES: dict[Value, str] = {
    None: mark("Detect"),
    "en": "English",
    "zh": "中文",
    "ja": "日本語",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
}
SWITCHES = {
    "names": mark("Recognize the names in my tables"),
    "send": mark("Send dictated questions immediately"),
    "ready": mark("Keep the microphone open so the first word isn't missed"),
    "aloud": mark("Read answers aloud"),
}


OF_TALK = {"interrupt": mark("Let me interrupt"), "chimes": mark("Chimes")}


class VoiceMenuItems(NamedTuple):
    """The devices and voices to choose from. voices: the ids of their models."""

    microphones: list[Device]
    loudspeakers: list[Device]
    voices: list[str]


def said(values: dict[Value, str]) -> dict[Value, str]:
    """Return choices with their names in the user's language."""
    return {value: tr(name) for value, name in values.items()}


class VoiceMenu(QMenu):
    """The voice menu. Signals: chosen(name of a choice, its value), talk_wanted().

    It is deleted when it closes.
    """

    chosen = Signal(str, object)
    talk_wanted = Signal()

    def __init__(
        self, choices: VoiceChoices, found: VoiceMenuItems, tokens: Tokens, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._tokens = tokens
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._choose(
            "microphone",
            tr("Microphone"),
            said(DEFAULT) | named(found.microphones),
            choices.microphone,
        )
        self._choose(
            "loudspeaker",
            tr("Loudspeaker"),
            said(DEFAULT) | named(found.loudspeakers),
            choices.loudspeaker,
        )
        self._choose("language", tr("I speak"), said(LANGUAGES), choices.language)
        voices: dict[Value, str] = {None: tr("One for each language")}
        voices.update({name: name for name in found.voices})
        self._choose("voice", tr("Voice"), voices, choices.voice)
        self._choose("speed", tr("Speed"), said(SPEEDS), choices.speed)
        self.addSeparator()
        self._switch(SWITCHES, choices)
        self.addSeparator()
        talk = QAction(tr("Talk hands-free"), self)
        talk.setShortcut(QKeySequence(shown_key(parent, "voice.talk")))
        talk.triggered.connect(self.talk_wanted)
        self.addAction(talk)
        self._switch(OF_TALK, choices)

    def above(self, button: QWidget) -> QPoint:
        """Return the position of a menu above a button, aligned with the button's right edge."""
        size = self.sizeHint()
        return button.mapToGlobal(QPoint(button.width() - size.width(), -size.height() - 4))

    def _switch(self, switches: dict[str, str], choices: VoiceChoices) -> None:
        for name, text in switches.items():
            action = self._action(tr(text), self, checked=getattr(choices, name))
            action.toggled.connect(lambda on, name=name: self.chosen.emit(name, on))

    def _choose(self, name: str, title: str, values: dict[Value, str], now: Value) -> None:
        if now not in values:
            values = values | {now: tr("{now} (not connected)", now=now)}
        menu = self.addMenu(title if len(values) > 1 else tr("{title} (none found)", title=title))
        group = QActionGroup(menu)
        for value, text in values.items():
            action = self._action(text, menu, checked=value == now)
            action.triggered.connect(lambda _=False, value=value: self.chosen.emit(name, value))
            group.addAction(action)

    def _action(self, text: str, menu: QMenu, *, checked: bool) -> QAction:
        action = QAction(text, menu)
        action.setCheckable(True)
        action.setChecked(checked)
        if checked:  # the style sheet leaves no space for the system's check mark
            action.setIcon(icon("check", self._tokens.accent))
        menu.addAction(action)
        return action


def named(devices: list[Device]) -> dict[Value, str]:
    """Return devices as choices."""
    return {device.name: device.name for device in devices}
