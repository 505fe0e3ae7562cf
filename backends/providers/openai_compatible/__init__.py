"""Models behind servers with an OpenAI-style HTTP API."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider, validating


class OpenAICompatibleProvider(ModelProvider):
    """Offers the models of one server."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Check that the address is that of such a server, and that it takes the key; of one that
        lists no models, each model shows it.
        """
        self.list_models(credentials)

    def list_models(self, credentials: dict[str, Any]) -> list[dict[str, str | None]]:
        """Return the models of the server, with types if it is a Deskpilot. A Deskpilot's OCR is
        left out, since OCR cannot be lent.
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
        """Return the server's host, if it is another than this machine."""
        from backends.providers.openai_compatible.settings import read_settings

        settings = read_settings(credentials, None)
        return "" if settings.is_local else settings.host

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
