"""`python -m backends.service`: listen until the parent's pipe closes or a signal comes."""

from __future__ import annotations

import ipaddress
import json
import os
import secrets
import signal
import socket
import sys
import threading
from importlib.metadata import version
from typing import Annotated, NoReturn

import psutil
import typer
import uvicorn

from backends.paths import endpoint_file
from backends.service.endpoint import Endpoint, read_endpoint, remove_endpoint, write_endpoint

GRACE_SECONDS = 3


def main(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    token: Annotated[str, typer.Option(envvar="DESKPILOT_TOKEN", help="Bearer token; random if empty.")] = "",
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name callers may use for this host.")
    ] = None,
    parent_pipe: Annotated[
        bool, typer.Option("--parent-pipe", help="End when standard input closes.")
    ] = False,
) -> None:
    """Run the model service; its address and token are printed as one line of JSON."""
    check(host, token)
    listener = listen(host, port)
    token = token or secrets.token_urlsafe(32)
    me = psutil.Process()
    endpoint = Endpoint(
        me.pid, me.create_time(), host, listener.getsockname()[1], token, version("deskpilot")
    )
    from backends.service.app import create_app  # the slow imports, after what can go wrong quickly

    names = frozenset(
        {host.lower(), "127.0.0.1", "localhost", "[::1]", *(h.lower() for h in allow_host or [])}
    )
    app = create_app(token, names, endpoint.version)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, server_header=False
    )
    server = uvicorn.Server(config)
    if parent_pipe:
        threading.Thread(target=end_with_parent, args=(server,), name="parent", daemon=True).start()
    # uvicorn raises the signal again once it has shut down: then this ends us, by way of `finally`
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    write_endpoint(endpoint_file(), endpoint)
    try:
        told = {
            "host": host,
            "port": endpoint.port,
            "token": token,
            "pid": endpoint.pid,
            "version": endpoint.version,
        }
        print(json.dumps(told), flush=True)  # noqa: T201 - this line is what the caller waits for
        server.run(sockets=[listener])
    finally:
        remove_endpoint(endpoint_file(), endpoint.pid)


def end_with_parent(server: uvicorn.Server) -> None:
    """Wait until standard input closes, then end; at the latest after the grace."""
    while os.read(0, 4096):
        pass
    server.should_exit = True
    timer = threading.Timer(GRACE_SECONDS, os._exit, args=(1,))
    timer.daemon = True
    timer.start()


def check(host: str, token: str) -> None:
    """End with a sentence if a service runs already, or would be open to other machines without a token."""
    running = read_endpoint(endpoint_file())
    if running is not None:
        fail(
            f"A model service runs already, process {running.pid} at http://{running.host}:{running.port}.",
            "Use it, or end it first.",
        )
    if not is_loopback(host) and not token:
        fail(f"{host} can be reached from other machines.", "Give a token of your own with --token.")


def listen(host: str, port: int) -> socket.socket:
    """Take the port; end with a sentence if it cannot be had."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        fail(f"Port {port} on {host} cannot be used: {error.strerror}.", "Choose another with --port.")


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def fail(text: str, remedy: str) -> NoReturn:
    """Say what is wrong and what to do, and end."""
    print(f"{text} {remedy}", file=sys.stderr)  # noqa: T201
    raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
