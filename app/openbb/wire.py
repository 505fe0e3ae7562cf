"""Fields of the protocol's objects, read tolerantly.

A value of an unexpected type counts as absent, so that reading never fails. For example, if a
server writes a number where text belongs, the rest of its widget is still shown.
"""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, SkipValidation


def as_dict(raw: object) -> dict[str, Any]:
    """Return an object unchanged; for anything else, return an empty object."""
    return dict(raw) if isinstance(raw, dict) else {}


def as_text(raw: object) -> str:
    """Return a value as text; for None, return an empty string."""
    return str(raw or "")


def only_text(raw: object) -> str:
    """Return a string unchanged; for anything else, return an empty string."""
    return raw if isinstance(raw, str) else ""


def objects_of(raw: object) -> list[dict[str, Any]]:
    """Return the objects in a list."""
    return [one for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []


def texts_of(raw: object) -> tuple[str, ...]:
    """Return the strings in a list."""
    return tuple(one for one in raw if isinstance(one, str)) if isinstance(raw, list) else ()


def number(value: object) -> float | None:
    """Return a number unchanged; for anything else, return None."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def whole(raw: object, default: int, low: int, high: int) -> int:
    """Return an integer, limited to a range."""
    value = number(raw)
    return default if value is None or value != value else int(min(max(value, low), high))


# What a validator returns is not validated again: pydantic rejects texts with unpaired surrogates,
# which JSON may contain.
Text = Annotated[SkipValidation[str], BeforeValidator(as_text)]
OnlyText = Annotated[SkipValidation[str], BeforeValidator(only_text)]
Texts = Annotated[SkipValidation[tuple[str, ...]], BeforeValidator(texts_of)]
Number = Annotated[SkipValidation[float | None], BeforeValidator(number)]
Yes = Annotated[SkipValidation[bool], BeforeValidator(lambda raw: raw is True)]
Fields = Annotated[SkipValidation[dict[str, Any]], BeforeValidator(as_dict)]
Objects = Annotated[SkipValidation[list[dict[str, Any]]], BeforeValidator(objects_of)]


class WireObject(BaseModel):
    """An object of the protocol. Anything that is not an object is read as an empty object."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @classmethod
    def read(cls, raw: object) -> Self:
        """Return the object that was sent."""
        return cls.model_validate(as_dict(raw))
