"""Models of all six types behind servers that speak OpenAI's HTTP API."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.errors import CredentialsValidateFailedError, InvokeError
from backends.flexai.models import AIModel, ModelProvider


class OpenAICompatibleProvider(ModelProvider):
    """Offers the models of one server."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Check that the address is that of such a server, and that it takes the key."""
        from backends.providers.openai_compatible.settings import read_settings
        from backends.providers.openai_compatible.wire.connection import Peer

        settings = read_settings(credentials, None)
        try:
            Peer(settings).models()
        except InvokeError as error:
            raise CredentialsValidateFailedError(error.text, error.remedy) from error

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the six classes."""
        from backends.providers.openai_compatible.llm import RemoteLLM
        from backends.providers.openai_compatible.moderation import RemoteModeration
        from backends.providers.openai_compatible.rerank import RemoteRerank
        from backends.providers.openai_compatible.speech2text import RemoteSpeech2Text
        from backends.providers.openai_compatible.text2speech import RemoteText2Speech
        from backends.providers.openai_compatible.text_embedding import RemoteTextEmbedding

        return {
            ModelType.LLM: RemoteLLM,
            ModelType.TEXT_EMBEDDING: RemoteTextEmbedding,
            ModelType.RERANK: RemoteRerank,
            ModelType.SPEECH2TEXT: RemoteSpeech2Text,
            ModelType.TTS: RemoteText2Speech,
            ModelType.MODERATION: RemoteModeration,
        }


provider_class = OpenAICompatibleProvider
