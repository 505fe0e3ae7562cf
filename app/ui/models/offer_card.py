"""The card of the first page: what better models and voices fit this machine, with their sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.domain.shelf.model import size
from app.ui.models.row import told_step
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.shelf.model import Model, Step

WIDE = 460  # pixels


class OfferCard(QFrame):
    """Signals: fits_wanted() to be told what fits, download_wanted(model), pause_wanted(model), declined()."""

    fits_wanted = Signal()
    download_wanted = Signal(object)
    pause_wanted = Signal(object)
    declined = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setFixedWidth(WIDE)
        self.told = QLabel(
            tr(
                "The starter model is made for tables. For conversation there are better ones, "
                "and voices to speak and listen with; each is one download."
            ),
            self,
        )
        self.told.setWordWrap(True)
        self.see = QPushButton(tr("See what fits this machine"), self)
        self.no = QPushButton(tr("Not now"), self)
        self.no.setObjectName("link")
        self.see.clicked.connect(self.fits_wanted)
        self.no.clicked.connect(self.declined)
        self.buttons: dict[str, QPushButton] = {}
        self._steps: dict[str, QLabel] = {}
        self._coming: set[str] = set()  # models that are being fetched
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 14, 16, 12)
        self._column.setSpacing(8)
        self._column.addWidget(self.told)
        row = QHBoxLayout()
        row.addWidget(self.see)
        row.addStretch(1)
        row.addWidget(self.no)
        self._column.addLayout(row)

    def sizeHint(self) -> QSize:
        """Return a size in which every line of its words is seen."""
        return QSize(WIDE, self.heightForWidth(WIDE))

    def hasHeightForWidth(self) -> bool:
        """Return False: whoever centres it would ask for the height it had if it were as wide as the page."""
        return False

    def show_reading(self) -> None:
        """Say that it is being found out."""
        self.see.setEnabled(False)
        self.see.setText(tr("Looking …"))

    def show_offers(self, models: list[Model]) -> None:
        """Offer some models."""
        self.see.hide()
        if not models:
            self.told.setText(tr("What fits this machine is here already."))
        for model in models:
            self._column.insertLayout(self._column.count() - 1, self._line(model))

    def set_step(self, model: Model, step: Step) -> None:
        """Show how far a download is."""
        self._coming.add(model.id)
        self._name(model, tr("Pause"))
        self._steps[model.id].setText(told_step(step))

    def set_ended(self, model: Model, problem: str) -> None:
        """Say that it is here, or why not; one that is not here whole goes on where it stopped."""
        self._coming.discard(model.id)
        self._name(model, tr("Resume"))
        self._steps[model.id].setText(problem or tr("Ready."))
        self.buttons[model.id].setVisible(bool(problem))
        self.buttons[model.id].setEnabled(True)

    def tell(self, text: str) -> None:
        """Say what is wrong, and let it be tried again."""
        self.told.setText(text)
        self.see.setEnabled(True)
        self.see.setText(tr("Try again"))

    def _line(self, model: Model) -> QHBoxLayout:
        name, facts = QLabel(tr(model.name), self), QLabel(self)
        name.setObjectName("strong")
        facts.setObjectName("caption")
        facts.setWordWrap(True)
        facts.setText(
            tr("{bytes} to fetch, about {memory} of memory", bytes=size(model.download_bytes), memory=size(model.takes_bytes))
        )  # fmt: skip
        button = QPushButton(self)
        button.clicked.connect(lambda: self._press(model))
        self.buttons[model.id], self._steps[model.id] = button, facts
        self._name(model, tr("Resume") if model.got_bytes else tr("Download"))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(name)
        words.addWidget(facts)
        line = QHBoxLayout()
        line.addLayout(words, 1)
        line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return line

    def _name(self, model: Model, text: str) -> None:
        button = self.buttons[model.id]
        button.setText(text)
        button.setAccessibleName(f"{text}: {model.name}")

    def _press(self, model: Model) -> None:
        """Fetch a model, or pause that."""
        if model.id in self._coming:
            self.pause_wanted.emit(model)
        else:
            self._coming.add(model.id)
            self._name(model, tr("Pause"))
            self.download_wanted.emit(model)
