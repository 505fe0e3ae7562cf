"""Check the parameters of a call against a model's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.flexai.errors import InvokeBadRequestError

if TYPE_CHECKING:
    from backends.flexai.entities import ParameterRule


def validate_parameters(rules: list[ParameterRule], given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters the rules know, checked; what no rule names is dropped.

    A value may stand under the name of the rule's template (`max_tokens` for `num_predict`).
    A default is filled in only where the rule is required.
    Raises: InvokeBadRequestError for a wrong type, a value out of range or an unknown option.
    """
    checked: dict[str, Any] = {}
    for rule in rules:
        value = given.get(rule.name)
        if value is None and rule.use_template:
            value = given.get(rule.use_template)
        if value is None and rule.required:
            value = rule.default
            if value is None:
                raise bad(rule, "is missing")
        if value is not None:
            checked[rule.name] = check(rule, value)
    return checked


def check(rule: ParameterRule, value: Any) -> Any:
    """Return the value in the rule's type.

    Raises: InvokeBadRequestError.
    """
    if rule.type in ("int", "float"):
        return check_number(rule, value)
    if rule.type == "boolean":
        if not isinstance(value, bool):
            raise bad(rule, f"must be true or false, not {value!r}")
        return value
    if not isinstance(value, str):
        raise bad(rule, f"must be text, not {value!r}")
    if rule.options and value not in rule.options:
        raise bad(rule, f"must be one of {', '.join(rule.options)}, not {value!r}")
    return value


def check_number(rule: ParameterRule, value: Any) -> int | float:
    """Return the number if it has the rule's type and lies in its range, ends included."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or (rule.type == "int" and not whole)
    ):
        raise bad(rule, f"must be a {'whole ' if rule.type == 'int' else ''}number, not {value!r}")
    if value != value:
        raise bad(rule, "must be a number")
    if rule.min is not None and value < rule.min:
        raise bad(rule, f"must be at least {rule.min:g}, not {value:g}")
    if rule.max is not None and value > rule.max:
        raise bad(rule, f"must be at most {rule.max:g}, not {value:g}")
    if (
        rule.type == "float"
        and rule.precision is not None
        and value != round(value, rule.precision)
    ):
        raise bad(rule, f"takes {rule.precision} decimals, not {value!r}")
    return int(value) if rule.type == "int" else float(value)


def bad(rule: ParameterRule, what: str) -> InvokeBadRequestError:
    """Return the error that names the parameter."""
    return InvokeBadRequestError(
        f"The parameter {rule.name} {what}.", "Correct it and send the request again."
    )
