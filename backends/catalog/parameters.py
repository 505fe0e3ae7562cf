"""The parameters and settings of one model: the current values and the allowed ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.catalog.choices import (
    ModelChoices,
    Parameters,
    as_text,
    checked,
    fields_of,
    read_choices,
    read_parameter,
    rules_of,
    write_choices,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from backends.catalog.catalog import Catalog
    from backends.catalog.entries import CatalogEntry
    from backends.flexai.entities import CredentialFormSchema, ParameterRule
    from backends.flexai.registry import Registry


@dataclass(frozen=True)
class TuningRules:
    """A model's rules and fields, and the current values: the chosen parameters, and the settings
    including defaults.
    """

    entry: CatalogEntry
    rules: list[ParameterRule]
    fields: list[CredentialFormSchema]
    parameters: Parameters
    settings: dict[str, str]


def tuning_of(catalog: Catalog, registry: Registry, model_id: str) -> TuningRules:
    """Return the rules and current values of a model.

    Raises: CatalogError and its subclasses, CredentialsValidateFailedError.
    """
    entry, choices = catalog.entry(model_id), read_choices(catalog.folder)
    fields = fields_of(entry, registry)
    own = entry.credentials | choices.models.get(model_id, {})
    settings = {field.variable: own.get(field.variable, field.default or "") for field in fields}
    return TuningRules(
        entry, rules_of(entry, registry), fields, choices.parameters.get(model_id, {}), settings
    )


def tune(
    catalog: Catalog,
    registry: Registry,
    model_id: str,
    parameters: dict[str, str],
    settings: dict[str, str],
) -> ModelChoices:
    """Replace the choices for a model. Empty and default values are not stored.

    Raises: CatalogError and its subclasses, CredentialsValidateFailedError.
    """
    entry = catalog.entry(model_id)
    rules = rules_of(entry, registry)
    chosen = {name: read_parameter(rules, name, text) for name, text in parameters.items() if text}
    usual = {
        field.variable: field.default or "" for field in fields_of(entry, registry)
    } | entry.credentials
    given = checked(entry, registry, [f"{name}={value}" for name, value in settings.items()])
    kept = {name: value for name, value in given.items() if value and value != usual.get(name)}
    choices = read_choices(catalog.folder)
    changed = choices.model_copy(
        update={
            "parameters": put(choices.parameters, model_id, chosen),
            "models": put(choices.models, model_id, kept),
        }
    )
    write_choices(catalog.folder, changed)
    return changed


def put(all_of: Mapping[str, Any], model_id: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices for all models, with those for one model changed. Empty choices are left
    out."""
    others = {name: one for name, one in all_of.items() if name != model_id}
    return others | ({model_id: value} if value else {})


def lines_of(choices: ModelChoices) -> list[str]:
    """Return the choices for the models, with one line per choice."""
    names = dict.fromkeys([*choices.models, *choices.parameters])
    told = {
        name: [
            *(f"{option}={value}" for option, value in choices.models.get(name, {}).items()),
            *(
                f"{option}={as_text(value)}"
                for option, value in choices.parameters.get(name, {}).items()
            ),
        ]
        for name in names
    }
    return [f"{name}  {' '.join(pairs)}" for name, pairs in told.items()]
