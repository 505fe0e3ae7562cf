"""The base class of all model classes: schemas, prices, error mapping.

How a model's computation is cancelled.

A worker sets a flag around each call. A model that computes for a long time reads the flag at
points where it can stop (between tokens, in an engine's abort callback, between batches) and raises
`InvokeCancelledError`.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from backends.flexai.entities import AIModelEntity
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeAuthorizationError,
    InvokeBadRequestError,
    InvokeCancelledError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
    translated,
)
from backends.flexai.schema import validate_parameters

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager

    from backends.flexai.entities import ModelType, ProviderEntity


DESCRIPTIONS: dict[type[InvokeError], tuple[str, str]] = {
    InvokeConnectionError: ("could not be reached", "Check the connection and the address."),
    InvokeServerUnavailableError: ("is not available", "Try again in a moment."),
    InvokeRateLimitError: ("accepts no more requests now", "Wait a little, or check the quota."),
    InvokeAuthorizationError: ("refused the credentials", "Check the key and its permissions."),
    InvokeBadRequestError: ("could not accept the request", "Check the input and the parameters."),
}


class AIModel(ABC):
    """Base class for the six model classes.

    provider: the id under which its provider is registered.

    schemas: the models that its YAML files describe.

    An instance has no state between calls, so several threads may share it.
    """

    model_type: ClassVar[ModelType]

    def __init__(self, provider: str = "", schemas: list[AIModelEntity] | None = None) -> None:
        self.provider = provider or type(self).__module__
        self.schemas = [s for s in schemas or [] if s.model_type is self.model_type]

    @abstractmethod
    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the model can be used with the credentials.

        Raises: CredentialsValidateFailedError.
        """

    @property
    @abstractmethod
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        """Map our errors to the matching exceptions in the library."""

    def devices(self) -> list[str]:
        """Return the engine's devices on this machine, best first (cuda, metal, vulkan, cpu); empty
        for models on a server.
        """
        return []

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema of a model that has no YAML file, or None."""
        return None

    def get_model_schema(
        self, model: str, credentials: dict[str, Any] | None = None
    ) -> AIModelEntity | None:
        """Return a model's schema: the one in its YAML file, or else the customizable one, or
        None.
        """
        for schema in self.schemas:
            if schema.model == model:
                return schema
        return self.get_customizable_model_schema(model, credentials or {})

    def customizable(self, model: str, **more: Any) -> AIModelEntity:
        """Return the schema of a model that no YAML file describes."""
        named = {"model": model, "model_type": self.model_type, "fetch_from": "customizable-model"}
        return AIModelEntity.model_validate(named | more)

    def checked_parameters(
        self, model: str, credentials: dict[str, Any], given: dict[str, Any]
    ) -> dict[str, Any]:
        """Return a call's parameters, checked against the model's rules. Without a schema, they are
        not checked.

        Raises: InvokeBadRequestError.
        """
        schema = self.get_model_schema(model, credentials)
        return validate_parameters(schema.parameter_rules, given) if schema else dict(given)

    def context_size(self, model: str, credentials: dict[str, Any]) -> int:
        """Return the maximum number of tokens in a conversation and its answer together; 0 if
        unknown.

        Raises: InvokeError.
        """
        schema = self.get_model_schema(model, credentials)
        return int(schema.model_properties.get("context_size") or 0) if schema is not None else 0

    def parameter_names(self, model: str, credentials: dict[str, Any]) -> list[str] | None:
        """Return the names of the parameters that a call may contain, including the names of the
        parameters' templates. None means that any name is allowed.
        """
        schema = self.get_model_schema(model, credentials)
        if schema is None:
            return None
        rules = schema.parameter_rules
        return [*(r.name for r in rules), *(r.use_template for r in rules if r.use_template)]

    def get_price(
        self, model: str, credentials: dict[str, Any], kind: str, tokens: int
    ) -> tuple[Decimal, Decimal, Decimal, str]:
        """Return (unit price, unit, total, currency) for `kind`, "input" or "output"; zeros if the
        model has no prices.
        """
        schema = self.get_model_schema(model, credentials)
        pricing = schema.pricing if schema else None
        if pricing is None:
            return Decimal(0), Decimal(0), Decimal(0), "USD"
        price = pricing.input if kind == "input" else pricing.output or Decimal(0)
        total = (tokens * price * pricing.unit).quantize(
            Decimal("0.0000001"), rounding=ROUND_HALF_UP
        )
        return price, pricing.unit, total, pricing.currency

    def mapped_errors(self) -> AbstractContextManager[None]:
        """Convert library exceptions that are raised in the block to our errors; our own are passed
        on unchanged.
        """
        return translated(self._transform_invoke_error)

    def _transform_invoke_error(self, error: Exception) -> InvokeError:
        rows = [
            (len(kind.__mro__), ours, kind)
            for ours, kinds in self._invoke_error_mapping.items()
            for kind in kinds
            if isinstance(error, kind)
        ]
        if not rows:
            return InvokeError(f"{self.provider}: {type(error).__name__}: {error}")
        # the most derived exception is the most specific
        ours = max(rows, key=lambda row: row[0])[1]
        what, remedy = DESCRIPTIONS.get(ours, ("failed", ""))
        return ours(f"{self.provider} {what}: {error}", remedy)


@contextmanager
def validating() -> Generator[None]:
    """Convert errors that are raised in the block and prevent the use of a model to
    CredentialsValidateFailedError.
    """
    try:
        yield
    except InvokeError as error:
        raise CredentialsValidateFailedError(error.text, error.remedy) from error


class CallClock:
    """Measures the seconds since it was created. Each call has its own clock, so threads do not
    interfere.
    """

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def seconds(self) -> float:
        """Return the elapsed seconds."""
        return time.perf_counter() - self._start


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text has, without a tokenizer or the network.

    It assumes about four characters per token in Latin script, and about one in other scripts.
    """
    wide = sum(1 for character in text if ord(character) > 0x2E7F)
    return wide + (len(text) - wide + 3) // 4


