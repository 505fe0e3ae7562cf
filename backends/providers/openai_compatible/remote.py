"""The base class of all remote models: settings, errors, prices."""

from __future__ import annotations

from abc import abstractmethod
from decimal import Decimal
from typing import Any

from backends.flexai.entities import AIModelEntity, PriceConfig
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeError,
)
from backends.flexai.models import AIModel
from backends.providers.openai_compatible.connection import Peer
from backends.providers.openai_compatible.failures import mapping
from backends.providers.openai_compatible.settings import ServerSettings, read_settings

MILLIONTH = Decimal("0.000001")
SHOWN = 8  # model names listed in a sentence


class Remote(AIModel):
    """A model on a server."""

    @abstractmethod
    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Make the smallest call that proves that the model works.

        Raises: InvokeError.
        """

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the model answers; the server may have to load it."""
        try:
            self.try_out(model, credentials)
        except InvokeBadRequestError as error:
            there = self._listed(credentials)
            raise CredentialsValidateFailedError(error.text, there or error.remedy) from error
        except InvokeError as error:
            raise CredentialsValidateFailedError(error.text, error.remedy) from error

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema that the credentials describe."""
        settings = self.settings(credentials)
        return self.customizable(
            model,
            pricing=PriceConfig(
                input=settings.input_price,
                output=settings.output_price,
                unit=MILLIONTH,
                currency=settings.currency,
            ),
            **self.described(settings),
        )

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return additional fields for this model type's schema."""
        return {}

    def settings(self, credentials: dict[str, Any]) -> ServerSettings:
        """Return the settings in the credentials.

        Raises: CredentialsValidateFailedError.
        """
        return read_settings(credentials, self.model_type)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return mapping()

    def _listed(self, credentials: dict[str, Any]) -> str:
        """Return a sentence with the models that the server lists; empty if it lists none."""
        try:
            names = Peer(self.settings(credentials)).models()
        except InvokeError:
            return ""
        shown = ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
        return f"It lists: {shown}." if names else ""
