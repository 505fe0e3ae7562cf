"""The controller for voice.

It connects the buttons and the global shortcut with dictation, reading aloud and hands-free
conversation.

The module also follows a hands-free conversation: its state and the words being spoken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication

from app.domain.errors import ShortcutError
from app.domain.settings import SHORTCUT
from app.services.voice.dictation import DictationOptions, hotwords
from app.ui.controls.keys import shown_key
from app.ui.theme.i18n import mark, told, tr
from app.ui.theme.style import Theme
from app.ui.voice.menu import VoiceMenu, VoiceMenuItems, VoicePackOffer

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from app.domain.conversation import Turn
    from app.domain.errors import DeskpilotError
    from app.domain.settings import Setting
    from app.services.dashboard.widgets import Widgets
    from app.services.models.models import ModelCatalog
    from app.services.ports import SoundPort
    from app.services.settings import Settings
    from app.services.tasks import Do, Tasks
    from app.services.voice.script import SpokenPart
    from app.services.voice.talk import Begun, LiveVoice, State
    from app.ui.chat.view import ConversationView
    from app.ui.composer.composer import Composer
    from app.ui.composer.voice_bar import VoiceBar


TOLD: dict[State, str] = {
    "listening": mark("Listening. Ask a question; {key} ends the conversation."),
    "thinking": mark("Thinking …"),
    "speaking": mark("Speaking. {key} ends the conversation."),
}
KEYLESS: dict[State, str] = {
    "listening": mark("Listening. Ask something."),
    "thinking": TOLD["thinking"],
    "speaking": mark("Speaking."),
}
MUTED = mark("No sound from {name}. It may be muted, or the system doesn't let Deskpilot use it.")


class TalkController(QObject):
    """Follows a hands-free conversation.

    submit: a function that sends a question. missing: the object that shows errors and offers a
    missing voice pack. seen: the state currently shown.
    """

    def __init__(
        self,
        view: ConversationView,
        bar: VoiceBar,
        submit: Callable[[str, Begun], object],
        missing: VoicePackOffer,
    ) -> None:
        super().__init__(bar)
        self._missing = missing
        self._view = view
        self._bar = bar
        self._submit = submit
        self._microphone = ""
        self._wrong = self._muted = False
        self.seen: State | None = None

    def begin(self) -> None:
        """Show that the conversation is about to start."""
        self._wrong, self._muted, self.seen = False, False, None
        self._bar.tell(tr("Loading speech models …"), button=tr("End"))

    def opened(self, microphone: str) -> None:
        """Record which microphone is in use."""
        self._microphone = microphone

    def level(self, level: float) -> None:
        """Show the sound level; at the first sound, remove the notice that there is none."""
        self._bar.meter.add(level)
        if self._muted and level > 0 and self.seen is not None:
            self.state(self.seen)

    def muted(self) -> None:
        """Say that there is no sound from the microphone."""
        self._muted = True
        self._tell(tr(MUTED, name=self._microphone))

    def state(self, state: State) -> None:
        """Show the state."""
        self.seen, self._muted = state, False
        key = shown_key(self._bar, "turn.stop")
        self._tell(tr(TOLD[state], key=key) if key else tr(KEYLESS[state]))

    def words(self, committed: str, open_: str) -> None:
        """Show the words being spoken."""
        if committed or open_:
            self._tell(f"{committed}{open_}")

    def asked(self, text: str, begun: Begun) -> None:
        """Send the question."""
        self._submit(text, begun)

    def cut(self, turn: Turn) -> None:
        """Show the part of an answer that was kept."""
        self._view.touch(turn)

    def failed(self, error: DeskpilotError) -> None:
        """Show an error."""
        self._wrong = True
        self._missing.told(error)

    def ended(self) -> None:
        """Clear everything except an error."""
        self.seen = None
        if not self._wrong:
            self._bar.hide()

    def _tell(self, text: str) -> None:
        self._wrong = False
        self._bar.tell(text, button=tr("End"), metered=self.seen == "listening")


class FromAnywhere(QObject):
    """Registers the global shortcut. Call `take` once the settings are loaded; changes take effect
    immediately.

    do: a function that runs a named task.
    """

    def __init__(
        self, window: QWidget, composer: Composer, settings: Settings, voice: LiveVoice, do: Do
    ) -> None:
        super().__init__(window)
        self._window = window
        self._composer = composer
        self._voice = voice
        self._do = do
        self._since = 0
        settings.subscribe(self._on_setting)

    def take(self) -> None:
        """Register the chosen shortcut, or report why it is not available."""
        self._do("key for every window", self._hold(self._voice.choices.now.shortcut))

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        if setting is SHORTCUT:
            self._do("key for every window", self._hold(str(value)))

    async def _hold(self, keys: str) -> None:
        try:
            await self._voice.key.hold(keys, self._told)
        except ShortcutError as error:
            self._composer.bar.tell(told(error), button=tr("Close"), wrong=True)

    def _told(self, pressed: bool, at_ms: int) -> None:
        button = self._composer.mic
        button.setDown(pressed)
        if not pressed:
            button.let_go(at_ms - self._since)
            return
        self._since = at_ms
        self._window.showNormal() if self._window.isMinimized() else self._window.show()
        self._window.activateWindow()
        button.press()


NOTHING = mark(
    "Nothing was heard. Speak closer to the microphone, or choose another one in the voice menu."
)


class VoiceController(QObject):
    """Controls dictation and reading aloud. do: a function that runs a named task and shows its
    errors. submit: a function that sends a question.
    """

    def __init__(
        self,
        window: QWidget,
        composer: Composer,
        view: ConversationView,
        widgets: Widgets,
        settings: Settings,
        models: ModelCatalog,
        tasks: Tasks,
        sound: SoundPort,
        voice: LiveVoice,
        do: Do,
        submit: Callable[[str, Begun], object],
    ) -> None:
        super().__init__(window)
        self._composer = composer
        self._bar = composer.bar
        self._view = view
        self._widgets = widgets
        self._settings = settings
        self._models = models
        self._tasks = tasks
        self._sound = sound
        self._voice = voice
        self._parts = voice
        self._do = do
        self._send = self._finishing = self._wrong = self._muted = False
        self._microphone = ""
        self._question = ""  # the last spoken question
        self._missing = VoicePackOffer(composer.bar, models, tasks, voice, do)
        self._submit = submit
        self.talking = TalkController(view, composer.bar, self._ask, self._missing)
        self._anywhere = FromAnywhere(window, composer, settings, voice, do)
        self._parts.reader.subscribe(self)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.applicationStateChanged.connect(self.stand_by)
        composer.mic.begun.connect(self.begin)
        composer.mic.kept.connect(self.keep)
        composer.mic.finished.connect(self.finish)
        composer.bar.dismissed.connect(self.stop)
        composer.sent_while_dictating.connect(self._finish_and_send)
        composer.voice.clicked.connect(lambda: self._do("voice menu", self._show_menu()))

    def begin(self) -> None:
        """Start dictation.

        Reading aloud and hands-free conversation are stopped first, because their sound would be
        transcribed.
        """
        if self._composer.dictated is not None:
            return
        self._parts.talk.stop()
        self._parts.reader.stop()
        self._send = self._finishing = self._wrong = self._muted = False
        # this can fail, so it precedes locking the field; nothing below can
        wanted = self._wanted()
        self._composer.mic.set_hearing(True)
        self._composer.begin_dictation()
        self._bar.tell(tr("Opening the microphone …"), button=tr("Cancel"))
        dictation = self._parts.dictation.begin(wanted, self)
        dictation.add_done_callback(self._unlock)

    def keep(self) -> None:
        """Continue dictation until the next press."""
        self._parts.dictation.keep()
        if self._microphone:
            self._bar.tell(self._listening(held=False), button=tr("Cancel"), metered=True)

    def finish(self) -> None:
        """End dictation and transcribe what was recorded."""
        if self._composer.dictated is not None and not self._finishing:
            self._finishing = True
            self._parts.dictation.finish()
            self._composer.mic.set_hearing(False)
            self._bar.tell(tr("Transcribing …"), button=tr("Cancel"))

    def _ask(self, text: str, begun: Begun) -> None:
        self._question = text
        self._submit(text, begun)

    def has_asked(self, turn: Turn) -> bool:
        """Return whether a turn's question is the one that was spoken."""
        return bool(self._question) and turn.question.strip() == self._question.strip()

    def toggle_talk(self) -> None:
        """Start or end a hands-free conversation."""
        if self._parts.talk.active:
            self.stop()
            return
        self.stop()
        self.talking.begin()
        self._parts.talk.begin(self._wanted(), self.talking)

    def restored(self) -> None:
        """Apply the choices restored from the last session."""
        self.stand_by()
        self._anywhere.take()

    def stand_by(self) -> None:
        """Keep the microphone open while the window is in front, if the user has chosen this."""
        front = QGuiApplication.applicationState() == Qt.ApplicationState.ApplicationActive
        self._parts.standby.keep(front and self._parts.choices.now.ready)

    def stop(self) -> None:
        """Stop dictation, hands-free conversation and reading aloud."""
        self._parts.dictation.cancel()
        self._parts.talk.stop()
        self._parts.reader.stop()
        self._missing.stop()
        self._bar.hide()

    def opened(self, microphone: str) -> None:
        """Show that the user can speak now."""
        self._microphone = microphone
        if not self._finishing:
            told = self._listening(held=self._composer.mic.isDown())
            self._bar.tell(told, button=tr("Cancel"), metered=True)

    def _listening(self, *, held: bool) -> str:
        if held:
            return tr("Listening. Release to finish.")
        if not (key := shown_key(self._bar, "turn.stop")):
            return tr("Listening. Press again to finish.")
        return tr("Listening. Press again to finish; {key} cancels.", key=key)

    def level(self, level: float) -> None:
        """Show the sound level; at the first sound, remove the notice that there is none."""
        self._bar.meter.add(level)
        if self._muted and level > 0 and not self._finishing:
            self._muted = False
            told = self._listening(held=self._composer.mic.isDown())
            self._bar.tell(told, button=tr("Cancel"), metered=True)

    def muted(self) -> None:
        """Say that there is no sound from the microphone."""
        self._muted = True
        self._bar.tell(
            tr(MUTED, name=self._microphone), button=tr("Cancel"), metered=True, wrong=True
        )

    def words(self, committed: str, open_: str) -> None:
        """Show the transcript so far."""
        if self._composer.dictated is not None:
            self._composer.dictated.show(committed, open_)

    def failed(self, error: DeskpilotError) -> None:
        """Show why dictation ended."""
        self._wrong = True
        self._missing.told(error)

    def said(self, text: str) -> None:
        """Keep the transcript in the text field, or send it."""
        self._end(text)
        self._question = text
        if text and not self._wrong and (self._send or self._parts.choices.now.send):
            self._composer.submit()
        if not self._wrong:
            if text:
                self._bar.hide()
            else:
                self._bar.tell(tr(NOTHING), button=tr("Close"))

    def cancelled(self) -> None:
        """Discard the dictated text."""
        self._end("")

    def reading(self, turn: Turn) -> None:
        """Show that an answer is being read aloud."""
        if not self._parts.talk.active:
            key = shown_key(self._bar, "turn.stop")
            told = tr("Reading aloud. {key} stops it.", key=key) if key else tr("Reading aloud.")
            self._bar.tell(told, button=tr("Stop"))

    def spoken(self, turn: Turn, piece: SpokenPart) -> None:
        """Highlight the sentence being spoken."""
        self._view.mark_spoken(turn, piece.start, piece.end)

    def read(self, error: DeskpilotError | None) -> None:
        """Remove the highlight, and show the error if there was one."""
        self._view.mark_spoken(None, 0, 0)
        if self._parts.talk.active:
            return
        if error is not None:
            self._missing.told(error)
        elif self._composer.dictated is None:
            self._bar.hide()

    def _end(self, text: str) -> None:
        self._microphone = ""
        self._composer.mic.set_hearing(False)
        self._composer.end_dictation(text)

    def _unlock(self, ended: asyncio.Task[None]) -> None:
        """Make the text field editable again, regardless of how dictation ended."""
        if self._composer.dictated is None or self._parts.dictation.running:
            return
        self._end("")
        if not ended.cancelled():
            self._wrong = True
            self._bar.tell(
                tr("Dictation stopped unexpectedly. Try again, or type."),
                button=tr("Close"),
                wrong=True,
            )

    def _finish_and_send(self) -> None:
        self._send = True
        self.finish()

    def _wanted(self) -> DictationOptions:
        widgets, choices = self._widgets, self._parts.choices.now
        tables = dict.fromkeys(w.table for w in widgets.attached() if widgets.is_open(w.uuid))
        read = [table for uid in tables if (table := widgets.sources.opened(uid)) is not None]
        expected = hotwords(table.profile for table in read) if choices.names else None
        return DictationOptions(choices.microphone, choices.language, expected)

    async def _show_menu(self) -> None:
        card, choices = self._parts.card, self._parts.choices
        found = VoiceMenuItems(
            await card.microphones(),
            await card.loudspeakers(),
            await self._sound.voices(),
        )
        menu = VoiceMenu(choices.now, found, Theme.now, self._composer)
        menu.chosen.connect(lambda name, value: self._do("voice", self._choose(name, value)))
        menu.talk_wanted.connect(self.toggle_talk)
        menu.popup(menu.above(self._composer.voice))

    async def _choose(self, name: str, value: object) -> None:
        await self._parts.choices.change(**{name: value})
        self.stand_by()
