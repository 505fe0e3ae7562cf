"""What was found in the folders of other programs, and the one a person names."""

from __future__ import annotations

import os
from pathlib import Path

from backends.catalog.elsewhere.folders import gpt4all, jan, lm_studio
from backends.catalog.elsewhere.hub_cache import hub_cache
from backends.catalog.elsewhere.model import Found
from backends.catalog.elsewhere.ollama import ollama
from backends.catalog.elsewhere.system import system
from backends.catalog.errors import UnknownModel

LOOKS = (ollama, lm_studio, jan, gpt4all, hub_cache, system)


def all_found(home: Path | None = None, environment: dict[str, str] | None = None) -> list[Found]:
    """Return the models other programs keep here that Deskpilot can use; folders it may not read are left out.

    home, environment: those of this process unless others are given.
    """
    around = dict(os.environ) if environment is None else environment
    found = [model for look in LOOKS for model in look(home or Path.home(), around)]
    return list({model.path.resolve(): model for model in reversed(found)}.values())[::-1]


def one_found(name: str, found: list[Found] | None = None) -> Found:
    """Return the model a person names, such as `ollama:llama3.2:1b`.

    Raises: UnknownModel.
    """
    models = all_found() if found is None else found
    for model in models:
        if model.name == name:
            return model
    names = ", ".join(model.name for model in models)
    raise UnknownModel(
        f"No other program keeps a model {name!r} here.", f"Found were: {names or 'none'}."
    )
