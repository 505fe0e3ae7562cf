"""Check credentials against the form that asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.flexai.errors import CredentialsValidateFailedError

if TYPE_CHECKING:
    from backends.flexai.entities import CredentialFormSchema


def validate_credentials(fields: list[CredentialFormSchema], given: dict[str, Any]) -> dict[str, Any]:
    """Return the credentials the form knows: defaults filled in, switches as booleans.

    A field whose `show_on` conditions do not all hold is left out; a field left open counts as its default,
    which is what a form shows.
    Raises: CredentialsValidateFailedError, naming the field.
    """
    checked: dict[str, Any] = {}
    shown = {field.variable: field.default for field in fields} | {k: v for k, v in given.items() if v}
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
        raise CredentialsValidateFailedError(f"{name} is longer than {field.max_length} characters.")
    options = [option.value for option in field.options]
    if field.type in ("select", "radio") and value not in options:
        raise CredentialsValidateFailedError(f"{name} must be one of {', '.join(options)}.")
    return value
