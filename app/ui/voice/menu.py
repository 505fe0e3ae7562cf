"""The voice menu, with microphone, loudspeaker, language and behaviour; and the offer of a missing
voice pack, shown above the text field.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.domain.errors import DeskpilotError, MissingModel
from app.domain.model import size
from app.ui.controls.keys import shown_key
from app.ui.models.row import told_step
from app.ui.theme.i18n import mark, said, told, tr
from app.ui.theme.icons import icon

if TYPE_CHECKING:
    from app.domain.model import Model
    from app.domain.sound import Device
    from app.services.models.models import ModelCatalog
    from app.services.tasks import Do, Tasks
    from app.services.voice.speech import VoiceChoices
    from app.services.voice.talk import LiveVoice
    from app.ui.composer.voice_bar import VoiceBar
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


def in_language(values: dict[Value, str]) -> dict[Value, str]:
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
            in_language(DEFAULT) | named(found.microphones),
            choices.microphone,
        )
        self._choose(
            "loudspeaker",
            tr("Loudspeaker"),
            in_language(DEFAULT) | named(found.loudspeakers),
            choices.loudspeaker,
        )
        self._choose("language", tr("I speak"), in_language(LANGUAGES), choices.language)
        voices: dict[Value, str] = {None: tr("One for each language")}
        voices.update({name: name for name in found.voices})
        self._choose("voice", tr("Voice"), voices, choices.voice)
        self._choose("speed", tr("Speed"), in_language(SPEEDS), choices.speed)
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


PULL = "pull-voice"
OFFERED = mark("{what} {pack} includes what is missing: {names}. One-time download, {size}.")


class VoicePackOffer(QObject):
    """Offers, above the text field, the voice pack for the user's language. do: a function that
    runs a named task.
    """

    def __init__(
        self, bar: VoiceBar, models: ModelCatalog, tasks: Tasks, voice: LiveVoice, do: Do
    ) -> None:
        super().__init__(bar)
        self._bar = bar
        self._models = models
        self._tasks = tasks
        self._voice = voice
        self._do = do
        self._pack: Model | None = None
        self._bar.acted.connect(self._fetch)

    def told(self, error: DeskpilotError) -> None:
        """Show an error; if a model is missing, offer the pack that contains it."""
        self._bar.tell(told(error), button=tr("Close"), wrong=True)
        if isinstance(error, MissingModel):
            self._do("offer a voice pack", self._offer(error))

    def stop(self) -> None:
        """Stop the download; the downloaded part is kept."""
        self._tasks.cancel(f"window {PULL}")

    async def _offer(self, error: DeskpilotError) -> None:
        shelf = await self._models.shelf()
        language = self._voice.choices.now.language or "en"
        known = {model.id: model for model in shelf.models}
        packs = [model for model in shelf.models if model.type == "pack" and model.members]
        fitting = [pack for pack in packs if pack.id.endswith(f"-{language}")]
        if not fitting or self._bar.isHidden():  # the bar has been closed in the meantime
            return
        self._pack = pack = fitting[0]
        names = " + ".join(known[name].name for name in pack.members)
        amount = size(pack.download_bytes)
        offered = tr(OFFERED, what=said(error.text), pack=pack.name, names=names, size=amount)
        self._bar.tell(offered, button=tr("Close"), action=tr("Download {size}", size=amount))

    def _fetch(self) -> None:
        if self._pack is not None:
            self._do(PULL, self._pull(self._pack))

    async def _pull(self, pack: Model) -> None:
        self._bar.tell(tr("Downloading {name} …", name=pack.name), button=tr("Stop"))
        try:
            async with aclosing(self._models.pull(pack)) as steps:
                async for step in steps:
                    self._bar.tell(told_step(step), button=tr("Stop"), silent=True)
        except DeskpilotError as error:
            self._bar.tell(told(error), button=tr("Close"), action=tr("Try again"), wrong=True)
        else:
            self._bar.tell(self._ready(), button=tr("Close"))

    def _ready(self) -> str:
        if not (key := shown_key(self._bar, "voice.talk")):
            return tr("Ready. Press the microphone and speak.")
        return tr("Ready. Press the microphone and speak, or talk hands-free with {key}.", key=key)
