"""Parameters chosen for a model are used by chat; a model's speed is measured in its worker and
shown.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.cli.commands import run_measure
from backends.catalog import Catalog
from backends.catalog.choices import (
    LAST,
    MeasuredAnswer,
    answering,
    read_all_measured,
    read_choices,
)
from tests.models.llama import LLAMA
from tests.service.conftest import Service, start, stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

SAID = [{"role": "user", "content": "count"}]


@pytest.fixture
def tiny(
    repository: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[httpx.Client]:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    Catalog().add(Path(LLAMA["model_path"]), "tiny-llama", link=True)
    running: Service = start(repository)
    with running.client() as client:
        yield client
    stop(running)


def words(client: httpx.Client, **more: Any) -> str:
    told = client.post(
        "/v1/chat/completions", json={"messages": SAID, "temperature": 0} | more
    ).json()
    return told["choices"][0]["message"]["content"]


def copilots_words(client: httpx.Client) -> str:
    body = {"messages": [{"role": "human", "content": "count please, my friend"}]}
    events = client.post("/v1/query", json=body).text.split("\r\n")
    told = [json.loads(line.removeprefix("data: ")) for line in events if line.startswith("data: ")]
    return "".join(event.get("delta", "") for event in told)


def test_what_is_chosen_for_a_model_is_used_by_chat_and_undone(tiny: httpx.Client) -> None:
    now = tiny.get("/v1/manage/tuning", params={"id": "tiny-llama"}).json()
    assert {"temperature", "max_tokens"} <= {rule["name"] for rule in now["rules"]}
    assert (now["parameters"], now["own"]) == ({}, [])
    assert now["presets"]["precise"]["temperature"] == "0"
    whole = words(tiny)
    assert whole.endswith("nine ten")
    assert copilots_words(tiny).endswith("nine ten")
    body = {"id": "tiny-llama", "parameters": {"max_tokens": "3"}, "settings": {"n_ctx": "1024"}}
    told = tiny.put("/v1/manage/tuning", json=body).json()
    assert (told["parameters"], told["settings"]["n_ctx"]) == ({"max_tokens": "3"}, "1024")
    assert words(tiny) == "one two three"
    assert words(tiny, max_tokens=100) == whole  # who asks for something gets it
    assert copilots_words(tiny) == "one two three"
    wrong = tiny.put("/v1/manage/tuning", json=body | {"parameters": {"temperature": "9"}})
    assert "at most 2" in wrong.json()["error"]["message"]
    named = {"name": "short", "id": "tiny-llama", "parameters": {"max_tokens": "3"}}
    assert tiny.put("/v1/manage/presets", json=named).json()["own"] == ["short"]
    tiny.put("/v1/manage/tuning", json={"id": "tiny-llama"})
    assert words(tiny) == whole
    assert read_choices(Catalog().folder).presets == {"short": {"max_tokens": 3}}
    assert tiny.delete("/v1/manage/presets", params={"name": "short"}).json() == {"forgotten": True}
    assert (
        "is part of Deskpilot"
        in tiny.delete("/v1/manage/presets", params={"name": "precise"}).json()["error"]["message"]
    )


def test_the_last_answers_of_a_model_tell_how_quick_it_is_and_what_they_took(
    tiny: httpx.Client,
) -> None:
    def shown() -> dict[str, Any]:
        models = tiny.get("/v1/manage/catalogue").json()["models"]
        return next(model for model in models if model["id"] == "tiny-llama")

    assert (shown()["answering"], shown()["context"]) == (0.0, None)
    tiny.put("/v1/manage/tuning", json={"id": "tiny-llama", "settings": {"n_ctx": "1024"}})
    body: dict[str, Any] = {"messages": SAID, "temperature": 0}
    used = tiny.post("/v1/chat/completions", json=body).json()["usage"]
    assert shown()["context"]["used"] == used["total_tokens"]
    assert shown()["context"]["room"] == 1024
    known = read_all_measured(Catalog().folder).answers["tiny-llama"]
    assert [answer.tokens for answer in known] == [used["completion_tokens"] - 1]
    for _ in range(LAST):
        words(tiny)
    assert len(read_all_measured(Catalog().folder).answers["tiny-llama"]) == LAST
    long = MeasuredAnswer(tokens=100, seconds=4.0, used=1, room=2, at=0.0)
    assert answering([long, long], {}) == 25.0
    assert answering([long], {"n_ctx": "1024"}) == 0.0  # with other settings it is another speed


def test_a_model_is_measured_in_its_worker_and_the_figures_are_shown(
    tiny: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tiny.post("/v1/manage/measure", json={"id": "tiny-llama"}).json()
    assert told["prompt"] > 0
    assert told["answer"] > 0
    assert told["device"] == "cpu"
    shown = tiny.get("/v1/manage/catalogue").json()["models"]
    assert {m["id"]: m["measured"] for m in shown}["tiny-llama"] == told
    (loaded,) = tiny.get("/v1/manage/models").json()["loaded"]
    assert loaded["id"] == "tiny-llama"
    missing = tiny.post("/v1/manage/measure", json={"id": "whisper-tiny"})
    assert "There is no language model" in missing.json()["error"]["message"]
    assert asyncio.run(run_measure(["tiny-llama"])) == 0  # it finds the service that runs
    assert "tokens/s, on cpu" in capsys.readouterr().out
    assert asyncio.run(run_measure([])) == 2
    tiny.put("/v1/manage/tuning", json={"id": "tiny-llama", "settings": {"n_ctx": "1024"}})
    shown = tiny.get("/v1/manage/catalogue").json()["models"]
    assert {m["id"]: m["measured"] for m in shown}[
        "tiny-llama"
    ] is None  # with other settings it is another speed
