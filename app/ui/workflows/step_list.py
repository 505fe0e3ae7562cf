"""The list of steps, and what puts one in, moves it, takes it out, and takes that back; what cannot
be says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QToolButton,
    QVBoxLayout,
)

from app.data.editing.order import added, bond, moved, removed
from app.ui.theme.icons import icon, icon_button
from app.ui.words import tr
from app.ui.workflows.new_step import AddWindow
from app.ui.workflows.words import does
from backends.data.workflow.step import STEPS as MOST

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QWidget

    from app.ui.theme.tokens import Tokens
    from app.ui.workflows.window import StepsWindow
    from backends.data.workflow.step import Workflow


ALT = Qt.KeyboardModifier.AltModifier


class StepList(QListWidget):
    """Signals: add_wanted(), move_wanted(by), remove_wanted()."""

    add_wanted = Signal()
    move_wanted = Signal(int)
    remove_wanted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move with Alt and an arrow, put in with Insert, take out with Delete."""
        key = event.key()
        if event.modifiers() & ALT and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_wanted.emit(-1 if key == Qt.Key.Key_Up else 1)
        elif key == Qt.Key.Key_Insert:
            self.add_wanted.emit()
        elif key == Qt.Key.Key_Delete:
            self.remove_wanted.emit()
        else:
            super().keyPressEvent(event)


class StepSide(QFrame):
    """Signals: add_wanted(), move_wanted(by), remove_wanted(), undo_wanted()."""

    add_wanted = Signal()
    move_wanted = Signal(int)
    remove_wanted = Signal()
    undo_wanted = Signal()

    def __init__(self, tokens: Tokens, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(240)
        self.list = StepList(self)
        self.list.setAccessibleName(tr("Steps"))
        self.list.setAccessibleDescription(
            tr("Alt with an arrow key moves a step, Insert adds one after it, Delete removes it.")
        )
        self.list.setWordWrap(True)
        self.list.add_wanted.connect(self.add_wanted)
        self.list.move_wanted.connect(self.move_wanted)
        self.list.remove_wanted.connect(self.remove_wanted)
        self.add = QPushButton(tr("Add a step …"), self)
        self.add.setAutoDefault(False)
        self.add.setToolTip(tr("After the step that is chosen (Insert)"))
        self.add.clicked.connect(self.add_wanted)
        self.up = self._tool("up", tr("Move up (Alt+Up)"), tokens)
        self.down = self._tool("down", tr("Move down (Alt+Down)"), tokens)
        self.remove = self._tool("trash", tr("Remove this step (Delete)"), tokens)
        self.up.clicked.connect(lambda: self.move_wanted.emit(-1))
        self.down.clicked.connect(lambda: self.move_wanted.emit(1))
        self.remove.clicked.connect(self.remove_wanted)
        self.undo = QPushButton(tr("Undo the last change"), self)
        self.undo.setObjectName("link")
        self.undo.setAutoDefault(False)
        self.undo.setToolTip(tr("Ctrl+Z"))
        self.undo.clicked.connect(self.undo_wanted)
        self.undo.hide()
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.add, 1)
        for button in (self.up, self.down, self.remove):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 14, 10, 12)
        column.setSpacing(6)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        column.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignLeft)

    def _tool(self, sign: str, name: str, tokens: Tokens) -> QToolButton:
        made = icon_button("tile", name, self, size=16)
        made.setIcon(icon(sign, tokens.muted, 16))
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return made

    def show_rows(self, texts: list[str], row: int) -> None:
        """Show the steps, one of them chosen."""
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems(texts)
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)

    def set_free(self, *, free: bool, row: int) -> None:
        """Show what may be done with the step that is chosen; nothing while the steps run."""
        count = self.list.count()
        self.add.setEnabled(free)
        self.up.setEnabled(free and row > 0)
        self.down.setEnabled(free and row < count - 1)
        self.remove.setEnabled(free and count > 1)
        self.undo.setEnabled(free)


class Arranging(QObject):
    """Changes the order of a window's steps. What the workflow was before each change is kept."""

    def __init__(self, window: StepsWindow) -> None:
        super().__init__(window)
        self._window = window
        self._past: list[tuple[Workflow, int]] = []
        side = window.side
        side.add_wanted.connect(self.ask)
        side.move_wanted.connect(self.move)
        side.remove_wanted.connect(self.remove)
        side.undo_wanted.connect(self.undo)

    def remember(self) -> None:
        """Keep the workflow as it is, to come back to."""
        self._past.append((self._window.workflow, self._window.row))
        self._window.side.undo.show()

    def undo(self) -> None:
        """Take the last change back."""
        if self._past and not self._window.busy:
            self._window.put(*self._past.pop())
            self._window.side.undo.setVisible(bool(self._past))

    def ask(self) -> None:
        """Ask what a further step does, behind the one that is chosen."""
        window = self._window
        if window.busy:
            return
        if len(window.workflow.steps) >= MOST:
            window.tell(tr("A workflow has at most %n steps.", "", MOST), wrong=True)
            return
        before = window.workflow.steps[: window.row + 1]
        place = f"{window.row + 1}  {does(before[-1].interface)}"
        dialog = AddWindow(before, len(window.ground().names), place, window)
        dialog.chosen.connect(lambda name: self.add(window.row, name))
        dialog.open()

    def add(self, at: int, interface: str) -> None:
        """Put a step in behind another, and go to what it still needs."""
        window = self._window
        self.remember()
        window.put(added(window.workflow, at, interface, does(interface), window.ground), at + 1)
        window.form.focus_problem()

    def move(self, by: int) -> None:
        """Move the step that is chosen, unless one of the two takes what the other makes."""
        window, to = self._window, self._window.row + by
        if window.busy or not 0 <= to < len(window.workflow.steps):
            return
        made = moved(window.workflow, window.row, to)
        if (broken := bond(made, window.workflow)) is not None:
            text = tr(
                "Step {taker} ({takes}) takes what step {giver} ({gives}) makes, so it must stand"
                " after it.",
                **self._named(*broken),
            )
            window.tell(text, wrong=True)
            return
        self.remember()
        window.put(made, to)

    def remove(self) -> None:
        """Take the step out that is chosen, unless another takes what it makes."""
        window, at = self._window, self._window.row
        if window.busy:
            return
        if len(window.workflow.steps) == 1:
            window.tell(tr("A workflow has at least one step."), wrong=True)
            return
        made = removed(window.workflow, at)
        if (broken := bond(made, window.workflow)) is not None:
            text = tr(
                "Step {taker} ({takes}) takes what step {giver} ({gives}) makes."
                " Let it take something else first, or remove it first.",
                **self._named(*broken),
            )
            window.tell(text, wrong=True)
            return
        self.remember()
        window.put(made, min(at, len(made.steps) - 1))

    def _named(self, taker: str, giver: str) -> dict[str, str]:
        """Return what two steps are called in a sentence, by number and by what they do."""
        steps = self._window.workflow.steps
        numbers = {step.id: str(n) for n, step in enumerate(steps, 1)}
        words = {step.id: does(step.interface) for step in steps}
        return {
            "taker": numbers[taker],
            "takes": words[taker],
            "giver": numbers[giver],
            "gives": words[giver],
        }
