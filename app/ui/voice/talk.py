"""A hands-free conversation in a window: its state and the words being spoken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.ui.controls.keys import shown_key
from app.ui.theme.i18n import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.conversation import Turn
    from app.domain.errors import DeskpilotError
    from app.services.voice.talk import Begun, State
    from app.ui.chat.view import ConversationView
    from app.ui.composer.voice_bar import VoiceBar
    from app.ui.voice.menu import VoicePackOffer

TOLD: dict[State, str] = {
    "listening": mark("Listening. Ask a question; {key} ends the talk."),
    "thinking": mark("Thinking …"),
    "speaking": mark("Speaking. {key} ends the talk."),
}
KEYLESS: dict[State, str] = {
    "listening": mark("Listening. Ask something."),
    "thinking": TOLD["thinking"],
    "speaking": mark("Speaking."),
}
MUTED = mark("No sound from {name}. It may be muted, or the system doesn't let Deskpilot use it.")


class TalkController(QObject):
    """Follows a hands-free conversation.

    submit: sends a question. missing: shows errors and offers a missing voice pack. seen: the state
    being shown.
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
        """Remember the microphone in use."""
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
