"""The inputs and outputs of models.

Messages: what a language model receives and returns, and the parts of these messages.

Descriptions of models and providers: types, parameters, prices, credentials.

The results of models, with usage and cost.
"""

from __future__ import annotations

from abc import ABC
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, Literal, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SerializeAsAny,
    field_validator,
    model_validator,
)


class PromptMessageContentType(Enum):
    """The type of a content part."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"


class PromptMessageContent(BaseModel):
    """A content part; only its subclasses below can be created.

    data: the text, or other content as a URL, a data URI or bare base64. opaque_body: data from the
    provider that must be sent back with the part in the next call.
    """

    type: PromptMessageContentType
    data: str
    opaque_body: JsonValue = None

    def __init__(self, **values: Any) -> None:
        if type(self) is PromptMessageContent:
            raise TypeError("make a TextPromptMessageContent or an ImagePromptMessageContent")
        super().__init__(**values)


class TextPromptMessageContent(PromptMessageContent):
    """A part that is text."""

    type: PromptMessageContentType = PromptMessageContentType.TEXT


class MultiModalPromptMessageContent(PromptMessageContent):
    """Content other than text, given by `data` or, as Dify does, by `url` or `base64_data` and
    `mime_type`.

    format: for example, `png`. filename: the name that the sender gave it.
    """

    format: str = ""
    mime_type: str = ""
    filename: str = ""

    @model_validator(mode="before")
    @classmethod
    def _either_form(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        given = dict(cast("dict[str, Any]", values))
        url, base64_data = given.pop("url", ""), given.pop("base64_data", "")
        if given.get("data") is None and (url or base64_data):
            kind = given.get("mime_type") or "application/octet-stream"
            given["data"] = url or f"data:{kind};base64,{base64_data}"
        return given

    @property
    def url(self) -> str:
        """The URL of the content; empty if the message includes the content itself."""
        return self.data if self.data.lower().startswith(("http://", "https://")) else ""

    @property
    def base64_data(self) -> str:
        """The content as base64; empty if the message gives a URL."""
        head, comma, tail = self.data.partition(",")
        if self.url:
            return ""
        return tail if comma and head.lower().startswith("data:") else self.data


class ImagePromptMessageContent(MultiModalPromptMessageContent):
    """An image. `detail` sets how closely the model should look at it."""

    class DETAIL(Enum):
        """How closely to look at an image."""

        LOW = "low"
        HIGH = "high"

    type: PromptMessageContentType = PromptMessageContentType.IMAGE
    detail: DETAIL = DETAIL.LOW


class AudioPromptMessageContent(MultiModalPromptMessageContent):
    """Audio."""

    type: PromptMessageContentType = PromptMessageContentType.AUDIO


class VideoPromptMessageContent(MultiModalPromptMessageContent):
    """A video."""

    type: PromptMessageContentType = PromptMessageContentType.VIDEO


class DocumentPromptMessageContent(MultiModalPromptMessageContent):
    """A document."""

    type: PromptMessageContentType = PromptMessageContentType.DOCUMENT


KINDS: dict[str, type[PromptMessageContent]] = {
    "text": TextPromptMessageContent,
    "image": ImagePromptMessageContent,
    "audio": AudioPromptMessageContent,
    "video": VideoPromptMessageContent,
    "document": DocumentPromptMessageContent,
}


def read_content(value: Any) -> Any:
    """Return a content dict as an instance of the class for its `type`; anything else is returned
    unchanged.
    """
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, Any]", value)
    kind = given.get("type")
    name = kind.value if isinstance(kind, PromptMessageContentType) else kind
    return KINDS.get(str(name), TextPromptMessageContent).model_validate(given)


class PromptMessageRole(Enum):
    """The role of a message's author."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DEVELOPER = "developer"  # newer servers' name for a system message


