"""The model classes of the contract, and the base class for providers."""

from backends.flexai.models.ai_model import AIModel, CallClock, ModelProvider, Provider, validating
from backends.flexai.models.large_language_model import Calls, LargeLanguageModel
from backends.flexai.models.speech_models import Speech2TextModel, Text2SpeechModel, TTSModel
from backends.flexai.models.text_models import (
    ModerationModel,
    OcrModel,
    RerankModel,
    TextEmbeddingModel,
)

__all__ = [
    "AIModel",
    "CallClock",
    "Calls",
    "LargeLanguageModel",
    "ModelProvider",
    "ModerationModel",
    "OcrModel",
    "Provider",
    "RerankModel",
    "Speech2TextModel",
    "TTSModel",
    "Text2SpeechModel",
    "TextEmbeddingModel",
    "validating",
]
