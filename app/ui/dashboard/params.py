"""The row of parameter fields, and a form whose values are sent together.

The module has a field for each kind of parameter.

Choices appear in a searchable list, which may be loaded from a backend; a small number of values is
shown as tabs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDate, QEvent, QLocale, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QDoubleValidator, QIcon, QKeyEvent, QTextCharFormat
from PySide6.QtWidgets import (
    QCalendarWidget,
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from app.ui.controls.fields import FlowLayout
from app.ui.controls.labels import label
from app.ui.theme.i18n import tr
from app.ui.theme.style import set_mark

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from app.openbb.parameters import Param, ParameterOption


class TabChoice(QTabBar):
    """A choice shown as tabs. Signals: chosen(value), only when the user makes a choice."""

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
        """Select the current value; if there is none, select the first choice."""
        place = self._values.index(str(value)) if str(value) in self._values else 0
        before = self.blockSignals(True)
        self.setCurrentIndex(place)
        self.blockSignals(before)


LIST_WIDTH, LIST_HEIGHT, ROW, SEARCHED = (
    240,
    260,
    30,
    8,
)  # in pixels; minimum number of options for which a search field is shown
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
        """Open the list; if its options are still missing, the list says that they are being
        loaded.
        """
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
        """Forget options that depended on a value that has changed; new ones are loaded when the
        list is opened.
        """
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
        """Open the list at a point on the screen, or as close to the point as possible."""
        self.resize(LIST_WIDTH, 2 * ROW + ROW)
        box = self.screen().availableGeometry()
        self.move(min(at.x(), box.right() - LIST_WIDTH), min(at.y(), box.bottom() - LIST_HEIGHT))
        self.show()
        self.field.setFocus()

    def tell(self, text: str) -> None:
        """Show why there are no options."""
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
            item.setSizeHint(QSize(LIST_WIDTH - 40, ROW - 2))
            if self._param.many:
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                on = option.value in self._values
                item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            self.rows.addItem(item)
            if option.value in self._values and not self._param.many:
                self.rows.setCurrentItem(item)
        other = ROW + 12 if self.field.isVisibleTo(self) or not options else 0
        self.resize(LIST_WIDTH, min(len(options) * ROW + other + 16, LIST_HEIGHT))
        box = self.screen().availableGeometry()
        self.move(self.x(), min(self.y(), box.bottom() - self.height()))
        (self.field if self.field.isVisible() else self.rows).setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move through the list while the user types."""
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


LETTERS, FIELD_HEIGHT, CALENDAR_PX = 12, 26, 280  # text field: characters; others: pixels


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
        self.setFixedHeight(FIELD_HEIGHT)
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
        """Return the allowed input that is nearest to the one given."""
        try:
            number = min(max(float(text), self.bottom()), self.top())
        except ValueError:
            return ""
        return f"{number:.6f}".rstrip("0").rstrip(".")