class PromptMessage(ABC, BaseModel):
    """A message; only its subclasses below can be created."""

    role: PromptMessageRole
    content: str | list[SerializeAsAny[PromptMessageContent]] | None = None
    name: str | None = None

    def __init__(self, **values: Any) -> None:
        if type(self) is PromptMessage:
            raise TypeError("make a message of one role, such as UserPromptMessage")
        super().__init__(**values)

    @model_validator(mode="before")
    @classmethod
    def _read_contents(cls, values: Any) -> Any:
        if isinstance(values, dict) and isinstance(values.get("content"), list):
            return values | {"content": [read_content(item) for item in values["content"]]}
        return values

    def text(self) -> str:
        """Return the text of the content, without images."""
        if isinstance(self.content, str):
            return self.content
        return "".join(
            c.data for c in self.content or [] if c.type is PromptMessageContentType.TEXT
        )


class SystemPromptMessage(PromptMessage):
    """Instructions for the model."""

    role: PromptMessageRole = PromptMessageRole.SYSTEM


class UserPromptMessage(PromptMessage):
    """A message from the user."""

    role: PromptMessageRole = PromptMessageRole.USER


class DeveloperPromptMessage(SystemPromptMessage):
    """Instructions, under the role that newer servers use."""

    role: PromptMessageRole = PromptMessageRole.DEVELOPER


class AssistantPromptMessage(PromptMessage):
    """The model's answer, or the tools it calls.

    reasoning: thoughts before the answer, which are not part of `content`; this extends FlexAI's
    fields. opaque_body: data from the provider that must be sent back with the message in the next
    call.
    """

    class ToolCall(BaseModel):
        """A call of a tool by the model."""

        class ToolCallFunction(BaseModel):
            """The name of the tool, and its arguments as JSON text."""

            name: str
            arguments: str

        id: str
        type: str = "function"
        function: ToolCallFunction

    role: PromptMessageRole = PromptMessageRole.ASSISTANT
    tool_calls: list[ToolCall] = []
    reasoning: str = ""
    opaque_body: JsonValue = None


class ToolPromptMessage(PromptMessage):
    """The result of a tool."""

    role: PromptMessageRole = PromptMessageRole.TOOL
    tool_call_id: str


class PromptMessageTool(BaseModel):
    """A tool that the model may call.

    parameters: the JSON Schema for the arguments.
    """

    model_config = ConfigDict(extra="ignore")

    name: str
    description: str
    parameters: dict[str, Any]


ROLES: dict[str, type[PromptMessage]] = {
    "system": SystemPromptMessage,
    "user": UserPromptMessage,
    "assistant": AssistantPromptMessage,
    "tool": ToolPromptMessage,
    "developer": DeveloperPromptMessage,
}


def read_message(value: dict[str, Any]) -> PromptMessage:
    """Return a message from its dict, as an instance of the class for its role.

    Raises: KeyError for an unknown role, pydantic.ValidationError for other errors.
    """
    return ROLES[value["role"]].model_validate(value)


class ModelType(Enum):
    """The six model types of this contract, and one of our own: OCR."""

    LLM = "llm"
    TEXT_EMBEDDING = "text-embedding"
    RERANK = "rerank"
    SPEECH2TEXT = "speech2text"
    TTS = "tts"
    MODERATION = "moderation"
    OCR = "ocr"


class EmbeddingInputType(StrEnum):
    """The purpose for which a text is embedded: so that it can be found, or to search for other
    texts.
    """

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
    """Prices. The price per token is input × unit, or output × unit."""

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
    """A condition for a field: it is shown only while another field has this value."""

    variable: str
    value: str


class FormOption(BaseModel):
    """An option of a select or radio field."""

    label: I18nObject
    value: str
    show_on: list[ShowOn] = []


class NumberRule(BaseModel):
    """The numbers allowed in a text field. min, max: inclusive. above: an exclusive minimum.

    This is our own extension; forms elsewhere have no number fields.
    """

    whole: bool = True
    min: float | None = None
    max: float | None = None
    above: float | None = None


class CredentialFormSchema(BaseModel):
    """A field of a credentials form. number: which numbers are allowed, if the text is a number."""

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


ENGINE_BYTES = 160_000_000  # measured for four engines: 130 to 165 MB


