"""A bigger machine's service as a provider of the desktop's own: chat, embeddings, live sound, its
queue, and a restart in the middle of an answer.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from backends.catalog import Catalog
from backends.catalog.choices import ModelChoices, write_choices
from tests.models.llama import LLAMA
from tests.models.speech import SENTENCES, WHISPER
from tests.service.conftest import REPOSITORY, Service, start, stop
from tests.service.test_stream import QUIET, hear, say, stream, tell, voice

if TYPE_CHECKING:
    from collections.abc import Iterator

CHAT = "/v1/chat/completions"
ROOM = {"context_size": "32768"}
ANSWER = "The capital of France is Paris."


class Office:
    """A service on a fixed port that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._token = folder / "token"
        self._token.write_text("t" * 40)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        catalog = Catalog(folder / "models")
        catalog.add(Path(LLAMA["model_path"]), "tiny", link=True)
        catalog.add(Path(WHISPER["model_path"]), "tiny-whisper", link=True)
        write_choices(catalog.folder, ModelChoices(models={"tiny": {"n_ctx": "32768"}}))
        self.service: Service | None = None
        self.start()

    def start(self) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DESKPILOT_HOME", str(self._folder))
            patch.setenv("DESKPILOT_MODELS", str(self._folder / "models"))
            named = ("--port", str(self._port), "--token-file", str(self._token))
            self.service = start(REPOSITORY, "--no-warm", *named)

    def kill(self) -> None:
        assert self.service is not None
        process = self.service.process
        process.kill()
        process.wait(timeout=10)
        for pipe in (process.stdin, process.stdout):
            assert pipe
            pipe.close()
        self.service = None

    def stop(self) -> None:
        if self.service is not None:
            stop(self.service)

    @property
    def credentials(self) -> dict[str, str]:
        address = f"http://127.0.0.1:{self._port}/v1"
        return {"server": "deskpilot", "base_url": address, "api_key": "t" * 40}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    folder = tmp_path / "office"
    folder.mkdir()
    made = Office(folder)
    yield made
    made.stop()


@pytest.fixture
def desktop(tmp_path: Path, office: Office, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The service of a desktop without models, to which the office's were lent."""
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "no-models"))
    running = start(REPOSITORY, "--no-warm")
    models = [
        {"model": "tiny", "type": "llm", "credentials": {**office.credentials, **ROOM}},
        {"model": "tiny-whisper", "type": "speech2text", "credentials": office.credentials},
    ]
    with running.client() as client:
        told = {"provider": "openai_compatible", "models": models}
        assert client.put("/v1/manage/lent/office", json=told).json() == {"lent": 2}
    yield running
    stop(running)


def question(text: str = "France?", **more: Any) -> dict[str, Any]:
    said = {"model": "office/tiny", "messages": [{"role": "user", "content": text}]}
    return said | {"temperature": 0} | more


def test_what_is_said_live_is_written_down_by_the_other_machine(desktop: Service) -> None:
    with stream(desktop) as socket_:
        tell(socket_, "start", model="office/tiny-whisper", language="en")
        assert hear(socket_, "ready")[0]["model"] == "office/tiny-whisper"
        for text in SENTENCES[:2]:
            say(socket_, QUIET, voice(text), QUIET)
            assert hear(socket_, "final")[-1]["text"] == text


def test_a_restart_in_mid_answer_keeps_the_words_says_why_once_and_needs_none_here(
    desktop: Service, office: Office
) -> None:
    words, errors = 0, list[str]()
    with desktop.client() as client:
        long = question("forever", stream=True, max_tokens=30_000)
        with client.stream("POST", CHAT, json=long) as answer:
            for line in answer.iter_lines():
                if not line.startswith("data: {"):
                    continue
                told = json.loads(line.removeprefix("data: "))
                if "error" in told:
                    errors.append(told["error"]["message"])
                elif told["choices"] and told["choices"][0]["delta"].get("content"):
                    words += 1
                if words == 20 and office.service is not None:
                    office.kill()
        assert (words >= 20, len(errors)) == (True, 1), errors
        gone = client.post(CHAT, json=question())
        assert gone.status_code in (502, 503)
        assert "127.0.0.1" in gone.json()["error"]["message"]  # which machine is meant
        office.start()
        answer = client.post(CHAT, json=question()).json()
        assert answer["choices"][0]["message"]["content"] == ANSWER


def test_the_place_in_the_other_machines_queue_reaches_whoever_waits(
    desktop: Service, office: Office
) -> None:
    first_words, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        """Keep the only slot busy."""
        assert office.service is not None
        long = question("forever", stream=True, max_tokens=30_000, model="tiny")
        with office.service.client() as client, client.stream("POST", CHAT, json=long) as answer:
            for line in answer.iter_lines():
                if "content" in line:
                    first_words.set()
                if may_end.is_set():
                    return

    holding = threading.Thread(target=hold, name="hold the slot")
    holding.start()
    try:
        assert first_words.wait(timeout=60)
        query = {
            "messages": [{"role": "human", "content": "What is the capital of France?"}],
            "model": "office/tiny",
            "timezone": "UTC",  # as terminals of today send it
        }
        statuses, end = list[str](), time.monotonic() + 60
        with (
            desktop.client() as client,
            client.stream("POST", "/v1/query", json=query) as answer,
        ):
            for line in answer.iter_lines():
                if "Waiting for the model: place " in line:
                    statuses.append(line)
                    may_end.set()  # now it is its turn
                assert time.monotonic() < end, "no place was told"
        assert statuses
        assert len(set(statuses)) == len(statuses)  # a place is told once
    finally:
        may_end.set()
        holding.join(timeout=60)


def test_a_stranger_gets_no_places_unless_it_asks(office: Office) -> None:
    assert office.service is not None
    with office.service.client() as client:
        body = question(stream=True, model="tiny")
        with client.stream("POST", CHAT, json=body) as answer:
            assert not [line for line in answer.iter_lines() if '"place"' in line]
