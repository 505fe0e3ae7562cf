"""What a model is: its type, its parameters, its price."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class ModelType(Enum):
    """The six types of this contract."""

    LLM = "llm"
    TEXT_EMBEDDING = "text-embedding"
    RERANK = "rerank"
    SPEECH2TEXT = "speech2text"
    TTS = "tts"
    MODERATION = "moderation"


class EmbeddingInputType(StrEnum):
    """What a text is embedded as: one to be found, or one to find others with."""

    DOCUMENT = "document"
    QUERY = "query"


class I18nObject(BaseModel):
    """A text in several languages; what is missing is the English one."""

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
    """One parameter a call may carry: its type, range and default."""

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
    """One model as its YAML describes it."""

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
