"""The service's health and its loaded models."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel

from backends import offline
from backends.service.models import models_of

router = APIRouter()


class Unload(BaseModel):
    """The model to unload."""

    model: str


@router.get("/healthz")
async def health(request: Request) -> dict[str, Any]:
    """Report that the service is running."""
    return {"status": "ok", "version": request.app.state.version, "pid": os.getpid()}


@router.get("/v1/manage/models")
def models(request: Request) -> dict[str, Any]:
    """List models: those on this machine, and the loaded ones with their process and memory."""
    known = models_of(request)
    installed = [
        {"id": f.entry.id, "type": f.entry.type.value, "bytes": f.bytes}
        for f in known.catalog.all_installed()
    ]
    loaded = [
        {
            "id": w.model,
            "type": w.model_type.value,
            "provider": w.provider,
            "pid": w.pid,
            "memory_bytes": w.memory_bytes,
            "in_use": w.in_use,
            "device": w.device,
        }
        for w in known.workers.loaded()
    ]
    budget = {
        "bytes": known.workers.budget.total(),
        "idle_seconds": known.workers.budget.idle_seconds,
    }
    return {"installed": installed, "loaded": loaded, "budget": budget}


@router.get("/v1/manage/status")
def status(request: Request) -> dict[str, Any]:
    """Return the users of the service, the waiting requests, and the loaded models."""
    known = models_of(request)
    users = [{"name": one.name, "running": one.running} for one in request.app.state.callers.all()]
    queues = [
        {
            "model": name,
            "slots": queue.slots,
            "running": queue.running,
            "waiting": queue.waiting,
            "refused": queue.refused,
        }
        for name, queue in known.queues.items()
    ]
    loaded = [
        {"id": one.model, "memory_bytes": one.memory_bytes, "device": one.device}
        for one in known.workers.loaded()
    ]
    told = {"version": request.app.state.version, "pid": os.getpid()}
    return told | {"users": users, "queues": queues, "models": loaded}


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Return the metrics in Prometheus's format, or status 404 if metrics are not enabled."""
    known = models_of(request).metrics
    if known is None:
        raise HTTPException(404, "start the service with --metrics")
    return Response(known.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/v1/manage/ways-out")
async def ways_out(request: Request) -> dict[str, Any]:
    """Let this process and the workers try to reach other machines, and return the results."""
    own = [asdict(trial) for trial in await asyncio.to_thread(offline.trials)]
    others = await models_of(request).workers.ways_out()
    processes = [{"name": "service", "model": "", "pid": os.getpid(), "trials": own}]
    processes += [
        {"name": "worker", "model": model, "pid": pid, "trials": trials}
        for model, pid, trials in others
    ]
    return {"processes": processes}


@router.post("/v1/manage/unload")
async def unload(request: Request, body: Unload) -> dict[str, bool]:
    """End a model's process, which frees its memory."""
    known = models_of(request)
    freed = False
    for worker in known.workers.loaded():
        if worker.model == body.model:
            freed = (
                await known.workers.unload(worker.provider, worker.model_type, worker.model)
                or freed
            )
    return {"unloaded": freed}
