"""Notices above the text field, created when they are first needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from app.ui.composer.attachments import Chips, MissingAttachments
    from app.ui.composer.queue import EditNotice, Waiting
    from app.ui.composer.voice_bar import VoiceBar

ORDER = ("chips", "absent", "bar", "waiting", "editing")  # from top to bottom


class Notices(QObject):
    """The notices: attachment chips, the voice bar, queued questions and the edit notice.

    Signals: left() when the edit is cancelled, answered() when an offer of the voice bar is
    accepted or dismissed, detached(uuid), link_wanted(address), context_chosen({uuid: attached}),
    reading_stopped(arrival).
    """

    left = Signal()
    answered = Signal()
    detached = Signal(str)
    link_wanted = Signal(str)
    context_chosen = Signal(object)
    reading_stopped = Signal(object)

    def __init__(self, composer: QWidget, column: QVBoxLayout) -> None:
        super().__init__(composer)
        self._composer = composer
        self._column = column
        self._tokens: Tokens = LIGHT

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        for name in ORDER[1:]:
            if name in self.__dict__:
                getattr(self, name).set_tokens(tokens)

    @cached_property
    def chips(self) -> Chips:
        """Return the attachment chips."""
        from app.ui.composer.attachments import Chips

        chips = Chips(self._composer)
        chips.detached.connect(self.detached)
        chips.link_wanted.connect(self.link_wanted)
        chips.chosen.connect(self.context_chosen)
        chips.stopped.connect(self.reading_stopped)
        self._column.insertLayout(0, chips.row)
        return chips

    @cached_property
    def absent(self) -> MissingAttachments:
        """Return the notice of attachments whose files are missing."""
        from app.ui.composer.attachments import MissingAttachments

        absent = MissingAttachments(self._composer)
        self._put("absent", absent)
        return absent

    @cached_property
    def bar(self) -> VoiceBar:
        """Return the voice bar."""
        from app.ui.composer.voice_bar import VoiceBar

        bar = VoiceBar(self._composer)
        for pressed in (bar.acted, bar.dismissed):  # the button disappears and loses the focus
            pressed.connect(self.answered)
        self._put("bar", bar)
        return bar

    @cached_property
    def waiting(self) -> Waiting:
        """Return the queue of questions."""
        from app.ui.composer.queue import Waiting

        waiting = Waiting(self._composer)
        self._put("waiting", waiting)
        return waiting

    @cached_property
    def editing(self) -> EditNotice:
        """Return the notice that says which question is being edited."""
        from app.ui.composer.queue import EditNotice

        editing = EditNotice(self._composer)
        self._put("editing", editing)
        editing.left.connect(self.left)
        return editing

    def _put(self, name: str, part: MissingAttachments | VoiceBar | Waiting | EditNotice) -> None:
        """Insert a notice at its position among the others."""
        part.set_tokens(self._tokens)
        before = ORDER[: ORDER.index(name)]
        self._column.insertWidget(sum(other in self.__dict__ for other in before), part)


def at_the_foot(part: QWidget) -> QVBoxLayout:
    """Return a column that has a widget at its bottom."""
    column = QVBoxLayout()
    column.addStretch(1)
    column.addWidget(part)
    return column
