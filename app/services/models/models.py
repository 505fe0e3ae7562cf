"""Models: list, download and unload them."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

from app.domain.errors import ModelServiceError
from app.domain.model import (
    ContextUse,
    DownloadStep,
    HubResult,
    HubSearch,
    Model,
    ModelSource,
    ModelSpeed,
    ModelTuning,
    Shelf,
    Values,
    read_tuning,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from app.services.ports import ModelsPort

ROUTE = "/v1/manage"


class EventsPort(Protocol):
    """A service route that answers with events."""

    def events(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the events in an answer. Closing this generator ends the work.

        Raises: DeskpilotError.
        """
        ...


class ModelCatalog:
    """Sends requests about models to the model service, after registering the providers' models
    there.
    """

    def __init__(self, manage: ModelsPort, events: EventsPort) -> None:
        self._manage = manage
        self._events = events
        self._listeners: list[Callable[[], object]] = []

    def subscribe(self, listener: Callable[[], object]) -> None:
        """Call `listener` each time a model has been downloaded, imported or removed."""
        self._listeners.append(listener)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    async def shelf(self) -> Shelf:
        """Return all models, each with its location.

        Raises: DeskpilotError.
        """
        catalogue = await self._manage.get(f"{ROUTE}/catalogue")
        now = await self._manage.get(f"{ROUTE}/models")
        lent = await self._manage.get(f"{ROUTE}/lent")
        loaded = {(one["id"], one["type"]): one for one in now["loaded"]}
        models = [read_model(raw, loaded) for raw in catalogue["models"]]
        behind = [read_lent(raw) for raw in lent["models"]]
        packs = [read_pack(raw, models) for raw in catalogue["packs"]]
        missing = [pack for pack in packs if pack.members]
        return Shelf((*models, *behind, *missing), int((now.get("budget") or {}).get("bytes") or 0))

    async def pull(self, model: Model) -> AsyncGenerator[DownloadStep, None]:
        """Download a model, or each model in a pack, and yield the progress. Closing this generator
        stops the download.

        The next attempt resumes the download.

        Raises: ModelServiceError, ServiceError.
        """
        wanted = [("pull", {"id": name}) for name in model.members or (model.id,)]
        if model.hub is not None:
            wanted = [("hub/pull", asdict(model.hub))]
        for what, body in wanted:
            async with aclosing(self._steps(what, body)) as steps:
                async for step in steps:
                    yield step

    async def search(self, words: str) -> HubSearch:
        """Search the model hub for chat models, with the most downloaded ones first.

        Raises: DeskpilotError.
        """
        told = await self._manage.get(f"{ROUTE}/hub?{urlencode({'words': words})}")
        return HubSearch(str(told["host"]), tuple(read_found(raw) for raw in told["models"]))

    async def verify(self, model: Model) -> AsyncGenerator[DownloadStep, None]:
        """Verify the checksum of every file of a model, and yield the progress as `pull` does.

        Raises: the same errors as `pull`. ModelServiceError names the damaged files.
        """
        async with aclosing(self._steps("verify", {"id": model.id})) as steps:
            async for step in steps:
                yield step

    async def remove(self, model: Model) -> int:
        """Remove a model from this machine, and return the number of bytes that this frees.

        Raises: ModelServiceError, for example if the model is in use; ServiceError.
        """
        removed = await self._manage.send("POST", f"{ROUTE}/remove", {"id": model.id})
        self._tell()
        return int(removed["bytes"])

    async def bring(self, path: Path) -> AsyncGenerator[DownloadStep, None]:
        """Import a model that is already on this machine, leaving its files in place. Yield the
        progress as `pull` does.

        Raises: the same errors as `pull`.
        """
        async with aclosing(self._steps("import", {"path": str(path), "link": True})) as steps:
            async for step in steps:
                yield step

    async def _steps(self, what: str, body: dict[str, Any]) -> AsyncGenerator[DownloadStep, None]:
        async with aclosing(self._events.events(f"{ROUTE}/{what}", body)) as events:
            async for event in events:
                if "here" in event:
                    self._tell()
                    return
                yield DownloadStep(str(event["what"]), int(event["done"]), int(event["total"]))
        raise ModelServiceError(
            "The model service stopped before it finished.", "Try again; a download will resume."
        )

    async def tuning(self, model: Model, language: str = "en_US") -> ModelTuning:
        """Return the possible and the current parameters of a model.

        Raises: DeskpilotError.
        """
        told = await self._manage.get(f"{ROUTE}/tuning?{urlencode({'id': model.id})}")
        return read_tuning(told, language)

    async def tune(self, model: Model, parameters: Values, settings: Values) -> None:
        """Save the parameters of a model. Empty parameters stand for the defaults.

        Raises: DeskpilotError.
        """
        body = {"id": model.id, "parameters": parameters, "settings": settings}
        await self._manage.send("PUT", f"{ROUTE}/tuning", body)

    async def keep_preset(
        self, model: Model, name: str, parameters: Values, language: str = "en_US"
    ) -> ModelTuning:
        """Save parameters as a preset, and return the new choices.

        Raises: DeskpilotError.
        """
        body = {"id": model.id, "name": name, "parameters": parameters}
        return read_tuning(await self._manage.send("PUT", f"{ROUTE}/presets", body), language)

    async def forget_preset(self, name: str) -> None:
        """Remove one of the user's presets.

        Raises: DeskpilotError.
        """
        await self._manage.send("DELETE", f"{ROUTE}/presets?{urlencode({'name': name})}")

    async def measure(self, model: Model) -> ModelSpeed:
        """Measure the speed of a language model on this machine.

        Raises: DeskpilotError.
        """
        return read_speed(await self._manage.send("POST", f"{ROUTE}/measure", {"id": model.id}))

    async def tokens(
        self, model: str, messages: list[dict[str, str]], answer: str
    ) -> dict[str, int]:
        """Return how many tokens a model counts in messages and an answer, which are in OpenAI's
        format.

        model: its id, or an empty string for this machine's default model. Raises: DeskpilotError.
        """
        body = {"model": model or None, "messages": messages, "answer": answer}
        told = await self._manage.send("POST", "/v1/tokens", body)
        return {
            name: int(told[name]) for name in ("prompt_tokens", "completion_tokens", "total_tokens")
        }

    async def unload(self, model: Model) -> None:
        """Release the memory of a model, which is loaded again when it is needed.

        Raises: DeskpilotError.
        """
        await self._manage.send("POST", f"{ROUTE}/unload", {"model": model.called})


