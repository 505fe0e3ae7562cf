"""Map errors of native libraries, which derive directly from Exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.flexai.errors import translated

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from backends.flexai.errors import FlexAIError

MODULES = (
    "onnxruntime.",
    "safetensors.",
)  # where exception classes are created without a base class to catch


def native_errors(
    tell: Callable[[Exception], FlexAIError], *kinds: type[Exception]
) -> AbstractContextManager[None]:
    """Raise the result of `tell` for errors of a native library in the block; other errors pass
    unchanged.

    kinds: builtin exceptions that the library raises. tokenizers raises Exception itself, and
    onnxruntime and safetensors raise classes that derive from nothing else, so nothing narrower can
    be caught.
    """

    def say(error: Exception) -> FlexAIError | None:
        native = type(error) is Exception or type(error).__module__.startswith(MODULES)
        return tell(error) if native or isinstance(error, kinds) else None

    return translated(say)
