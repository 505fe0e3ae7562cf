"""One setting: its label, its control, what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QPainter, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.model import Model
from app.ui.main.key_field import KeyField
from app.ui.theme.labels import label
from app.ui.words import mark, tr

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QHideEvent, QPaintEvent

    from app.domain.settings.definition import Setting


TRACK = QSize(36, 20)
FIELD_PX = 96  # about four lines
RING = 3  # around the switch that has the focus


class Chooser(QPushButton):
    """Shows what is chosen, and a menu of what can be. Signals: chosen(value), by the person
    only.
    """

    chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setAccessibleName(name)
        self._options: list[tuple[str, str]] = []
        self.offered: list[tuple[str, str]] = []
        self.value = ""
        self.choices = QMenu(self)
        self.setMenu(self.choices)

    def set_options(self, options: list[tuple[str, str]], value: str) -> None:
        """Offer values with their labels; one that is chosen and not offered is shown by itself."""
        self.offered = options
        self._options = options if value in dict(options) else [*options, (value, value)]
        self.choices.clear()
        group = QActionGroup(self.choices)
        for one, words in self._options:
            action = self.choices.addAction(words)
            action.setCheckable(True)
            action.triggered.connect(lambda _=False, one=one: self._choose(one))
            group.addAction(action)
        self.set_value(value)

    def set_value(self, value: str) -> None:
        """Show a value."""
        self.value = value
        label = dict(self._options).get(value, value)
        self.setText(f"{label}  ▾")
        self.setAccessibleName(f"{self._name}: {label}")
        for action, (one, _) in zip(self.choices.actions(), self._options, strict=True):
            action.setChecked(one == value)

    def _choose(self, value: str) -> None:
        self.set_value(value)
        self.chosen.emit(value)


class TextField(QPlainTextEdit):
    """Signals: left(), when the keyboard goes elsewhere. most: characters it holds."""

    left = Signal()

    def __init__(self, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most = most
        self.setTabChangesFocus(True)
        self.setFixedHeight(FIELD_PX)
        self.textChanged.connect(self._cut)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that it was left."""
        super().focusOutEvent(event)
        self.left.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that it was left, also where its window is closed."""
        super().hideEvent(event)
        self.left.emit()

    def _cut(self) -> None:
        if len(self.toPlainText()) > self._most:
            cursor = self.textCursor()
            cursor.setPosition(self._most)
            cursor.movePosition(cursor.MoveOperation.End, cursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()


class Switch(QCheckBox):
    """A check box that looks like a switch."""

    def sizeHint(self) -> QSize:
        """Leave room for the ring of the focus."""
        return TRACK + QSize(2 * RING, 2 * RING)

    def hitButton(self, pos: QPoint) -> bool:
        """Take a press anywhere on it."""
        return self.rect().contains(pos)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw track and knob."""
        colours = self.palette()
        on = colours.color(QPalette.ColorRole.Link)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(RING, RING, TRACK.width(), TRACK.height())
        if self.hasFocus():
            painter.setPen(on)
            painter.drawRoundedRect(track.adjusted(-2.5, -2.5, 2.5, 2.5), 12, 12)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(
            on if self.isChecked() else colours.color(QPalette.ColorRole.PlaceholderText)
        )
        painter.drawRoundedRect(track, 10, 10)
        painter.setBrush(colours.color(QPalette.ColorRole.Base))
        left = track.right() - 18 if self.isChecked() else track.left() + 2
        painter.drawEllipse(QRectF(left, track.top() + 2, 16, 16))
        painter.end()


HERE = mark("The one on this machine")
FIELD = 260  # pixels of a field one writes in


