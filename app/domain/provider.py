"""Providers: their forms, and the providers that the user added."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

MODEL_TYPE = "__model_type"  # a pseudo-field that says for which type of model a form is shown


@dataclass(frozen=True)
class FieldCondition:
    """A condition for showing a field or an option: another field must have this value."""

    variable: str
    value: str


@dataclass(frozen=True)
class FieldOption:
    """One choice of a field."""

    value: str
    label: str
    show_on: tuple[FieldCondition, ...] = ()


@dataclass(frozen=True)
class FormField:
    """A field of a form. kind: text-input, secret-input, select, radio or switch. longest: the
    maximum length; 0 means no limit.
    """

    variable: str
    label: str
    kind: str
    required: bool = True
    default: str | None = None
    options: tuple[FieldOption, ...] = ()
    placeholder: str = ""
    longest: int = 0
    show_on: tuple[FieldCondition, ...] = ()

    @property
    def secret(self) -> bool:
        """Return whether the field is masked while it is typed and is stored in the keyring."""
        return self.kind == "secret-input"


@dataclass(frozen=True)
class Provider:
    """A provider that can be added. types: the types of models that it offers, such as `llm` or
    `tts`.
    """

    id: str
    label: str
    description: str
    types: tuple[str, ...]
    fields: tuple[FormField, ...]
    model_fields: tuple[FormField, ...]
    model_label: str = "Name"
    model_hint: str = ""

    @property
    def asks(self) -> bool:
        """Return whether the provider itself has fields, as a server does; otherwise, only its
        models have fields.
        """
        return bool(self.fields)


def shown(
    fields: tuple[FormField, ...], given: dict[str, str], model_type: str = ""
) -> list[FormField]:
    """Return the fields to show, which are those whose conditions all hold. A field without a value
    counts as having its default.
    """
    values = {f.variable: f.default or "" for f in fields} | {k: v for k, v in given.items() if v}
    values |= {MODEL_TYPE: model_type}
    return [field for field in fields if holds(field.show_on, values)]


def choices(field: FormField, given: dict[str, str]) -> list[FieldOption]:
    """Return the options of a field that are shown with the given values."""
    return [option for option in field.options if holds(option.show_on, given)]


def holds(conditions: tuple[FieldCondition, ...], values: dict[str, str]) -> bool:
    """Return whether every condition holds."""
    return all(values.get(c.variable, "") == c.value for c in conditions)


def read_provider(told: dict[str, Any], language: str = "en_US") -> Provider:
    """Return a provider from the service's description, which is the provider's provider.yaml as
    JSON.
    """
    own, models = told.get("provider_credential_schema"), told.get("model_credential_schema")
    named: dict[str, Any] = (models or {}).get("model") or {}
    return Provider(
        id=str(told["provider"]),
        label=words(told.get("label"), language),
        description=words(told.get("description"), language),
        types=tuple(told.get("supported_model_types", ())),
        fields=read_fields(own, language),
        model_fields=read_fields(models, language),
        model_label=words(named.get("label"), language) or "Name",
        model_hint=words(named.get("placeholder"), language),
    )


def read_fields(schema: dict[str, Any] | None, language: str) -> tuple[FormField, ...]:
    """Return a form's fields from the service's description."""
    return tuple(
        FormField(
            variable=str(raw["variable"]),
            label=words(raw.get("label"), language),
            kind=str(raw["type"]),
            required=bool(raw.get("required", True)),
            default=raw.get("default"),
            options=tuple(
                FieldOption(str(o["value"]), words(o.get("label"), language), conditions(o))
                for o in raw.get("options") or ()
            ),
            placeholder=words(raw.get("placeholder"), language),
            longest=int(raw.get("max_length") or 0),
            show_on=conditions(raw),
        )
        for raw in (schema or {}).get("credential_form_schemas") or ()
    )


def conditions(raw: dict[str, Any]) -> tuple[FieldCondition, ...]:
    """Return the conditions on a field or an option."""
    return tuple(
        FieldCondition(str(c["variable"]), str(c["value"])) for c in raw.get("show_on") or ()
    )


def words(text: Any, language: str) -> str:
    """Return a text in a language, or in English if it is missing in that language; plain text is
    returned unchanged.
    """
    if isinstance(text, dict):
        return str(text.get(language) or text.get("en_US") or "")
    return str(text or "")


Place = str  # "keyring", "session", or "env:NAME"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
ENV = "env:"


@dataclass(frozen=True)
class AddedModel:
    """A model of an added provider. values: the values of its form, without secrets."""

    model: str
    type: str
    values: dict[str, str] = field(default_factory=dict[str, str])
    secrets: dict[str, Place] = field(default_factory=dict[str, Place])


@dataclass(frozen=True)
class AddedProvider:
    """A provider that the user added.

    name: its name in Deskpilot. provider: its kind. key: the key under which its secrets are found.
    values: the values of its form, without secrets. secrets: where each secret field is stored.
    host: where questions are sent; empty if they stay on this machine.
    """

    name: str
    provider: str
    key: str
    host: str
    values: dict[str, str] = field(default_factory=dict[str, str])
    secrets: dict[str, Place] = field(default_factory=dict[str, Place])
    models: tuple[AddedModel, ...] = ()

    def id_of(self, model: AddedModel) -> str:
        """Return the name that a model has in requests."""
        return f"{self.name}/{model.model}"


@dataclass(frozen=True)
class FilledForm:
    """The content of a form: values, secrets that were typed, and secrets taken from environment
    variables, with the name of each variable.
    """

    values: dict[str, str] = field(default_factory=dict[str, str])
    secrets: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    environment: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class OfferedModel:
    """A model that a provider offers. type: empty if it is unknown."""

    model: str
    type: str = ""


@dataclass(frozen=True)
class CredentialsTrial:
    """The result of testing a provider's credentials."""

    models: tuple[OfferedModel, ...]
    host: str


Keep = Literal["keyring", "session"]
