"""The settings of one model over HTTP: parameters, settings, presets, and its speed on this
machine.

    GET /v1/manage/tuning?id=
        → {"rules": [{name, label, help, type, default, min, max, options}],
           "fields": [as in provider.yaml], "parameters": {name: text},
           "settings": {name: text}, "presets": {name: {parameter: text}},
           "own": [names of the user's presets]}
    PUT /v1/manage/tuning
        {id, parameters: {name: text}, settings: {name: text}}; empty for the default
    PUT /v1/manage/presets
        {name, id, parameters: {name: text}}; saves a preset checked against the model's rules
    DELETE /v1/manage/presets?name=
    POST /v1/manage/measure
        {id} → {"prompt": tokens a second, "answer": tokens a second, "device"}

Changes apply from the next question on. Parameters in a request override these settings, but our
copilot does not send such parameters.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel

from backends.catalog.choices import (
    MeasuredSpeed,
    as_text,
    fitting,
    keep_measured,
    presets_of,
    read_choices,
    read_parameter,
    rules_of,
    with_preset,
    without_preset,
    write_choices,
)
from backends.catalog.parameters import tune, tuning_of
from backends.flexai.entities import ModelType
from backends.service.models import ServiceModels, models_of
from backends.service.queue import for_caller

if TYPE_CHECKING:
    from backends.catalog import Catalog
    from backends.catalog.choices import Parameters
    from backends.flexai.entities import ParameterRule
    from backends.flexai.registry import Registry


router = APIRouter(prefix="/v1/manage")


class TuningRequest(BaseModel):
    """The choices for a model."""

    id: str
    parameters: dict[str, str] = {}
    settings: dict[str, str] = {}


class Preset(BaseModel):
    """A model's parameters, to be saved under a name."""

    name: str
    id: str
    parameters: dict[str, str]


class Which(BaseModel):
    """A model's id."""

    id: str


@router.get("/tuning")
async def shown(request: Request, id: str) -> dict[str, Any]:
    """Return the possible and the current parameters of a model."""
    return await asyncio.to_thread(
        described, models_of(request).catalog, request.app.state.registry, id
    )


def described(catalog: Catalog, registry: Registry, model_id: str) -> dict[str, Any]:
    """Return the rules and current values of a model.

    Raises: CatalogError, CredentialsValidateFailedError.
    """
    now, choices = tuning_of(catalog, registry, model_id), read_choices(catalog.folder)
    known = {rule.name for rule in now.rules}
    presets = {
        name: preset for name, preset in presets_of(choices).items() if known & preset.keys()
    }
    return {
        "rules": [rule_of(rule) for rule in now.rules],
        "fields": [field.model_dump(mode="json") for field in now.fields],
        "parameters": texts(now.parameters),
        "settings": now.settings,
        "presets": {name: texts(fitting(now.rules, preset)) for name, preset in presets.items()},
        "own": sorted(choices.presets),
    }


def rule_of(rule: ParameterRule) -> dict[str, Any]:
    """Return a rule with the information that users need to choose a value."""
    told = {
        "name": rule.name,
        "label": rule.label.model_dump(),
        "type": rule.type,
        "options": rule.options,
    }
    limits = {"min": rule.min, "max": rule.max, "default": rule.default}
    return told | limits | {"help": rule.help.model_dump() if rule.help else None}


def texts(parameters: Parameters) -> dict[str, str]:
    """Return parameters as users would write them."""
    return {name: as_text(value) for name, value in parameters.items()}


@router.put("/tuning")
async def choose(request: Request, body: TuningRequest) -> dict[str, Any]:
    """Save the choices for a model."""
    catalog, registry = models_of(request).catalog, request.app.state.registry
    await asyncio.to_thread(tune, catalog, registry, body.id, body.parameters, body.settings)
    return await asyncio.to_thread(described, catalog, registry, body.id)


@router.put("/presets")
async def keep_preset(request: Request, body: Preset) -> dict[str, Any]:
    """Save a preset."""
    catalog, registry = models_of(request).catalog, request.app.state.registry

    def work() -> dict[str, Any]:
        rules = rules_of(catalog.entry(body.id), registry)
        given = {
            name: read_parameter(rules, name, text)
            for name, text in body.parameters.items()
            if text
        }
        write_choices(catalog.folder, with_preset(read_choices(catalog.folder), body.name, given))
        return described(catalog, registry, body.id)

    return await asyncio.to_thread(work)


@router.delete("/presets")
async def forget_preset(request: Request, name: str) -> dict[str, bool]:
    """Remove one of the user's presets."""
    folder = models_of(request).catalog.folder
    await asyncio.to_thread(
        lambda: write_choices(folder, without_preset(read_choices(folder), name))
    )
    return {"forgotten": True}


@router.post("/measure")
async def measure(request: Request, body: Which) -> dict[str, Any]:
    """Measure a language model's speed on this machine, and save the result."""
    speed = await for_caller(request, measured(models_of(request), body.id))
    return {"prompt": speed.prompt, "answer": speed.answer, "device": speed.device}


async def measured(models: ServiceModels, model_id: str) -> MeasuredSpeed:
    """Measure a language model's speed in its worker, and save the result.

    Raises: FlexAIError, NoModel, CatalogError.
    """
    found = await asyncio.to_thread(models.installed, ModelType.LLM, model_id)
    entry = found.entry
    told: dict[str, Any] = await models.workers.call(
        entry.provider, entry.type, "measure", model=entry.model, credentials=found.credentials
    )
    devices = [w.device for w in models.workers.loaded() if w.model == entry.model and w.device]
    chosen = await asyncio.to_thread(read_choices, models.catalog.folder)
    speed = MeasuredSpeed(
        prompt=rate(told["prompt_tokens"], told["prompt_seconds"]),
        answer=rate(told["answer_tokens"], told["answer_seconds"]),
        device=next(iter(devices), ""),
        settings=chosen.models.get(model_id, {}),
    )
    await asyncio.to_thread(keep_measured, models.catalog.folder, model_id, speed)
    return speed


def rate(tokens: int, seconds: float) -> float:
    """Return the tokens per second, rounded to a tenth."""
    return round(tokens / max(seconds, 1e-6), 1)
