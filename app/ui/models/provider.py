"""The dialog that adds a provider: the user fills in the form, tests it and chooses models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import DeskpilotError
from app.domain.model import TYPES
from app.domain.provider import FilledForm, FormField, Keep, OfferedModel, choices, shown
from app.services.models.providers import WantedModel
from app.ui.controls.fields import Chooser, Switch
from app.ui.controls.labels import label
from app.ui.theme.i18n import MODELS_OWN, mark, said, spoken_language, tr
from app.ui.theme.i18n import told as in_words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.provider import CredentialsTrial, Provider
    from app.services.models.providers import Providers
    from app.services.tasks import Do, Work


PARAMETERS = (  # labels of parameters, which providers write in English
    mark("Temperature"),
    mark("Top P"),
    mark("Top K"),
    mark("Min P"),
    mark("Repeat penalty"),
    mark("Presence penalty"),
    mark("Frequency penalty"),
    mark("Max tokens"),
    mark("Seed"),
    mark("Response format"),
    mark("JSON schema"),
    mark("Model default"),
)
LABEL = 210  # in pixels; a common width aligns the labels of several forms


class FieldsForm(QWidget):
    """A form with one row for each field. Signals: changed()."""

    changed = Signal()

    def __init__(self, fields: tuple[FormField, ...], parent: QWidget | None = None) -> None:
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
            label = QLabel(tr(field.label), self)
            label.setMinimumWidth(LABEL)
            label.setBuddy(control)
            self._form.addRow(label, control)
        self._show()

    def filled(self) -> FilledForm:
        """Return the values of the visible fields; fields that are left empty use their
        defaults.
        """
        values = self._values()
        seen = [field for field in self._visible() if values[field.variable]]
        return FilledForm(
            {field.variable: values[field.variable] for field in seen if not field.secret},
            {field.variable: values[field.variable] for field in seen if field.secret},
        )

    def fill(self, values: dict[str, str]) -> None:
        """Fill the fields with values; fields without a value are cleared."""
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
        """Return the labels of the required fields that are empty."""
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
        """Show all fields, or only those that are required."""
        self._all = on
        self._show()

    def _visible(self) -> list[FormField]:
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
                offered = [(option.value, tr(option.label)) for option in choices(field, values)]
                control.set_options(offered, control.value)

    def _control(self, field: FormField) -> QWidget:
        if field.kind in ("select", "radio"):
            chooser = Chooser(field.label, self)
            chooser.set_options(
                [(o.value, tr(o.label)) for o in choices(field, {})],
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
        line.setPlaceholderText(field.placeholder or ("" if field.required else tr("optional")))
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
    """Return the value of a control as text."""
    match control:
        case Chooser():
            return control.value
        case Switch():
            return "true" if control.isChecked() else "false"
        case QLineEdit():
            return control.text().strip()
        case _:
            raise TypeError(control)


HIGH = 190  # height of the list, in pixels
WIDE = 330  # width of a name in the list, in pixels
ANOTHER = mark("Another model")


class ModelChoice(QWidget):
    """The choice of a provider's models. Signals: changed()."""

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

    def offer(self, kind: Provider, offered: tuple[OfferedModel, ...]) -> None:
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

    def chosen(self) -> list[OfferedModel]:
        """Return the models that are selected or whose names were entered."""
        found = [
            OfferedModel(name, chooser.value)
            for box, chooser, name in self._rows
            if box.isChecked()
        ]
        named = self.another.text().strip()
        return [*found, *([OfferedModel(named, self.type.value)] if named else [])]

    def _types(self) -> list[tuple[str, str]]:
        assert self._kind is not None
        return [(kind, tr(TYPES.get(kind, kind))) for kind in self._kind.types]


WIDTH = 520
LIST_HIGH = 200  # height of the models' details, in pixels
SAFE = mark("Keys are stored in the system's keyring.")
TRY, ADD = mark("Try it out"), mark("Add")


