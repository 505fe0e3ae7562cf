"""A provider added from the shell, its models used, its key found nowhere but in the keyring."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import openai
import psutil
import pytest

from tests.foreign import foreign

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with foreign(tmp_path_factory.mktemp("foreign")) as credentials:
        yield credentials


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's keyring, which is a file here."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.file_keyring.FileKeyring")
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "keyring"))
    return tmp_path / "keyring"


@pytest.fixture
def run(repository: Path) -> Any:
    def run(*arguments: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "app", *arguments],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=repository,
            env=os.environ | {"COLUMNS": "160"} | more,
            start_new_session=True,  # without a terminal a secret is read from stdin
        )

    return run


def contents(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_a_provider_is_asked_for_tried_out_used_and_removed(
    run: Any, stranger: dict[str, str], kept: Path, home: Path
) -> None:
    # kind, name, address, a wrong key, the server, seconds; then again with the right key
    typed = ["1", "work", stranger["base_url"], "wr0ng", "9", "30"]
    typed += [stranger["base_url"], stranger["api_key"], "9", "30"]
    typed += ["1,tiny-piper", "n", "n"]
    added = run("providers", "add", typed="\n".join(typed) + "\n")
    assert added.returncode == 0, added.stderr
    assert "refused the key" in added.stderr
    assert "deskpilot ask QUESTION --model work/echo" in added.stderr
    assert stranger["api_key"] not in added.stdout + added.stderr

    listed = run("providers", "list").stdout
    assert "work" in listed
    assert "api_key in the keyring" in listed

    asked = run("ask", "good morning", "--model", "work/echo")
    assert (asked.returncode, asked.stdout) == (0, "good morning \n")

    assert stranger["api_key"] in kept.read_text()
    assert stranger["api_key"].encode() not in contents(home)
    assert b"wr0ng" not in contents(home)

    assert run("providers", "remove", "work").returncode == 0
    assert json.loads(kept.read_text()) == {}


def test_a_script_adds_a_provider_whose_key_stays_in_the_environment(
    run: Any, stranger: dict[str, str], home: Path
) -> None:
    fields = ("--set", f"base_url={stranger['base_url']}", "--env", "api_key=OUR_KEY")
    added = run("providers", "add", *fields, "--model", "echo", OUR_KEY=stranger["api_key"])
    assert added.returncode == 0, added.stderr
    assert "openai-compatible/echo" in run("models", "list").stdout
    assert stranger["api_key"].encode() not in contents(home)


def test_serve_alone_has_the_models_of_providers_at_once_and_their_key_in_no_place_to_look(
    run: Any, stranger: dict[str, str], kept: Path, home: Path, repository: Path
) -> None:
    fields = ("--set", f"base_url={stranger['base_url']}", "--set", "api_key=-")
    typed = stranger["api_key"] + "\n"
    assert run("providers", "add", *fields, "--model", "echo", typed=typed).returncode == 0
    command = [sys.executable, "-m", "app", "serve", "--no-warm"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, cwd=repository) as process,
        contextlib.ExitStack() as ended,
    ):
        ended.callback(process.terminate)  # or what fails here waits for it for ever
        assert process.stdout
        told = json.loads(process.stdout.readline())
        process_seen = psutil.Process(told["pid"])
        seen = " ".join(process_seen.cmdline()) + str(process_seen.environ())
        with openai.OpenAI(
            base_url=f"http://{told['host']}:{told['port']}/v1",
            api_key=told["token"],
            max_retries=0,
        ) as client:
            model = "openai-compatible/echo"
            assert model in [one.id for one in client.models.list()]
            words: Any = [{"role": "user", "content": "good morning"}]
            said = client.chat.completions.create(model=model, messages=words)
            assert said.choices[0].message.content == "good morning "
            # one that is added while it runs, and one that is removed
            more = ("providers", "add", "--name", "second", *fields, "--model", "echo")
            assert run(*more, typed=typed).returncode == 0
            assert "second/echo" in [one.id for one in client.models.list()]
            assert run("providers", "remove", "openai-compatible").returncode == 0
            assert model not in [one.id for one in client.models.list()]
    assert stranger["api_key"] not in seen
    assert stranger["api_key"].encode() not in contents(home)
