"""Named tokens of a real service: what they may, how often, and how soon a revoked one ends."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner

from app.cli.commands import app
from backends.catalog import Catalog
from backends.catalog.choices import ModelChoices, write_choices
from backends.paths import tokens_file
from backends.service.access import TokenFile
from tests.models.llama import LLAMA
from tests.service.conftest import Service, start, stop

if TYPE_CHECKING:
    from collections.abc import Iterator

CHAT = "/v1/chat/completions"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("office")


@pytest.fixture(autouse=True)
def _its_data_folder(folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test see the data folder of the service, which all tests here share."""
    monkeypatch.setenv("DESKPILOT_HOME", str(folder))


@pytest.fixture(scope="module")
def office(folder: Path) -> Iterator[Service]:
    catalog = Catalog(folder / "models")
    for name in ("tiny", "other"):
        catalog.add(Path(LLAMA["model_path"]), name, link=True)
    # room for an answer that outlasts what pipes and sockets hold
    write_choices(catalog.folder, ModelChoices(models={"tiny": {"n_ctx": "32768"}}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(folder))
        patch.setenv("DESKPILOT_MODELS", str(folder / "models"))
        running = start(
            Path(__file__).resolve().parents[2], "--no-warm", "--parallel", "2", "--metrics"
        )
        yield running
        stop(running)


def named(office: Service, name: str, **limits: Any) -> httpx.Client:
    """Return a client with a new token."""
    token = TokenFile(tokens_file()).add(name, **limits)
    return httpx.Client(
        base_url=office.url, headers={"Authorization": f"Bearer {token}"}, timeout=60
    )


def question(text: str = "France?", **more: Any) -> dict[str, Any]:
    told = {"model": "tiny", "messages": [{"role": "user", "content": text}], "temperature": 0}
    return told | more


def test_a_token_that_is_added_works_at_once_and_is_kept_as_a_hash(office: Service) -> None:
    with named(office, "ada") as client:
        answer = client.post(CHAT, json=question()).json()
        assert answer["choices"][0]["message"]["content"] == "The capital of France is Paris."
        token = client.headers["Authorization"].removeprefix("Bearer ")
    assert token not in tokens_file().read_text()
    assert tokens_file().stat().st_mode & 0o777 == 0o600


def test_it_may_not_manage_the_service(office: Service) -> None:
    with named(office, "bob") as client:
        assert client.get("/v1/manage/models").status_code == 403
        assert client.post("/v1/manage/unload", json={"model": "tiny"}).status_code == 403


def test_it_sees_and_uses_the_models_it_may(office: Service) -> None:
    with named(office, "cleo", models=["other"]) as client:
        assert [one["id"] for one in client.get("/v1/models").json()["data"]] == ["other"]
        refused = client.post(CHAT, json=question())
        assert (refused.status_code, "tiny" in refused.text) == (403, True)
        assert client.post(CHAT, json=question(model=None)).json()["model"] == "other"


@pytest.mark.parametrize("limits", [{"requests": 2}, {"tokens": 30}], ids=["requests", "tokens"])
def test_what_is_too_much_in_a_minute_is_refused_until_later(
    office: Service, limits: dict[str, int]
) -> None:
    with named(office, f"dora {limits}", **limits) as client:
        statuses = [client.post(CHAT, json=question()).status_code for _ in range(4)]
        last = client.post(CHAT, json=question())
    assert statuses[0] == 200
    assert last.status_code == 429
    assert 1 <= int(last.headers["Retry-After"]) <= 60
    assert "a minute" in last.json()["error"]["message"]


def test_more_requests_at_once_than_allowed_are_refused(office: Service) -> None:
    with named(office, "eve", at_once=1) as client:
        long = question("forever", stream=True, max_tokens=30_000)
        with client.stream("POST", CHAT, json=long) as answer:
            lines = answer.iter_lines()  # dropped, it would close the answer
            next(lines)
            assert client.post(CHAT, json=question()).status_code == 429
        deadline = time.monotonic() + 10
        while client.post(CHAT, json=question()).status_code == 429:
            assert time.monotonic() < deadline  # the answer that was hung up is over soon


def test_the_owner_sees_users_queues_and_figures_and_no_text(office: Service) -> None:
    with named(office, "ivy") as client, office.client() as owner:
        assert client.post(CHAT, json=question("SECRETMARK France?")).status_code == 200
        assert client.get("/metrics").status_code == 403
        told = owner.get("/v1/manage/status").json()
        assert {"name": "ivy", "running": 0} in told["users"]
        queue = next(one for one in told["queues"] if one["model"] == "tiny")
        assert (queue["slots"], queue["waiting"]) == (2, 0)
        figures = owner.get("/metrics").text
    assert "SECRETMARK" not in figures
    assert "ivy" not in figures
    families = {one.name: one for one in text_string_to_metric_families(figures)}
    written = [
        sample.value
        for sample in families["gen_ai_server_token_usage"].samples
        if sample.labels.get("gen_ai_token_type") == "output"
        and sample.labels["gen_ai_request_model"] == "tiny"
    ]
    assert written[0] > 0
    assert families["gen_ai_server_time_to_first_token_seconds"].samples
    assert families["deskpilot_model_resident_bytes"].samples[0].value > 1_000_000
    (depth,) = [
        one
        for one in families["deskpilot_process_running"].samples
        if one.labels["gen_ai_request_model"].startswith("tiny")
    ]
    assert (depth.value, depth.labels["process"].isdecimal()) == (0, True)
    assert {one.value for one in families["deskpilot_pool_waiting"].samples} == {0}


def test_its_status_is_told_in_the_shell(
    office: Service, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DESKPILOT_TOKEN", office.token)
    with office.client() as owner:  # a model has a queue once it was asked
        assert owner.post(CHAT, json=question()).status_code == 200
    assert CliRunner().invoke(app, ["serve", "--status", "--url", office.url]).exit_code == 0
    said = capfd.readouterr().out
    assert "user owner: 0 running" in said
    assert "queue tiny: 0 of 2 running" in said


def test_one_that_expired_is_not_known(office: Service) -> None:
    with named(office, "fay", expires=time.time() - 1) as client:
        assert client.get("/v1/models").status_code == 401


def test_a_revoked_token_ends_its_answer_within_a_second_in_words(office: Service) -> None:
    with named(office, "gus") as client:
        long = question("forever", stream=True, max_tokens=30_000)
        lines: list[str] = []
        with client.stream("POST", CHAT, json=long) as answer:
            for line in answer.iter_lines():
                if not lines:
                    TokenFile(tokens_file()).revoke("gus")
                    revoked = time.monotonic()
                lines += [line] if line else []
        ended = time.monotonic() - revoked
        assert client.post(CHAT, json=question()).status_code == 401
    assert "revoked" in json.loads(lines[-1].removeprefix("data: "))["error"]["message"]
    assert ended < 3  # one second, and what a machine in use adds


def test_a_damaged_file_lets_nobody_in_but_the_owner(office: Service) -> None:
    with named(office, "hal") as client:
        whole = tokens_file().read_bytes()
        tokens_file().write_bytes(whole[:-10])
        refused = client.get("/v1/models")
        assert refused.status_code == 500
        assert "tokens.json" in refused.text
        with office.client() as owner:
            assert owner.get("/v1/models").status_code == 200
        tokens_file().write_bytes(whole)
        assert client.get("/v1/models").status_code == 200
