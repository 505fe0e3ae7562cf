"""The errors that models raise, and how library errors are mapped to them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager


class FlexAIError(Exception):
    """Base class of all errors in this layer.

    text: what happened, as a sentence for users. remedy: how to fix it, as a sentence; may be
    empty.
    """

    def __init__(self, text: str = "", remedy: str = "") -> None:
        super().__init__(text)
        self.text = text or type(self).__name__
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}".strip()


class InvokeError(FlexAIError):
    """A call to a model failed."""


class InvokeConnectionError(InvokeError):
    """The network is down, the connection was refused, or it timed out."""


class InvokeServerUnavailableError(InvokeError):
    """The engine, or the process it runs in, has ended."""


class InvokeMemoryError(InvokeServerUnavailableError):
    """The model does not fit into the available memory, so it was not loaded."""


class InvokeRateLimitError(InvokeError):
    """Too many requests were sent, or a quota is used up."""


class InvokeAuthorizationError(InvokeError):
    """The key is missing, invalid or lacks permission."""


class InvokeBadRequestError(InvokeError, ValueError):
    """The model does not accept these parameters or this input."""


class ContextLengthError(InvokeBadRequestError):
    """The input is longer than the model accepts."""


class UnsupportedParameterError(InvokeBadRequestError):
    """The model or this service does not support a parameter. parameter: its name."""

    def __init__(self, text: str, remedy: str = "", parameter: str = "") -> None:
        super().__init__(text, remedy)
        self.parameter = parameter


class InvokeCancelledError(InvokeError):
    """The call was stopped on request."""


class CredentialsValidateFailedError(FlexAIError, ValueError):
    """A provider or model cannot be used as configured."""


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
    """Convert library errors that are raised in the block with `say`. Our own errors, and errors
    for which it returns None, are passed on unchanged.
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
)  # these modules create exception classes that have no base class of their own to catch


def native_errors(
    tell: Callable[[Exception], FlexAIError], *kinds: type[Exception]
) -> AbstractContextManager[None]:
    """If a native library's error is raised in the block, raise what `tell` returns for it instead;
    other errors are passed on unchanged.

    kinds: built-in exceptions that the library raises. tokenizers raises Exception itself; the
    exceptions of onnxruntime and safetensors have no other base class. Therefore, no narrower class
    can be caught.
    """

    def say(error: Exception) -> FlexAIError | None:
        native = type(error) is Exception or type(error).__module__.startswith(MODULES)
        return tell(error) if native or isinstance(error, kinds) else None

    return translated(say)
