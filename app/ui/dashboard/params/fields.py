"""A field for each kind of parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDate, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QDoubleValidator, QIcon, QTextCharFormat
from PySide6.QtWidgets import (
    QCalendarWidget,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
    QWidgetAction,
)

from app.ui.dashboard.params.choice import ChoiceButton, TabChoice
from app.ui.theme.i18n import tr
from app.ui.theme.style import set_mark

if TYPE_CHECKING:
    from app.openbb.parameters import Param

LETTERS, HIGH, CALENDAR_PX = 12, 26, 280  # width of a text field in characters; pixels


class ParameterField(QWidget):
    """The label and control of a parameter.

    Signals: changed(name, value), menu_wanted(menu) to add actions to its menu.
    """

    changed = Signal(str, object)
    menu_wanted = Signal(object)

    def __init__(self, param: Param, value: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.param = param
        self.label: QLabel | None = None
        self.part = self._part(value)
        self.part.setToolTip(param.description)
        if not self.part.accessibleName():
            self.part.setAccessibleName(param.label)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        if not isinstance(self.part, (QCheckBox, TabChoice)):
            self.label = QLabel(param.label, self)
            self.label.setObjectName("caption")
            self.label.setBuddy(self.part)
            row.addWidget(self.label)
        row.addWidget(self.part)
        self.setFixedHeight(HIGH)
        for part in (self, self.part):
            part.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            part.customContextMenuRequested.connect(
                lambda at, on=part: self._offer(on.mapToGlobal(at))
            )

    def line_up(self, wide: int) -> None:
        """Align the field with others in a column. wide: the width of their labels in pixels."""
        if self.label is not None:
            self.label.setFixedWidth(wide)
        row = self.layout()
        if isinstance(row, QHBoxLayout):
            row.addStretch(1)

    def set_shared(self, others: list[str]) -> None:
        """Show which widgets share the parameter."""
        words = tr("Shared with {names}", names=", ".join(others)) if others else ""
        self.part.setToolTip("\n".join(part for part in (self.param.description, words) if part))
        self.part.setAccessibleDescription(words)
        mark = self.label if self.label is not None else self.part
        if bool(mark.property("shared")) != bool(others):
            set_mark(mark, "shared", bool(others))

    def _offer(self, at: QPoint) -> None:
        menu = (
            self.part.createStandardContextMenu()
            if isinstance(self.part, QLineEdit)
            else QMenu(self)
        )
        self.menu_wanted.emit(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if menu.actions():
            menu.popup(at)

    def set_value(self, value: Any) -> None:
        """Show the current value, unless the user is typing."""
        part = self.part
        if isinstance(part, (ChoiceButton, DayButton, TabChoice)):
            part.set_value(value)
        elif isinstance(part, QCheckBox):
            part.blockSignals(True)
            part.setChecked(value is True or str(value).lower() == "true")
            part.blockSignals(False)
        elif isinstance(part, QLineEdit) and not part.hasFocus():
            self._before = "" if value is None else str(value)
            part.setText(self._before)
            part.setCursorPosition(0)

    def commit(self) -> None:
        """Accept the typed value."""
        if isinstance(self.part, QLineEdit):
            valid = self.part.validator()
            if isinstance(valid, ClampedValidator) and not self.part.hasAcceptableInput():
                self.part.setText(valid.fixup(self.part.text()))
            self._typed(self.part)

    def _part(self, value: Any) -> QWidget:
        param = self.param
        if param.kind == "tabs" and param.options and not param.many:
            tabs = TabChoice(param, value, self)
            tabs.chosen.connect(self._tell)
            return tabs
        if param.is_choice or param.many:
            choice = ChoiceButton(param, value, self)
            choice.chosen.connect(self._tell)
            return choice
        if param.kind == "boolean":
            box = QCheckBox(param.label, self)
            box.setChecked(value is True or str(value).lower() == "true")
            box.toggled.connect(self._tell)
            return box
        if param.kind == "date":
            day = DayButton(value, self)
            day.chosen.connect(self._tell)
            return day
        return self._line(value)

    def _line(self, value: Any) -> QLineEdit:
        line = QLineEdit("" if value is None else str(value), self)
        line.setObjectName("param")
        letters = min(max(LETTERS, len(line.text()) + 3), 2 * LETTERS)
        line.setFixedWidth(line.fontMetrics().averageCharWidth() * letters)
        line.setCursorPosition(0)
        if self.param.kind == "number":
            low, high = self.param.low, self.param.high
            valid = ClampedValidator(
                -1e15 if low is None else low, 1e15 if high is None else high, 6, line
            )
            valid.setLocale(QLocale.c())
            line.setValidator(valid)
            line.setFixedWidth(line.fontMetrics().averageCharWidth() * LETTERS * 2 // 3)
        line.editingFinished.connect(lambda: self._typed(line))
        self._before = line.text()
        return line

    def _typed(self, line: QLineEdit) -> None:
        text = line.text().strip()
        if text == self._before:
            return
        self._before = text
        if self.param.kind != "number" or not text:
            self._tell(text or None)
        else:
            number = float(text)
            self._tell(int(number) if number.is_integer() else number)

    def _tell(self, value: Any) -> None:
        self.changed.emit(self.param.name, value)


class ClampedValidator(QDoubleValidator):
    """Clamps input to the allowed range."""

    def fixup(self, text: str) -> str:
        """Return the nearest allowed input."""
        try:
            number = min(max(float(text), self.bottom()), self.top())
        except ValueError:
            return ""
        return f"{number:.6f}".rstrip("0").rstrip(".")


class DayButton(QToolButton):
    """A button that chooses a date from a calendar, or no date. Signals: chosen(ISO text
    or None).
    """

    chosen = Signal(object)

    def __init__(self, value: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("param")
        self.set_value(value)
        self.clicked.connect(self.open)

    def open(self) -> None:
        """Open the calendar."""
        menu = QMenu(self)
        calendar = QCalendarWidget(menu)
        calendar.setAccessibleName(tr("Calendar"))
        calendar.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        calendar.setHorizontalHeaderFormat(
            QCalendarWidget.HorizontalHeaderFormat.SingleLetterDayNames
        )
        calendar.setMinimumWidth(CALENDAR_PX)
        for name, sign in (("qt_calendar_prevmonth", "‹"), ("qt_calendar_nextmonth", "›")):
            turn = calendar.findChild(QToolButton, name)
            if isinstance(turn, QToolButton):  # Qt's arrows are black in every theme
                turn.setIcon(QIcon())
                turn.setText(sign)
        plain = QTextCharFormat()
        plain.setForeground(self.palette().text())
        for weekday in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            calendar.setWeekdayTextFormat(weekday, plain)
        day = QDate.fromString(self.value, "yyyy-MM-dd")
        if day.isValid():
            calendar.setSelectedDate(day)
        calendar.clicked.connect(
            lambda found: (self.choose(found.toString("yyyy-MM-dd")), menu.close())
        )
        calendar.activated.connect(
            lambda found: (self.choose(found.toString("yyyy-MM-dd")), menu.close())
        )
        action = QWidgetAction(menu)
        action.setDefaultWidget(calendar)
        menu.addAction(action)
        menu.addAction(tr("Any day")).triggered.connect(lambda: self.choose(""))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def set_value(self, value: Any) -> None:
        """Show a date; None shows that there is none."""
        self.value = str(value) if value else ""
        none = tr("any day")
        self.setText(f"{self.value or none}  ▾")

    def choose(self, value: str) -> None:
        """Accept a date, or no date."""
        if value != self.value:
            self.set_value(value)
            self.chosen.emit(value or None)


class FormButton(QPushButton):
    """A button that opens a form. Signals: wanted()."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(f"{param.label} …", parent)
        self.param = param
        self.setObjectName("param")
        self.setToolTip(param.description)
