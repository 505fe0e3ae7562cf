"""How quick models were on this machine, kept beside them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "measured.json"


class Speed(BaseModel):
    """Tokens a second of a prompt and of an answer. device: what computed it. settings: the model's, when it was measured."""

    prompt: float
    answer: float
    device: str = ""
    settings: dict[str, str] = {}


class Measured(BaseModel):
    """By the id of a model."""

    models: dict[str, Speed] = {}


def read_measured(folder: Path) -> dict[str, Speed]:
    """Return what was measured of the models of a folder; nothing from a file that is damaged: one measures again."""
    try:
        return Measured.model_validate_json((folder / NAME).read_bytes()).models
    except (OSError, ValidationError):
        return {}


def keep_measured(folder: Path, model_id: str, speed: Speed) -> None:
    """Keep what was measured of a model; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{NAME}.{os.getpid()}.part"
    known = Measured(models=read_measured(folder) | {model_id: speed})
    part.write_text(known.model_dump_json(indent=1), "utf-8")
    os.replace(part, folder / NAME)


def speed_of(measured: dict[str, Speed], model_id: str, settings: dict[str, str]) -> Speed | None:
    """Return what was measured of a model with the settings it has now; None if nobody did."""
    found = measured.get(model_id)
    return found if found is not None and found.settings == settings else None
