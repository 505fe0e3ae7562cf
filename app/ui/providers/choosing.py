"""The models a provider offers, to be ticked; the type of each where nobody tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.domain.model import TYPES
from app.domain.provider import Choice
from app.ui.settings.controls import Chooser
from app.ui.words import mark, tr

if TYPE_CHECKING:
    from app.domain.provider import Provider

HIGH = 190  # pixels of the list
WIDE = 330  # pixels of a name in it
ANOTHER = mark("Another model")


class ModelChoice(QWidget):
    """Signals: changed()."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind: Provider | None = None
        self._rows: list[tuple[QCheckBox, Chooser, str]] = []
        self.another = QLineEdit(self)
        self.another.setAccessibleName(tr(ANOTHER))
        self.another.textChanged.connect(self.changed)
        self.type = Chooser(tr("Its kind"), self)
        self.type.chosen.connect(self.changed)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFixedHeight(HIGH)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        named = QHBoxLayout()
        named.addWidget(self.another, 1)
        named.addWidget(self.type)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._scroll)
        column.addLayout(named)

    def offer(self, kind: Provider, offered: tuple[Choice, ...]) -> None:
        """Offer the models of a provider."""
        self._kind, self._rows = kind, []
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(6)
        for choice in offered:
            short = self.fontMetrics().elidedText(choice.model, Qt.TextElideMode.ElideMiddle, WIDE)
            box = QCheckBox(short.replace("&", "&&"), body)
            box.setToolTip(choice.model)
            box.setAccessibleName(choice.model)
            box.toggled.connect(self.changed)
            chooser = Chooser(tr("Kind of {model}", model=choice.model), body)
            chooser.set_options(self._types(), choice.type or kind.types[0])
            chooser.setVisible(not choice.type)
            chooser.chosen.connect(self.changed)
            row = QHBoxLayout()
            row.addWidget(box, 1)
            row.addWidget(chooser)
            if choice.type:
                told = QLabel(tr(TYPES.get(choice.type, choice.type)), body)
                told.setObjectName("muted")
                row.addWidget(told)
                box.setAccessibleName(f"{choice.model}, {told.text()}")
            row.setContentsMargins(0, 0, 8, 0)
            column.addLayout(row)
            self._rows.append((box, chooser, choice.model))
        column.addStretch(1)
        self._scroll.setWidget(body)
        self._scroll.setVisible(bool(offered))
        hint = tr("its name")
        self.another.setPlaceholderText(
            f"{tr(ANOTHER)}: {kind.model_hint or hint}" if offered else tr("Name of the model")
        )
        self.type.set_options(self._types(), kind.types[0])

    def chosen(self) -> list[Choice]:
        """Return the models that are ticked or named."""
        found = [
            Choice(name, chooser.value) for box, chooser, name in self._rows if box.isChecked()
        ]
        named = self.another.text().strip()
        return [*found, *([Choice(named, self.type.value)] if named else [])]

    def _types(self) -> list[tuple[str, str]]:
        assert self._kind is not None
        return [(kind, tr(TYPES.get(kind, kind))) for kind in self._kind.types]
