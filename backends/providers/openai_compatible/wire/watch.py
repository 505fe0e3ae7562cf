"""A watch over one exchange: it cuts the connection when the call is stopped, or nothing has come for too long.

A thread blocked in reading from a socket wakes when the socket is shut down, and in no other way; the
library's own timeout counts from byte to byte, so that a server that drips is never late.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from backends.flexai.cancellation import flag_of_call
from backends.flexai.errors import InvokeCancelledError, InvokeConnectionError

if TYPE_CHECKING:
    from types import TracebackType

STEP_SECONDS = 0.02


class Watch:
    """Watches an exchange while its block runs. limit: seconds between two signs of life."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._flag = flag_of_call()
        self._last = time.monotonic()
        self._done = threading.Event()
        self._socket: socket.socket | None = None
        self._stopped = self._late = False
        self._thread = threading.Thread(target=self._look, name="watch a server", daemon=True)

    def __enter__(self) -> Watch:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""
        self._done.set()
        self._thread.join()

    def see(self, event: str, info: dict[str, Any]) -> None:
        """Take note of the connection: the library's `trace` extension."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self._stopped or self._late:
                self._cut()

    def renew(self) -> None:
        """Take a sign of life."""
        self._last = time.monotonic()

    def hasten(self, limit: float) -> None:
        """Wait less long from now on. limit: seconds."""
        self._limit = min(self._limit, limit)

    def check(self, host: str) -> None:
        """Say why the connection was cut, if it was.

        Raises: InvokeCancelledError, InvokeConnectionError.
        """
        if self._stopped:
            raise InvokeCancelledError("The call was stopped.")
        if self._late:
            raise InvokeConnectionError(
                f"The server at {host} has sent nothing of use for {self._limit:g} seconds.",
                "Try again in a moment. If it is slow, give it longer in the provider's settings.",
            )

    def _look(self) -> None:
        while not self._done.wait(STEP_SECONDS):
            self._stopped = self._flag.is_set()
            self._late = time.monotonic() - self._last > self._limit
            if self._stopped or self._late:
                self._cut()
                return

    def _cut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # closed already
                # not its own method: that of TLS changes what the reading thread works on
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
