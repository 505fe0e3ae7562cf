"""The fields a provider asks for, shown while their conditions hold."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QWidget

from app.domain.provider import Field, Filled, choices, shown
from app.ui.settings.controls import Chooser, Switch
from app.ui.words import tr

LABEL = 210  # pixels, so that several forms stand in line


class FieldsForm(QWidget):
    """One row a field. Signals: changed()."""

    changed = Signal()

    def __init__(self, fields: tuple[Field, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fields = fields
        self._types = frozenset({""})
        self._all = True
        self.controls: dict[str, QWidget] = {}
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(8)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        for field in fields:
            self.controls[field.variable] = control = self._control(field)
            label = QLabel(field.label, self)
            label.setMinimumWidth(LABEL)
            label.setBuddy(control)
            self._form.addRow(label, control)
        self._show()

    def filled(self) -> Filled:
        """Return what was filled in, of the fields that are shown; what is empty has its default."""
        values = self._values()
        seen = [field for field in self._visible() if values[field.variable]]
        return Filled(
            {field.variable: values[field.variable] for field in seen if not field.secret},
            {field.variable: values[field.variable] for field in seen if field.secret},
        )

    def fill(self, values: dict[str, str]) -> None:
        """Put values into the fields; those without one are emptied."""
        for name, control in self.controls.items():
            value = values.get(name, "")
            match control:
                case Chooser():
                    control.set_value(value)
                case Switch():
                    control.setChecked(value == "true")
                case QLineEdit():
                    control.setText(value)
                case _:
                    raise TypeError(control)
        self._on_change()

    def missing(self) -> list[str]:
        """Return the labels of required fields that are empty."""
        values = self._values()
        return [
            field.label
            for field in self._visible()
            if field.required and not field.default and not values[field.variable]
        ]

    def set_types(self, types: frozenset[str]) -> None:
        """Show the fields for models of these types."""
        self._types = types or frozenset({""})
        self._show()

    def show_optional(self, on: bool) -> None:
        """Show fields that may be left as they are, or only those that must be filled in."""
        self._all = on
        self._show()

    def _visible(self) -> list[Field]:
        values = self._values()
        found = {f.variable for kind in self._types for f in shown(self._fields, values, kind)}
        return [field for field in self._fields if field.variable in found]

    def _values(self) -> dict[str, str]:
        return {name: value_of(control) for name, control in self.controls.items()}

    def _show(self) -> None:
        values = self._values()
        visible = {field.variable for field in self._visible() if self._all or field.required}
        for field in self._fields:
            control = self.controls[field.variable]
            self._form.setRowVisible(control, field.variable in visible)
            if isinstance(control, Chooser):
                offered = [(option.value, option.label) for option in choices(field, values)]
                control.set_options(offered, control.value)

    def _control(self, field: Field) -> QWidget:
        if field.kind in ("select", "radio"):
            chooser = Chooser(field.label, self)
            chooser.set_options(
                [(o.value, o.label) for o in choices(field, {})],
                field.default or (field.options[0].value if field.options else ""),
            )
            chooser.chosen.connect(self._on_change)
            return chooser
        if field.kind == "switch":
            switch = Switch(self)
            switch.setChecked(field.default == "true")
            switch.setAccessibleName(field.label)
            switch.toggled.connect(self._on_change)
            return switch
        line = QLineEdit(field.default or "", self)
        line.setAccessibleName(field.label)
        line.setPlaceholderText(field.placeholder or ("" if field.required else tr("may be empty")))
        if field.secret:
            line.setEchoMode(QLineEdit.EchoMode.Password)
        if field.longest:
            line.setMaxLength(field.longest)
        line.textChanged.connect(self._on_change)
        return line

    def _on_change(self) -> None:
        self._show()
        self.changed.emit()


def value_of(control: QWidget) -> str:
    """Return what a control holds, as text."""
    match control:
        case Chooser():
            return control.value
        case Switch():
            return "true" if control.isChecked() else "false"
        case QLineEdit():
            return control.text().strip()
        case _:
            raise TypeError(control)