class ProviderEntity(BaseModel):
    """A provider as described by its provider.yaml. engine_bytes: the memory that its engine takes
    up in addition to a model's weights and context.
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


class ModelUsage(BaseModel):
    """Base class for the usages."""


class LLMUsage(ModelUsage):
    """The tokens, prices (per unit of tokens) and seconds of one answer."""

    prompt_tokens: int
    prompt_unit_price: Decimal
    prompt_price_unit: Decimal
    prompt_price: Decimal
    completion_tokens: int
    completion_unit_price: Decimal
    completion_price_unit: Decimal
    completion_price: Decimal
    total_tokens: int
    total_price: Decimal
    currency: str
    latency: float


class EmbeddingUsage(ModelUsage):
    """The tokens, price and seconds of one batch of texts."""

    tokens: int
    total_tokens: int
    unit_price: Decimal
    price_unit: Decimal
    total_price: Decimal
    currency: str
    latency: float


class TranscriptWord(BaseModel):
    """A word. start, end: times in seconds from the start of the audio."""

    word: str
    start: float
    end: float


class TranscriptSegment(BaseModel):
    """A segment, roughly one sentence. start, end: times in seconds from the start of the audio;
    None if unknown.

    text: as in the transcript, with the space before it. avg_logprob, no_speech_prob,
    compression_ratio, temperature, tokens: as Whisper reports them; None or empty for engines
    without them.
    """

    start: float | None = None
    end: float | None = None
    text: str
    words: list[TranscriptWord] = []
    tokens: list[int] = []
    avg_logprob: float | None = None
    no_speech_prob: float | None = None
    compression_ratio: float | None = None
    temperature: float | None = None


class TranscriptChunk(BaseModel):
    """A step of a transcript in progress.

    segments: the new ones. heard: seconds of audio processed so far. duration: total seconds, None
    while it is unknown. language: ISO 639-1 code; None until speech has been found.
    """

    segments: list[TranscriptSegment] = []
    heard: float
    duration: float | None = None
    language: str | None = None


class Transcript(BaseModel):
    """A complete transcript. duration: seconds of audio. language: None if there was no speech."""

    text: str
    segments: list[TranscriptSegment]
    duration: float
    language: str | None = None


def read_messages(values: Any) -> Any:
    """Return a list in which each dict is converted to the message for its role."""
    if isinstance(values, list):
        return [read_message(v) if isinstance(v, dict) else v for v in values]
    return values


class LLMResult(BaseModel):
    """A complete answer."""

    model: str
    prompt_messages: list[SerializeAsAny[PromptMessage]]
    message: AssistantPromptMessage
    usage: LLMUsage
    system_fingerprint: str | None = None

    _read = field_validator("prompt_messages", mode="before")(read_messages)


class LLMResultChunkDelta(BaseModel):
    """What a chunk adds to an answer; only the last chunk has `usage` and `finish_reason`."""

    index: int
    message: AssistantPromptMessage
    usage: LLMUsage | None = None
    finish_reason: str | None = None


class LLMResultChunk(BaseModel):
    """One chunk of a streamed answer."""

    model: str
    prompt_messages: list[SerializeAsAny[PromptMessage]]
    system_fingerprint: str | None = None
    delta: LLMResultChunkDelta

    _read = field_validator("prompt_messages", mode="before")(read_messages)


class TextEmbeddingResult(BaseModel):
    """The vectors of texts: `embeddings[i]` belongs to `texts[i]`.

    note: reports anything unexpected, such as texts that were cut to the model's maximum length;
    otherwise empty.
    """

    model: str
    embeddings: list[list[float]]
    usage: EmbeddingUsage
    note: str = ""


class RerankDocument(BaseModel):
    """A document: its index in the input, its text, its score."""

    index: int
    text: str
    score: float


class RerankResult(BaseModel):
    """Documents, best first. note: as in `TextEmbeddingResult`; for example, that no reranker was
    used.
    """

    model: str
    docs: list[RerankDocument]
    note: str = ""


class OcrLine(BaseModel):
    """A line of text in a picture. score: how certain the model is of the letters, from 0 to 1.
    box: left, top, right and bottom in pixels.
    """

    text: str
    score: float
    box: tuple[float, float, float, float]


class OcrResult(BaseModel):
    """The lines in a picture, in reading order."""

    model: str
    lines: list[OcrLine]


class Verdict(BaseModel):
    """A guard model's verdict on a text.

    flagged: whether the text is harmful. categories: maps the model's name for each kind of harm
    that it distinguishes to whether the text contains this kind; empty if the model names none.
    """

    flagged: bool
    categories: dict[str, bool] = {}
