"""Credentials read into a provider's own typed settings."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from backends.flexai.errors import InvokeBadRequestError

T = TypeVar("T", bound=BaseModel)


def read_settings(kind: type[T], given: dict[str, Any]) -> T:
    """Return the settings that credentials hold; a field left empty counts as not given.

    Raises: InvokeBadRequestError, naming the field.
    """
    try:
        return kind.model_validate({k: v for k, v in given.items() if v != ""})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise InvokeBadRequestError(
            f"The setting {name} is not usable: {first['msg']}.",
            "Correct it in the model's settings.",
        ) from error
