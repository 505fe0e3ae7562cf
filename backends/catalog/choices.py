"""The user's settings for the models on this machine (memory, device, parameters and presets), and
the measured speeds.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel, ValidationError

from backends.catalog.entries import CatalogEntry
from backends.catalog.errors import NotAChoice
from backends.flexai.errors import CredentialsValidateFailedError, InvokeBadRequestError
from backends.flexai.registry import Registry
from backends.flexai.schema import check_credential, check_parameter

if TYPE_CHECKING:
    from backends.flexai.entities import CredentialFormSchema, ParameterRule


CHOICES = "choices.json"
FILES = ("model_path", "projector_path")  # set by the location of the model
MODEL_TYPE = "__model_type"  # a pseudo field that selects the form's fields by model type
AGAIN = "Remove it, and choose again: deskpilot models set"


class ModelChoices(BaseModel):
    """Settings for models.

    memory: the memory for all models together, such as 8GB, or empty for what the machine can
    spare. idle: the number of minutes after which an unused model is unloaded, or None for the
    default. models: fields of the provider's form for models, by model id. parameters: default
    parameters for calls, by model id. presets: the user's own presets of parameters, by name.
    """

    memory: str = ""
    idle: float | None = None
    models: dict[str, dict[str, str]] = {}
    parameters: dict[str, dict[str, Any]] = {}
    presets: dict[str, dict[str, Any]] = {}


def read_choices(folder: Path) -> ModelChoices:
    """Return the saved settings for the models in a folder.

    Raises: NotAChoice if the file is damaged, so that saved settings are never dropped silently.
    """
    try:
        return ModelChoices.model_validate_json((folder / CHOICES).read_bytes())
    except FileNotFoundError:
        return ModelChoices()
    except (OSError, ValidationError) as error:
        raise NotAChoice(f"{folder / CHOICES} cannot be read.", AGAIN) from error


def write_choices(folder: Path, choices: ModelChoices) -> None:
    """Save the settings in one atomic step."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{CHOICES}.part"
    part.write_text(choices.model_dump_json(indent=1, exclude_defaults=True), "utf-8")
    os.replace(part, folder / CHOICES)


def fields_of(entry: CatalogEntry, registry: Registry) -> list[CredentialFormSchema]:
    """Return the settings of a model that can be changed: the fields of its provider's form,
    without the files.

    Raises: CredentialsValidateFailedError if the provider is missing.
    """
    schema = registry.provider(entry.provider).entity.model_credential_schema
    kind = [(MODEL_TYPE, entry.type.value)]
    return [
        field
        for field in (schema.credential_form_schemas if schema else [])
        if field.variable not in FILES
        and all((c.variable, c.value) in kind for c in field.show_on if c.variable == MODEL_TYPE)
    ]


def checked(entry: CatalogEntry, registry: Registry, pairs: list[str]) -> dict[str, str]:
    """Return `name=value` pairs after a model's provider has validated them. An empty value resets
    a setting.

    Raises: NotAChoice, which lists the allowed settings.
    """
    fields = {field.variable: field for field in fields_of(entry, registry)}
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in fields:
            raise NotAChoice(
                f"{pair!r} is not a setting of {entry.id}.",
                f"Available: {', '.join(fields)}.",
            )
        try:
            if value:
                check_credential(fields[name], value)
        except CredentialsValidateFailedError as error:
            raise NotAChoice(error.text, error.remedy) from error
        found[name] = value
    return found


# useful only for a single question
OF_A_REQUEST = {"json_schema", "tool_choice", "response_format"}
PRESET_NAME = re.compile(r"[\w][\w .-]{0,39}")
YES, NO = ("true", "on", "yes"), ("false", "off", "no")

Parameters = dict[str, Any]


def rules_of(entry: CatalogEntry, registry: Registry) -> list[ParameterRule]:
    """Return the rules for a model's parameters or, for an unknown model, the provider's first
    rules.

    Raises: CredentialsValidateFailedError if the provider is missing.
    """
    schemas = [s for s in registry.provider(entry.provider).schemas if s.model_type is entry.type]
    own = next(
        (schema for schema in schemas if schema.model == entry.model), next(iter(schemas), None)
    )
    return [rule for rule in own.parameter_rules if rule.name not in OF_A_REQUEST] if own else []


def read_parameter(rules: list[ParameterRule], name: str, text: str) -> Any:
    """Return a parameter's value from its text.

    Raises: NotAChoice if no rule has this name, or if the value violates the rule.
    """
    rule = next((rule for rule in rules if rule.name == name), None)
    if rule is None:
        raise NotAChoice(
            f"There is no parameter {name!r}.", f"Available: {', '.join(r.name for r in rules)}."
        )
    value: Any = text
    if rule.type in ("int", "float"):
        with suppress(ValueError):
            value = float(text) if "." in text or rule.type == "float" else int(text)
    elif rule.type == "boolean" and text.lower() in (*YES, *NO):
        value = text.lower() in YES
    try:
        return check_parameter(rule, value)
    except InvokeBadRequestError as error:
        raise NotAChoice(error.text, "Choose another value, or none.") from error


