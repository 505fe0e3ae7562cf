"""Add a provider: fill in what it asks for, try it out, choose its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
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

from app.ui.providers.choosing import ModelChoice
from app.ui.providers.form import LABEL, FieldsForm
from app.ui.settings.controls import Chooser
from app.ui.style.labels import label
from app.ui.words import mark, tr

if TYPE_CHECKING:
    from app.domain.provider import Provider, Tried

WIDTH = 520
HIGH = 200  # pixels of the details of models
SAFE = mark("Keys are kept in the system's keyring.")
TRY, ADD = mark("Try it out"), mark("Add")


class AddProvider(QDialog):
    """Signals: try_wanted(), add_wanted(); what was filled in stands in the fields until it worked.

    tried: what the provider said of what is filled in now; None until it was asked.
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
        self.tried: Tried | None = None
        self._trouble = keyring_trouble
        self.kind = Chooser(tr("Kind of provider"), self)
        self.kind.set_options([(kind.id, kind.label) for kind in kinds], kinds[0].id)
        self.kind.chosen.connect(self._choose)
        self.name = QLineEdit(name, self)
        self.name.setAccessibleName(tr("Name"))
        self.about = label("", "muted", self)
        self.kept = label("", "caption", self)
        self.session = QCheckBox(tr("Keep the key until Deskpilot is closed"), self)
        self.form, self.model_form = FieldsForm((), self), FieldsForm((), self)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFixedHeight(HIGH)
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
        for text, control in ((tr("Provider"), self.kind), (tr("Name here"), self.name)):
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
        """The kind of provider that is chosen."""
        return self.kinds[self.kind.value]

    def tell(self, text: str) -> None:
        """Say what is wrong, and let it be tried again."""
        self.told.setText(text)
        self.told.setVisible(bool(text))
        self._label()

    def offer(self, tried: Tried) -> None:
        """Offer the models of a provider that works."""
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
        """Show the form of a provider."""
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
            tr("{trouble}, so no key can be kept.", trouble=self._trouble)
            if self._trouble
            else tr(SAFE)
        )
        self.kept.setVisible(secret)
        self.session.setVisible(secret and bool(self._trouble))
        self._changed()

    def _changed(self) -> None:
        """What was tried out no longer holds."""
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
