"""The offline guard: sockets in this process can connect only to this machine.

It is a hook for Python's audit events: every socket, whichever library uses it, triggers such an
event before the system call. Once installed, the hook cannot be removed, only switched off. A
process that is started with `DESKPILOT_OFFLINE=1` has the guard from its first lines on, and so do
its children.
"""

from __future__ import annotations

import contextlib
import gc
import ipaddress
import os
import socket
import sys
from dataclasses import dataclass
from typing import Any

VARIABLE = "DESKPILOT_OFFLINE"
METHOD = "ways_out"  # the call that makes a worker run its trials, named like a model's method
# Engines with their own network code are also told to stay offline; otherwise, they would retry for
# a long time before they report that the guard refused them.
BESIDE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_XET": "1"}
TO = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.bind": 1,
}  # position of the address among the event's arguments
NAMED = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
SECONDS = 2.0  # time limit for a trial that is not refused


class NetworkRefused(ConnectionRefusedError):
    """The guard refused a connection; no packet left this machine."""

    def __init__(self, where: str) -> None:
        super().__init__(f"Deskpilot is offline: no connection to {where} is made.")


@dataclass
class NetworkGuard:
    """The state of this process's hook. refused: the number of connections refused so far."""

    installed: bool = False
    closed: bool = False
    refused: int = 0
    added: tuple[str, ...] = ()  # environment variables that we have set, and may remove again


GUARD = NetworkGuard()


@dataclass(frozen=True)
class ConnectionTrial:
    """An attempt to connect. refused: whether the guard refused it. told: a description of what
    happened.
    """

    way: str
    refused: bool
    told: str


def wanted() -> bool:
    """Return whether the environment asks for the guard."""
    return os.environ.get(VARIABLE, "").strip().lower() in ("1", "on", "true", "yes")


def variables() -> dict[str, str]:
    """Return the variables that switch on the guard in a child, if it is on in this process."""
    return {VARIABLE: "1"} | BESIDE if is_on() else {}


def is_on() -> bool:
    """Return whether the guard is on in this process."""
    return GUARD.installed and GUARD.closed


def begin() -> None:
    """Switch on the guard if the environment asks for it. This is the first call in each main
    function.
    """
    if wanted():
        close()


def close() -> None:
    """Switch on the guard in this process and in every process that it starts from now on, and end
    existing connections.
    """
    told = {VARIABLE: "1"} | BESIDE
    GUARD.added += tuple(name for name in told if name not in os.environ)
    os.environ.update(told)
    GUARD.closed = True
    if not GUARD.installed:
        GUARD.installed = True
        sys.addaudithook(hook)
    cut_off()


def open_() -> None:
    """Switch the guard off, unless the environment asked for it from the start."""
    if VARIABLE not in GUARD.added:
        return
    GUARD.closed = False
    for name in GUARD.added:
        os.environ.pop(name, None)
    GUARD.added = ()


def cut_off() -> None:
    """End connections to other machines that were made before the guard was switched on."""
    for one in gc.get_objects():
        if issubclass(type(one), socket.socket) and one.fileno() >= 0:
            with contextlib.suppress(OSError):  # not connected, or just closed
                peer = one.getpeername()
                if isinstance(peer, tuple) and not is_here(peer[0]):
                    one.shutdown(socket.SHUT_RDWR)


def hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse connections to other machines. Python calls this hook before each audited event."""
    if not GUARD.closed or not event.startswith("socket."):
        return
    if event in NAMED:
        name = arguments[0][0] if isinstance(arguments[0], tuple) else arguments[0]
        if not is_here(name):
            GUARD.refused += 1
            raise NetworkRefused(shown(name))
    elif (place := TO.get(event)) is not None and len(arguments) > place:
        one, address = arguments[0], arguments[place]
        if event == "socket.bind" and not (one.type & socket.SOCK_STREAM):
            return
        if isinstance(address, tuple) and not is_here(address[0], empty=event != "socket.bind"):
            GUARD.refused += 1
            raise NetworkRefused(shown(address[0]))


def is_here(host: Any, *, empty: bool = True) -> bool:
    """Return whether a name or address belongs to this machine. empty: the result for an empty
    name.
    """
    name = shown(host).strip("[]").partition("%")[0].rstrip(".").lower()
    if not name:
        return empty
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def shown(host: Any) -> str:
    """Return a host as text."""
    return (
        host.decode("ascii", "replace")
        if isinstance(host, bytes)
        else ""
        if host is None
        else str(host)
    )


def trials() -> list[ConnectionTrial]:
    """Try every way to connect from this process. Return the attempts; each states whether the
    guard refused it.

    The addresses are reserved for tests, so no real server is contacted. Each attempt that is not
    refused takes up to `SECONDS`.
    """
    return [
        tried("name", lambda: socket.getaddrinfo("example.com", 443)),
        tried("tcp", lambda: connect(socket.AF_INET, ("192.0.2.1", 443))),
        tried("tcp6", lambda: connect(socket.AF_INET6, ("2001:db8::1", 443))),
        tried("udp", lambda: send(("192.0.2.1", 53))),
    ]


def tried(way: str, attempt: Any) -> ConnectionTrial:
    """Try one way to connect."""
    try:
        attempt()
    except NetworkRefused as refusal:
        return ConnectionTrial(way, True, str(refusal))
    except OSError as error:  # not stopped by the guard; the network failed or is missing
        return ConnectionTrial(way, False, f"{type(error).__name__}: {error}")
    return ConnectionTrial(way, False, "it went through")


def connect(family: socket.AddressFamily, address: tuple[str, int]) -> None:
    """Connect to an address."""
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(SECONDS)
        one.connect(address)


def send(address: tuple[str, int]) -> None:
    """Send a packet to an address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"", address)
