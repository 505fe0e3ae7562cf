"""The catalogue over HTTP: the models on this machine, their sizes, and downloads with progress."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from sse_starlette import EventSourceResponse

from backends.catalog import CatalogError, hub
from backends.catalog.choices import (
    MeasuredSpeed,
    Measurements,
    answering,
    read_all_measured,
    read_choices,
    speed_of,
)
from backends.catalog.entries import WheelSource, read_packs
from backends.catalog.errors import InUse
from backends.catalog.hub import HubPlace
from backends.service.errors import body_of, to_the_end
from backends.service.memory import taken
from backends.service.models import models_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from backends.catalog import Catalog, CatalogEntry, InstalledModel
    from backends.catalog.download import DownloadProgress, Report
    from backends.flexai.registry import Registry


STEP_SECONDS = 0.1  # seconds between two reports of the same step


class WorkStopped(Exception):
    """The work has been stopped."""


class Long:
    """A long task that runs in a separate thread. work: the function that does the task. Its
    argument is a function that reports its progress."""

    def __init__(self, work: Callable[[Report], object]) -> None:
        self._work = work
        self._steps: asyncio.Queue[DownloadProgress] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._stop = threading.Event()
        self._last = ("", 0.0)

    async def steps(self) -> AsyncGenerator[DownloadProgress, None]:
        """Yield the progress until the work is done. Closing the generator stops the work.

        Raises: CatalogError.
        """
        pulling = asyncio.create_task(asyncio.to_thread(self._work, self._report), name="long work")
        waiting = asyncio.create_task(self._steps.get(), name="next step")
        try:
            while True:
                await asyncio.wait((pulling, waiting), return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    yield waiting.result()
                    waiting = asyncio.create_task(self._steps.get(), name="next step")
                elif pulling.done():
                    await pulling
                    return
        finally:
            self._stop.set()
            waiting.cancel()
            if not pulling.done():  # the thread ends at its next report, and nobody waits for it
                pulling.add_done_callback(lambda task: task.cancelled() or task.exception())

    def _report(self, step: DownloadProgress) -> None:
        if self._stop.is_set():
            raise WorkStopped
        what, at = self._last
        now = time.monotonic()
        if step.what != what or now - at >= STEP_SECONDS or step.done_bytes >= step.total_bytes:
            self._last = step.what, now
            self._loop.call_soon_threadsafe(self._steps.put_nowait, step)


router = APIRouter(prefix="/v1/manage")


class PullRequest(BaseModel):
    """The model to download or check."""

    id: str


class ImportRequest(BaseModel):
    """The file or folder to import."""

    path: Path
    link: bool = False


@router.get("/catalogue")
def catalogue(request: Request) -> dict[str, Any]:
    """List the available models, including imported ones and downloads in progress."""
    known = models_of(request).catalog
    here = {found.entry.id: found.entry for found in known.all_installed()}
    begun = {entry.id: entry for entry in known.begun()}
    entries = {entry.id: entry for entry in known.entries()} | begun | here
    folder = known.folder
    measured, chosen = read_all_measured(folder), read_choices(folder).models
    models = [
        described(entry, request.app.state.registry, here=entry.id in here)
        | {"got_bytes": 0 if entry.id in here else known.got(entry)}
        | told_measured(measured, entry.id, chosen.get(entry.id, {}))
        for entry in entries.values()
    ]
    packs = [
        {"id": pack.id, "name": pack.name, "members": pack.members}
        for pack in read_packs()
        if set(pack.members) <= set(entries)
    ]
    return {"models": models, "packs": packs}


def described(entry: CatalogEntry, registry: Registry, *, here: bool) -> dict[str, Any]:
    """Return the information needed to choose a model."""
    fields = (
        "id",
        "name",
        "provider",
        "model",
        "licence",
        "languages",
        "good_for",
        "size_bytes",
        "starter",
        "reads_questions",
    )
    told: dict[str, Any] = {name: getattr(entry, name) for name in fields}
    more = {
        "type": entry.type.value,
        "download_bytes": entry.source.download_bytes,
        "in_wheels": isinstance(entry.source, WheelSource),
    }
    fingerprint = {"fingerprint": entry.fingerprint}
    return told | more | fingerprint | {"takes_bytes": taken(entry, registry), "here": here}


def told_measured(measured: Measurements, name: str, settings: dict[str, str]) -> dict[str, Any]:
    """Return how fast a model is with its current settings, and how much context its last answer
    used."""
    answers = measured.answers.get(name, [])
    last = answers[-1].model_dump(include={"used", "room", "at"}) if answers else None
    return {
        "measured": told_speed(speed_of(measured.models, name, settings)),
        "answering": answering(answers, settings),
        "context": last,
    }


def told_speed(speed: MeasuredSpeed | None) -> dict[str, Any] | None:
    """Return a model's speed on this machine, or None if it was not measured with its current
    settings.
    """
    return (
        None
        if speed is None
        else {"prompt": speed.prompt, "answer": speed.answer, "device": speed.device}
    )


@router.post("/pull")
async def pull(request: Request, body: PullRequest) -> EventSourceResponse:
    """Download a model and report each step."""
    catalog = models_of(request).catalog
    return EventSourceResponse(events(lambda report: catalog.pull(body.id, report)))


@router.get("/hub")
async def search_hub(request: Request, words: str) -> dict[str, Any]:
    """Search the model hub for chat models.

    Raises: NotReachable.
    """
    catalog, registry = models_of(request).catalog, request.app.state.registry
    found = await asyncio.to_thread(found_on_hub, catalog, registry, words)
    return {"host": hub.host(), "models": found}


def found_on_hub(catalog: Catalog, registry: Registry, words: str) -> list[dict[str, Any]]:
    """Return the repositories that match the given words, each with its models in the form that
    `described` returns.

    Raises: NotReachable.
    """
    here = {found.entry.id for found in catalog.all_installed()}
    told: list[dict[str, Any]] = []
    for repo in hub.search(words):
        made = [(variant, hub.entry_of(repo, variant)) for variant in repo.variants]
        entries = [(variant, catalog.known(entry) or entry) for variant, entry in made]
        told.append(
            {
                "repo": repo.id,
                "licence": repo.licence,
                "downloads": repo.downloads,
                "gated": repo.gated,
                "models": [
                    described(entry, registry, here=entry.id in here)
                    | {
                        "kind": variant.kind,
                        "place": asdict(HubPlace(repo.id, repo.revision, variant.path)),
                        "got_bytes": 0 if entry.id in here else catalog.got(entry),
                        "measured": None,
                    }
                    for variant, entry in entries
                ],
            }
        )
    return told


@router.post("/hub/pull")
async def pull_from_hub(request: Request, body: HubPlace) -> EventSourceResponse:
    """Download a model found on the model hub and report each step."""
    catalog = models_of(request).catalog
    return EventSourceResponse(events(lambda report: catalog.pull_from_hub(body, report)))


@router.post("/verify")
async def verify(request: Request, body: PullRequest) -> EventSourceResponse:
    """Check the hashes of a model's files again and report each step."""
    catalog = models_of(request).catalog
    return EventSourceResponse(events(lambda report: catalog.verify(body.id, report)))


