"""Errors of models, and how errors of libraries are mapped to them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager


class FlexAIError(Exception):
    """Base of all errors of this layer.

    text: the event, a sentence for people. remedy: what to do about it, a sentence; may be empty.
    """

    def __init__(self, text: str = "", remedy: str = "") -> None:
        super().__init__(text)
        self.text = text or type(self).__name__
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}".strip()


class InvokeError(FlexAIError):
    """A call of a model failed."""


class InvokeConnectionError(InvokeError):
    """The network is down, the connection was refused, or it timed out."""


class InvokeServerUnavailableError(InvokeError):
    """The engine, or the process it runs in, is gone."""


class InvokeMemoryError(InvokeServerUnavailableError):
    """The model does not fit into the memory there is, so it was not loaded."""


class InvokeRateLimitError(InvokeError):
    """Too many requests, or a quota is used up."""


class InvokeAuthorizationError(InvokeError):
    """The key is missing, wrong or without permission."""


class InvokeBadRequestError(InvokeError, ValueError):
    """The model cannot take these parameters or this input."""


class ContextLengthError(InvokeBadRequestError):
    """The input is longer than the model can take."""


class UnsupportedParameterError(InvokeBadRequestError):
    """A parameter that the model, or this service, cannot follow. parameter: its name."""

    def __init__(self, text: str, remedy: str = "", parameter: str = "") -> None:
        super().__init__(text, remedy)
        self.parameter = parameter


class InvokeCancelledError(InvokeError):
    """The call was stopped on request."""


class CredentialsValidateFailedError(FlexAIError, ValueError):
    """A provider or a model cannot be used as it is configured."""


BY_NAME: dict[str, type[FlexAIError]] = {
    cls.__name__: cls
    for cls in (
        FlexAIError,
        InvokeError,
        InvokeConnectionError,
        InvokeServerUnavailableError,
        InvokeMemoryError,
        InvokeRateLimitError,
        InvokeAuthorizationError,
        InvokeBadRequestError,
        ContextLengthError,
        UnsupportedParameterError,
        InvokeCancelledError,
        CredentialsValidateFailedError,
    )
}


@contextmanager
def translated(say: Callable[[Exception], FlexAIError | None]) -> Generator[None]:
    """Raise library errors in the block as `say` maps them; our own and unmapped errors pass
    unchanged.
    """
    try:
        yield
    except FlexAIError:
        raise
    except Exception as error:
        said = say(error)
        if said is None:
            raise
        raise said from error


MODULES = (
    "onnxruntime.",
    "safetensors.",
)  # where kinds are made that have no base to catch them by


def native_errors(
    tell: Callable[[Exception], FlexAIError], *kinds: type[Exception]
) -> AbstractContextManager[None]:
    """Raise as `tell` says for errors of a native library in the block; other errors pass
    unchanged.

    kinds: builtin exceptions the library raises. tokenizers raises Exception itself, onnxruntime
    and safetensors raise classes that derive from nothing else, so nothing narrower can be caught.
    """

    def say(error: Exception) -> FlexAIError | None:
        native = type(error) is Exception or type(error).__module__.startswith(MODULES)
        return tell(error) if native or isinstance(error, kinds) else None

    return translated(say)
