"""A page of settings, each in a row with a label, a control and a description.

A shortcut is set by pressing its keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.model import Model
from app.ui.controls.fields import Chooser, Switch, TextField
from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, tr

if TYPE_CHECKING:
    from app.domain.model import Shelf
    from app.domain.settings import Setting, SettingsGroup


HELD = (
    Qt.Key.Key_Control,
    Qt.Key.Key_Shift,
    Qt.Key.Key_Alt,
    Qt.Key.Key_Meta,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_CapsLock,
)
PRESS, BARE = mark("Press a key …"), mark("Include Ctrl or Alt …")


class KeyButton(QPushButton):
    """Shows a shortcut; when pressed, it waits for a new one. Signals: taken(key), with an empty
    text to remove the shortcut.
    """

    taken = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._key, self._waits = name, "", False
        self.setMinimumWidth(150)
        self.setToolTip(tr("Press, then type the new shortcut. Backspace removes it, Esc cancels."))
        self.clicked.connect(self._wait)

    def set_key(self, key: str) -> None:
        """Show a shortcut."""
        self._key, self._waits = key, False
        shown = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) or tr("None")
        self.setText(shown)
        self.setAccessibleName(f"{self._name}: {shown}")

    def _wait(self) -> None:
        self._waits = True
        self.setText(tr(PRESS))
        self.setAccessibleName(f"{self._name}: {self.text()}")

    def event(self, event: QEvent) -> bool:
        """While the button waits for a shortcut, handle every key before anything else does."""
        if self._waits and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if self._waits and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            self._take(event)
            return True
        return super().event(event)

    def _take(self, event: QKeyEvent) -> None:
        key, held = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in HELD or key == Qt.Key.Key_unknown:
            return
        if key == Qt.Key.Key_Escape and not held:
            self.set_key(self._key)
        elif key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete) and not held:
            self._choose("")
        elif is_bare(key, held):  # such a shortcut would prevent the user from typing the character
            self.setText(tr(BARE))
        else:
            sequence = QKeySequence(QKeyCombination(held, key))
            self._choose(sequence.toString(QKeySequence.SequenceFormat.PortableText))

    def _choose(self, key: str) -> None:
        changed = key != self._key
        self.set_key(key)
        if changed:
            self.taken.emit(key)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Stop waiting for a shortcut."""
        super().focusOutEvent(event)
        if self._waits:
            self.set_key(self._key)


class KeyField(QWidget):
    """A shortcut, and a button that restores the default. Signals: chosen(key), only when the user
    makes a choice.
    """

    chosen = Signal(str)

    def __init__(self, name: str, default: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._default = default
        self.button = KeyButton(name, self)
        self.reset = QPushButton(tr("Reset"), self)
        self.reset.setObjectName("link")
        self.reset.setAccessibleName(tr("Reset: {name}", name=name))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.reset)
        row.addWidget(self.button)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(self.button)
        self.button.taken.connect(self.chosen)
        self.reset.clicked.connect(lambda: self.chosen.emit(default))
        self.set_key(default)

    def set_key(self, key: str) -> None:
        """Show a shortcut."""
        self.button.set_key(key)
        self.setAccessibleName(self.button.accessibleName())
        self.reset.setVisible(key != self._default)


def is_bare(key: Qt.Key, held: Qt.KeyboardModifier) -> bool:
    """Return whether a shortcut would type a character in a text field."""
    functions = Qt.Key.Key_F1.value <= key.value <= Qt.Key.Key_F35.value
    strong = (
        Qt.KeyboardModifier.ControlModifier
        | Qt.KeyboardModifier.AltModifier
        | Qt.KeyboardModifier.MetaModifier
    )
    return not functions and not held & strong


HERE = mark("The model on this machine")
FIELD = 260  # width of a text field, in pixels


class SettingRow(QWidget):
    """The row of a setting. Signals: changed(value), only when the user changes it."""

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
        told.setVisible(setting.kind != "key")  # otherwise, the same text would appear thirty times
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
        """Offer the available devices."""
        if isinstance(self.control, Chooser) and self.setting.kind == "device":
            offered = [("", self._unset), *((name, name) for name in names)]
            self.control.set_options(offered, self.control.value)

    @property
    def _unset(self) -> str:
        """Return the label shown for an empty name."""
        return tr(self.setting.unset or HERE)

    def tell(self, text: str) -> None:
        """Show an error; an empty text hides it."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def _change(self, value: Any) -> None:
        """Report a changed value. Nothing is reported if a field is left without being changed."""
        if value != self._value:
            self._value = value
            self.changed.emit(value)

    def _leave(self, field: TextField) -> None:
        if self._value is not None:  # None until the stored value has been read
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
        ):  # a chooser has its own accessible name, which includes the chosen value
            made.setAccessibleName(tr(setting.label))
        made.setAccessibleDescription(tr(setting.help))
        return made


class SettingsPage(QWidget):
    """A page of settings. Signals: changed(setting, value), only when the user changes a
    setting.
    """

    changed = Signal(object, object)

    def __init__(self, page: SettingsGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.page = page
        self.rows = [SettingRow(setting, self) for setting in page.settings]
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(0)
        head = QLabel(tr(page.title), self)
        head.setObjectName("title")
        column.addWidget(head)
        column.addSpacing(6)
        self._rows: list[tuple[SettingRow, QFrame]] = []
        for row in self.rows:
            line = QFrame(self)
            line.setObjectName("line")
            line.setFixedHeight(1)
            self._rows.append((row, line))
            column.addWidget(line)
            column.addWidget(row)
            row.changed.connect(
                lambda value, setting=row.setting: self.changed.emit(setting, value)
            )
        column.addStretch(1)

    def add_below(self, part: QWidget) -> None:
        """Show a widget below the settings."""
        self._column.insertWidget(self._column.count() - 1, part)

    def row_of(self, setting: Setting[Any]) -> SettingRow | None:
        """Return the row of a setting; None if it is not on this page."""
        return next((row for row in self.rows if row.setting.key == setting.key), None)

    def set_shelf(self, shelf: Shelf) -> None:
        """Offer the models that can be used."""
        for row in self.rows:
            if row.setting.kind == "model":
                row.set_models(shelf.of_type(row.setting.of))

    def show_developer(self, on: bool) -> None:
        """Show or hide the settings for developers."""
        above = False
        for row, line in self._rows:
            shown = on or row.setting.level == "user"
            row.setVisible(shown)
            line.setVisible(shown and above)
            above = above or shown
