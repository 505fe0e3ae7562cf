"""The offline guard: in this process, sockets reach this machine and nothing else.

It is a hook for Python's audit events, which every socket of every library passes before the system
is called. Once installed it cannot be removed, only switched off. A process started with
`DESKPILOT_OFFLINE=1` has it from its first lines, and so have its children.
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
METHOD = "ways_out"  # what a worker is asked by, as by a method of its model, to make its trials
# Engines that bring a network of their own are told, too: they would only meet the guard after long
# retries.
BESIDE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_XET": "1"}
TO = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.bind": 1,
}  # place of the address
NAMED = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
SECONDS = 2.0  # a trial that is not refused may take


class NetworkRefused(ConnectionRefusedError):
    """The guard refused a connection; no packet left this machine."""

    def __init__(self, where: str) -> None:
        super().__init__(f"Deskpilot is offline: no connection to {where} is made.")


@dataclass
class NetworkGuard:
    """What the hook of this process does. refused: how many connections so far."""

    installed: bool = False
    closed: bool = False
    refused: int = 0
    added: tuple[str, ...] = ()  # variables of the environment that are ours to take away again


GUARD = NetworkGuard()


@dataclass(frozen=True)
class ConnectionTrial:
    """One way out that was tried. refused: by the guard; told: what came of it."""

    way: str
    refused: bool
    told: str


def wanted() -> bool:
    """Return whether the environment asks for the guard."""
    return os.environ.get(VARIABLE, "").strip().lower() in ("1", "on", "true", "yes")


def variables() -> dict[str, str]:
    """Return the variables by which a child closes its ways out, where ours are closed."""
    return {VARIABLE: "1"} | BESIDE if is_on() else {}


def is_on() -> bool:
    """Return whether this process reaches nothing but this machine."""
    return GUARD.installed and GUARD.closed


def begin() -> None:
    """Close the ways out of this process if its environment asks for that: first thing in each
    main.
    """
    if wanted():
        close()


def close() -> None:
    """Close the ways out of this process and of every one it starts from now on; what is connected
    is cut off.
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
    """Open them again, unless the environment asked for the guard from the start."""
    if VARIABLE not in GUARD.added:
        return
    GUARD.closed = False
    for name in GUARD.added:
        os.environ.pop(name, None)
    GUARD.added = ()


def cut_off() -> None:
    """End the connections this process has to other machines: those that were made before the
    guard.
    """
    for one in gc.get_objects():
        if issubclass(type(one), socket.socket) and one.fileno() >= 0:
            with contextlib.suppress(OSError):  # not connected, or closed this moment
                peer = one.getpeername()
                if isinstance(peer, tuple) and not is_here(peer[0]):
                    one.shutdown(socket.SHUT_RDWR)


def hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse connections to other machines; Python calls this before each audited event."""
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
    """Return whether a name or address is this machine. empty: the answer for no name."""
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
    """Try to connect from this process in every way, and return which attempts the guard refused.

    The addresses are reserved for tests, so that no real server is contacted. Takes up to `SECONDS`
    for each attempt that is not refused.
    """
    return [
        tried("name", lambda: socket.getaddrinfo("example.com", 443)),
        tried("tcp", lambda: connect(socket.AF_INET, ("192.0.2.1", 443))),
        tried("tcp6", lambda: connect(socket.AF_INET6, ("2001:db8::1", 443))),
        tried("udp", lambda: send(("192.0.2.1", 53))),
    ]


def tried(way: str, attempt: Any) -> ConnectionTrial:
    """Try one way out."""
    try:
        attempt()
    except NetworkRefused as refusal:
        return ConnectionTrial(way, True, str(refusal))
    except OSError as error:  # it was let through, and met the network, or none
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
