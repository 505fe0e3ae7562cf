"""How one model is used: what one may choose for it, and what is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.domain.providers.form import MODEL_TYPE, Field, Option, read_fields, words

Values = dict[str, str]


@dataclass(frozen=True)
class Speed:
    """Tokens a second of a prompt and of an answer, as they were measured here. device: what computed them."""

    prompt: float
    answer: float
    device: str = ""

    @property
    def told(self) -> str:
        """The figures in words."""
        return f"reads {self.prompt:g} and writes {self.answer:g} tokens a second here"


@dataclass(frozen=True)
class Tuning:
    """What one may choose for a model. presets: parameters by the preset's name; own: those one can remove."""

    parameters: tuple[Field, ...]
    settings: tuple[Field, ...]
    presets: dict[str, Values]
    own: tuple[str, ...]


def read_tuning(told: dict[str, Any], language: str = "en_US") -> Tuning:
    """Return what the service tells, each field with what holds now."""
    fields = read_fields({"credential_form_schemas": told["fields"]}, language)
    return Tuning(
        tuple(
            of_rule(rule, told["parameters"].get(rule["name"], ""), language)
            for rule in told["rules"]
        ),
        tuple(with_value(field, told["settings"].get(field.variable, "")) for field in fields),
        {name: dict(values) for name, values in told["presets"].items()},
        tuple(told["own"]),
    )


def of_rule(rule: dict[str, Any], value: str, language: str) -> Field:
    """Return a parameter as a field; empty is the default, which stands in it as a hint."""
    label = words(rule["label"], language)
    if rule["options"] or rule["type"] == "boolean":
        names = rule["options"] or ["true", "false"]
        options = (Option("", "As the model has it"), *(Option(name, name) for name in names))
        return Field(rule["name"], label, "select", required=False, default=value, options=options)
    return Field(
        rule["name"], label, "text-input", required=False, default=value, placeholder=hint_of(rule)
    )


def hint_of(rule: dict[str, Any]) -> str:
    """Return what stands in an empty field: its default, and what it may be."""
    usual = "" if rule["default"] is None else f"{number(rule['default'])} unless you choose"
    low, high = rule["min"], rule["max"]
    reach = f"{number(low)} to {number(high)}" if low is not None and high is not None else ""
    return ", ".join(part for part in (usual, reach) if part) or "may be empty"


def number(value: Any) -> str:
    """Return a number as one writes it."""
    return (
        f"{value:g}" if isinstance(value, int | float) and abs(value) < 100_000 else f"{value:.0f}"
    )


def with_value(field: Field, value: str) -> Field:
    """Return a setting with what holds now; it is for this model, so no condition on its type is left."""
    left = tuple(condition for condition in field.show_on if condition.variable != MODEL_TYPE)
    return Field(
        field.variable,
        field.label,
        field.kind,
        required=False,
        default=value,
        options=field.options,
        placeholder=field.placeholder,
        longest=field.longest,
        show_on=left,
    )
