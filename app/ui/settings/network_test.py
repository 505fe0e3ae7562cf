"""The network test below the offline switch, with the result for each process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, tr
from app.ui.theme.style import set_style
from backends.sentences import joined

if TYPE_CHECKING:
    from app.services.settings.network import ProcessCheck

PROCESSES = {
    "window": mark("The window"),
    "service": mark("The model service"),
    "worker": mark("A model's process"),
}
WENT = mark("succeeded")  # which the guard of the network says of a way
WAYS = {
    "name": mark("looks up a name"),
    "tcp": mark("connects"),
    "tcp6": mark("connects by IPv6"),
    "udp": mark("sends a packet"),
}


class WaysOut(QWidget):
    """A button and the results of its tests. Signals: wanted()."""

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        about = QLabel(
            tr("Each process tries to connect to other machines. Uses reserved test addresses."),
            self,
        )
        about.setObjectName("muted")
        about.setWordWrap(True)
        self.button = QPushButton(tr("Check what can be reached"), self)
        self.button.clicked.connect(self._on_clicked)
        self.verdict = QLabel(self)
        self.verdict.setWordWrap(True)
        self.verdict.hide()
        self._table = QWidget(self)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 12)
        column.setSpacing(10)
        column.addWidget(about)
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.verdict)
        column.addWidget(self._table)

    def show_checked(self, checked: list[ProcessCheck]) -> None:
        """Show the results of the test."""
        closed = all(process.closed for process in checked)
        refused, ways = (
            sum(w.refused for p in checked for w in p.ways),
            sum(len(p.ways) for p in checked),
        )
        told = tr("Refused: {refused} of {ways}.", refused=refused, ways=ways)
        verdict = (
            tr("Offline: only this machine can be reached.")
            if closed
            else tr("Other machines can be reached.")
        )
        self._end(joined(verdict, told), good=closed)
        table = QWidget(self)
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setColumnStretch(2, 1)
        row = 0
        for process in checked:
            name = " · ".join(
                part
                for part in (tr(PROCESSES[process.name]), process.model, str(process.pid))
                if part
            )
            head = QLabel(name, table)
            head.setObjectName("strong")
            grid.addWidget(head, row, 0, 1, 3)
            for way in process.ways:
                row += 1
                state = QLabel(tr("refused") if way.refused else tr("open"), table)
                state.setObjectName("good" if way.refused else "wrong")
                grid.addWidget(QLabel(tr(WAYS[way.way]), table), row, 0)
                grid.addWidget(state, row, 1)
                grid.addWidget(label(tr(way.told), "caption", table), row, 2)
            row += 1
        self._column.replaceWidget(self._table, table)
        self._table.deleteLater()
        self._table = table

    def forget(self) -> None:
        """Hide old results, since the network was switched."""
        self._ready()
        self.verdict.hide()
        self._table.hide()

    def tell(self, text: str) -> None:
        """Show why the test could not run."""
        self._end(text, good=False)

    def _on_clicked(self) -> None:
        self.button.setEnabled(False)
        self.button.setText(tr("Trying …"))
        self.wanted.emit()

    def _ready(self) -> None:
        self.button.setEnabled(True)
        self.button.setText(tr("Check what can be reached"))

    def _end(self, text: str, *, good: bool) -> None:
        self._ready()
        set_style(self.verdict, "good" if good else "problem")
        self.verdict.setText(text)
        self.verdict.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
