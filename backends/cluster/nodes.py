"""The machines of a cluster: start one here or join one, and find those that have a model, by the
hash of its bytes.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ray
from ray import serve
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from backends.catalog import Catalog
from backends.catalog.catalog import PATHS
from backends.catalog.download import sha256_of
from backends.cluster.settings import LOCAL, LOOPBACK, OBJECT_BYTES, NoCluster, head_of
from backends.paths import model_hashes_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from backends.catalog.catalog import InstalledModel
    from backends.workers import Budget


class ModelHashes:
    """Hashes of files, remembered as long as size and time of change stay the same.

    file: where they are kept between two starts; one that cannot be read or written costs time
    only.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or model_hashes_file()
        self._known: dict[str, list[Any]] = {}
        try:
            self._known = dict(json.loads(self._file.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            self._known = {}

    def of(self, credentials: dict[str, Any]) -> str:
        """Return the hash of the files that credentials name.

        Raises: OSError if one is not here.
        """
        digest = hashlib.sha256()
        for name in PATHS:
            if place := credentials.get(name):
                for file in files_of(Path(str(place))):
                    digest.update(f"{name} {self._one(file)}\n".encode())
        return digest.hexdigest()

    def _one(self, file: Path) -> str:
        told = file.stat()
        look = [told.st_size, told.st_mtime_ns]
        known = self._known.get(str(file))
        if known is not None and known[:2] == look:
            return str(known[2])
        found = sha256_of(file)
        self._known[str(file)] = [*look, found]
        self._keep()
        return found

    def _keep(self) -> None:
        made = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            made.write_text(json.dumps(self._known), "utf-8")
            made.replace(self._file)
        except OSError:
            made.unlink(missing_ok=True)


def files_of(place: Path) -> Iterator[Path]:
    """Yield a file, or the files of a folder in order."""
    if place.is_dir():
        yield from sorted(one for one in place.rglob("*") if one.is_file())
    else:
        yield place


def paths_here(wanted: str, given: dict[str, Any]) -> dict[str, str] | None:
    """Return the paths of a model on this machine: those given if the right files are there, else
    those of an installed model with the same bytes; None if this machine does not have it.
    """
    hashes = ModelHashes()
    paths = {name: str(given[name]) for name in PATHS if given.get(name)}
    if has(hashes, paths, wanted):
        return paths
    for found in Catalog().all_installed():
        paths = paths_of(found)
        if has(hashes, paths, wanted):
            return paths
    return None


def paths_of(found: InstalledModel) -> dict[str, str]:
    """Return the paths of an installed model."""
    return {name: str(found.credentials[name]) for name in PATHS if found.credentials.get(name)}


def has(hashes: ModelHashes, paths: dict[str, str], wanted: str) -> bool:
    """Return whether paths hold the bytes of a hash."""
    try:
        return bool(paths) and hashes.of(paths) == wanted
    except OSError:
        return False


# Ray may be missing where types are checked, and declares its own incompletely.
# pyright: reportMissingImports=false, reportPrivateUsage=false, reportAssignmentType=false
# pyright: reportPrivateImportUsage=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportUnnecessaryComparison=false


NODE = "ray.io/node-id"  # the label every node has
LOOK_SECONDS = 60.0  # a node may take to hash a model for the first time


class RayCluster:
    """The connection to a cluster. own: it was started here, and ends with us."""

    def __init__(self, address: str, budget: Budget) -> None:
        """Start Ray on this machine, for it alone, or join the cluster of a head, of which this
        machine must be a node; `settings.prepare` came before. It takes seconds.

        address: `local` or `ray://HOST:PORT`. Raises: NoCluster.
        """
        for name in ("ray", "ray.serve"):
            logging.getLogger(name).setLevel(logging.ERROR)
        self.own = address == LOCAL
        self._folder: Path | None = None
        shared: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
        try:
            if self.own:
                self._folder = Path(
                    tempfile.mkdtemp(prefix="deskpilot-ray-")
                )  # for sockets and logs
                ray.init(
                    object_store_memory=OBJECT_BYTES,
                    include_dashboard=False,
                    _node_ip_address=LOOPBACK,
                    _memory=budget.total(),
                    _temp_dir=str(self._folder),
                    **shared,
                )
            else:
                host, port = head_of(address)
                ray.init(address=f"{host}:{port}", **shared)
            serve.start(proxy_location="Disabled")
        except (ConnectionError, RuntimeError, ValueError, RayError) as error:
            self.close()
            raise NoCluster(
                f"The cluster {address} cannot be used: {error}",
                "Is this machine a node of it, and the token the same? See: deskpilot serve node",
            ) from error

    @property
    def job(self) -> str:
        """Return Ray's name of this process, by which nodes see when it is gone."""
        return ray.get_runtime_context().get_job_id()

    def nodes(self) -> dict[str, dict[str, Any]]:
        """Return the nodes that are alive, by id."""
        return {one["NodeID"]: one for one in ray.nodes() if one["Alive"]}

    def nodes_with(
        self, hash_: str, paths: dict[str, Any], among: Iterable[str] | None = None
    ) -> list[str]:
        """Return the ids of the nodes that have a model with this hash. among: those to ask, by
        default all.
        """
        nodes = self.nodes() if among is None else among
        asked = {node: look_on(node).remote(hash_, paths) for node in nodes}
        ready, _ = ray.wait(list(asked.values()), num_returns=len(asked), timeout=LOOK_SECONDS)
        found: list[str] = []
        for node, answer in asked.items():
            try:
                if answer in ready and ray.get(answer) is not None:
                    found.append(node)
            except RayError:
                continue  # it went away meanwhile
        return found

    def free_memory(self) -> dict[str, int]:
        """Return the bytes no model has reserved, by the id of the node."""
        found = ray._private.state.available_resources_per_node()
        return {node: int(told.get("memory", 0)) for node, told in found.items()}

    def close(self) -> None:
        """Leave the cluster; end it if it was started here."""
        if self.own and ray.is_initialized():
            serve.shutdown()
        ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def look_on(node: str) -> Any:
    """Return a function of a node that returns where it has a model."""
    there = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
    return ray.remote(num_cpus=0, max_retries=0, scheduling_strategy=there)(paths_here)
