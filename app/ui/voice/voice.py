"""What the voice of one window does: joins the microphone's button to dictation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.services.voice.live.dictation import Wanted
from app.services.voice.live.hotwords import hotwords
from app.ui.voice.aloud import Aloud
from app.ui.voice.menu import Found, VoiceMenu

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.domain.errors import DeskpilotError
    from app.services.deskpilot import Deskpilot
    from app.ui.window import Window

    Do = Callable[[str, Coroutine[Any, Any, None]], None]

HOLDING, KEPT = "Listening. Let go to finish.", "Listening. Press again to finish, Esc gives it up."
NOTHING = "Nothing was heard. Speak closer to the microphone, or choose another one in the voice menu."
MUTED = "Nothing comes from {name}: it may be muted, or the system does not let Deskpilot use it."


class Voice(QObject):
    """Listens to the composer's microphone. do: runs work under a name, its errors told."""

    def __init__(self, window: Window, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(window)
        self._window, self._composer = window, window.composer
        self._deskpilot = deskpilot
        self._do = do
        self._dictation = deskpilot.dictation
        self.aloud = Aloud(window, deskpilot)
        self._send = self._finishing = self._wrong = False
        self._microphone = ""
        composer = window.composer
        composer.mic.begun.connect(self.begin)
        composer.mic.kept.connect(self.keep)
        composer.mic.finished.connect(self.finish)
        composer.bar.dismissed.connect(self.stop)
        self.aloud.begun.connect(self._on_reading)
        self.aloud.ended.connect(self._on_read)
        composer.sent_while_dictating.connect(self._finish_and_send)
        composer.voice.clicked.connect(lambda: self._do("voice menu", self._show_menu()))

    def begin(self) -> None:
        """Begin to dictate."""
        if self._composer.dictated is not None:
            return
        self.aloud.stop()  # it would be written down, too
        self._send = self._finishing = self._wrong = False
        self._composer.mic.set_hearing(True)
        self._composer.begin_dictation()
        self._composer.bar.tell("Opening the microphone …", button="Cancel")
        self._dictation.begin(self._wanted(), self)

    def keep(self) -> None:
        """Go on until the next press."""
        self._dictation.keep()
        if self._microphone:
            self._composer.bar.tell(KEPT, button="Cancel", metered=True)

    def finish(self) -> None:
        """End the dictation: what was said is written down."""
        if self._composer.dictated is not None and not self._finishing:
            self._finishing = True
            self._dictation.finish()
            self._composer.mic.set_hearing(False)
            self._composer.bar.tell("Writing down …", button="Cancel")

    def stop(self) -> None:
        """Stop whatever the voice does."""
        self._dictation.cancel()
        self.aloud.stop()
        self._composer.bar.hide()

    def opened(self, microphone: str) -> None:
        """Tell that one may speak."""
        self._microphone = microphone
        if not self._finishing:
            told = HOLDING if self._composer.mic.isDown() else KEPT
            self._composer.bar.tell(told, button="Cancel", metered=True)

    def level(self, level: float) -> None:
        """Show how loud it is."""
        self._composer.bar.meter.add(level)

    def muted(self) -> None:
        """Tell that nothing comes from the microphone."""
        name = self._microphone
        self._composer.bar.tell(MUTED.format(name=name), button="Cancel", metered=True, wrong=True)

    def words(self, committed: str, open_: str) -> None:
        """Show what is said so far."""
        if self._composer.dictated is not None:
            self._composer.dictated.show(committed, open_)

    def failed(self, error: DeskpilotError) -> None:
        """Tell why it ends."""
        self._wrong = True
        self._composer.bar.tell(str(error), button="Close", wrong=True)

    def said(self, text: str) -> None:
        """Leave the words in the field, or send them."""
        self._end(text)
        if text and not self._wrong and (self._send or self._deskpilot.choices.now.send):
            self._composer.submit()
        if not self._wrong:
            if text:
                self._composer.bar.hide()
            else:
                self._composer.bar.tell(NOTHING, button="Close")

    def cancelled(self) -> None:
        """Leave nothing of it."""
        self._end("")
        self._composer.bar.hide()

    def _on_reading(self) -> None:
        self._composer.bar.tell("Reading aloud. Esc stops it.", button="Stop")

    def _on_read(self, error: DeskpilotError | None) -> None:
        if error is not None:
            self._composer.bar.tell(str(error), button="Close", wrong=True)
        elif self._composer.dictated is None:
            self._composer.bar.hide()

    def _end(self, text: str) -> None:
        self._microphone = ""
        self._composer.mic.set_hearing(False)
        self._composer.end_dictation(text)

    def _finish_and_send(self) -> None:
        self._send = True
        self.finish()

    def _wanted(self) -> Wanted:
        widgets, choices = self._deskpilot.widgets, self._deskpilot.choices.now
        known = [w.uuid for w in widgets.attached() if w.uuid not in {*widgets.errors, *widgets.opening}]
        expected = hotwords(widgets.sources.source(uid).profile for uid in known) if choices.names else None
        return Wanted(choices.microphone, choices.language, expected)

    async def _show_menu(self) -> None:
        card, choices = self._deskpilot.card, self._deskpilot.choices
        found = Found(
            await card.microphones(), await card.loudspeakers(), await self._deskpilot.sound.voices()
        )
        menu = VoiceMenu(choices.now, found, self._window.tokens, self._composer)
        menu.chosen.connect(lambda name, value: self._do("voice", choices.change(**{name: value})))
        menu.popup(menu.above(self._composer.voice))
