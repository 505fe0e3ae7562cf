"""The interface of a pool of models, whether child processes or a cluster run them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from backends.flexai.entities import ModelType

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.workers.budget import Budget, ModelDemand

PARALLEL = "n_parallel"  # the setting that states how many calls a model accepts at once
STREAMS = {  # model types that stream, and their streaming methods
    ModelType.LLM: ("invoke", {"stream": True}),
    ModelType.TTS: ("invoke", {"streaming": True}),
    ModelType.SPEECH2TEXT: ("write", dict[str, bool]()),
}


def at_once(wanted: ModelDemand) -> int:
    """Return how many calls one process of a model accepts at once, as stated in its settings, or 1
    by default.

    The model itself rejects a value that is not a number, with a better message.
    """
    with contextlib.suppress(ValueError):
        return max(1, int(wanted.credentials.get(PARALLEL) or 1))
    return 1


@dataclass(frozen=True)
class LoadedWorker:
    """A running worker: its model, process and memory, and whether it is in use.

    device: the model's device, in words. It is empty before the model is loaded, or if it runs on a
    server. node: the address of the machine that the process runs on, or empty if it is this
    machine. running: the number of its current calls.
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
    """Runs FlexAI models, with one or more processes for each combination of provider, type and
    model."""

    @property
    def budget(self) -> Budget:
        """The memory that the models on one machine share."""
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
        """Call `invoke` of a model and return its complete result.

        Raises: FlexAIError and its subclasses.
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
        """Call any method of a model, such as `get_num_tokens`. Open files are sent completely, and
        rewound.

        Raises: FlexAIError and its subclasses.
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
        """Call a model's streaming method, and yield its chunks.

        It is `invoke` for language and text-to-speech models, and `write` for speech-to-text
        models. `aclose()` stops the model. Raises: FlexAIError and its subclasses, at the start or
        later.
        """
        ...

    async def try_out(
        self, provider: str, model_type: ModelType | None, *calls: tuple[str, dict[str, Any]]
    ) -> list[Any]:
        """Make calls in a separate process that ends afterwards, so that a check does not leave a
        model loaded.

        model_type: the model's type, or None for methods of the provider itself, such as
        `validate_provider_credentials`. calls: the method and arguments of each call. Raises:
        FlexAIError and its subclasses.
        """
        ...

    def at_once(self, wanted: ModelDemand) -> int:
        """Return how many calls of a model can run at once. Further calls wait."""
        ...

    def loaded(self) -> list[LoadedWorker]:
        """List the running workers."""
        ...

    def waiting(self) -> dict[str, int]:
        """Return how many calls are waiting for a process, by model name."""
        ...

    async def unload(
        self,
        provider: str,
        model_type: ModelType,
        model: str,
        credentials: dict[str, Any] | None = None,
    ) -> bool:
        """End a model's processes, including their calls. Return False if there were none.

        credentials: end only the process that uses these.
        """
        ...

    async def ways_out(self) -> list[tuple[str, int, Any]]:
        """Let every idle worker, and a new one, try to reach other machines.

        Returns the model, the process and the attempts of each worker. Raises: FlexAIError and its
        subclasses.
        """
        ...

    async def aclose(self) -> None:
        """End every process. No new ones are started."""
        ...
