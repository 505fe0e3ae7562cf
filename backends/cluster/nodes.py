"""The machines of a cluster: start a cluster here or join one, and find the machines that have a
model."""

# Ray may be missing where types are checked, and its own type declarations are incomplete.
# pyright: reportMissingImports=false, reportPrivateUsage=false, reportAssignmentType=false
# pyright: reportPrivateImportUsage=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportUnnecessaryComparison=false

from __future__ import annotations

import logging
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ray
from ray import serve
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from backends.cluster.hashes import paths_here
from backends.cluster.settings import LOCAL, LOOPBACK, OBJECT_BYTES, NoCluster, head_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.workers import Budget

NODE = "ray.io/node-id"  # a label that every node has
LOOK_SECONDS = 60.0  # time limit for a node to hash a model for the first time


class RayCluster:
    """The connection to a cluster. own: whether the cluster was started here and ends with this
    process."""

    def __init__(self, address: str, budget: Budget) -> None:
        """Start Ray on this machine only, or join a head's cluster as one of its nodes.

        Call `settings.prepare` first. Starting takes several seconds.

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
                "Check that this machine is one of its nodes and has the same token. See: "
                "deskpilot serve node",
            ) from error

    @property
    def job(self) -> str:
        """Return Ray's name for this process. Nodes use it to notice that the process has ended."""
        return ray.get_runtime_context().get_job_id()

    def nodes(self) -> dict[str, dict[str, Any]]:
        """Return the nodes that are alive, by id."""
        return {one["NodeID"]: one for one in ray.nodes() if one["Alive"]}

    def nodes_with(
        self, hash_: str, paths: dict[str, Any], among: Iterable[str] | None = None
    ) -> list[str]:
        """Return the ids of the nodes that have a model with this hash.

        among: the nodes to ask, by default all of them.
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
                continue  # the node left in the meantime
        return found

    def free_memory(self) -> dict[str, int]:
        """Return the number of bytes that no model has reserved, by node id."""
        found = ray._private.state.available_resources_per_node()
        return {node: int(told.get("memory", 0)) for node, told in found.items()}

    def close(self) -> None:
        """Leave the cluster, or end it if it was started here."""
        if self.own and ray.is_initialized():
            serve.shutdown()
        ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def look_on(node: str) -> Any:
    """Return a function that runs on a node and returns the paths of a model there."""
    there = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
    return ray.remote(num_cpus=0, max_retries=0, scheduling_strategy=there)(paths_here)
