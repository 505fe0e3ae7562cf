"""The real service on Ray: who can reach it, and what is left when parts of it are killed."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import psutil
import pytest

from backends.catalog import Catalog
from backends.catalog.choices import ModelChoices, write_choices
from tests.models.llama import LLAMA
from tests.service.conftest import REPOSITORY, Service, start, stop
from tests.shared_cluster import NEEDS_RAY, of_cluster, print_waits

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = list(NEEDS_RAY)

ROUNDS = int(os.environ.get("DESKPILOT_ROUNDS", "3"))
CHAT = "/v1/chat/completions"
HEAD = "127.0.0.1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with a tiny language model, which every process of this file has."""
    made = tmp_path_factory.mktemp("cluster-service")
    catalog = Catalog(made / "models")
    catalog.add(Path(LLAMA["model_path"]), "tiny", link=True)
    write_choices(catalog.folder, ModelChoices(models={"tiny": {"n_ctx": "32768"}}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(made))
        patch.setenv("DESKPILOT_MODELS", str(made / "models"))
        yield made


@pytest.fixture(autouse=True)
def _its_data_folder(folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKPILOT_HOME", str(folder))


def tree(process: subprocess.Popen[Any]) -> list[psutil.Process]:
    top = psutil.Process(process.pid)
    return [top, *top.children(recursive=True)]


def listening(processes: list[psutil.Process]) -> list[tuple[str, int, str]]:
    """Return the address, port and process of every socket that takes connections."""
    found: list[tuple[str, int, str]] = []
    for one in processes:
        with suppress(psutil.NoSuchProcess):
            for at in one.net_connections("inet"):
                if at.status == psutil.CONN_LISTEN:
                    found.append((at.laddr.ip.removeprefix("::ffff:"), at.laddr.port, one.name()))
    return found


def addresses() -> list[str]:
    """Return this machine's addresses that others may reach."""
    return [
        at.address
        for interface in psutil.net_if_addrs().values()
        for at in interface
        if at.family == socket.AF_INET and not at.address.startswith("127.")
    ]


def question(text: str = "France?", **more: Any) -> dict[str, Any]:
    told = {"model": "tiny", "messages": [{"role": "user", "content": text}], "temperature": 0}
    return told | more


def ask(service: Service) -> str:
    with service.client() as client:
        answer = client.post(CHAT, json=question()).json()
    return answer["choices"][0]["message"]["content"]


ANSWER = "The capital of France is Paris."


@pytest.fixture(scope="module")
def alone(folder: Path) -> Iterator[Service]:
    """A service with Ray on this machine, which has answered."""
    running = start(REPOSITORY, "--no-warm", "--cluster", "local")
    assert ask(running) == ANSWER
    yield running
    stop(running)


def test_nothing_of_it_can_be_reached_from_another_machine(alone: Service) -> None:
    found = listening(tree(alone.process))
    names = {name for _, _, name in found}
    assert {"gcs_server", "raylet"} <= names  # the scan sees Ray
    assert any(name.startswith("ray::") for name in names)
    assert {ip for ip, _, _ in found} <= {"127.0.0.1", "::1"}, found
    for address in addresses():
        for _, port, name in found:
            with socket.socket() as caller:
                caller.settimeout(2)
                assert caller.connect_ex((address, port)) != 0, (address, port, name)


def test_ray_answers_nobody_without_the_token_of_the_cluster(alone: Service, folder: Path) -> None:
    import grpc

    port = next(port for _, port, name in listening(tree(alone.process)) if name == "gcs_server")
    token = (folder / "cluster-token").read_text()
    assert (folder / "cluster-token").stat().st_mode & 0o777 == 0o600
    told: dict[str, str] = {}
    for name, given in {"none": "", "wrong": "x" * 64, "right": token}.items():
        headers = [("authorization", f"Bearer {given}")] if given else []
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = channel.unary_unary("/ray.rpc.NodeInfoGcsService/GetClusterId")
            try:
                call(b"", metadata=headers, timeout=10)
                told[name] = "answered"
            except grpc.RpcError as error:
                told[name] = error.code().name
    assert told == {"none": "UNAUTHENTICATED", "wrong": "UNAUTHENTICATED", "right": "answered"}


def test_a_nodes_agent_speaks_http_only_to_those_with_the_token(alone: Service) -> None:
    agent = [port for _, port, name in listening(tree(alone.process)) if "DashboardAgent" in name]
    told: set[int] = set()
    for port in agent:
        for headers in ({}, {"Authorization": f"Bearer {'x' * 64}"}):
            with suppress(httpx.HTTPError):  # it speaks something else
                answer = httpx.get(f"http://127.0.0.1:{port}/logs", headers=headers, timeout=5)
                assert answer.status_code in (401, 403), (port, answer.text[:200])
                told.add(port)
    assert told


def test_dashboard_and_usage_statistics_are_off(alone: Service) -> None:
    found = tree(alone.process)
    assert 8265 not in {port for _, port, _ in listening(found)}
    rays = [one for one in found if one.name() in ("gcs_server", "raylet")]
    assert rays
    for one in rays:
        assert one.environ()["RAY_USAGE_STATS_ENABLED"] == "0"
        assert one.environ()["RAY_AUTH_MODE"] == "token"


def test_an_engine_gets_all_processors_of_its_machine(alone: Service) -> None:
    """Ray would give it one thread."""
    with alone.client() as client:
        (loaded,) = client.get("/v1/manage/models").json()["loaded"]
    assert "OMP_NUM_THREADS" not in psutil.Process(loaded["pid"]).environ()


def test_a_signal_ends_it_and_all_of_ray(folder: Path) -> None:
    running = start(REPOSITORY, "--no-warm", "--beside", "--cluster", "local")
    found = tree(running.process)
    assert len(found) > 5
    running.process.send_signal(signal.SIGTERM)
    running.process.wait(timeout=30)
    _, alive = psutil.wait_procs(found, timeout=10)
    assert not alive
    assert running.process.stdout
    running.process.stdout.close()
    assert running.process.stdin
    running.process.stdin.close()


@contextmanager
def head(folder: Path) -> Iterator[str]:
    """A node of its own, as `deskpilot serve node` starts it."""
    with socket.socket() as free:
        free.bind((HEAD, 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "backends.cluster.node", "--parent-pipe", "--port", str(port)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin
    assert process.stdout
    address = process.stdout.readline().decode().strip()
    deadline = time.monotonic() + 60
    while not {"raylet", "ray::DashboardAgent"} <= {one.name() for one in tree(process)}:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    try:
        yield address
    finally:
        found = tree(process)
        process.stdin.close()
        process.wait(timeout=40)
        process.stdout.close()
        _, alive = psutil.wait_procs(found, timeout=10)
        assert not alive


def test_a_killed_service_leaves_the_model_to_the_other_and_nothing_running(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_HOME", str(tmp_path))  # with a token that no other test has
    chance = random.Random(7)
    with ExitStack() as ends:
        address = ends.enter_context(head(folder))
        joined = ("--no-warm", "--beside", "--cluster", address)
        second = start(REPOSITORY, *joined)
        ends.callback(stop, second)
        assert ask(second) == ANSWER
        with second.client() as client:
            (loaded,) = client.get("/v1/manage/models").json()["loaded"]
        seconds: list[float] = []
        for _ in range(ROUNDS):
            first = start(REPOSITORY, *joined)
            words = 0
            with first.client() as client, suppress(httpx.RemoteProtocolError):
                long = question("forever", stream=True, max_tokens=30_000)
                moment = chance.randrange(1, 200)
                with client.stream("POST", CHAT, json=long) as answer:
                    for line in answer.iter_lines():
                        words += line.startswith("data: {")
                        if words == moment:
                            first.process.kill()
            assert words >= moment
            first.process.wait(timeout=10)
            for pipe in (first.process.stdin, first.process.stdout):
                assert pipe
                pipe.close()
            begun = time.monotonic()
            # the model takes one call at a time: it is free only if the dead one's answer ended
            assert ask(second) == ANSWER
            seconds.append(time.monotonic() - begun)
            assert seconds[-1] < 15
        with second.client() as client:
            (same,) = client.get("/v1/manage/models").json()["loaded"]
        assert same["pid"] == loaded["pid"]
        print_waits("ingress", seconds)
    _, alive = psutil.wait_procs(of_cluster(tmp_path), timeout=20)
    assert not alive


def test_offline_refuses_other_machines_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKPILOT_OFFLINE", "1")
    command = [sys.executable, "-m", "backends.service", "--cluster", "ray://192.0.2.1:6379"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Deskpilot is offline, and the cluster is on other machines." in done.stderr
    assert "Traceback" not in done.stderr
    assert json.dumps("pid") not in done.stdout