@router.post("/remove")
async def remove(request: Request, body: PullRequest) -> dict[str, int]:
    """Remove a model or its partial download from this machine.

    Raises: CatalogError; InUse while it is answering.
    """
    known = models_of(request)
    entry = known.catalog.entry(body.id)
    running = [
        w for w in known.workers.loaded() if (w.provider, w.model) == (entry.provider, entry.model)
    ]
    if any(worker.in_use for worker in running):
        raise InUse(f"{entry.name} is in use.", "Stop its task, or wait until it finishes.")
    for worker in running:
        await known.workers.unload(worker.provider, worker.model_type, worker.model)
    return {"bytes": await asyncio.to_thread(known.catalog.remove, body.id)}


@router.post("/import")
async def import_(request: Request, body: ImportRequest) -> EventSourceResponse:
    """Import a model from this machine, reporting each step."""
    catalog = models_of(request).catalog
    return EventSourceResponse(
        events(lambda report: catalog.add(body.path, link=body.link, report=report))
    )


def events(work: Callable[[Report], InstalledModel]) -> AsyncGenerator[str]:
    """Yield the events of a long task. If there is an error, it is the last event."""
    return to_the_end(told(work), failed)


async def told(work: Callable[[Report], InstalledModel]) -> AsyncGenerator[str]:
    """Yield the steps of a long task, and finally the resulting models.

    Raises: CatalogError.
    """
    done: list[InstalledModel] = []
    async with aclosing(Long(lambda report: done.append(work(report))).steps()) as steps:
        async for step in steps:
            yield json.dumps(
                {"what": step.what, "done": step.done_bytes, "total": step.total_bytes}
            )
    yield json.dumps({"here": done[0].entry.id})


def failed(error: Exception, said: str) -> list[str]:
    """Return the last event of a long task that failed."""
    if isinstance(error, CatalogError):
        return [json.dumps(body_of(500, error.text, error.remedy, type(error).__name__))]
    return [json.dumps(body_of(500, said, "", "internal_error"))]
