"""Providers over HTTP, against our own service as a stranger's server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.foreign import foreign
from tests.service.conftest import Service, start, stop

if TYPE_CHECKING:
    from collections.abc import Iterator

KIND = "/v1/manage/providers/openai_compatible"


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with foreign(tmp_path_factory.mktemp("foreign")) as credentials:
        yield credentials | {"server": "deskpilot"}


@pytest.fixture
def service(repository: Path, home: Path) -> Iterator[Service]:
    """A service whose log is a file in its home, as the terminal starts it."""
    with (home / "service.log").open("w") as log:
        running = start(repository, "--no-warm", stderr=log)
        yield running
        stop(running)


def lend(client: Any, credentials: dict[str, str], **more: str) -> None:
    models = [
        {"model": name, "type": kind, "credentials": credentials, **more}
        for name, kind in (("echo", "llm"), ("echo", "text-embedding"), ("echo", "moderation"))
    ]
    told = {"provider": "openai_compatible", "models": models}
    assert client.put("/v1/manage/lent/work", json=told).json() == {"lent": 3}


def said(client: Any, model: str, words: str) -> Any:
    body = {"model": model, "messages": [{"role": "user", "content": words}]}
    return client.post("/v1/chat/completions", json=body)


def test_the_service_describes_the_fields_each_provider_asks_for(service: Service) -> None:
    with service.client() as client:
        told = client.get("/v1/manage/providers").json()
    known = {one["provider"]: one for one in told["providers"]}
    assert told["broken"] == []
    assert {"llama_cpp", "openai_compatible"} <= set(known)
    fields = known["openai_compatible"]["provider_credential_schema"]["credential_form_schemas"]
    assert {f["variable"]: f["type"] for f in fields}["api_key"] == "secret-input"
    assert known["openai_compatible"]["label"]["zh_Hans"]


def test_credentials_are_tried_out_and_what_is_wrong_is_said(
    service: Service, stranger: dict[str, str]
) -> None:
    with service.client() as client:
        good = client.post(f"{KIND}/validate", json={"credentials": stranger})
        assert good.json()["host"] == ""
        assert {"model": "tiny-piper", "type": "tts"} in good.json()["models"]
        wrong = client.post(
            f"{KIND}/validate", json={"credentials": stranger | {"api_key": "wr0ng"}}
        )
        assert wrong.status_code == 422
        assert wrong.json()["error"]["type"] == "CredentialsValidateFailedError"
        assert "refused the key" in wrong.json()["error"]["message"]
        assert "wr0ng" not in wrong.text
        missing = client.post(f"{KIND}/validate", json={"credentials": {}})
        assert "Address (base_url) is required" in missing.json()["error"]["message"]
        unknown = client.post("/v1/manage/providers/nobody/validate", json={"credentials": {}})
        assert "There is no provider 'nobody'" in unknown.json()["error"]["message"]
        model = {"credentials": stranger, "model": "echo", "type": "llm"}
        assert client.post(f"{KIND}/models/validate", json=model).json() == {"valid": True}
        absent = client.post(f"{KIND}/models/validate", json=model | {"model": "nothing"})
        assert "It lists: echo" in absent.json()["error"]["message"]
        assert (
            client.get("/v1/manage/models").json()["loaded"] == []
        )  # a check leaves nothing loaded


def test_lent_models_answer_by_their_name_and_never_unasked(
    service: Service, stranger: dict[str, str]
) -> None:
    with service.client() as client:
        lend(client, stranger)
        assert "work/echo" in {m["id"] for m in client.get("/v1/models").json()["data"]}
        assert client.get("/v1/models/work/echo").json()["owned_by"] == "openai_compatible"
        assert said(client, "work/echo", "good morning").json()["choices"][0]["message"][
            "content"
        ] == ("good morning ")
        embedded = client.post("/v1/embeddings", json={"model": "work/echo", "input": "aeiou"})
        assert embedded.json()["data"][0]["embedding"] == [5.0, 5.0]
        unasked = client.post("/v1/moderations", json={"input": "x"})
        assert "Nothing was checked" in unasked.json()["error"]["message"]
        assert client.delete("/v1/manage/lent/work").json() == {"taken_back": 3}
        assert said(client, "work/echo", "x").status_code == 404


def test_a_terminal_without_the_key_says_so_and_does_not_push_out_one_that_has_it(
    service: Service, stranger: dict[str, str]
) -> None:
    why = {"problem": "The key of work is not at hand.", "remedy": "Add it again."}
    with service.client() as client:
        lend(client, {}, **why)
        assert said(client, "work/echo", "x").json()["error"]["message"] == (
            "The key of work is not at hand. Add it again."
        )
        lend(client, stranger)
        lend(client, {}, **why)
        assert said(client, "work/echo", "x").status_code == 200


def test_a_lent_key_is_on_no_disk_and_in_no_log(
    service: Service, stranger: dict[str, str], home: Path
) -> None:
    with service.client() as client:
        lend(client, stranger)
        said(client, "work/echo", "hello")
        client.put(
            "/v1/manage/lent/work", json={"provider": 3, "models": [{"credentials": stranger}]}
        )
        told = client.get("/v1/manage/lent").text
    key = stranger["api_key"]
    assert key not in told
    assert service.process.stdin
    service.process.stdin.close()  # what it still had to log is in the file now
    service.process.wait(timeout=10)
    written = [path for path in home.rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if key.encode() in path.read_bytes()]
