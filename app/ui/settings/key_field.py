"""A button that takes the next key pressed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.ui.theme.i18n import mark, tr

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
    """Shows a key; when pressed, it waits for another. Signals: taken(key), empty for none."""

    taken = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._key, self._waits = name, "", False
        self.setMinimumWidth(150)
        self.setToolTip(tr("Press, then type the new shortcut. Backspace removes it, Esc cancels."))
        self.clicked.connect(self._wait)

    def set_key(self, key: str) -> None:
        """Show a key."""
        self._key, self._waits = key, False
        shown = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) or tr("None")
        self.setText(shown)
        self.setAccessibleName(f"{self._name}: {shown}")

    def _wait(self) -> None:
        self._waits = True
        self.setText(tr(PRESS))
        self.setAccessibleName(f"{self._name}: {self.text()}")

    def event(self, event: QEvent) -> bool:
        """While waiting, take every key before it does anything else."""
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
        elif is_bare(key, held):  # it would be eaten where one writes
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
        """Wait no longer."""
        super().focusOutEvent(event)
        if self._waits:
            self.set_key(self._key)


class KeyField(QWidget):
    """A shortcut, and a button that restores it. Signals: chosen(key), only for the
    user's choice.
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
        """Show a key."""
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
