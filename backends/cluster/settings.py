"""How Deskpilot configures Ray: with authentication, and without a dashboard, usage statistics or
open ports."""

from __future__ import annotations

import ipaddress
import os
import secrets
from importlib.util import find_spec
from typing import TYPE_CHECKING

from backends.installation import installation
from backends.paths import cluster_token_file

if TYPE_CHECKING:
    from pathlib import Path

LOCAL = "local"
SCHEME = "ray://"
PORT = 6379  # the head's port, unless another is given
LOOPBACK = "127.0.0.1"
OBJECT_BYTES = 100_000_000  # size of Ray's store for large values; our messages are small
# Ray's own switch for machines that accept only local connections. Only with this switch does Ray
# keep 127.0.0.1 as a node's address, so that its servers listen on no other address.
LOOPBACK_ONLY = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


class NoCluster(Exception):
    """The cluster cannot be used. `text` says why, and `remedy` says what to do."""

    def __init__(self, text: str, remedy: str) -> None:
        super().__init__(f"{text} {remedy}")
        self.text, self.remedy = text, remedy


RAY = "ray[serve]"  # its name in the extra `cluster` in pyproject.toml


def check_installed() -> None:
    """Raise NoCluster if Ray is not installed. Ray is not imported, because its settings must be
    made first.
    """
    if find_spec("ray") is None:
        raise NoCluster("Ray is not installed.", f"Install it: {installation().add(RAY)}.")


def head_of(address: str) -> tuple[str, int]:
    """Return the host and port of the head in `ray://HOST[:PORT]`.

    Raises: NoCluster.
    """
    host, colon, port = address.removeprefix(SCHEME).rpartition(":")
    if not colon:
        host, port = port, str(PORT)
    if not address.startswith(SCHEME) or not host or not port.isdecimal():
        raise NoCluster(
            f"{address!r} is not a cluster address.",
            f"Write {LOCAL}, or {SCHEME}HOST:PORT of its head.",
        )
    return host.strip("[]"), int(port)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def variables(token_file: Path, *, loopback: bool) -> dict[str, str]:
    """Return the environment for importing Ray and starting its processes."""
    told = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token_file),
        "RAY_USAGE_STATS_ENABLED": "0",
        # otherwise each node shows its metrics to anyone, without the token
        "RAY_enable_metrics_collection": "0",
        "RAY_SERVE_LOG_TO_STDERR": "0",  # it has its own log files
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # engines see the GPUs of their machine
        "RAY_SERVE_ENABLE_HA_PROXY": "0",
        # seconds between two checks of the load
        "RAY_SERVE_REPLICA_AUTOSCALING_METRIC_PUSH_INTERVAL_S": "1",
        "RAY_SERVE_HANDLE_AUTOSCALING_METRIC_PUSH_INTERVAL_S": "1",
        # a lost machine is noticed after five seconds instead of fifteen
        "RAY_health_check_period_ms": "1000",
        "RAY_health_check_initial_delay_ms": "1000",
    }
    return told | (LOOPBACK_ONLY if loopback else {})


def prepare(*, loopback: bool) -> None:
    """Set up this process for Ray. Call this before Ray is imported.

    The cluster's token is in the file `cluster-token` in the data folder, which is created if
    missing. Raises: OSError.
    """
    os.environ.pop("RAY_AUTH_TOKEN", None)  # this would override the file
    os.environ.update(variables(own_token(), loopback=loopback))


def own_token() -> Path:
    """Return the file with the cluster's token, which is created if missing.

    Raises: OSError.
    """
    place = cluster_token_file()
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return place
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(32))
    return place
