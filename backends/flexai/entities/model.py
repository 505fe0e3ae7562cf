"""Descriptions of models and providers: types, parameters, prices, credentials."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class ModelType(Enum):
    """The six types in this contract, and one of our own: OCR."""

    LLM = "llm"
    TEXT_EMBEDDING = "text-embedding"
    RERANK = "rerank"
    SPEECH2TEXT = "speech2text"
    TTS = "tts"
    MODERATION = "moderation"
    OCR = "ocr"


class EmbeddingInputType(StrEnum):
    """The purpose of embedding a text: to be found, or to search for others."""

    DOCUMENT = "document"
    QUERY = "query"


class I18nObject(BaseModel):
    """A text in several languages; a missing language falls back to English."""

    en_US: str
    zh_Hans: str | None = None
    ja_JP: str | None = None
    pt_BR: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain_text_is_english(cls, value: Any) -> Any:
        return {"en_US": value} if isinstance(value, str) else value

    def text(self, language: str = "en_US") -> str:
        """Return the text in a language such as `zh_Hans`."""
        return getattr(self, language, None) or self.en_US


class ParameterRule(BaseModel):
    """A parameter of a call: its type, range and default."""

    name: str
    use_template: str | None = None
    label: I18nObject
    type: Literal["float", "int", "string", "boolean", "text"]
    help: I18nObject | None = None
    required: bool = False
    default: Any = None
    min: float | None = None
    max: float | None = None
    precision: int | None = None
    options: list[str] = []


class PriceConfig(BaseModel):
    """Price per token = input × unit (output × unit)."""

    input: Decimal
    output: Decimal | None = None
    unit: Decimal
    currency: str


class AIModelEntity(BaseModel):
    """A model as described by its YAML file."""

    model_config = ConfigDict(protected_namespaces=())

    model: str
    label: I18nObject
    model_type: ModelType
    features: list[str] = []
    fetch_from: Literal["predefined-model", "customizable-model"] = "predefined-model"
    model_properties: dict[str, Any] = Field(default_factory=dict)
    deprecated: bool = False
    parameter_rules: list[ParameterRule] = []
    pricing: PriceConfig | None = None

    @model_validator(mode="before")
    @classmethod
    def _label_defaults_to_the_name(cls, value: Any) -> Any:
        return {"label": value.get("model", "")} | value if isinstance(value, dict) else value


class ShowOn(BaseModel):
    """A condition: a field is shown only while another field has this value."""

    variable: str
    value: str


class FormOption(BaseModel):
    """An option of a select or radio field."""

    label: I18nObject
    value: str
    show_on: list[ShowOn] = []


class NumberRule(BaseModel):
    """The allowed numbers in a text field. min, max: inclusive. above: an exclusive minimum.

    This is our own extension; other forms have no numbers.
    """

    whole: bool = True
    min: float | None = None
    max: float | None = None
    above: float | None = None


class CredentialFormSchema(BaseModel):
    """A field of a credentials form. number: whether its text is a number."""

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
    """The fields of a form."""

    model: dict[str, Any] | None = None
    credential_form_schemas: list[CredentialFormSchema] = []


ENGINE_BYTES = 160_000_000  # measured: 130 to 165 MB, four engines


class ProviderEntity(BaseModel):
    """A provider as described by its provider.yaml. engine_bytes: memory that its engine takes in
    addition to a model's weights and context.
    """

    model_config = ConfigDict(protected_namespaces=(), extra="ignore")

    provider: str
    label: I18nObject
    description: I18nObject | None = None
    supported_model_types: list[ModelType]
    configurate_methods: list[Literal["predefined-model", "customizable-model"]]
    provider_credential_schema: CredentialSchema | None = None
    model_credential_schema: CredentialSchema | None = None
    engine_bytes: int = ENGINE_BYTES