def read_model(raw: dict[str, Any], loaded: dict[tuple[str, str], dict[str, Any]]) -> Model:
    """Return a model from the catalogue. loaded: the running models, by their type and their name
    in the engine.
    """
    running = loaded.get((raw["model"], raw["type"]))
    return Model(
        id=raw["id"],
        name=raw["name"],
        type=raw["type"],
        place="loaded" if running else "here" if raw["here"] else "available",
        provider=raw["provider"],
        size_bytes=raw["size_bytes"],
        download_bytes=raw["download_bytes"],
        got_bytes=int(raw.get("got_bytes") or 0),
        takes_bytes=raw["takes_bytes"],
        memory_bytes=running["memory_bytes"] if running else 0,
        in_use=bool(running and running["in_use"]),
        licence=raw["licence"],
        languages=tuple(raw["languages"]),
        good_for=raw["good_for"],
        called=raw["model"],
        speed=read_speed(raw["measured"]) if raw.get("measured") else None,
        starter=bool(raw.get("starter")),
        reads_questions=bool(raw.get("reads_questions")),
        in_wheels=bool(raw.get("in_wheels")),
        answering=float(raw.get("answering") or 0),
        context=ContextUse(**raw["context"]) if raw.get("context") else None,
    )


def read_found(raw: dict[str, Any]) -> HubResult:
    """Return a repository that a search of the model hub found."""
    models = [
        replace(read_model(one, {}), hub=ModelSource(**one["place"])) for one in raw["models"]
    ]
    return HubResult(
        repo=raw["repo"],
        licence=raw["licence"],
        downloads=int(raw["downloads"]),
        gated=bool(raw["gated"]),
        models=tuple(models),
        kinds=tuple(str(one["kind"]) for one in raw["models"]),
    )


def read_speed(raw: dict[str, Any]) -> ModelSpeed:
    """Return measured speeds."""
    return ModelSpeed(float(raw["prompt"]), float(raw["answer"]), str(raw["device"]))


def read_pack(raw: dict[str, Any], models: list[Model]) -> Model:
    """Return a pack. Its members are the models in the pack that are not on this machine yet."""
    known = {model.id: model for model in models}
    members = [known[name] for name in raw["members"]]
    missing = [model for model in members if model.place == "available"]
    return Model(
        id=raw["id"],
        name=raw["name"],
        type="pack",
        place="available",
        download_bytes=sum(model.download_bytes for model in missing),
        got_bytes=sum(model.got_bytes for model in missing),
        takes_bytes=sum(model.takes_bytes for model in members),
        good_for=what_for([model.name for model in members]),
        members=tuple(model.id for model in missing),
    )


def what_for(names: list[str]) -> str:
    """Return the purpose of a model pack."""
    if len(names) == 2:
        return f"{names[0]} and {names[1]}, for dictation and spoken answers."
    return f"{', '.join(names)}, for dictation and spoken answers."


def read_lent(raw: dict[str, Any]) -> Model:
    """Return a provider's model."""
    return Model(
        id=raw["id"],
        name=raw["model"],
        type=raw["type"],
        place="provider",
        provider=str(raw["id"]).partition("/")[0],
        host=raw["host"],
        problem=raw["problem"],
    )
