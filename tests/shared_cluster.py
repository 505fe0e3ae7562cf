"""A pool on Ray for many tests: it takes seconds to start, so it is started once."""

from __future__ import annotations

import statistics
import warnings
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest

from backends.workers import Budget

# Marks tests that need Ray, and names what is missing where it is not installed.
NEEDS_RAY = (
    pytest.mark.cluster,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed (extra: cluster)"),
)
# The echo provider has no model; a model of files goes to the cluster, so it gets one.
FILES = {"model_path": str(Path(__file__).parent / "echo_provider" / "provider.yaml")}


def start_ray(folder: Path, address: str = "local") -> Any:
    """Return a connection to Ray on this machine that pools may share: `end` ends it, not they.
    folder: its data folder. address: of another cluster.
    """
    from backends.cluster.settings import prepare

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv("DESKPILOT_HOME", str(folder))
        prepare(loopback=True)
        warnings.simplefilter("ignore")  # Ray's own, while it is imported
        from backends.cluster.nodes import RayCluster

        class SharedRay(RayCluster):
            def close(self) -> None:
                """Go on for the next pool."""

            def end(self) -> None:
                super().close()

        return SharedRay(address, Budget())


def pool_on(joined: Any, modules: dict[str, str], **settings: Any) -> Any:
    """Return a pool on Ray, of which the echo provider's model is one of files."""
    from backends.cluster.pool import Cluster

    class EchoCluster(Cluster):
        async def call(self, provider: str, *arguments: Any, **named: Any) -> Any:
            return await super().call(provider, *arguments, **with_files(provider, named))

        def stream(self, provider: str, *arguments: Any, **named: Any) -> Any:
            return super().stream(provider, *arguments, **with_files(provider, named))

    return EchoCluster(joined, Budget(idle_seconds=0), modules=modules, **settings)


def with_files(provider: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if provider != "echo":
        return arguments
    return arguments | {"credentials": FILES | arguments["credentials"]}


def wants_cluster(item: pytest.Item) -> bool:
    """Return whether a test runs on Ray, and will not be skipped."""
    skipped = any(mark.args[0] for mark in item.iter_markers("skipif"))
    return not skipped and item.get_closest_marker("cluster") is not None


def of_cluster(folder: Path) -> list[psutil.Process]:
    """Return the processes of a cluster and of those who use it, by the token they were given: a
    process that lost its parent is still found. folder: the data folder the token lies in.
    """
    found: list[psutil.Process] = []
    for one in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            token = one.environ().get("RAY_AUTH_TOKEN_PATH", "")
            if token and Path(token).parent == folder and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
    return found


def print_waits(lost: str, seconds: list[float]) -> None:
    """Print how long the next answer took after each loss."""
    middle = statistics.median(seconds)
    print(  # noqa: T201 - a figure
        f"{lost} lost {len(seconds)} times: next answer after {middle:.2f} s (median),"
        f" {max(seconds):.2f} s (longest)"
    )
