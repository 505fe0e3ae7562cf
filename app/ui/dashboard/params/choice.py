"""A searchable list of choices, which may be loaded from a backend; a few values are
shown as tabs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.labels import label
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from app.openbb.parameters import Param, ParameterOption


class TabChoice(QTabBar):
    """A choice shown as tabs. Signals: chosen(value), only when the user chooses."""

    chosen = Signal(object)

    def __init__(self, param: Param, value: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("paramTabs")
        self.setAccessibleName(param.label)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self._values = [option.value for option in param.options]
        for option in param.options:
            self.addTab(option.label.replace("&", "&&"))
            self.setTabToolTip(self.count() - 1, option.note)
        self.set_value(value)
        self.currentChanged.connect(lambda place: self.chosen.emit(self._values[place]))

    def set_value(self, value: object) -> None:
        """Select the current value; if there is none, select the first."""
        place = self._values.index(str(value)) if str(value) in self._values else 0
        before = self.blockSignals(True)
        self.setCurrentIndex(place)
        self.blockSignals(before)


WIDE, HIGH, ROW, SEARCHED = (
    240,
    260,
    30,
    8,
)  # pixels; number of options from which a search field is shown
VALUE = Qt.ItemDataRole.UserRole


class ChoiceButton(QToolButton):
    """A button that shows the choice and opens the list.

    Signals: chosen(value or list of values), opened() when options have to be loaded.
    """

    chosen = Signal(object)
    opened = Signal()

    def __init__(self, param: Param, value: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.param = param
        self.options: tuple[ParameterOption, ...] | None = param.options or None
        self.values = values_of(value)
        self.list: ChoiceList | None = None
        self.setObjectName("param")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.clicked.connect(self.open)
        self._tell()

    def open(self) -> None:
        """Open the list; if its options are still missing, it says that they are being loaded."""
        if self.list is not None:
            return
        self.list = ChoiceList(self.param, self.values, self)
        self.list.chosen.connect(self._choose)
        self.list.ended.connect(self._ended)
        self.list.popup(self.mapToGlobal(QPoint(0, self.height() + 2)))
        if self.options is None:
            self.list.tell(tr("Loading the list …"))
            self.opened.emit()
        else:
            self.list.set_options(self.options)

    def set_options(self, options: tuple[ParameterOption, ...]) -> None:
        """Show options that were loaded."""
        self.options = options
        if self.list is not None:
            self.list.set_options(options)
        self._tell()

    def set_value(self, value: object) -> None:
        """Show the current value."""
        if values_of(value) != self.values:
            self.values = values_of(value)
            self._tell()

    def read_anew(self) -> None:
        """Forget options that depended on a changed value; they are loaded when the list opens."""
        if not self.param.options:
            self.options = None

    def fail(self, text: str) -> None:
        """Show why there are no options."""
        if self.list is not None:
            self.list.tell(text)

    def _choose(self, values: list[str]) -> None:
        self.values = values
        self._tell()
        self.chosen.emit(values if self.param.many else values[0] if values else None)

    def _ended(self) -> None:
        self.list = None

    def _tell(self) -> None:
        labels = {o.value: o.label for o in self.options or ()}
        words = [labels.get(value, value) for value in self.values]
        text = ", ".join(words[:2]) + (f" +{len(words) - 2}" if len(words) > 2 else "")
        none = tr("any")
        self.setText(f"{text[:32] or none}  ▾")
        self.setAccessibleName(f"{self.param.label}: {', '.join(words) or none}")


class ChoiceList(QFrame):
    """The open list. Signals: chosen(values), ended()."""

    chosen = Signal(list)
    ended = Signal()

    def __init__(self, param: Param, values: list[str], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._param, self._values = param, list(values)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Type a value") if param.free else tr("Search"))
        self.field.setAccessibleName(tr("Search {label}", label=param.label))
        self.field.textChanged.connect(self._narrow)
        self.field.returnPressed.connect(self._enter)
        self.field.installEventFilter(self)
        self.told = label("", "caption", self)
        self.rows = QListWidget(self)
        self.rows.setAccessibleName(param.label)
        self.rows.setMinimumHeight(ROW)
        self.rows.itemClicked.connect(self._pick)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        for part in (self.field, self.told, self.rows):
            column.addWidget(part)
        self.told.hide()

    def popup(self, at: QPoint) -> None:
        """Open at a point of the screen, or as near to it as possible."""
        self.resize(WIDE, 2 * ROW + ROW)
        box = self.screen().availableGeometry()
        self.move(min(at.x(), box.right() - WIDE), min(at.y(), box.bottom() - HIGH))
        self.show()
        self.field.setFocus()

    def tell(self, text: str) -> None:
        """Show why there is no list."""
        self.told.setText(text)
        self.told.show()

    def set_options(self, options: tuple[ParameterOption, ...]) -> None:
        """Show the options."""
        self.told.setVisible(not options)
        self.told.setText("" if options else tr("There is nothing to choose from."))
        self.field.setVisible(self._param.free or len(options) > SEARCHED or not options)
        self.rows.clear()
        for option in options:
            item = QListWidgetItem(
                f"{option.label}  ·  {option.note}" if option.note else option.label
            )
            item.setData(VALUE, option.value)
            item.setSizeHint(QSize(WIDE - 40, ROW - 2))
            if self._param.many:
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                on = option.value in self._values
                item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            self.rows.addItem(item)
            if option.value in self._values and not self._param.many:
                self.rows.setCurrentItem(item)
        other = ROW + 12 if self.field.isVisibleTo(self) or not options else 0
        self.resize(WIDE, min(len(options) * ROW + other + 16, HIGH))
        box = self.screen().availableGeometry()
        self.move(self.x(), min(self.y(), box.bottom() - self.height()))
        (self.field if self.field.isVisible() else self.rows).setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move through the list with the arrow keys while typing."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
            by = steps.get(Qt.Key(event.key()))
            if by is not None:
                self._walk(by)
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept the selected item on Enter or Space."""
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if Qt.Key(event.key()) in keys and self.rows.currentRow() >= 0:
            self._pick(self.rows.currentItem())
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QEvent) -> None:
        """Report that the list was closed."""
        self.ended.emit()

    def _walk(self, by: int) -> None:
        row = self.rows.currentRow()
        for _ in range(self.rows.count()):
            row = (row + by) % self.rows.count()
            if not self.rows.item(row).isHidden():
                self.rows.setCurrentRow(row)
                return

    def _narrow(self, text: str) -> None:
        for row in range(self.rows.count()):
            item = self.rows.item(row)
            item.setHidden(text.lower() not in item.text().lower())

    def _enter(self) -> None:
        text = self.field.text().strip()
        if self.rows.currentRow() >= 0 and not self.rows.currentItem().isHidden():
            self._pick(self.rows.currentItem())
        elif text and self._param.free:
            self._take(text)

    def _pick(self, item: QListWidgetItem) -> None:
        value = str(item.data(VALUE))
        if self._param.many:
            on = value not in self._values
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        self._take(value)

    def _take(self, value: str) -> None:
        if not self._param.many:
            self._values = [value]
            self.chosen.emit(self._values)
            self.close()
            return
        self._values = (
            [v for v in self._values if v != value]
            if value in self._values
            else [*self._values, value]
        )
        self.chosen.emit(list(self._values))


def values_of(value: object) -> list[str]:
    """Return the chosen values as a list of texts."""
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return [str(one) for one in value]
    return [str(value).lower() if isinstance(value, bool) else str(value)]
