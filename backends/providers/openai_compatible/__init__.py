"""Models on servers with an OpenAI-style HTTP API."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider, validating


class OpenAICompatibleProvider(ModelProvider):
    """Offers the models of a server."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Check that the address belongs to such a server, and that the server accepts the key. If
        the server lists no models, the key is checked with each model instead.
        """
        self.list_models(credentials)

    def list_models(self, credentials: dict[str, Any]) -> list[dict[str, str | None]]:
        """Return the server's models; their types are known only if it is a Deskpilot service.

        OCR models are left out, because OCR cannot be provided to other machines.
        """
        from backends.providers.openai_compatible.connection import Peer
        from backends.providers.openai_compatible.settings import read_settings

        settings = read_settings(credentials, None)
        with validating():
            return [
                {"model": name, "type": kind}
                for name, kind in Peer(settings).typed_models()
                if kind != ModelType.OCR.value
            ]

    def host(self, credentials: dict[str, Any]) -> str:
        """Return the server's host, or an empty string if the server is on this machine."""
        from backends.providers.openai_compatible.settings import read_settings

        settings = read_settings(credentials, None)
        return "" if settings.is_local else settings.host

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the classes for all six types."""
        from backends.providers.openai_compatible.llm import RemoteLLM
        from backends.providers.openai_compatible.moderation import RemoteModeration
        from backends.providers.openai_compatible.retrieval import RemoteRerank, RemoteTextEmbedding
        from backends.providers.openai_compatible.speech import RemoteSpeech2Text, RemoteText2Speech

        return {
            ModelType.LLM: RemoteLLM,
            ModelType.TEXT_EMBEDDING: RemoteTextEmbedding,
            ModelType.RERANK: RemoteRerank,
            ModelType.SPEECH2TEXT: RemoteSpeech2Text,
            ModelType.TTS: RemoteText2Speech,
            ModelType.MODERATION: RemoteModeration,
        }


provider_class = OpenAICompatibleProvider
