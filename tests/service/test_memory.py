"""A service with little memory: models come and go, and one that does not fit is refused in
words.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from backends.catalog import Catalog
from backends.catalog.__main__ import app
from backends.catalog.shell import set_for
from backends.flexai.registry import Registry
from backends.service.devices import look
from backends.workers import Workers
from tests.models.speech import PIPER, SENTENCES, WHISPER
from tests.service.conftest import Service, start, stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SAY, HEAR = "/v1/audio/speech", "/v1/audio/transcriptions"


@pytest.fixture
def with_memory(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Service]]:
    catalog = Catalog(tmp_path / "models")
    catalog.add(Path(WHISPER["model_path"]), "tiny-whisper", link=True)
    catalog.add(Path(PIPER["model_path"]), "tiny-voice", link=True)
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    running: list[Service] = []

    def started(memory: str) -> Service:
        running.append(start(repository, "--no-warm", *(["--memory", memory] if memory else [])))
        return running[-1]

    yield started
    for service in running:
        stop(service)


def loaded(service: Service) -> list[str]:
    with service.client() as client:
        return [model["id"] for model in client.get("/v1/manage/models").json()["loaded"]]


async def devices_of(engine: str) -> list[dict[str, Any]]:
    modules = {engine: f"backends.providers.{engine}"}
    async with Workers(modules) as workers:
        return await look(Registry(modules), workers)


def test_a_voice_makes_room_for_a_whisper_and_comes_back(
    with_memory: Callable[[str], Service],
) -> None:
    service = with_memory("180MB")
    with service.client() as client:
        said = client.post(SAY, json={"input": SENTENCES[0], "voice": "alloy"})
        assert loaded(service) == ["tiny-voice"]
        heard = client.post(HEAR, files={"file": ("a.wav", said.content)})
        assert heard.json()["text"] == SENTENCES[0]
        assert loaded(service) == ["tiny-whisper"]
        again = client.post(SAY, json={"input": SENTENCES[0], "voice": "alloy"})
        assert again.content == said.content
        assert loaded(service) == ["tiny-voice"]
        told = client.get("/v1/manage/models").json()["budget"]
        assert told == {"bytes": 180_000_000, "idle_seconds": 600.0}


def test_a_model_that_does_not_fit_is_refused_with_figures(
    with_memory: Callable[[str], Service],
) -> None:
    service = with_memory("100MB")
    with service.client() as client:
        told = client.post(SAY, json={"input": "Hello.", "voice": "alloy"})
        assert told.status_code == 507
        error = told.json()["error"]
        assert error["type"] == "InvokeMemoryError"
        assert "tiny-voice needs 160 MB of memory; only 100 MB is free." in error["message"]
        assert error["remedy"]
        assert loaded(service) == []
        assert client.get("/healthz").json()["status"] == "ok"


def test_what_was_chosen_holds_and_the_list_tells_what_is_loaded(
    with_memory: Callable[[str], Service], tmp_path: Path
) -> None:
    set_for(Catalog(), "all", ["memory=3GB", "idle=0"])
    set_for(Catalog(), "tiny-voice", ["device=cpu"])
    service = with_memory("")
    with service.client() as client:
        assert client.post(SAY, json={"input": SENTENCES[0], "voice": "alloy"}).status_code == 200
        told = client.get("/v1/manage/models").json()
    assert told["budget"] == {"bytes": 3_000_000_000, "idle_seconds": 0.0}
    assert [(model["id"], model["device"]) for model in told["loaded"]] == [("tiny-voice", "cpu")]
    listed = CliRunner().invoke(app, ["list"], env={"COLUMNS": "110"}).output.splitlines()
    rows = {line.split()[0]: line for line in listed if line.split()}
    assert "loaded, cpu" in rows["tiny-voice"]
    assert "  here  " in rows["tiny-whisper"]
    assert "  available  " in rows["whisper-base"]
    (piper,) = asyncio.run(devices_of("piper"))  # what the doctor tells
    assert piper["loaded"] == {"tiny-voice": "cpu"}


def test_settings_that_cannot_be_read_are_told_in_words(
    with_memory: Callable[[str], Service], tmp_path: Path
) -> None:
    service = with_memory("")
    (tmp_path / "models" / "choices.json").write_text("{")
    with service.client() as client:
        told = client.post(SAY, json={"input": "Hello.", "voice": "alloy"})
    assert told.status_code == 500
    assert "choices.json cannot be read" in told.json()["error"]["message"]
