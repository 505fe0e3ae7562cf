"""Providers over HTTP: their forms, checks of credentials, and models lent to the service.

    GET /v1/manage/providers
        → {"providers": [provider.yaml …], "broken": [{id, message}]}
    POST /v1/manage/providers/{id}/validate
        {credentials} → {"models": [{model, type|null}], "host": ""}
    POST /v1/manage/providers/{id}/models/validate
        {credentials, model, type} → {"valid": true}
    GET /v1/manage/lent
        → {"models": [{id, type, provider, model, host, problem}]}
    PUT /v1/manage/lent/{name}
        {provider, models: [{model, type, credentials, host, problem, remedy}]}
    DELETE /v1/manage/lent/{name}
        → {"taken_back": n}

`credentials` holds the provider's fields and the model's in one object. Failed checks are answered
with status 422 and the type CredentialsValidateFailedError. A lent model is named `NAME/MODEL` on
every other route. Since nothing about it is stored on disk, the terminal lends it again whenever
the service is restarted.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from backends.flexai.entities import ModelType
from backends.flexai.errors import CredentialsValidateFailedError
from backends.flexai.registry import Registry
from backends.service.models import Lent, LentEntry, ServiceModels, models_of
from backends.service.queue import for_caller

router = APIRouter(prefix="/v1/manage")


class TrialRequest(BaseModel):
    """Credentials to check."""

    credentials: dict[str, Any] = Field(default={}, repr=False)


class ModelCredentials(TrialRequest):
    """A model's credentials to check."""

    model: str
    type: ModelType


class LentModel(ModelCredentials):
    """A provider's model. problem, remedy: why its credentials are missing, and what to do."""

    host: str = ""
    problem: str = ""
    remedy: str = ""


class Loan(BaseModel):
    """The models of one configuration of a provider."""

    provider: str
    models: list[LentModel]


@router.get("/providers")
async def providers(request: Request) -> dict[str, Any]:
    """Describe the installed providers, each with the fields of its form."""
    return await asyncio.to_thread(described, request.app.state.registry)


def described(registry: Registry) -> dict[str, Any]:
    """Return the providers, and those that cannot be loaded."""
    known: list[dict[str, Any]] = []
    broken: list[dict[str, str]] = []
    for name in registry.names():
        try:
            known.append(
                registry.provider(name).entity.model_dump(mode="json") | {"provider": name}
            )
        except CredentialsValidateFailedError as error:
            broken.append({"id": name, "message": str(error)})
    return {"providers": known, "broken": broken}


@router.post("/providers/{name}/validate")
async def validate(request: Request, name: str, body: TrialRequest) -> dict[str, Any]:
    """Check a provider's credentials, and return its models and their host."""
    return await for_caller(request, tried(models_of(request), name, body.credentials))


async def tried(models: ServiceModels, name: str, credentials: dict[str, Any]) -> dict[str, Any]:
    """Return the provider's models and host if it accepts the credentials.

    Raises: FlexAIError.
    """
    methods = ("validate_provider_credentials", "list_models", "host")
    calls = [(method, {"credentials": credentials}) for method in methods]
    _, listed, host = await models.workers.try_out(name, None, *calls)
    return {"models": listed, "host": host}


@router.post("/providers/{name}/models/validate")
async def validate_model(request: Request, name: str, body: ModelCredentials) -> dict[str, bool]:
    """Check that a model can be used with the given credentials. The provider may have to load
    it."""
    call = "validate_credentials", {"model": body.model, "credentials": body.credentials}
    await for_caller(request, models_of(request).workers.try_out(name, body.type, call))
    return {"valid": True}


@router.get("/lent")
def lent(request: Request) -> dict[str, Any]:
    """List the lent models, without their credentials."""
    return {"models": [shown(one) for one in models_of(request).lending.all()]}


def shown(one: Lent) -> dict[str, Any]:
    """Return the public description of a lent model."""
    entry = one.entry
    told = {
        "id": entry.id,
        "type": entry.type.value,
        "provider": entry.provider,
        "model": entry.model,
    }
    return told | {"host": entry.host, "problem": one.problem}


@router.put("/lent/{name}")
async def lend(request: Request, name: str, body: Loan) -> dict[str, int]:
    """Store the models of a configuration."""
    models = models_of(request)
    made = [read(name, body.provider, one) for one in body.models]
    await end_unused(models, models.lending.put(name, made))
    return {"lent": len(made)}


def read(name: str, provider: str, one: LentModel) -> Lent:
    """Return a lent model from its description in a request."""
    entry = LentEntry(f"{name}/{one.model}", one.type, provider, one.model, one.host)
    return Lent(entry, one.credentials, one.problem, one.remedy)


@router.delete("/lent/{name}")
async def take_back(request: Request, name: str) -> dict[str, int]:
    """Remove a configuration, and end the processes that only its models use."""
    models = models_of(request)
    back = models.lending.take_back(name)
    await end_unused(models, back)
    return {"taken_back": len(back)}


async def end_unused(models: ServiceModels, back: list[Lent]) -> None:
    """End the processes of models that are no longer lent, except those that other models use."""
    used = [worked(one) for one in models.lending.all()]
    for one in back:
        if (key := worked(one)) not in used:
            await models.workers.unload(*key)


def worked(one: Lent) -> tuple[str, ModelType, str, dict[str, Any]]:
    """Return the key of a model's process."""
    return one.entry.provider, one.entry.type, one.entry.model, one.credentials