class SettingRow(QWidget):
    """Signals: changed(value), by the person only."""

    changed = Signal(object)

    def __init__(self, setting: Setting[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self._value: Any = None
        self.control = self._control()
        name = QLabel(tr(setting.label), self)
        name.setObjectName("strong")
        name.setBuddy(self.control)
        told = label(tr(setting.help), "muted", self)
        told.setVisible(setting.kind != "key")  # thirty times the same
        self.problem = label("", "problem", self)
        self.problem.hide()
        words = QVBoxLayout()
        words.setSpacing(3)
        for part in (name, told, self.problem):
            words.addWidget(part)
        row = QHBoxLayout(self)
        room = 5 if setting.kind == "key" else 12
        row.setContentsMargins(0, room, 0, room)
        row.setSpacing(24)
        row.addLayout(words, 1)
        if setting.kind == "text":
            words.addWidget(self.control)
        else:
            row.addWidget(self.control, 0, Qt.AlignmentFlag.AlignTop)

    def set_value(self, value: Any) -> None:
        """Show a value."""
        self._value = value
        self.tell("")
        match self.control:
            case TextField() as text:
                text.setPlainText(str(value))
            case Switch() as switch:
                switch.setChecked(bool(value))
            case QDoubleSpinBox() as number:
                number.setValue(float(value))
            case KeyField() as field:
                field.set_key(str(value))
            case QLineEdit() as line:
                line.setText(self.setting.shown(value))
            case Chooser() as chooser if self.setting.kind == "choice":
                chooser.set_options([(v, tr(text)) for v, text in self.setting.options], str(value))
            case Chooser() as chooser:
                chooser.set_options(chooser.offered or [("", self._unset)], str(value))
            case _:
                raise TypeError(self.control)

    def set_models(self, models: list[Model]) -> None:
        """Offer the models that can be used."""
        if isinstance(self.control, Chooser) and self.setting.kind == "model":
            named = [(m.id, f"{m.id} ({m.host})" if m.host else m.id) for m in models]
            self.control.set_options([("", self._unset), *named], self.control.value)

    def set_devices(self, names: list[str]) -> None:
        """Offer the devices that are there."""
        if isinstance(self.control, Chooser) and self.setting.kind == "device":
            offered = [("", self._unset), *((name, name) for name in names)]
            self.control.set_options(offered, self.control.value)

    @property
    def _unset(self) -> str:
        """What no name means."""
        return tr(self.setting.unset or HERE)

    def tell(self, text: str) -> None:
        """Say what is wrong; nothing if all is well."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def _change(self, value: Any) -> None:
        """Tell of a value that is another than before; leaving a field is no change."""
        if value != self._value:
            self._value = value
            self.changed.emit(value)

    def _leave(self, field: TextField) -> None:
        if self._value is not None:  # else what is kept was not read yet
            self._change(field.toPlainText().strip())

    def _control(self) -> QWidget:
        setting = self.setting
        if setting.kind == "switch":
            switch = Switch(self)
            switch.clicked.connect(lambda on: self._change(bool(on)))
            made: QWidget = switch
        elif setting.kind == "number":
            number = QDoubleSpinBox(self)
            number.setRange(setting.low, setting.high)
            number.setDecimals(setting.decimals)
            number.setSpecialValueText(tr(setting.unset) if setting.unset else "")
            number.setSuffix(f" {tr(setting.unit)}" if setting.unit else "")
            number.setKeyboardTracking(False)
            number.lineEdit().setTextMargins(6, 0, 6, 0)
            number.editingFinished.connect(lambda: self._change(number.value()))
            made = number
        elif setting.kind == "key":
            field = KeyField(tr(setting.label), str(setting.default), self)
            field.chosen.connect(self._change)
            made = field
        elif setting.kind == "text":
            text = TextField(int(setting.high), self)
            text.left.connect(lambda: self._leave(text))
            made = text
        elif setting.kind == "names":
            line = QLineEdit(self)
            line.setFixedWidth(FIELD)
            line.editingFinished.connect(lambda: self._change(setting.read(line.text())))
            made = line
        else:
            chooser = Chooser(tr(setting.label), self)
            chooser.chosen.connect(self._change)
            made = chooser
        if setting.kind not in (
            "choice",
            "model",
            "device",
            "key",
        ):  # a chooser says what is chosen, too
            made.setAccessibleName(tr(setting.label))
        made.setAccessibleDescription(tr(setting.help))
        return made
