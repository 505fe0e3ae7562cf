"""Where a design is started, followed, stopped and gone on with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.ui.library.row import STATUS
from app.ui.style.labels import label
from app.ui.style.polish import set_style
from app.ui.words import mark, said, tr
from app.ui.workflows.choosing import Several

if TYPE_CHECKING:
    from app.services.library.design_steps import Progress

OUTCOMES = STATUS | {"new": mark("new"), "reuse": mark("used again")}
PHASES = ("asking", "defining", "merging", "validating")


def phase_words(phase: str) -> str:
    """Return what a design does in a phase."""
    told = {
        "asking": tr("Asking itself questions"),
        "defining": tr("Defining workflows"),
        "merging": tr("Merging those that are alike"),
        "validating": tr("Trying out"),
    }
    return told.get(phase, tr("Done"))


def outcome(step: Progress) -> str:
    """Return what was done last, what became of it, and why."""
    word = tr(OUTCOMES[step.word]) if step.word else ""
    return " · ".join(part for part in (step.text, word, said(step.reason)) if part)


class DesignPanel(QWidget):
    """Signals: start_wanted(paths of tables), go_on_wanted(), stop_wanted()."""

    start_wanted = Signal(object)
    go_on_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tables = Several(tr("Tables of the design"), (), [], self)
        self.begin = self._button(tr("Design"))
        self.on = self._button(tr("Go on"))
        self.stop = self._button(tr("Stop"))
        self.begin.clicked.connect(lambda: self.start_wanted.emit(list(self.tables.value)))
        self.on.clicked.connect(self.go_on_wanted.emit)
        self.stop.clicked.connect(self.stop_wanted.emit)
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName(tr("Progress of the design"))
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.told = label("", "muted", self)
        head = label(tr("Let the model design workflows"), "heading", self)
        words = tr(
            "The model asks itself what one might ask of some tables and makes workflows that answer it."
            " Each is tried out before it is listed below. It takes some minutes; stopped, it goes on later."
        )
        about = label(words, "muted", self)
        self.none = label(tr("No table is open. Attach one in the chat first."), "muted", self)
        self.none.hide()
        self._line = QHBoxLayout()
        self._line.addWidget(self.tables, 1)
        self._line.addWidget(self.none, 1)
        for button in (self.begin, self.on, self.stop):
            self._line.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(8)
        column.addWidget(head)
        column.addWidget(about)
        column.addLayout(self._line)
        column.addWidget(self.bar)
        column.addWidget(self.told)
        self.show_state(running=False, unfinished=False)

    def _button(self, text: str) -> QPushButton:
        made = QPushButton(text, self)
        made.setAutoDefault(False)
        return made

    def show_tables(self, tables: dict[str, str], chosen: list[str]) -> None:
        """Offer tables: path → name."""
        kept = [path for path in self.tables.value if path in tables] or chosen
        made = Several(tr("Tables of the design"), tuple(tables.items()), kept, self)
        self._line.replaceWidget(self.tables, made)
        self.tables.hide()
        self.tables.deleteLater()
        self.tables = made
        self.tables.setAutoDefault(False)
        made.chosen.connect(lambda _: self.begin.setEnabled(bool(made.value)))
        self.begin.setEnabled(bool(kept))
        self.tables.setVisible(bool(tables))
        self.none.setVisible(not tables)

    def show_state(self, *, running: bool, unfinished: bool) -> None:
        """Show what can be done: begin, go on, or stop."""
        self.stop.setVisible(running)
        self.bar.setVisible(running)
        self.begin.setVisible(not running)
        self.on.setVisible(not running and unfinished)
        self.tables.setEnabled(not running)
        self.begin.setText(tr("Begin a new design") if unfinished else tr("Design"))

    def show_step(self, step: Progress) -> None:
        """Show how far it is."""
        phase = PHASES.index(step.phase) if step.phase in PHASES else len(PHASES)
        self.bar.setMaximum(100 * len(PHASES))
        self.bar.setValue(
            int(100 * (phase + step.done / max(step.total, 1))) if phase < len(PHASES) else 400
        )
        self.tell(
            tr("{phase}, {done} of {total}: {text}", phase=phase_words(step.phase), done=step.done,
               total=step.total, text=outcome(step))
        )  # fmt: skip

    def tell(self, text: str, *, wrong: bool = False) -> None:
        """Say what it does, what came of it, or why it cannot."""
        set_style(self.told, "problem" if wrong else "muted")
        self.told.setText(text)
