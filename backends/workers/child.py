"""The process of one worker, which reads calls from stdin, runs them, and writes results to stdout.

    python -m backends.workers.child PROVIDER MODEL_TYPE [PROVIDER=MODULE …]

MODEL_TYPE `provider` serves the methods of the provider itself, such as checking its credentials.

A thread reads the pipe, so that a cancel frame is noticed while a model computes. The main thread
runs the calls one at a time. For a model that accepts several calls at once, there are as many
threads. When the pipe closes, the process ends immediately, because its parent is gone and nobody
could receive a result.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from dataclasses import asdict
from typing import IO, Any

import psutil

from backends import offline
from backends.flexai.devices import reported
from backends.flexai.entities import ModelType
from backends.flexai.errors import InvokeCancelledError
from backends.flexai.models.ai_model import cancellable
from backends.flexai.registry import Registry, load_providers
from backends.trace import NOW, noted
from backends.workers import frames
from backends.workers import frames as values


class Child:
    """Serves the calls for one (provider, model type) pair, or for the provider itself."""

    def __init__(
        self, registry: Registry, provider: str, model_type: ModelType | None, out: IO[bytes]
    ) -> None:
        self._registry = registry
        self._provider = provider
        self._model_type = model_type
        self._out = out
        self._calls: queue.Queue[dict[str, Any]] = queue.Queue()
        self._flags: dict[int, threading.Event] = {}
        self._threads = 1  # threads that run calls
        self._loading = threading.Lock()
        self._sending = threading.Lock()
        self._model: Any = None

    def serve(self, pipe: IO[bytes]) -> None:
        """Answer calls until the pipe closes."""
        threading.Thread(target=self._listen, args=(pipe,), name="pipe", daemon=True).start()
        self._send({"hello": os.getpid()})
        try:
            self._answer()
        except (BrokenPipeError, KeyboardInterrupt):
            # Nobody is listening any more. Python's normal exit would wait for the thread that
            # reads the pipe, and then abort.
            os._exit(0)

    def _answer(self) -> None:
        """Run calls in an endless loop."""
        while True:
            call = self._calls.get()
            number = call["id"]
            with cancellable(self._flags[number]):
                NOW.set(call.get("trace", ""))
                try:
                    with noted("worker", call["method"], engine=self._provider):
                        self._run(number, call)
                except Exception as error:  # noqa: BLE001 - the worker's outermost loop: every error crosses the pipe
                    self._send({"id": number, "error": values.pack_error(error), **state()})
            del self._flags[number]

    def _listen(self, pipe: IO[bytes]) -> None:
        try:
            while (message := frames.read(pipe)) is not None:
                if "cancel" in message:
                    flag = self._flags.get(message["cancel"])
                    if flag is not None:
                        flag.set()
                else:
                    self._flags[message["id"]] = threading.Event()
                    self._calls.put(message)
                    while self._threads < message["at_once"]:
                        self._threads += 1
                        threading.Thread(target=self._answer, name="calls", daemon=True).start()
        finally:
            os._exit(0)  # no clean-up is allowed to keep an orphan alive

    def _run(self, number: int, call: dict[str, Any]) -> None:
        if call["method"] == offline.METHOD:
            self._send_value(
                number, "result", [asdict(trial) for trial in offline.trials()], **state()
            )
            return
        flag = self._flags[number]
        if flag.is_set():
            raise InvokeCancelledError("The call was stopped.")
        with self._loading:
            if self._model is None:
                self._model = self._served()
        self._send({"id": number, "begun": True})
        arguments = values.unpack_arguments(call["arguments"], call["parts"])
        result = getattr(self._model, call["method"])(**arguments)
        if call["stream"]:
            try:
                for chunk in result:
                    if flag.is_set():
                        raise InvokeCancelledError("The call was stopped.")
                    self._send_value(number, "chunk", chunk)
            finally:
                result.close()
            self._send({"id": number, "end": True, **state()})
        else:
            self._send_value(number, "result", result, **state())

    def _served(self) -> Any:
        if self._model_type is None:
            return self._registry.provider(self._provider)
        return self._registry.model(self._provider, self._model_type)

    def _send_value(self, number: int, kind: str, value: Any, **more: Any) -> None:
        packed = values.pack_result(value)
        self._send({"id": number, kind: packed.value, **more}, packed.parts)

    def _send(self, message: dict[str, Any], parts: dict[str, bytes] | None = None) -> None:
        frame = frames.encode(message, parts)
        with self._sending:
            self._out.write(frame)
            self._out.flush()


def state() -> dict[str, Any]:
    """Return how many bytes of memory this process uses, and the device of its model."""
    return {"memory": psutil.Process().memory_info().rss, "device": reported()}


def main() -> None:
    """Run the worker. Stdout is reserved for frames, so an engine's output goes to stderr."""
    offline.begin()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    provider, model_type, *modules = sys.argv[1:]
    named = dict(module.split("=", 1) for module in modules)
    registry = Registry(named) if named else load_providers()
    kind = None if model_type == "provider" else ModelType(model_type)
    Child(registry, provider, kind, out).serve(sys.stdin.buffer)


if __name__ == "__main__":
    main()
