"""The values that go into models and come out of them."""

from backends.flexai.entities.content import (
    AudioPromptMessageContent,
    DocumentPromptMessageContent,
    ImagePromptMessageContent,
    PromptMessageContent,
    PromptMessageContentType,
    TextPromptMessageContent,
    VideoPromptMessageContent,
)
from backends.flexai.entities.message import (
    AssistantPromptMessage,
    DeveloperPromptMessage,
    PromptMessage,
    PromptMessageRole,
    PromptMessageTool,
    SystemPromptMessage,
    ToolPromptMessage,
    UserPromptMessage,
    read_message,
)
from backends.flexai.entities.model import (
    AIModelEntity,
    EmbeddingInputType,
    I18nObject,
    ModelType,
    ParameterRule,
    PriceConfig,
)
from backends.flexai.entities.provider import CredentialFormSchema, NumberRule, ProviderEntity
from backends.flexai.entities.result import (
    LLMResult,
    LLMResultChunk,
    LLMResultChunkDelta,
    RerankDocument,
    RerankResult,
    TextEmbeddingResult,
    Verdict,
)
from backends.flexai.entities.transcript import (
    Transcript,
    TranscriptChunk,
    TranscriptSegment,
    TranscriptWord,
)
from backends.flexai.entities.usage import EmbeddingUsage, LLMUsage, ModelUsage

__all__ = [
    "AIModelEntity",
    "AssistantPromptMessage",
    "AudioPromptMessageContent",
    "CredentialFormSchema",
    "DeveloperPromptMessage",
    "DocumentPromptMessageContent",
    "EmbeddingInputType",
    "EmbeddingUsage",
    "I18nObject",
    "ImagePromptMessageContent",
    "LLMResult",
    "LLMResultChunk",
    "LLMResultChunkDelta",
    "LLMUsage",
    "ModelType",
    "ModelUsage",
    "NumberRule",
    "ParameterRule",
    "PriceConfig",
    "PromptMessage",
    "PromptMessageContent",
    "PromptMessageContentType",
    "PromptMessageRole",
    "PromptMessageTool",
    "ProviderEntity",
    "RerankDocument",
    "RerankResult",
    "SystemPromptMessage",
    "TextEmbeddingResult",
    "TextPromptMessageContent",
    "ToolPromptMessage",
    "Transcript",
    "TranscriptChunk",
    "TranscriptSegment",
    "TranscriptWord",
    "UserPromptMessage",
    "Verdict",
    "VideoPromptMessageContent",
    "read_message",
]
