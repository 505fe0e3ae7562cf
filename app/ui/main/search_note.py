"""The note below search results: how they were found, and how to find more."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from app.ui.controls.labels import label
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from app.domain.conversation import Conversation, FoundTurn

    Conversations: TypeAlias = list[Conversation]
    Hits: TypeAlias = list[FoundTurn]
    from app.services.conversation.semantic_search import SemanticMatches


class SearchNote(QFrame):
    """The note below search results. Signals: models_wanted() to download an embedding model."""

    models_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.label = label("", "caption", self)
        self.get = QPushButton(tr("Embedding models …"), self)
        self.get.setObjectName("link")
        self.get.clicked.connect(self.models_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(2)
        column.addWidget(self.label)
        column.addWidget(self.get, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_meant(self, meant: SemanticMatches, *, marked: bool) -> None:
        """Say how many answers can be found by meaning; show nothing if all of them can.

        marked: whether a row has the mark for such a result; if so, the note explains the mark.
        """
        said: list[str] = []
        if meant.model is None:
            said.append(
                tr(
                    "Found by keyword only. A small embedding model on this machine can search "
                    "by meaning too."
                )
            )
        elif meant.is_foreign:
            said.append(
                tr(
                    "Found by keyword only. The embedding model on this machine doesn't know "
                    "this language."
                )
            )
        elif marked:
            said.append(tr("≈ similar in meaning, worded differently"))
        if meant.model is not None and not meant.is_foreign and meant.read < meant.of:
            said.append(
                tr(
                    "{read:,} of {of:,} answers can be found by meaning so far.",
                    read=meant.read,
                    of=meant.of,
                )
            )
        self.tell("\n".join(said), offers=meant.model is None or meant.is_foreign)

    def tell(self, text: str, *, offers: bool = False) -> None:
        """Show a text; an empty text hides the note. offers: whether to show the button for getting
        the models.
        """
        self.label.setText(text)
        self.get.setVisible(offers)
        self.setVisible(bool(text))
