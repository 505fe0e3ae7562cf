"""`python -m backends.service`: serve until the parent's pipe closes or a signal arrives."""

from __future__ import annotations

import ipaddress
import json
import os
import secrets
import signal
import socket
import sys
import threading
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import psutil
import typer
import uvicorn

from backends import offline
from backends.catalog import CatalogError
from backends.catalog.choices import read_choices
from backends.paths import endpoint_file, models_folder, secret_of, tokens_file
from backends.service.endpoint import Endpoint, FolderTaken, claim, remove_endpoint, write_endpoint
from backends.sizes import NotASize, read_size
from backends.workers.budget import IDLE_SECONDS, Budget

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from filelock import FileLock

    from backends.workers import Pool

GRACE_SECONDS = 3


def main(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = 0,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help=(
                "A file with the bearer token that callers must send; by default "
                "DESKPILOT_TOKEN, or a random token. Do not put it on the command line, which "
                "every user of this machine can see."
            )
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name that callers may use for this host.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "The origin of a web page that may send requests from a browser, such as "
                "http://localhost:3000."
            )
        ),
    ] = None,
    lent: Annotated[
        int | None,
        typer.Option(hidden=True, help="An open file that contains the models of providers."),
    ] = None,
    parent_pipe: Annotated[
        bool, typer.Option("--parent-pipe", help="Stop when standard input closes.")
    ] = False,
    beside: Annotated[
        bool,
        typer.Option(
            "--beside", hidden=True, help="Serve even if another service uses the data folder."
        ),
    ] = False,
    warm: Annotated[
        bool, typer.Option(help="Load the embedder at once, in the background.")
    ] = True,
    memory: Annotated[
        str,
        typer.Option(
            envvar="DESKPILOT_MEMORY", help="Memory limit for all models together, such as 8GB."
        ),
    ] = "",
    idle: Annotated[
        float | None,
        typer.Option(
            envvar="DESKPILOT_IDLE",
            min=0,
            help=(
                "Minutes after which an unused model is unloaded; 0 means never. The default is 10."
            ),
        ),
    ] = None,
    parallel: Annotated[
        int,
        typer.Option(
            min=1,
            max=64,
            help="How many conversations a model computes at once, if its engine and memory allow.",
        ),
    ] = 1,
    queue_seconds: Annotated[
        float | None,
        typer.Option(
            min=1, help="The longest time a request waits for a model; unlimited by default."
        ),
    ] = None,
    metrics: Annotated[
        bool, typer.Option("--metrics", help="Serve metrics for Prometheus at /metrics.")
    ] = False,
    cluster: Annotated[
        str,
        typer.Option(
            help=(
                "Run models on Ray: `local` starts Ray on this machine; ray://HOST:PORT joins "
                "the cluster with that head (see deskpilot serve node)."
            )
        ),
    ] = "",
    replicas: Annotated[
        int, typer.Option(min=1, help="The maximum number of processes for one model in a cluster.")
    ] = 1,
) -> None:
    """Run the model service; its address and token are printed as one line of JSON."""
    offline.begin()
    limits = limits_of(memory, idle)
    token = token_of(token_file)
    limits["origins"] = frozenset(one.rstrip("/") for one in allow_origin or [])
    limits["lent"] = lent_in(lent)
    limits["parallel"] = parallel
    limits["queue_seconds"] = queue_seconds
    limits["metrics"] = metrics
    limits["tokens_file"] = tokens_file()
    if not is_loopback(host) and not token:
        fail(
            f"{host} can be reached from other machines.",
            "Set your own token with --token-file or DESKPILOT_TOKEN.",
        )
    if cluster:
        limits["start_pool"] = cluster_pool(cluster, replicas, limits["memory"])
    # uvicorn raises a signal again after it has shut down, which then ends this process through
    # `finally`
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    lock = claim_folder(beside=beside)
    listener = listen(host, port)
    endpoint = endpoint_at(host, listener, token)
    try:
        serve(
            endpoint,
            listener,
            names_of(host, allow_host or []),
            limits,
            warm=warm,
            parent_pipe=parent_pipe,
            known=lock is not None,
        )
    finally:
        remove_endpoint(endpoint_file(), endpoint.pid)
        if lock is not None:
            lock.release()


def cluster_pool(
    address: str, replicas: int, memory: int
) -> Callable[[dict[str, str] | None, Budget], Awaitable[Pool]]:
    """Start Ray or join a cluster, and return the function that creates the pool. Exit with a
    message if that fails.
    """
    from backends.cluster.settings import LOCAL, NoCluster, check_installed, head_of, prepare

    try:
        alone = address == LOCAL or is_loopback(head_of(address)[0])
        if offline.is_on() and not alone:
            raise NoCluster(
                "Deskpilot is offline, and the cluster is on other machines.",
                "Use --cluster local, or allow connections to other machines.",
            )
        check_installed()
        prepare(loopback=alone)
        # importing it imports Ray, which then reads its settings
        from backends.cluster.nodes import RayCluster
        from backends.cluster.pool import Cluster

        joined = RayCluster(address, Budget(memory))
    except NoCluster as error:
        fail(error.text, error.remedy)

    async def start(modules: dict[str, str] | None, budget: Budget) -> Pool:
        return Cluster(joined, budget, replicas=replicas, modules=modules)

    return start


