"""Read provider.yaml and the model files beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from backends.flexai.entities import AIModelEntity, ParameterRule, ProviderEntity
from backends.flexai.schema.templates import TEMPLATES

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def load_provider(folder: Traversable) -> ProviderEntity:
    """Return the provider that a folder's provider.yaml describes.

    Raises: pydantic.ValidationError, yaml.YAMLError.
    """
    return ProviderEntity.model_validate(
        yaml.safe_load((folder / "provider.yaml").read_text("utf-8"))
    )


def load_models(folder: Traversable) -> list[AIModelEntity]:
    """Return the models of `models/*.yaml`, by file name; an absent folder holds none."""
    models = folder / "models"
    if not models.is_dir():
        return []
    files = sorted((f for f in models.iterdir() if f.name.endswith(".yaml")), key=lambda f: f.name)
    return [read_model(yaml.safe_load(f.read_text("utf-8"))) for f in files]


def read_model(raw: dict[str, Any]) -> AIModelEntity:
    """Return one model, the templates its parameter rules name filled in."""
    rules = [fill_template(rule) for rule in raw.get("parameter_rules", [])]
    return AIModelEntity.model_validate(raw | {"parameter_rules": rules})


def fill_template(rule: dict[str, Any]) -> ParameterRule:
    """Return a rule over its template: what the rule states wins, an explicit 0 too.

    Raises: ValueError for a template that does not exist.
    """
    template = rule.get("use_template")
    if template is not None and template not in TEMPLATES:
        raise ValueError(
            f"no parameter template named {template!r}; there are {', '.join(TEMPLATES)}"
        )
    filled = {"label": rule["name"]} | TEMPLATES.get(template or "", {}) | rule
    return ParameterRule.model_validate(filled)
