"""What goes along with questions: the list behind one chip for many widgets, and attachments whose
files are gone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.main.escape import keeps_escape
from app.ui.theme.labels import ElidedLabel
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.widget import Widget
    from app.services.conversation.attachments import Missing
    from app.ui.theme.tokens import Tokens


WIDE, HIGH, ROW = 300, 320, 34  # pixels
UUID = Qt.ItemDataRole.UserRole


class SeveralAttached(QFrame):
    """A list to tick. Signals: chosen({uuid: attached}) of those that were changed."""

    chosen = Signal(object)

    def __init__(self, widgets: list[Widget], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Goes along with your questions"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for widget in widgets:
            item = QListWidgetItem(widget.name, self.list)
            item.setToolTip(widget.name)
            item.setData(UUID, widget.uuid)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
        self.list.setCurrentRow(0)
        self.list.itemChanged.connect(lambda item: self.chosen.emit({item.data(UUID): on(item)}))
        self.every = self._link(tr("Select all"), lambda: self._set_all(attached=True))
        self.none = self._link(tr("Clear all"), lambda: self._set_all(attached=False))
        head = QHBoxLayout()
        head.addWidget(self.every)
        head.addWidget(self.none)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        self.resize(WIDE, min(HIGH, 48 + ROW * len(widgets)))

    def open_above(self, chip: QWidget) -> None:
        """Open above a chip."""
        self.move(chip.mapToGlobal(QPoint(0, -self.height() - 4)))
        self.show()
        self.list.setFocus()

    def event(self, event: QEvent) -> bool:
        """Keep Escape, which would stop the answer otherwise."""
        return keeps_escape(event) or super().event(event)

    def _set_all(self, *, attached: bool) -> None:
        state = Qt.CheckState.Checked if attached else Qt.CheckState.Unchecked
        self.list.blockSignals(True)
        items = [self.list.item(row) for row in range(self.list.count())]
        for item in items:
            item.setCheckState(state)
        self.list.blockSignals(False)
        self.list.viewport().update()
        self.chosen.emit({item.data(UUID): attached for item in items})

    def _link(self, text: str, run: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName("link")
        button.clicked.connect(run)
        return button


def on(item: QListWidgetItem) -> bool:
    """Tell whether an item is ticked."""
    return item.checkState() == Qt.CheckState.Checked


MOST = 3  # lines that are shown


class Absent(QWidget):
    """buttons: of each line, the one that removes it and the one that finds it again, if that can
    be.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.buttons: list[tuple[QPushButton, QPushButton | None]] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(2, 0, 0, 2)
        self._column.setSpacing(2)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take a theme; every colour comes from the style sheet."""

    def show_missing(self, missing: Sequence[Missing]) -> None:
        """Show what is missing; nothing if it is empty."""
        self.buttons.clear()
        while item := self._column.takeAt(0):
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for number, one in enumerate(missing):
            line = self._line(one)
            line.setVisible(number < MOST)
            self._column.addWidget(line)
        self.setVisible(bool(missing))

    def _line(self, missing: Missing) -> QWidget:
        line, attachment = QWidget(self), missing.attachment
        if missing.replaceable:
            text = tr(
                "{name} isn't in {folder} any more.",
                name=Path(attachment.path).name,
                folder=str(Path(attachment.path).parent),
            )
        else:
            text = tr("{name} isn't on a dashboard any more.", name=attachment.name)
        words = ElidedLabel(text, line)
        words.setObjectName("caption")
        words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(words, 1)
        find = link(tr("Find …"), tr("Find {name}", name=attachment.name), line)
        remove = link(tr("Remove"), tr("Remove {name}", name=attachment.name), line)
        row.addWidget(find)
        row.addWidget(remove)
        find.setVisible(missing.replaceable)
        self.buttons.append((remove, find if missing.replaceable else None))
        return line


def link(text: str, spoken: str, parent: QWidget) -> QPushButton:
    """Return a quiet button. spoken: its accessible name."""
    button = QPushButton(text, parent)
    button.setObjectName("link")
    button.setAccessibleName(spoken)
    return button
