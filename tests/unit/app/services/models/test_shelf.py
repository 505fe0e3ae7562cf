"""The models one can have, as the service tells them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from app.domain.errors import ModelServiceError
from app.domain.model import Model
from app.services.models.models import ModelCatalog


def raw(name: str, kind: str, *, here: bool = False) -> dict[str, Any]:
    about = {
        "provider": "p",
        "licence": "MIT",
        "languages": ["en"],
        "good_for": "All.",
        "model": f"{name}-engine",
    }
    return {
        "id": name,
        "name": name,
        "type": kind,
        "here": here,
        "size_bytes": 10,
        "download_bytes": 10,
        "takes_bytes": 100,
    } | about


class Service:
    """A model service with an ear that is here, a voice that is not, and both as a pack."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.breaks_off = False

    async def get(self, path: str) -> dict[str, Any]:
        loaded = {"id": "ear-engine", "type": "speech2text", "memory_bytes": 90, "in_use": True}
        lent = {
            "id": "work/qwen",
            "type": "llm",
            "model": "qwen",
            "host": "models.example",
            "problem": "",
        }
        return {
            "catalogue": {
                "models": [raw("ear", "speech2text", here=True), raw("voice", "tts")],
                "packs": [{"id": "voice-en", "name": "Voice", "members": ["ear", "voice"]}],
            },
            "models": {"loaded": [loaded], "budget": {"bytes": 1000}},
            "lent": {"models": [lent]},
        }[path.rpartition("/")[2]]

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        self.asked.append((path, body))
        return {}

    async def events(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        self.asked.append((path, body))
        yield {"what": "downloading", "done": 5, "total": 10}
        if not self.breaks_off:
            yield {"here": body["id"]}


async def test_each_model_has_one_place_and_a_pack_names_what_is_missing() -> None:
    shelf = await ModelCatalog(Service(), Service()).shelf()
    assert {m.id: m.place for m in shelf.models} == {
        "ear": "loaded", "voice": "available", "work/qwen": "provider", "voice-en": "available",
    }  # fmt: skip
    pack = shelf.models[-1]
    assert (pack.members, pack.download_bytes, pack.takes_bytes) == (("voice",), 10, 200)
    assert (shelf.budget_bytes, shelf.taken_bytes) == (1000, 90)
    assert [m.id for m in shelf.of_type("speech2text")] == ["ear"]
    assert shelf.of_type("tts") == []


async def test_what_is_missing_of_a_pack_is_fetched_and_a_break_is_told() -> None:
    service = Service()
    models = ModelCatalog(service, service)
    pack = (await models.shelf()).models[-1]
    assert [step.done async for step in models.pull(pack)] == [5]
    assert service.asked == [("/v1/manage/pull", {"id": "voice"})]
    service.breaks_off = True
    with pytest.raises(ModelServiceError, match="before it finished"):
        assert [step async for step in models.pull(pack)]


async def test_a_model_is_freed_by_its_name_in_the_engine() -> None:
    service = Service()
    models = ModelCatalog(service, service)
    await models.unload(next(m for m in (await models.shelf()).models if m.id == "ear"))
    assert service.asked == [("/v1/manage/unload", {"model": "ear-engine"})]


def test_a_model_with_a_problem_is_not_offered() -> None:
    assert not Model("work/x", "x", "llm", "provider", problem="No key.").usable


async def test_what_comes_and_goes_is_told_to_those_who_show_it() -> None:
    """The bar said "No model" below a page that said "Ready"."""
    models, told = ModelCatalog(Service(), Service()), list[str]()
    models.subscribe(lambda: told.append("changed"))
    ear = (await models.shelf()).models[0]
    assert not told
    assert [step.done async for step in models.pull(ear)] == [5]
    assert told == ["changed"]
