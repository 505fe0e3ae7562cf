"""What a provider is: the models it offers and the credentials it asks for."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from backends.flexai.entities.model import I18nObject, ModelType


class ShowOn(BaseModel):
    """A field is asked for only while another has this value."""

    variable: str
    value: str


class FormOption(BaseModel):
    """One choice of a select or radio field."""

    label: I18nObject
    value: str
    show_on: list[ShowOn] = []


class NumberRule(BaseModel):
    """What a number typed into a text field must be. min, max: ends included. above: an end that is not.

    Ours: the forms of others have no numbers.
    """

    whole: bool = True
    min: float | None = None
    max: float | None = None
    above: float | None = None


class CredentialFormSchema(BaseModel):
    """One field of a credentials form. number: where its text is one."""

    variable: str
    label: I18nObject
    type: Literal["text-input", "secret-input", "select", "radio", "switch"]
    required: bool = True
    default: str | None = None
    options: list[FormOption] = []
    placeholder: I18nObject | None = None
    max_length: int = 0
    number: NumberRule | None = None
    show_on: list[ShowOn] = []


class CredentialSchema(BaseModel):
    """The fields of one form."""

    model: dict[str, Any] | None = None
    credential_form_schemas: list[CredentialFormSchema] = []


class ProviderEntity(BaseModel):
    """A provider as its provider.yaml describes it."""

    model_config = ConfigDict(protected_namespaces=(), extra="ignore")

    provider: str
    label: I18nObject
    description: I18nObject | None = None
    supported_model_types: list[ModelType]
    configurate_methods: list[Literal["predefined-model", "customizable-model"]]
    provider_credential_schema: CredentialSchema | None = None
    model_credential_schema: CredentialSchema | None = None
