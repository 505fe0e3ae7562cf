"""A talk in one window: its state and the words being said, on the line above what is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.ui.main.key_names import shown_key
from app.ui.words import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.conversation import Turn
    from app.domain.errors import DeskpilotError
    from app.services.voice.talk import State
    from app.ui.main.window import Window
    from app.ui.voice.bar import Missing

TOLD: dict[State, str] = {
    "listening": mark("Listening. Ask something; {key} ends the talk."),
    "thinking": mark("Thinking …"),
    "speaking": mark("Speaking. {key} ends the talk."),
}
KEYLESS: dict[State, str] = {
    "listening": mark("Listening. Ask something."),
    "thinking": TOLD["thinking"],
    "speaking": mark("Speaking."),
}
MUTED = mark(
    "Nothing comes from {name}: it may be muted, or the system does not let Deskpilot use it."
)


class Talking(QObject):
    """Told of a talk. submit: asks a question. missing: tells what is wrong. seen: the state that
    is shown.
    """

    def __init__(self, window: Window, submit: Callable[[str], object], missing: Missing) -> None:
        super().__init__(window)
        self._missing = missing
        self._view_of, self._bar, self._submit = window, window.composer.bar, submit
        self._microphone = ""
        self._wrong = self._muted = False
        self.seen: State | None = None

    def begin(self) -> None:
        """Tell that it is about to begin."""
        self._wrong, self._muted, self.seen = False, False, None
        self._bar.tell(tr("Loading what listens and speaks …"), button=tr("End"))

    def opened(self, microphone: str) -> None:
        """Remember what it listens to."""
        self._microphone = microphone

    def level(self, level: float) -> None:
        """Show how loud it is; once something comes, it is said no more that nothing does."""
        self._bar.meter.add(level)
        if self._muted and level > 0 and self.seen is not None:
            self.state(self.seen)

    def muted(self) -> None:
        """Tell that nothing comes from the microphone."""
        self._muted = True
        self._tell(tr(MUTED, name=self._microphone))

    def state(self, state: State) -> None:
        """Show what it does."""
        self.seen, self._muted = state, False
        key = shown_key(self._bar, "turn.stop")
        self._tell(tr(TOLD[state], key=key) if key else tr(KEYLESS[state]))

    def words(self, committed: str, open_: str) -> None:
        """Show what is being said."""
        if committed or open_:
            self._tell(f"{committed}{open_}")

    def asked(self, text: str) -> None:
        """Ask it."""
        self._submit(text)

    def cut(self, turn: Turn) -> None:
        """Show what is left of an answer."""
        self._view_of.view.touch(turn)

    def failed(self, error: DeskpilotError) -> None:
        """Tell what went wrong."""
        self._wrong = True
        self._missing.told(error)

    def ended(self) -> None:
        """Leave nothing but what went wrong."""
        self.seen = None
        if not self._wrong:
            self._bar.hide()

    def _tell(self, text: str) -> None:
        self._wrong = False
        self._bar.tell(text, button=tr("End"), metered=self.seen == "listening")
