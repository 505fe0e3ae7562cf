"""Attachments of the conversation whose files are gone: a line for each, with what one can do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.style.elided import ElidedLabel
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.services.conversation.attachments import Missing
    from app.ui.style.tokens import Tokens

MOST = 3  # lines that are shown


class Absent(QWidget):
    """buttons: of each line, the one that removes it and the one that finds it again, if that can be."""

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
