"""Read the YAML files of a provider: models, parameters, settings and credentials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from backends.flexai.entities import AIModelEntity, ParameterRule, ProviderEntity
from backends.flexai.errors import CredentialsValidateFailedError, InvokeBadRequestError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from backends.flexai.entities import CredentialFormSchema, NumberRule


TEMPLATES: dict[str, dict[str, Any]] = {
    "temperature": {
        "label": "Temperature",
        "type": "float",
        "default": 0.0,
        "min": 0,
        "max": 1,
        "precision": 2,
    },
    "top_p": {
        "label": "Top P",
        "type": "float",
        "default": 1.0,
        "min": 0,
        "max": 1,
        "precision": 2,
    },
    "top_k": {"label": "Top K", "type": "int", "default": 50, "min": 1, "max": 100, "precision": 0},
    "presence_penalty": {
        "label": "Presence penalty",
        "type": "float",
        "default": 0.0,
        "min": 0,
        "max": 1,
        "precision": 2,
    },
    "frequency_penalty": {
        "label": "Frequency penalty",
        "type": "float",
        "default": 0.0,
        "min": 0,
        "max": 1,
        "precision": 2,
    },
    "max_tokens": {
        "label": "Max tokens",
        "type": "int",
        "default": 64,
        "min": 1,
        "max": 2048,
        "precision": 0,
    },
    "response_format": {"label": "Response format", "type": "string", "options": ["JSON", "XML"]},
    "json_schema": {"label": "JSON schema", "type": "text"},
}


def validate_parameters(rules: list[ParameterRule], given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters after checking them. Parameters for which there is no rule are dropped.

    A value may be given under the name of the rule's template (`max_tokens` for `num_predict`). A
    default is filled in only if the rule is required. Raises: InvokeBadRequestError for a wrong
    type, a value out of range or an unknown option.
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
            checked[rule.name] = check_parameter(rule, value)
    return checked


def check_parameter(rule: ParameterRule, value: Any) -> Any:
    """Return a parameter's value, converted to the rule's type.

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
    """Return the number if it has the rule's type and is within its range (inclusive)."""
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
        raise bad(rule, f"accepts {rule.precision} decimals, not {value!r}")
    return int(value) if rule.type == "int" else float(value)


def bad(rule: ParameterRule, what: str) -> InvokeBadRequestError:
    """Return an error that names the parameter."""
    return InvokeBadRequestError(
        f"The parameter {rule.name} {what}.", "Correct it and send the request again."
    )


T = TypeVar("T", bound=BaseModel)


def read_settings(kind: type[T], given: dict[str, Any]) -> T:
    """Return the settings that the credentials contain. An empty field counts as missing.

    Raises: InvokeBadRequestError, which names the field.
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


def validate_credentials(
    fields: list[CredentialFormSchema], given: dict[str, Any]
) -> dict[str, Any]:
    """Return the credentials for which the form has fields, with defaults filled in and switches
    converted to booleans.

    A field is left out unless all its `show_on` conditions are met. An empty field gets its
    default, as shown in the form. Raises: CredentialsValidateFailedError, which names the field.
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
            checked[field.variable] = check_credential(field, value)
    return checked


def check_credential(field: CredentialFormSchema, value: Any) -> str | bool:
    """Return the value of one field after checking it.

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
    """Return whether a text is a number that a rule allows."""
    try:
        number = int(text) if rule.whole else float(text)
    except ValueError:
        return False
    if "_" in text or not text.isascii():  # notations for numbers that only Python accepts
        return False
    return (
        math.isfinite(number)
        and (rule.min is None or number >= rule.min)
        and (rule.max is None or number <= rule.max)
        and (rule.above is None or number > rule.above)
    )


def described(rule: NumberRule) -> str:
    """Return a description of a rule in words."""
    ends = (("at least", rule.min), ("more than", rule.above), ("at most", rule.max))
    told = " and ".join(f"{word} {end:.15g}" for word, end in ends if end is not None)
    return f"a {'whole ' if rule.whole else ''}number{f', {told}' if told else ''}"


def load_provider(folder: Traversable) -> ProviderEntity:
    """Return the provider that a folder's provider.yaml describes.

    Raises: pydantic.ValidationError, yaml.YAMLError.
    """
    return ProviderEntity.model_validate(
        yaml.safe_load((folder / "provider.yaml").read_text("utf-8"))
    )


def load_models(folder: Traversable) -> list[AIModelEntity]:
    """Return the models described in `models/*.yaml`, sorted by file name; none if the folder is
    missing.
    """
    models = folder / "models"
    if not models.is_dir():
        return []
    files = sorted((f for f in models.iterdir() if f.name.endswith(".yaml")), key=lambda f: f.name)
    return [read_model(yaml.safe_load(f.read_text("utf-8"))) for f in files]


def read_model(raw: dict[str, Any]) -> AIModelEntity:
    """Return one model. The templates named in its parameter rules are filled in."""
    rules = [fill_template(rule) for rule in raw.get("parameter_rules", [])]
    return AIModelEntity.model_validate(raw | {"parameter_rules": rules})


def fill_template(rule: dict[str, Any]) -> ParameterRule:
    """Return a rule merged with its template. The rule's own values take precedence, even an
    explicit 0.

    Raises: ValueError if the template does not exist.
    """
    template = rule.get("use_template")
    if template is not None and template not in TEMPLATES:
        raise ValueError(
            f"no parameter template named {template!r}; there are {', '.join(TEMPLATES)}"
        )
    filled = {"label": rule["name"]} | TEMPLATES.get(template or "", {}) | rule
    return ParameterRule.model_validate(filled)
