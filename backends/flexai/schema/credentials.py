"""Check credentials against the form that asks for them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from backends.flexai.errors import CredentialsValidateFailedError

if TYPE_CHECKING:
    from backends.flexai.entities import CredentialFormSchema, NumberRule


def validate_credentials(
    fields: list[CredentialFormSchema], given: dict[str, Any]
) -> dict[str, Any]:
    """Return the credentials the form knows: defaults filled in, switches as booleans.

    A field whose `show_on` conditions do not all hold is left out; a field left open counts as its default,
    which is what a form shows.
    Raises: CredentialsValidateFailedError, naming the field.
    """
    checked: dict[str, Any] = {}
    shown = {field.variable: field.default for field in fields} | {
        k: v for k, v in given.items() if v
    }
    for field in fields:
        if not all(shown.get(c.variable) == c.value for c in field.show_on):
            continue
        value = given.get(field.variable)
        if value is None or value == "":
            if field.required and field.default is None:
                raise CredentialsValidateFailedError(
                    f"{field.label.text()} ({field.variable}) is required.", "Fill it in."
                )
            value = field.default
        if value is not None:
            checked[field.variable] = check(field, value)
    return checked


def check(field: CredentialFormSchema, value: Any) -> str | bool:
    """Return one field's value.

    Raises: CredentialsValidateFailedError.
    """
    name = f"{field.label.text()} ({field.variable})"
    if field.type == "switch":
        if str(value).lower() not in ("true", "false"):
            raise CredentialsValidateFailedError(f"{name} must be true or false.")
        return str(value).lower() == "true"
    if not isinstance(value, str):
        raise CredentialsValidateFailedError(f"{name} must be text.")
    if field.max_length and len(value) > field.max_length:
        raise CredentialsValidateFailedError(
            f"{name} is longer than {field.max_length} characters."
        )
    options = [option.value for option in field.options]
    if field.type in ("select", "radio") and value not in options:
        raise CredentialsValidateFailedError(f"{name} must be one of {', '.join(options)}.")
    if field.number is not None and not allows(field.number, value):
        raise CredentialsValidateFailedError(
            f"{name} must be {described(field.number)}, not {value!r}."
        )
    return value


def allows(rule: NumberRule, text: str) -> bool:
    """Tell whether a text is a number that a rule allows."""
    try:
        number = int(text) if rule.whole else float(text)
    except ValueError:
        return False
    if "_" in text or not text.isascii():  # Python's own ways of writing numbers
        return False
    return (
        math.isfinite(number)
        and (rule.min is None or number >= rule.min)
        and (rule.max is None or number <= rule.max)
        and (rule.above is None or number > rule.above)
    )


def described(rule: NumberRule) -> str:
    """Return a rule in words."""
    ends = (("at least", rule.min), ("more than", rule.above), ("at most", rule.max))
    told = " and ".join(f"{word} {end:.15g}" for word, end in ends if end is not None)
    return f"a {'whole ' if rule.whole else ''}number{f', {told}' if told else ''}"