class AddProvider(QDialog):
    """The dialog that adds a provider.

    Signals: try_wanted(), add_wanted(). The input stays until the provider has been added. tried:
    the provider's response to the current input; None until the input has been tested.
    """

    try_wanted = Signal()
    add_wanted = Signal()

    def __init__(
        self, kinds: list[Provider], name: str, keyring_trouble: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add provider"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.kinds = {kind.id: kind for kind in kinds}
        self.tried: CredentialsTrial | None = None
        self._trouble = keyring_trouble
        self.kind = Chooser(tr("Kind of provider"), self)
        self.kind.set_options([(kind.id, kind.label) for kind in kinds], kinds[0].id)
        self.kind.chosen.connect(self._choose)
        self.name = QLineEdit(name, self)
        self.name.setAccessibleName(tr("Name"))
        self.about = label("", "muted", self)
        self.kept = label("", "caption", self)
        self.session = QCheckBox(tr("Keep the key only until Deskpilot is closed"), self)
        self.form, self.model_form = FieldsForm((), self), FieldsForm((), self)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFixedHeight(LIST_HIGH)
        self.offered = label("", "muted", self)
        self.models = ModelChoice(self)
        self.details = QCheckBox(tr("Change details of these models"), self)
        self.told = label("", "problem", self)
        for part in (self.about, self.kept, self.offered, self.told):
            part.setFixedWidth(WIDTH)
        self.cancel, self.go = QPushButton(tr("Cancel"), self), QPushButton(tr(TRY), self)
        self.go.setObjectName("primary")
        self.go.setDefault(True)
        self.cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self._press)
        self.session.toggled.connect(self._enable)
        self.details.toggled.connect(self._show_details)
        self.models.changed.connect(self._enable)
        self._column = QVBoxLayout(self)
        self._lay_out()
        self._choose(kinds[0].id)

    def _lay_out(self) -> None:
        head = QFormLayout()
        head.setSpacing(8)
        for text, control in ((tr("Provider"), self.kind), (tr("Display name"), self.name)):
            named = QLabel(text, self)
            named.setMinimumWidth(LABEL)
            named.setBuddy(control)
            head.addRow(named, control)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.go)
        column = self._column
        column.setContentsMargins(20, 16, 20, 16)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        column.setSpacing(10)
        column.addLayout(head)
        for part in (self.about, self.form, self.kept, self.session, self.offered, self.models):
            column.addWidget(part)
        for part in (self.details, self._scroll, self.told):
            column.addWidget(part)
        column.addLayout(buttons)

    @property
    def provider(self) -> Provider:
        """Return the chosen kind of provider."""
        return self.kinds[self.kind.value]

    def tell(self, text: str) -> None:
        """Show an error and let the user try again."""
        self.told.setText(text)
        self.told.setVisible(bool(text))
        self._label()

    def offer(self, tried: CredentialsTrial) -> None:
        """Offer the models of a provider that has been tested successfully."""
        self.tried = tried
        self.offered.setText(
            " ".join(
                [
                    *(
                        [tr("What you send to these models goes to {host}.", host=tried.host)]
                        if tried.host
                        else []
                    ),
                    tr("Choose its models.") if tried.models else tr("Name its model."),
                ]
            )
        )
        self.models.offer(self.provider, tried.models)
        self._show_models(True)
        self.tell("")
        self.models.another.setFocus() if not tried.models else None

    def _choose(self, name: str) -> None:
        """Show the form for a provider."""
        kind = self.kinds[name]
        self.about.setText(kind.description)
        old, self.form = self.form, FieldsForm(kind.fields, self)
        self._column.replaceWidget(old, self.form)
        old.setParent(None)
        old.deleteLater()
        self.form.changed.connect(self._changed)
        self.model_form = FieldsForm(kind.model_fields, self)
        self._scroll.setWidget(self.model_form)
        self.model_form.changed.connect(self._enable)
        secret = any(field.secret for field in (*kind.fields, *kind.model_fields))
        self.kept.setText(
            tr("{trouble} Keys can't be saved.", trouble=said(self._trouble))
            if self._trouble
            else tr(SAFE)
        )
        self.kept.setVisible(secret)
        self.session.setVisible(secret and bool(self._trouble))
        self._changed()

    def _changed(self) -> None:
        """Discard the test result, because the input has changed."""
        self.tried = None
        self._show_models(False)
        self.tell("")

    def _show_models(self, on: bool) -> None:
        for part in (self.offered, self.models):
            part.setVisible(on)
        optional = any(not field.required for field in self.provider.model_fields)
        self.details.setVisible(on and optional)
        self._show_details()
        self._label()

    def _show_details(self) -> None:
        on = self.tried is not None
        required = any(field.required for field in self.provider.model_fields)
        self.model_form.show_optional(self.details.isChecked())
        self._scroll.setVisible(on and (required or self.details.isChecked()))

    def _label(self) -> None:
        self.go.setText(tr(TRY if self.tried is None else ADD))
        self._enable()

    def _enable(self) -> None:
        chosen = self.models.chosen() if self.tried is not None else []
        self.model_form.set_types(frozenset(choice.type for choice in chosen))
        needs_session = bool(self._trouble) and bool(self.form.filled().secrets)
        ready = not self.form.missing() and (self.session.isChecked() or not needs_session)
        if self.tried is not None:
            ready = ready and bool(chosen) and not self.model_form.missing()
        self.go.setEnabled(ready)

    def _press(self) -> None:
        self.told.hide()
        self.go.setEnabled(False)
        self.go.setText(tr("Trying …"))
        (self.try_wanted if self.tried is None else self.add_wanted).emit()


