"""The library page: saved workflows, their origin, and the design of new workflows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.ui.controls.fields import ToolRow
from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, said, spoken_language, tr
from app.ui.theme.style import set_style
from app.ui.workflows.form import Several
from app.ui.workflows.words import asked, does, in_words, numbered, words_of

if TYPE_CHECKING:
    from app.data.library.entry import LibraryEntry
    from app.services.library.designer import DesignProgress


STATUS = {
    "validated": mark("validated"),
    "stale": mark("out of date"),
    "failed": mark("failed"),
}
BY = {"person": mark("saved by you"), "design": mark("designed by the model")}


SHOWN = 3  # maximum number of example requests shown for a designed workflow


def requests_of(entry: LibraryEntry) -> list[str]:
    """Return some requests that a designed workflow answers, without duplicates.

    They are in the user's language if there are any in that language.
    """
    here = [c for c in entry.covers if c.language == spoken_language()] or entry.covers
    first = {json.dumps(cover.values, sort_keys=True): cover.request for cover in reversed(here)}
    return list(reversed(first.values()))[:SHOWN]


class EntryRow(ToolRow):
    """The row for a saved workflow.

    Its buttons are `run`, `read`, `edit`, `test` and `remove`. steps: the text shown when `read` is
    pressed.
    """

    def __init__(self, entry: LibraryEntry, names: dict[str, str], parent: QWidget) -> None:
        super().__init__(entry.name, b"", parent)
        self.entry = entry
        workflow, origin = entry.workflow, entry.origin
        self.say(entry.meanings.get(spoken_language()) or entry.description, "")
        status = tr(STATUS[entry.status])
        made = tr(BY.get(origin.made_by, origin.made_by))
        made = tr("designed by {model}", model=origin.model) if origin.model else made
        version = tr("version {number}", number=entry.version)
        self.status = self.say(" · ".join([status, version, made, origin.made_at[:10]]))
        self.reason = self.say(said(entry.reason), "problem")
        self.say(
            tr("Answers: {requests}", requests=" ".join(requests_of(entry))) if entry.covers else ""
        )
        question = tr("Question: {question}", question=origin.question)
        self.say(
            question if origin.question not in ("", entry.description) and not entry.covers else ""
        )
        files = ", ".join(Path(path).name for path in origin.paths.values())
        self.say(tr("Reads: {names}", names=files) if files else "")
        given = ", ".join(
            f"{asked(p.name)} ({words_of(p.default, {})})" for p in workflow.parameters
        )
        self.say(tr("Asks for: {names}", names=given) if given else "")
        results = numbered(workflow)
        lines = [
            f"{n}  {does(step.interface)}: {in_words(step, names, results)}"
            for n, step in enumerate(workflow.steps, 1)
        ]
        if entry.trials:
            lines.append(
                tr(
                    "Ran twice in {seconds} s with the same result.",
                    seconds=entry.trials[-1].seconds,
                )
            )
        self.steps = self.say("\n".join(lines))
        self.steps.hide()
        self.run = self.button(tr("Run …") if workflow.parameters else tr("Run"))
        self.run.setEnabled(entry.status == "validated")
        self.read = self.button(tr("Read"))
        self.read.setCheckable(True)
        self.read.toggled.connect(self.steps.setVisible)
        self.edit = self.button(tr("Change …"))
        self.test = self.button(tr("Validate"))
        self.remove = self.button(tr("Remove"))


OUTCOMES = STATUS | {"new": mark("new"), "reuse": mark("used again")}
PHASES = ("asking", "defining", "merging", "validating")


def phase_words(phase: str) -> str:
    """Return, in words, the phase of a design."""
    told = {
        "asking": tr("Collecting questions"),
        "defining": tr("Defining workflows"),
        "merging": tr("Merging similar ones"),
        "validating": tr("Validating"),
    }
    return told.get(phase, tr("Done"))


def outcome(step: DesignProgress) -> str:
    """Return, in words, the last action of a design, with its result and the reason for it."""
    word = tr(OUTCOMES[step.word]) if step.word else ""
    return " · ".join(part for part in (step.text, word, said(step.reason)) if part)


class DesignPanel(QWidget):
    """The panel that designs workflows. Signals: start_wanted(paths of tables), go_on_wanted(),
    stop_wanted().
    """

    start_wanted = Signal(object)
    go_on_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tables = Several(tr("Tables for the design"), (), [], self)
        self.begin = self._button(tr("Design"))
        self.on = self._button(tr("Resume"))
        self.stop = self._button(tr("Stop"))
        self.begin.clicked.connect(lambda: self.start_wanted.emit(list(self.tables.value)))
        self.on.clicked.connect(self.go_on_wanted.emit)
        self.stop.clicked.connect(self.stop_wanted.emit)
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName(tr("Design progress"))
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.told = label("", "muted", self)
        head = label(tr("Let the model design workflows"), "heading", self)
        words = tr(
            "The model thinks of questions about some tables and builds workflows that answer "
            "them. Each is validated before it is listed below. This takes a few minutes and "
            "can be resumed."
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
        """Offer tables, given as names by path."""
        kept = [path for path in self.tables.value if path in tables] or chosen
        made = Several(tr("Tables for the design"), tuple(tables.items()), kept, self)
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
        """Show the available actions: start, resume or stop."""
        self.stop.setVisible(running)
        self.bar.setVisible(running)
        self.begin.setVisible(not running)
        self.on.setVisible(not running and unfinished)
        self.tables.setEnabled(not running)
        self.begin.setText(tr("Start a new design") if unfinished else tr("Design"))

    def show_step(self, step: DesignProgress) -> None:
        """Show the progress of the design."""
        phase = PHASES.index(step.phase) if step.phase in PHASES else len(PHASES)
        self.bar.setMaximum(100 * len(PHASES))
        self.bar.setValue(
            int(100 * (phase + step.done / max(step.total, 1))) if phase < len(PHASES) else 400
        )
        self.tell(
            tr(
                "{phase}, {done} of {total}: {text}",
                phase=phase_words(step.phase),
                done=step.done,
                total=step.total,
                text=outcome(step),
            )
        )

    def tell(self, text: str, *, wrong: bool = False) -> None:
        """Show progress, a result or an error."""
        set_style(self.told, "problem" if wrong else "muted")
        self.told.setText(text)


class LibraryPage(QWidget):
    """The library page.

    Signals: run_wanted, edit_wanted, test_wanted and remove_wanted, each with a workflow's name;
    undo_wanted().
    """

    run_wanted = Signal(str)
    edit_wanted = Signal(str)
    test_wanted = Signal(str)
    remove_wanted = Signal(str)
    undo_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[EntryRow] = []
        self.told = label("", "muted", self)
        self.undo = QPushButton(tr("Undo"), self)
        self.undo.setObjectName("link")
        self.undo.clicked.connect(self.undo_wanted.emit)
        self._list = QVBoxLayout()
        self.design = DesignPanel(self)
        none = tr(
            "No workflows yet. Ask something that takes several steps, then press Steps below "
            "the answer."
        )
        self._none = label(none, "muted", self)
        head = label(tr("Library"), "title", self)
        words = tr("Saved workflows. They run again without a model once validated.")
        about = label(words, "muted", self)
        line = QHBoxLayout()
        line.addWidget(self.told, 1)
        line.addWidget(self.undo)
        self.column = column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        column.addWidget(head)
        column.addWidget(about)
        column.addWidget(
            self.design
        )  # placed above the list so that it is visible even if the list is long
        column.addLayout(line)
        column.addLayout(self._list)
        column.addWidget(self._none)
        column.addStretch(1)
        self.tell("")

    def show_entries(self, entries: list[LibraryEntry], names: dict[str, str]) -> None:
        """Show workflows; those that are expanded stay expanded. names: the names of tables by
        uuid.
        """
        opened = {row.entry.name for row in self.rows if row.read.isChecked()}
        while (item := self._list.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self.rows = [EntryRow(entry, names, self) for entry in entries]
        for row in self.rows:
            row.read.setChecked(row.entry.name in opened)
            for button, signal in (
                (row.run, self.run_wanted),
                (row.edit, self.edit_wanted),
                (row.test, self.test_wanted),
                (row.remove, self.remove_wanted),
            ):
                button.clicked.connect(
                    lambda _=False, signal=signal, name=row.entry.name: signal.emit(name)
                )
            self._list.addWidget(row)
        self._none.setVisible(not self.rows)

    def tell(self, text: str, *, wrong: bool = False, undo: bool = False) -> None:
        """Show a result. undo: whether the change can be undone."""
        set_style(self.told, "problem" if wrong else "muted")
        self.told.setText(text)
        self.told.setVisible(bool(text))
        self.undo.setVisible(undo)

    def set_busy(self, busy: bool) -> None:
        """Show whether a workflow is being validated or run."""
        for row in self.rows:
            for button in (row.edit, row.test, row.remove):
                button.setEnabled(not busy)
            row.run.setEnabled(not busy and row.entry.status == "validated")