def lent_in(handle: int | None) -> dict[str, Any]:
    """Return the providers' models that the parent process passed as one line of JSON. Their keys
    are not in any file.
    """
    line = b""
    while handle is not None and not line.endswith(b"\n"):
        piece = os.read(
            handle, 65_536 if handle else 1
        )  # after this line, standard input is the parent's pipe
        if not piece:
            break
        line += piece
    if handle:
        os.close(handle)
    return json.loads(line or b"{}")


def token_of(file: Path | None) -> str:
    """Return the token from a file, or else from the environment, or an empty string if there is
    none. Exit with a message if it cannot be read.
    """
    try:
        return secret_of(file)
    except (OSError, ValueError) as error:
        fail(
            f"The token in {file} could not be read: {error}.",
            "Specify a file that contains one line.",
        )


def endpoint_at(host: str, listener: socket.socket, token: str) -> Endpoint:
    """Return the address that callers use."""
    me = psutil.Process()
    return Endpoint(
        pid=me.pid,
        started=me.create_time(),
        host=host,
        port=listener.getsockname()[1],
        token=token or secrets.token_urlsafe(32),
        version=version("deskpilot"),
    )


def serve(
    endpoint: Endpoint,
    listener: socket.socket,
    names: frozenset[str],
    limits: dict[str, Any],
    *,
    warm: bool,
    parent_pipe: bool,
    known: bool,
) -> None:
    """Serve until a signal arrives or the parent process ends.

    The address is reported on stdout and, if this service owns the data folder, in the folder's
    address file.
    """
    from backends.service.app import create_app  # slow imports, after the checks that fail quickly

    app = create_app(endpoint.token, names, endpoint.version, warm=warm, **limits)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=1,
            server_header=False,
        )
    )
    if parent_pipe:
        threading.Thread(target=end_with_parent, args=(server,), name="parent", daemon=True).start()
    if known:
        write_endpoint(endpoint_file(), endpoint)
    told = {k: v for k, v in asdict(endpoint).items() if k != "started"}
    print(json.dumps(told), flush=True)  # noqa: T201 - this line is what the caller waits for
    server.run(sockets=[listener])


def end_with_parent(server: uvicorn.Server) -> None:
    """When standard input closes, end the process, at the latest after the grace period."""
    while os.read(0, 4096):
        pass
    server.should_exit = True
    timer = threading.Timer(GRACE_SECONDS, os._exit, args=(1,))
    timer.daemon = True
    timer.start()


def claim_folder(*, beside: bool) -> FileLock | None:
    """Claim the data folder.

    If another service has it, exit with a message or, with `beside`, serve without using the
    folder.
    """
    try:
        return claim(endpoint_file())
    except FolderTaken as taken:
        other = taken.endpoint
        where = f", process {other.pid} at http://{other.host}:{other.port}" if other else ""
        if beside:
            text = (
                f"Another model service uses this data folder{where}. This one runs alongside it "
                "and loads its own models."
            )
            print(text, file=sys.stderr)  # noqa: T201
            return None
        fail(
            f"A model service is already running for this data folder{where}.",
            "Use it, stop it first, or set DESKPILOT_HOME to another folder.",
        )


def names_of(host: str, more: list[str]) -> frozenset[str]:
    """Return the allowed Host names in lower case, without ports."""
    own = f"[{host}]" if ":" in host else host
    return frozenset(name.lower() for name in (own, "127.0.0.1", "localhost", "[::1]", *more))


def listen(host: str, port: int) -> socket.socket:
    """Open the port. Exit with a message if that is not possible."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        # Connections inherit this option. asyncio sets it only on sockets that state their
        # protocol. Without it, each stream waits 40 ms until its headers are acknowledged.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        fail(
            f"Port {port} on {host} cannot be used: {error.strerror}.",
            "Choose another with --port.",
        )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def limits_of(memory: str, idle: float | None) -> dict[str, Any]:
    """Return the limits of the application: from the command line, or else from the saved settings,
    or else the defaults.

    Exits with a message if a value is not a valid amount.
    """
    try:
        chosen = read_choices(models_folder())
        text = memory.strip() or chosen.memory
        minutes = idle if idle is not None else chosen.idle
        seconds = IDLE_SECONDS if minutes is None else minutes * 60
        return {"memory": read_size(text) if text else 0, "idle_seconds": seconds}
    except NotASize as error:
        fail(str(error), "")
    except CatalogError as error:
        fail(error.text, error.remedy)


def fail(text: str, remedy: str) -> NoReturn:
    """Print the error and how to fix it, and exit."""
    print(f"{text} {remedy}", file=sys.stderr)  # noqa: T201
    raise typer.Exit(1)


if __name__ == "__main__":
    command = typer.Typer(add_completion=False)
    command.command()(main)
    command(prog_name="deskpilot serve")
