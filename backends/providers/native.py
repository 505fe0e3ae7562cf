"""Errors of native libraries: kinds of their own under plain Exception, or a plain Exception."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from backends.flexai.errors import FlexAIError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

MODULES = ("onnxruntime.", "safetensors.")  # where kinds are made that have no base to catch them by


@contextmanager
def native_errors(tell: Callable[[Exception], FlexAIError], *kinds: type[Exception]) -> Generator[None]:
    """Raise as `tell` says what a native library raises in the block; every other error passes unchanged.

    kinds: what the library raises of Python's own. tokenizers raises Exception itself, onnxruntime
    and safetensors kinds that derive from nothing else, so that nothing narrower can be caught.
    """
    try:
        yield
    except FlexAIError:
        raise
    except kinds as error:
        raise tell(error) from error
    except Exception as error:
        if type(error) is not Exception and not type(error).__module__.startswith(MODULES):
            raise
        raise tell(error) from error
