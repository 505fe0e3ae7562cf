"""What may stand above the text field; made when there is first something to show, which is after
the first paint.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from app.ui.composer.attached import Absent
    from app.ui.composer.chips import Chips
    from app.ui.composer.composer import Composer
    from app.ui.composer.waiting import Editing, Waiting
    from app.ui.voice.bar import VoiceBar

ORDER = ("chips", "absent", "bar", "waiting", "editing")  # from above


class Above(QObject):
    """Chips of what is attached, what the voice does, what is asked next, what is edited. Signals:
    left() the edit.
    """

    left = Signal()

    def __init__(self, composer: Composer, column: QVBoxLayout) -> None:
        super().__init__(composer)
        self._composer, self._column = composer, column
        self._tokens: Tokens = LIGHT

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self._tokens = tokens
        for name in ORDER[1:]:
            if name in self.__dict__:
                getattr(self, name).set_tokens(tokens)

    @cached_property
    def chips(self) -> Chips:
        """What goes along with questions."""
        from app.ui.composer.chips import Chips

        chips = Chips(self._composer)
        chips.detached.connect(self._composer.detached)
        chips.link_wanted.connect(self._composer.link_wanted)
        chips.chosen.connect(self._composer.context_chosen)
        self._column.insertLayout(0, chips.row)
        return chips

    @cached_property
    def absent(self) -> Absent:
        """What would go along if its file were there."""
        from app.ui.composer.attached import Absent

        absent = Absent(self._composer)
        self._put("absent", absent)
        return absent

    @cached_property
    def bar(self) -> VoiceBar:
        """What the voice does."""
        from app.ui.voice.bar import VoiceBar

        bar = VoiceBar(self._composer)
        self._put("bar", bar)
        return bar

    @cached_property
    def waiting(self) -> Waiting:
        """What is asked next."""
        from app.ui.composer.waiting import Waiting

        waiting = Waiting(self._composer)
        self._put("waiting", waiting)
        return waiting

    @cached_property
    def editing(self) -> Editing:
        """Which question is edited."""
        from app.ui.composer.waiting import Editing

        editing = Editing(self._composer)
        self._put("editing", editing)
        editing.left.connect(self.left)
        return editing

    def _put(self, name: str, part: Absent | VoiceBar | Waiting | Editing) -> None:
        """Put a part in its place among the others."""
        part.set_tokens(self._tokens)
        before = ORDER[: ORDER.index(name)]
        self._column.insertWidget(sum(other in self.__dict__ for other in before), part)


def at_the_foot(part: QWidget) -> QVBoxLayout:
    """Return a column with a widget at its lower end."""
    column = QVBoxLayout()
    column.addStretch(1)
    column.addWidget(part)
    return column
