"""The parameters one may choose for a model, by the rules of its YAML, and sets of them by name."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from backends.catalog.errors import NotAChoice
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.schema.parameters import check

if TYPE_CHECKING:
    from backends.catalog.chosen.choices import Choices
    from backends.catalog.entries import Entry
    from backends.flexai.entities import ParameterRule
    from backends.flexai.registry import Registry

OF_A_REQUEST = {"json_schema", "tool_choice", "response_format"}  # make sense for one question only
NAME = re.compile(r"[\w][\w .-]{0,39}")
YES, NO = ("true", "on", "yes"), ("false", "off", "no")

Parameters = dict[str, Any]


def rules_of(entry: Entry, registry: Registry) -> list[ParameterRule]:
    """Return the rules of a model's parameters; those of a model nobody described are its provider's first one's.

    Raises: CredentialsValidateFailedError for a provider that is not there.
    """
    schemas = [s for s in registry.provider(entry.provider).schemas if s.model_type is entry.type]
    own = next(
        (schema for schema in schemas if schema.model == entry.model), next(iter(schemas), None)
    )
    return [rule for rule in own.parameter_rules if rule.name not in OF_A_REQUEST] if own else []


def read_parameter(rules: list[ParameterRule], name: str, text: str) -> Any:
    """Return a parameter's value from its text.

    Raises: NotAChoice for one no rule knows, or whose value does not fit the rule.
    """
    rule = next((rule for rule in rules if rule.name == name), None)
    if rule is None:
        raise NotAChoice(
            f"There is no parameter {name!r}.", f"There are: {', '.join(r.name for r in rules)}."
        )
    value: Any = text
    if rule.type in ("int", "float"):
        with suppress(ValueError):
            value = float(text) if "." in text or rule.type == "float" else int(text)
    elif rule.type == "boolean" and text.lower() in (*YES, *NO):
        value = text.lower() in YES
    try:
        return check(rule, value)
    except InvokeBadRequestError as error:
        raise NotAChoice(error.text, "Choose another value, or none.") from error


def as_text(value: Any) -> str:
    """Return a parameter's value as one writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


@lru_cache(maxsize=1)
def shipped_presets() -> dict[str, Parameters]:
    """Return the presets that ship with Deskpilot."""
    return yaml.safe_load((files("resources") / "presets.yaml").read_text("utf-8"))


def presets_of(choices: Choices) -> dict[str, Parameters]:
    """Return every preset by name; one's own stands for a shipped one of the same name."""
    return shipped_presets() | choices.presets


def fitting(rules: list[ParameterRule], preset: Parameters) -> Parameters:
    """Return what of a preset a model takes: the parameters its rules know, with values they allow.

    Raises: NotAChoice for a value that a rule refuses.
    """
    known = {rule.name for rule in rules}
    return {
        name: read_parameter(rules, name, as_text(value))
        for name, value in preset.items()
        if name in known
    }


def with_preset(choices: Choices, name: str, parameters: Parameters) -> Choices:
    """Return the choices with one more preset.

    Raises: NotAChoice for a name that is none, or a preset that holds nothing.
    """
    if not NAME.fullmatch(name):
        raise NotAChoice(
            f"{name!r} is no name for a preset.", "Use letters, digits, spaces, dots, dashes."
        )
    if not parameters:
        raise NotAChoice(
            f"The preset {name!r} would be empty.", "Choose a parameter of the model first."
        )
    return choices.model_copy(update={"presets": choices.presets | {name: parameters}})


def without_preset(choices: Choices, name: str) -> Choices:
    """Return the choices without a preset of one's own.

    Raises: NotAChoice if there is none of the name.
    """
    if name not in choices.presets:
        what = "ships with Deskpilot and stays" if name in shipped_presets() else "is not there"
        own = ", ".join(choices.presets) or "none"
        raise NotAChoice(f"The preset {name!r} {what}.", f"Your own are: {own}.")
    return choices.model_copy(
        update={"presets": {k: v for k, v in choices.presets.items() if k != name}}
    )
