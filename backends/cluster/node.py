"""`deskpilot serve node`: make this machine the head of a cluster, or join it to one.

A node runs no model until a service needs one that the node has.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backends import children, offline
from backends.cluster.settings import (
    LOOPBACK,
    OBJECT_BYTES,
    PORT,
    NoCluster,
    check_installed,
    head_of,
    is_loopback,
    own_token,
    variables,
)
from backends.paths import secret_of
from backends.sizes import NotASize, read_size
from backends.workers.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Callable

ALL_INTERFACES = (
    "Other machines can reach Ray's ports on this one. Callers need the cluster's token, but the "
    "connections are not encrypted: keep the machines on a dedicated network."
)


def main(
    join: Annotated[
        str,
        typer.Option(
            help="The head to join: ray://HOST:PORT. By default, this machine is the head."
        ),
    ] = "",
    address: Annotated[
        str, typer.Option(help="This machine's address for the others; by default loopback only.")
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The head's port.")] = PORT,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="A file with the cluster's token; by default cluster-token in the data folder."
        ),
    ] = None,
    memory: Annotated[
        str,
        typer.Option(
            envvar="DESKPILOT_MEMORY", help="Memory limit for models on this machine, such as 8GB."
        ),
    ] = "",
    parent_pipe: Annotated[
        bool, typer.Option("--parent-pipe", hidden=True, help="Stop when standard input closes.")
    ] = False,
) -> None:
    """Run a node until it is stopped; the address of the head is printed."""
    try:
        check_installed()
        host, port = head_of(join) if join else (address, port)
        if offline.wanted() and not (is_loopback(host) and is_loopback(address)):
            raise NoCluster(
                "Deskpilot is offline.", "Allow connections to other machines, or use loopback."
            )
        if join and is_loopback(address):
            raise NoCluster(
                "A node that joins needs an address that the others can reach.",
                "Specify this machine's address: --address 10.0.0.2.",
            )
        limit = read_size(memory) if memory.strip() else 0
        if token_file is not None and not secret_of(token_file):
            raise NoCluster(f"{token_file} contains no token.", "Copy the head's cluster-token.")
        token = token_file.absolute() if token_file else own_token()
    except (NoCluster, NotASize, OSError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    loopback = is_loopback(address)
    if not loopback:
        typer.echo(ALL_INTERFACES, err=True)
    typer.echo(f"ray://{host}:{port}")
    sys.stdout.flush()
    raise typer.Exit(
        run(
            command(join, host, port, address, limit),
            variables(token, loopback=loopback),
            parent_pipe=parent_pipe,
        )
    )


def command(join: str, host: str, port: int, address: str, limit: int) -> list[str]:
    """Return the arguments of `ray start`. limit: the number of bytes for all models here, or 0 for
    the default share.
    """
    given = {
        "--node-ip-address": address,
        "--object-store-memory": str(OBJECT_BYTES),
        "--memory": str(Budget(limit).total()),
    }
    if join:
        given["--address"] = f"{host}:{port}"
    else:
        given |= {"--port": str(port), "--include-dashboard": "false"}
    told = [f"{name}={value}" for name, value in given.items()]
    return ["start", "--block", "--disable-usage-stats", *([] if join else ["--head"]), *told]


def run(arguments: list[str], told: dict[str, str], *, parent_pipe: bool) -> int:
    """Run Ray until it receives a signal or the parent process ends.

    Returns 0 if it was stopped, or else Ray's exit status.
    """
    over = threading.Event()
    with tempfile.TemporaryDirectory(prefix="deskpilot-ray-") as folder:
        if "--head" in arguments:
            arguments = [*arguments, f"--temp-dir={folder}"]
        process = children.begin(
            "-m", "ray.scripts.scripts", *arguments, variables=os.environ | told
        )

        def end() -> None:
            over.set()
            process.terminate()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: end())
        if parent_pipe:
            threading.Thread(target=end_with_parent, args=(end,), daemon=True).start()
        status = process.wait()
        return 0 if over.is_set() else max(1, status)


def end_with_parent(end: Callable[[], None]) -> None:
    """Call `end` when standard input closes."""
    while os.read(0, 4096):
        pass
    end()


if __name__ == "__main__":
    shell = typer.Typer(add_completion=False)
    shell.command()(main)
    shell(prog_name="deskpilot serve node")