class DayButton(QToolButton):
    """A button that chooses a date from a calendar, or no date. Signals: chosen(date as ISO text,
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
        """Show a date; None shows that no date is chosen."""
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


FORM_WIDTH = 340  # in pixels: width of a form


class ParamBar(QFrame):
    """Fields for the visible parameters, and, if the widget needs it, a button that runs it.

    Signals: changed(name, value), options_wanted(name), run_wanted(), submitted(param, values,
    form) when a form is sent, menu_wanted(name, menu) to add the actions of a parameter to its
    menu. A form stays open until its values are accepted.
    """

    changed = Signal(str, object)
    options_wanted = Signal(str)
    run_wanted = Signal()
    submitted = Signal(object, object, object)
    menu_wanted = Signal(str, object)

    def __init__(
        self,
        params: list[Param],
        values: dict[str, Any],
        *,
        run: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("paramBar")
        self.params, self._values = params, values
        flow = FlowLayout(self)
        flow.setContentsMargins(12, 6, 12, 6)
        self.fields: dict[str, ParameterField] = {}
        for param in params:
            if param.kind == "form":
                form = FormButton(param, self)
                form.clicked.connect(lambda _=False, p=param: self._open_form(p))
                flow.addWidget(form)
                continue
            field = self.fields[param.name] = ParameterField(
                param, values.get(param.name, param.value), self
            )
            field.changed.connect(self.changed)
            field.menu_wanted.connect(
                lambda menu, name=param.name: self.menu_wanted.emit(name, menu)
            )
            if isinstance(field.part, ChoiceButton):
                field.part.opened.connect(lambda name=param.name: self.options_wanted.emit(name))
            flow.addWidget(field)
        self.run: QPushButton | None = None
        if run:
            self.run = QPushButton(tr("Run"), self)
            self.run.setObjectName("run")
            self.run.clicked.connect(self.run_wanted)
            flow.addWidget(self.run)

    def set_values(self, values: dict[str, Any]) -> None:
        """Show the current values of the parameters."""
        before, self._values = self._values, values
        for name, field in self.fields.items():
            field.set_value(values.get(name, field.param.value))
            if isinstance(field.part, ChoiceButton) and any(
                before.get(need) != values.get(need) for need in field.param.needs
            ):
                field.part.read_anew()

    def set_options(self, name: str, options: tuple[ParameterOption, ...]) -> None:
        """Show options that were loaded."""
        part = self.fields[name].part
        if isinstance(part, ChoiceButton):
            part.set_options(options)

    def fail(self, name: str, text: str) -> None:
        """Show why a parameter has no options."""
        part = self.fields[name].part
        if isinstance(part, ChoiceButton):
            part.fail(text)

    def _open_form(self, param: Param) -> None:
        form = Form(param, self)
        form.submitted.connect(lambda values: self.submitted.emit(param, values, form))
        form.open()


class Form(QDialog):
    """The fields of a form. Signals: submitted(values).

    The form stays open until its values are accepted.
    """

    submitted = Signal(object)

    def __init__(self, param: Param, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("larger")
        self.setWindowTitle(param.label)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # buttons are left out; only the button that was pressed is sent
        self._values: dict[str, Any] = {p.name: p.value for p in param.inputs if p.kind != "button"}
        self._fields: list[ParameterField] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        if param.description:
            told = QLabel(param.description, self)
            told.setObjectName("muted")
            told.setWordWrap(True)
            told.setTextFormat(Qt.TextFormat.PlainText)
            column.addWidget(told)
        self.buttons: list[QPushButton] = []
        self.told = QLabel(self)
        self.told.setWordWrap(True)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setAccessibleName(tr("What went wrong"))
        self.told.hide()
        buttons = [p for p in param.inputs if p.kind == "button"]
        for one in param.inputs:
            if one.kind != "button":
                field = ParameterField(one, one.value, self)
                field.changed.connect(self._values.__setitem__)
                self._fields.append(field)
                column.addWidget(field)
        column.addWidget(self.told)
        wide = max(
            (f.label.sizeHint().width() for f in self._fields if f.label is not None), default=0
        )
        for field in self._fields:
            field.line_up(wide)
        row = QHBoxLayout()
        row.addStretch(1)
        column.addLayout(row)
        self.setMinimumWidth(FORM_WIDTH)
        for one in buttons or [param]:
            button = QPushButton(one.label if buttons else tr("Send"), self)
            button.setAutoDefault(False)
            button.setObjectName("primary" if not self.buttons else "")
            button.clicked.connect(
                lambda _=False, name=one.name, sent=bool(buttons): self._send(name, sent)
            )
            self.buttons.append(button)
            row.addWidget(button)

    def fail(self, text: str) -> None:
        """Show why the form was not accepted; the entries stay in the fields."""
        self.told.setText(text)
        self.told.show()
        for button in self.buttons:
            button.setEnabled(True)

    def _send(self, name: str, pressed: bool) -> None:
        for field in self._fields:
            field.commit()
        self.told.hide()
        for button in self.buttons:
            button.setEnabled(False)
        self.submitted.emit(self._values | ({name: True} if pressed else {}))