def as_text(value: Any) -> str:
    """Return a parameter's value as users would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


@lru_cache(maxsize=1)
def shipped_presets() -> dict[str, Parameters]:
    """Return the presets that ship with Deskpilot."""
    return yaml.safe_load((files("resources") / "presets.yaml").read_text("utf-8"))


def presets_of(choices: ModelChoices) -> dict[str, Parameters]:
    """Return every preset by name. The user's presets replace shipped ones with the same name."""
    return shipped_presets() | choices.presets


def fitting(rules: list[ParameterRule], preset: Parameters) -> Parameters:
    """Return the parameters of a preset that a model accepts.

    Raises: NotAChoice if a rule rejects a value.
    """
    known = {rule.name for rule in rules}
    return {
        name: read_parameter(rules, name, as_text(value))
        for name, value in preset.items()
        if name in known
    }


def with_preset(choices: ModelChoices, name: str, parameters: Parameters) -> ModelChoices:
    """Return the settings with one more preset.

    Raises: NotAChoice if the name is invalid or the preset is empty.
    """
    if not PRESET_NAME.fullmatch(name):
        raise NotAChoice(
            f"{name!r} is not a valid preset name.",
            "Use letters, digits, spaces, dots and hyphens.",
        )
    if not parameters:
        raise NotAChoice(f"The preset {name!r} would be empty.", "Choose a model parameter first.")
    return choices.model_copy(update={"presets": choices.presets | {name: parameters}})


def without_preset(choices: ModelChoices, name: str) -> ModelChoices:
    """Return the settings without one of the user's presets.

    Raises: NotAChoice if there is no preset with this name.
    """
    if name not in choices.presets:
        what = (
            "is part of Deskpilot and cannot be removed"
            if name in shipped_presets()
            else "does not exist"
        )
        own = ", ".join(choices.presets) or "none"
        raise NotAChoice(f"The preset {name!r} {what}.", f"Your presets: {own}.")
    return choices.model_copy(
        update={"presets": {k: v for k, v in choices.presets.items() if k != name}}
    )


SPEEDS = "measured.json"


class MeasuredSpeed(BaseModel):
    """The tokens per second for a prompt and for an answer.

    device: the device on which they were measured. settings: the model's settings at that time.
    """

    prompt: float
    answer: float
    device: str = ""
    settings: dict[str, str] = {}


class MeasuredAnswer(BaseModel):
    """The measurements of one answer.

    tokens: how many tokens were generated in `seconds`, counted from the first token. used: how
    many of the `room` tokens the conversation and the answer take up. at: the time in seconds since
    1970. settings: the model's settings at that time.
    """

    tokens: int
    seconds: float
    used: int
    room: int
    at: float
    settings: dict[str, str] = {}


LAST = 5  # number of answers kept for each model
LONG_ENOUGH = 16  # number of tokens that an answer needs to show the model's speed


class Measurements(BaseModel):
    """Measurements by model id. answers: the latest ones, oldest first."""

    models: dict[str, MeasuredSpeed] = {}
    answers: dict[str, list[MeasuredAnswer]] = {}


def read_all_measured(folder: Path) -> Measurements:
    """Return the measured speeds of the models in a folder.

    The result is empty if the file is damaged, because speeds can be measured again.
    """
    try:
        return Measurements.model_validate_json((folder / SPEEDS).read_bytes())
    except (OSError, ValidationError):
        return Measurements()


def read_measured(folder: Path) -> dict[str, MeasuredSpeed]:
    """Return the measured speeds by model id; if the file is damaged, there are none."""
    return read_all_measured(folder).models


def keep_measured(folder: Path, model_id: str, speed: MeasuredSpeed) -> None:
    """Save the measured speed of a model. Raises: OSError."""
    known = read_all_measured(folder)
    known.models[model_id] = speed
    write_measured(folder, known)


def keep_answered(folder: Path, model_id: str, answered: MeasuredAnswer) -> None:
    """Add an answer's measurements to the model's latest ones, and save them. Raises: OSError."""
    known = read_all_measured(folder)
    known.answers[model_id] = [*known.answers.get(model_id, []), answered][-LAST:]
    write_measured(folder, known)


def write_measured(folder: Path, known: Measurements) -> None:
    """Replace the saved measurements. Raises: OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{SPEEDS}.{os.getpid()}.part"
    part.write_text(known.model_dump_json(indent=1), "utf-8")
    os.replace(part, folder / SPEEDS)


def answering(answers: list[MeasuredAnswer], settings: dict[str, str]) -> float:
    """Return the tokens per second of the latest answers with the model's current settings.

    Returns 0 if none of these answers is long enough.
    """
    counted = [a for a in answers if a.settings == settings and a.tokens >= LONG_ENOUGH]
    seconds = sum(answer.seconds for answer in counted)
    return round(sum(answer.tokens for answer in counted) / seconds, 1) if seconds > 0 else 0.0


def speed_of(
    measured: dict[str, MeasuredSpeed], model_id: str, settings: dict[str, str]
) -> MeasuredSpeed | None:
    """Return the measured speed of a model with its current settings, or None."""
    found = measured.get(model_id)
    return found if found is not None and found.settings == settings else None
