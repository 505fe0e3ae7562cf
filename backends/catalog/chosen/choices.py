"""Choices for models: memory for all of them, device, context and parameters of one; kept beside the models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from backends.catalog.entries import Entry
from backends.catalog.errors import NotAChoice
from backends.flexai.errors import CredentialsValidateFailedError
from backends.flexai.registry import Registry
from backends.flexai.schema.credentials import check

if TYPE_CHECKING:
    from backends.flexai.entities import CredentialFormSchema

NAME = "choices.json"
FILES = ("model_path", "projector_path")  # they follow from where the model lies
MODEL_TYPE = (
    "__model_type"  # the pretended field by which a form is told for which type of model it is
)
AGAIN = "Remove it, and choose again: deskpilot models set"


class Choices(BaseModel):
    """memory: for all models, such as 8GB; empty is what the machine can spare. idle: minutes, None the usual.

    models: by id, fields of the provider's form for models. parameters: by id, what calls carry unless they say
    otherwise. presets: parameters of one's own, by name.
    """

    memory: str = ""
    idle: float | None = None
    models: dict[str, dict[str, str]] = {}
    parameters: dict[str, dict[str, Any]] = {}
    presets: dict[str, dict[str, Any]] = {}


def read_choices(folder: Path) -> Choices:
    """Return what was chosen for the models of a folder.

    Raises: NotAChoice for a file that is damaged: chosen settings are never dropped unsaid.
    """
    try:
        return Choices.model_validate_json((folder / NAME).read_bytes())
    except FileNotFoundError:
        return Choices()
    except (OSError, ValidationError) as error:
        raise NotAChoice(f"{folder / NAME} cannot be read.", AGAIN) from error


def write_choices(folder: Path, choices: Choices) -> None:
    """Keep what was chosen, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{NAME}.part"
    part.write_text(choices.model_dump_json(indent=1, exclude_defaults=True), "utf-8")
    os.replace(part, folder / NAME)


def fields_of(entry: Entry, registry: Registry) -> list[CredentialFormSchema]:
    """Return the settings of a model that one may choose: the fields of its provider's form, but for its files.

    Raises: CredentialsValidateFailedError for a provider that is not there.
    """
    schema = registry.provider(entry.provider).entity.model_credential_schema
    kind = [(MODEL_TYPE, entry.type.value)]
    return [
        field
        for field in (schema.credential_form_schemas if schema else [])
        if field.variable not in FILES
        and all((c.variable, c.value) in kind for c in field.show_on if c.variable == MODEL_TYPE)
    ]


def checked(entry: Entry, registry: Registry, pairs: list[str]) -> dict[str, str]:
    """Return `name=value` pairs as the provider of a model takes them; an empty value undoes a choice.

    Raises: NotAChoice, with what there is to choose.
    """
    fields = {field.variable: field for field in fields_of(entry, registry)}
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in fields:
            raise NotAChoice(
                f"{pair!r} is nothing one can set for {entry.id}.",
                f"There are: {', '.join(fields)}.",
            )
        try:
            if value:
                check(fields[name], value)
        except CredentialsValidateFailedError as error:
            raise NotAChoice(error.text, error.remedy) from error
        found[name] = value
    return found
