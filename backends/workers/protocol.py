"""What the service asks of a pool of models, whatever runs them: child processes or a cluster."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from backends.flexai.entities import ModelType

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.workers.budget import Budget, ModelDemand

PARALLEL = "n_parallel"  # the setting of a model that says how many calls it takes at once
STREAMS = {  # what streams, and how it is asked to
    ModelType.LLM: ("invoke", {"stream": True}),
    ModelType.TTS: ("invoke", {"streaming": True}),
    ModelType.SPEECH2TEXT: ("write", dict[str, bool]()),
}


def at_once(wanted: ModelDemand) -> int:
    """Return how many calls one process of a model accepts at once, by its settings; by default 1.

    A value that is not a number is rejected by the model, with a better message.
    """
    with contextlib.suppress(ValueError):
        return max(1, int(wanted.credentials.get(PARALLEL) or 1))
    return 1


@dataclass(frozen=True)
class LoadedWorker:
    """A worker that runs: which model, which process, how much memory it takes, whether it is in
    use.

    device: of the model, in words; empty before it is loaded, or if it runs on a server. node: the
    address of the machine the process runs on; empty if it is this one. running: calls it runs.
    """

    provider: str
    model_type: ModelType
    model: str
    pid: int
    memory_bytes: int
    in_use: bool
    device: str
    node: str = ""
    running: int = 0


class Pool(Protocol):
    """Runs FlexAI models, one or more processes for each (provider, type, model)."""

    @property
    def budget(self) -> Budget:
        """The memory the models of one machine share."""
        ...

    async def invoke(
        self,
        provider: str,
        model_type: ModelType,
        *,
        model: str,
        credentials: dict[str, Any],
        **arguments: Any,
    ) -> Any:
        """Call `invoke` of a model and return its whole result.

        Raises: FlexAIError and its kinds.
        """
        ...

    async def call(
        self,
        provider: str,
        model_type: ModelType,
        method: str,
        *,
        model: str,
        credentials: dict[str, Any],
        **arguments: Any,
    ) -> Any:
        """Call any method of a model, such as `get_num_tokens`; open files are sent whole and
        rewound.

        Raises: FlexAIError and its kinds.
        """
        ...

    def stream(
        self,
        provider: str,
        model_type: ModelType,
        *,
        model: str,
        credentials: dict[str, Any],
        **arguments: Any,
    ) -> AsyncGenerator[Any, None]:
        """Call `invoke` of a language or speaking model, `write` of a listening one, and yield its
        chunks.

        `aclose()` stops the model.
        Raises: FlexAIError and its kinds, at once or in the middle.
        """
        ...

    async def try_out(
        self, provider: str, model_type: ModelType | None, *calls: tuple[str, dict[str, Any]]
    ) -> list[Any]:
        """Make calls in a process of its own that ends with them: a check leaves nothing loaded.

        model_type: None for methods of the provider itself, such as
        `validate_provider_credentials`.
        calls: method and arguments of each. Raises: FlexAIError and its kinds.
        """
        ...

    def at_once(self, wanted: ModelDemand) -> int:
        """Return how many calls of a model may run at once; further calls wait."""
        ...

    def loaded(self) -> list[LoadedWorker]:
        """List the workers that run."""
        ...

    def waiting(self) -> dict[str, int]:
        """Return how many calls wait for a process, by the name of the model."""
        ...

    async def unload(
        self,
        provider: str,
        model_type: ModelType,
        model: str,
        credentials: dict[str, Any] | None = None,
    ) -> bool:
        """End a model's processes, calls in them included; return False if there was none.

        credentials: end only the process that uses these.
        """
        ...

    async def ways_out(self) -> list[tuple[str, int, Any]]:
        """Let every idle worker, and a new one, try to reach other machines.

        Returns model, process and the trials of each; raises FlexAIError and its kinds.
        """
        ...

    async def aclose(self) -> None:
        """End every process; no other is started."""
        ...
