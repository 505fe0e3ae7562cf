"""The row of parameter fields, and a form whose values are sent together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.fields import FlowLayout
from app.ui.dashboard.params.choice import ChoiceButton
from app.ui.dashboard.params.fields import FormButton, ParameterField
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from app.openbb.parameters import Param, ParameterOption


WIDE = 340  # pixels: width of a form


class ParamBar(QFrame):
    """Fields for the visible parameters, and a button that runs the widget if it needs one.

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
        # buttons are left out; only the button that is pressed is sent
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
        self.setMinimumWidth(WIDE)
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
        """Show why the form was not accepted; the entries stay."""
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
