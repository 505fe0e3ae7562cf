"""Providers of models, and their credentials."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from backends.flexai.errors import CredentialsValidateFailedError

if TYPE_CHECKING:
    from backends.flexai.entities import AIModelEntity, ModelType, ProviderEntity
    from backends.flexai.models.ai_model import AIModel


class ModelProvider(ABC):
    """Base class of the providers.

    entity: the content of provider.yaml. schemas: the descriptions of its models.
    """

    def __init__(self, entity: ProviderEntity, schemas: list[AIModelEntity]) -> None:
        self.entity = entity
        self.schemas = schemas

    @abstractmethod
    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Check the provider's credentials. Implement it as `pass` if only models have credentials.

        Raises: CredentialsValidateFailedError.
        """

    def list_models(self, credentials: dict[str, Any]) -> list[dict[str, str | None]]:
        """Return the available models as {model, type}; type None if unknown.

        By default these are the models of its files; a provider may ask a server instead. Raises:
        CredentialsValidateFailedError.
        """
        return [{"model": schema.model, "type": schema.model_type.value} for schema in self.schemas]

    def host(self, credentials: dict[str, Any]) -> str:
        """Return the host and port that input is sent to; empty if it stays on this machine."""
        return ""

    @abstractmethod
    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the class of each model type it offers, without importing an engine."""

    def get_model_instance(self, model_type: ModelType) -> AIModel:
        """Return a model object of this type; this is cheap, since no weights are loaded.

        Raises: CredentialsValidateFailedError if the provider has no such type.
        """
        found = self.model_classes().get(model_type)
        if found is None:
            raise CredentialsValidateFailedError(
                f"{self.entity.provider} offers no {model_type.value} models.",
                "Choose another provider.",
            )
        return found(self.entity.provider, self.schemas)


Provider = ModelProvider  # the name in the original SDK's sample
