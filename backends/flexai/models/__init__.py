"""The model classes of the contract, and the provider."""

from backends.flexai.models.ai_model import AIModel, CallClock, validating
from backends.flexai.models.large_language_model import Calls, LargeLanguageModel
from backends.flexai.models.model_provider import ModelProvider, Provider
from backends.flexai.models.moderation_model import ModerationModel
from backends.flexai.models.ocr_model import OcrModel
from backends.flexai.models.rerank_model import RerankModel
from backends.flexai.models.speech2text_model import Speech2TextModel
from backends.flexai.models.text2speech_model import Text2SpeechModel, TTSModel
from backends.flexai.models.text_embedding_model import TextEmbeddingModel

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