class ModelProvider(ABC):
    """Base class for providers.

    entity: the contents of provider.yaml. schemas: the descriptions of the provider's models.
    """

    def __init__(self, entity: ProviderEntity, schemas: list[AIModelEntity]) -> None:
        self.entity = entity
        self.schemas = schemas

    @abstractmethod
    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Check the provider's credentials. If only the models have credentials, implement it as
        `pass`.

        Raises: CredentialsValidateFailedError.
        """

    def list_models(self, credentials: dict[str, Any]) -> list[dict[str, str | None]]:
        """Return the available models as {model, type}. The type is None if it is unknown.

        By default, these are the models described in the provider's files; a provider may ask a
        server instead. Raises: CredentialsValidateFailedError.
        """
        return [{"model": schema.model, "type": schema.model_type.value} for schema in self.schemas]

    def host(self, credentials: dict[str, Any]) -> str:
        """Return the host and port to which input is sent; empty if the input stays on this
        machine.
        """
        return ""

    @abstractmethod
    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the class for each model type that the provider offers, without importing an
        engine.
        """

    def get_model_instance(self, model_type: ModelType) -> AIModel:
        """Return a model object of this type. This is cheap, because no weights are loaded.

        Raises: CredentialsValidateFailedError if the provider does not offer this type.
        """
        found = self.model_classes().get(model_type)
        if found is None:
            raise CredentialsValidateFailedError(
                f"{self.entity.provider} offers no {model_type.value} models.",
                "Choose another provider.",
            )
        return found(self.entity.provider, self.schemas)


Provider = ModelProvider  # as it is named in the sample of the original SDK


NEVER = threading.Event()
_current: ContextVar[threading.Event] = ContextVar("cancellation", default=NEVER)


@contextmanager
def cancellable(flag: threading.Event) -> Generator[None]:
    """Within the block, make `flag_of_call()` return `flag`."""
    token = _current.set(flag)
    try:
        yield
    finally:
        _current.reset(token)


def flag_of_call() -> threading.Event:
    """Return the flag of the running call. Call this before starting threads or callbacks."""
    return _current.get()


def stop_if_cancelled() -> None:
    """Raise InvokeCancelledError if the running call was cancelled."""
    if _current.get().is_set():
        raise InvokeCancelledError("The call was stopped.")