TASK = "add provider"


class ProviderDialogs(QObject):
    """Opens the dialog. do: a function that starts a named task. added: a function that is awaited
    after a provider has been added.
    """

    def __init__(
        self, window: QWidget, providers: Providers, do: Do, added: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(window)
        self._window, self._providers, self._do, self._added = window, providers, do, added
        self.dialog: AddProvider | None = None

    def open(self) -> None:
        """Open the dialog once the providers are known."""
        self._do(TASK, self._open())

    async def _open(self) -> None:
        kinds = await self._providers.kinds(MODELS_OWN[spoken_language()])
        name = await self._providers.free_name(kinds[0])
        dialog = AddProvider(kinds, name, await self._providers.keyring_trouble(), self._window)
        dialog.try_wanted.connect(
            lambda: self._do(TASK, self._told(dialog, lambda: self._try(dialog)))
        )
        dialog.add_wanted.connect(
            lambda: self._do(TASK, self._told(dialog, lambda: self._add(dialog)))
        )
        dialog.finished.connect(self._closed)
        self.dialog = dialog
        dialog.open()

    async def _told(self, dialog: AddProvider, work: Work) -> None:
        """Run a task; show any error in the dialog, unless the dialog has been closed."""
        try:
            await work()
        except DeskpilotError as error:
            if self.dialog is dialog:
                dialog.tell(in_words(error))

    async def _try(self, dialog: AddProvider) -> None:
        filled = dialog.form.filled()
        await self._providers.check_name(dialog.name.text().strip())
        tried = await self._providers.try_out(dialog.provider.id, filled)
        if self.dialog is dialog and dialog.form.filled() == filled:
            dialog.offer(tried)

    async def _add(self, dialog: AddProvider) -> None:
        details: FilledForm = dialog.model_form.filled()
        wanted = [
            WantedModel(choice.model, choice.type, details) for choice in dialog.models.chosen()
        ]
        keep: Keep = "session" if dialog.session.isChecked() else "keyring"
        name = dialog.name.text().strip()
        await self._providers.add(
            name, dialog.provider.id, dialog.form.filled(), wanted, keep=keep, tried=dialog.tried
        )
        if self.dialog is dialog:
            dialog.accept()
        await self._added()

    def _closed(self) -> None:
        self.dialog = None
