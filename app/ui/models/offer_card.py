"""The cards that offer missing starter models and better models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.model import size
from app.ui.models.row import STEPS, told_step
from app.ui.theme.i18n import said, tr
from app.ui.theme.style import set_style

if TYPE_CHECKING:
    from app.domain.model import DownloadStep, Model

WIDE = 460  # in pixels


class StarterCard(QFrame):
    """Offers the missing starter models as a single download, and shows its progress.

    models: the missing models. Signals: download_wanted(), pause_wanted(), others_wanted() for
    other ways to get a model.
    """

    download_wanted = Signal()
    pause_wanted = Signal()
    others_wanted = Signal()

    def __init__(self, models: list[Model], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setFixedWidth(WIDE)
        self.models, self.running = models, False
        self._whole = size(sum(model.download_bytes for model in models))
        self.told = QLabel(
            tr(
                "Answers need small models that aren't on this machine yet. One-time download,"
                " {bytes}. You can open files in the meantime.",
                bytes=self._whole,
            ),
            self,
        )
        self.told.setWordWrap(True)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, STEPS)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(tr("Download of the starter models"))
        self.step = QLabel(self)
        self.step.setObjectName("caption")
        self.step.setWordWrap(True)
        self.button = QPushButton(self)
        self.button.clicked.connect(self._press)
        self.others = QPushButton(tr("Other models …"), self)
        self.others.setObjectName("link")
        self.others.clicked.connect(self.others_wanted)
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addStretch(1)
        row.addWidget(self.others)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 12)
        column.setSpacing(8)
        for part in (self.told, self.bar, self.step):
            column.addWidget(part)
        column.addLayout(row)
        begun = any(model.got_bytes for model in models)
        self._name(tr("Resume") if begun else tr("Download ({bytes})", bytes=self._whole))
        for part in (self.bar, self.step):
            part.hide()

    def sizeHint(self) -> QSize:
        """Return a size in which every line of the text is visible."""
        return QSize(WIDE, self.heightForWidth(WIDE))

    def hasHeightForWidth(self) -> bool:
        """Return False, for the same reason as `OfferCard`."""
        return False

    def set_running(self) -> None:
        """Show that the download has begun, before any data has arrived."""
        self.running = True
        self._name(tr("Pause"))
        set_style(self.step, "caption")
        self.step.setText(tr("Looking …"))
        self.bar.show()
        self.step.show()
        self.updateGeometry()

    def set_step(self, model: Model, step: DownloadStep) -> None:
        """Show the progress of one of the models in a progress bar for the whole download."""
        before = self.models.index(model)
        whole = sum(one.download_bytes for one in self.models) or 1
        share = step.done / step.total if step.total else 0.0
        if not step.what.startswith(
            "downloading"
        ):  # the model's data has arrived and is being checked or unpacked
            share = 1.0
        done = sum(one.download_bytes for one in self.models[:before])
        done += round(share * model.download_bytes)
        self.bar.setValue(round(STEPS * done / whole))
        if step.what.startswith("downloading"):
            text = tr("Downloading: {done} of {total}", done=size(done), total=self._whole)
        else:
            text = told_step(step)
        self.step.setText(text)

    def set_ended(self, problem: str, *, paused: bool = False) -> None:
        """Show why the models are not on this machine, and offer to resume the download."""
        self.running = False
        self._name(tr("Resume") if paused else tr("Try again"))
        set_style(self.step, "caption" if paused else "problem")
        self.step.setText(problem)
        self.step.show()
        self.updateGeometry()

    def _name(self, text: str) -> None:
        self.button.setText(text)
        self.button.setObjectName("" if self.running else "primary")
        set_style(self.button, self.button.objectName())

    def _press(self) -> None:
        if self.running:
            self.pause_wanted.emit()
        else:
            self.download_wanted.emit()


class OfferCard(QFrame):
    """Offers better models.

    Signals: fits_wanted() to find out which models fit, download_wanted(model),
    pause_wanted(model), declined().
    """

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
                "The starter model is small. Larger models understand questions in your own words"
                " and are better for chat, and voice packs let you speak and listen."
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
        self._coming: set[str] = set()  # ids of the models being downloaded
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
        """Return a size in which every line of the text is visible."""
        return QSize(WIDE, self.heightForWidth(WIDE))

    def hasHeightForWidth(self) -> bool:
        """Return False; otherwise, a layout that centres the card would compute its height from the
        width of the page.
        """
        return False

    def show_reading(self) -> None:
        """Show that Deskpilot is finding out which models fit."""
        self.see.setEnabled(False)
        self.see.setText(tr("Looking …"))

    def show_offers(self, models: list[Model]) -> None:
        """Offer models."""
        self.see.hide()
        if not models:
            self.told.setText(tr("The models that fit this machine are already here."))
        for model in models:
            self._column.insertLayout(self._column.count() - 1, self._line(model))

    def set_step(self, model: Model, step: DownloadStep) -> None:
        """Show the progress of a download."""
        self._coming.add(model.id)
        self._name(model, tr("Pause"))
        self._steps[model.id].setText(told_step(step))

    def set_ended(self, model: Model, problem: str) -> None:
        """Show that the model is on this machine, or what went wrong; a partial download can be
        resumed.
        """
        self._coming.discard(model.id)
        self._name(model, tr("Resume"))
        self._steps[model.id].setText(problem or tr("Ready."))
        self.buttons[model.id].setVisible(bool(problem))
        self.buttons[model.id].setEnabled(True)

    def tell(self, text: str) -> None:
        """Show an error and let the user try again."""
        self.told.setText(text)
        self.see.setEnabled(True)
        self.see.setText(tr("Try again"))

    def _line(self, model: Model) -> QHBoxLayout:
        name, facts = QLabel(tr(model.name), self), QLabel(self)
        name.setObjectName("strong")
        facts.setObjectName("caption")
        facts.setWordWrap(True)
        told = tr(
            "{bytes} download, about {memory} of memory",
            bytes=size(model.download_bytes),
            memory=size(model.takes_bytes),
        )
        if model.in_wheels:
            no_hub = tr("needs no model hub")
            told = f"{told} · {no_hub}"
        if model.reads_questions:
            told = f"{said(model.good_for)}\n{told}"
        facts.setText(told)
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
        """Download a model, or pause its download."""
        if model.id in self._coming:
            self.pause_wanted.emit(model)
        else:
            self._coming.add(model.id)
            self._name(model, tr("Pause"))
            self.download_wanted.emit(model)
