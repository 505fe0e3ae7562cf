"""Python: one Jupyter kernel for each conversation, reached over sockets in a folder, without a
network.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import re
import secrets
import shutil
import sys
import tempfile
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.domain.code import NOT_RUN, size
from app.domain.errors import ComputerError, NotStarted
from app.tools.code.isolation import Sandbox, environment, readable_for
from app.tools.code.process import (
    CodeFailure,
    CurrentLine,
    DisplayedOutput,
    Form,
    Piece,
    PrintedText,
    ProcessOrder,
    SupervisedProcess,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import zmq.asyncio
    from jupyter_client.asynchronous.client import AsyncKernelClient

    from app.tools.code.scripts import CodePlace

START_SECONDS = 60.0
LARGEST = 64 * 1024 * 1024  # maximum size of a message in bytes; a larger message is never read
LAST_SECONDS = 10.0  # seconds to wait for remaining messages after the code has ended
STARTUP = Path(__file__).with_name("kernel_startup.py")
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
CHANNELS = ("shell", "iopub", "stdin", "control", "hb")
FIGURE = "application/vnd.plotly.v1+json"
PICTURES: dict[str, Form] = {"image/png": "base64.png", "image/jpeg": "base64.jpeg"}
GONE = ComputerError(
    "Python stopped while the code was running.",
    "Its variables are gone. Run the code again, or in smaller steps.",
)


class Kernel:
    """A running kernel."""

    def __init__(self, place: CodePlace, sockets: Path, running: SupervisedProcess) -> None:
        self._place, self._sockets, self._running = place, sockets, running
        self._client: AsyncKernelClient | None = None
        self._context: zmq.asyncio.Context | None = None

    @classmethod
    async def start(cls, place: CodePlace) -> Kernel:
        """Start a kernel and wait until it listens.

        Raises: ComputerError.
        """
        if importlib.util.find_spec("ipykernel") is None:
            raise NotStarted(
                f"{NOT_RUN}: Python's kernel, ipykernel, is not installed.",
                "Install Deskpilot again.",
            )
        sockets = Path(tempfile.mkdtemp(prefix="deskpilot-"))  # paths of sockets must be short
        info = connection(sockets)
        (file := sockets / "connection.json").write_text(json.dumps(info))
        if place.isolation.user:
            for path in (sockets, file):
                os.chown(path, place.isolation.user, place.isolation.user)
        command = [
            sys.executable,
            # files in the code's folder must not replace modules of the kernel; code itself may
            # import them
            "-P",
            "-m",
            "ipykernel_launcher",
            "-f",
            str(file),
            "--HistoryManager.enabled=False",
        ]
        box = Sandbox(
            (place.files, sockets),
            (place.tables, *readable_for(sys.executable)),
            environment(place.files, [sys.executable]),
        )
        running = await SupervisedProcess.start(
            ProcessOrder(command, box, place.limits, place.isolation)
        )
        kernel = cls(place, sockets, running)
        async with AsyncExitStack() as failed:
            failed.push_async_callback(kernel.aclose)
            await kernel._connect(info)
            failed.pop_all()
        return kernel

    @property
    def alive(self) -> bool:
        """Return whether the kernel still runs."""
        return self._running.running

    async def _connect(self, info: dict[str, Any]) -> None:
        import zmq
        import zmq.asyncio
        from jupyter_client.asynchronous.client import AsyncKernelClient

        self._context = zmq.asyncio.Context()
        self._context.setsockopt(zmq.MAXMSGSIZE, LARGEST)  # shared by all its sockets
        self._client = AsyncKernelClient(context=self._context)
        self._client.load_connection_info(info)  # pyright: ignore[reportArgumentType]
        self._client.start_channels(stdin=False, hb=False, control=False)
        try:
            await self._while_alive(self._client.wait_for_ready(timeout=START_SECONDS))
        except RuntimeError as error:
            raise NotStarted(
                f"{NOT_RUN}: Python did not start in time.",
                "Try again when fewer programs are running.",
            ) from error
        await self._quietly(f"{STARTUP.read_text('utf-8')}\nprepare(get_ipython())\n")

    async def know(self, tables: dict[str, str]) -> None:
        """Make tables available to code. tables: their files, by name.

        Raises: ComputerError.
        """
        if tables:
            await self._quietly(f"globals().update(tables({tables!r}))")

    async def _quietly(self, code: str) -> None:
        """Run our own code without reporting its output.

        Raises: ComputerError if it fails.
        """
        async with aclosing(self.run(code, quiet=True)) as pieces:
            found = [piece async for piece in pieces]
        if any(isinstance(piece, CodeFailure) for piece in found):
            said = (
                "".join(piece.text for piece in found if isinstance(piece, PrintedText))
                .strip()
                .splitlines()
            )
            raise ComputerError(
                f"Python could not be prepared: {said[-1] if said else 'it gave no reason'}.",
                "Detach large tables, or run deskpilot doctor to see what is missing.",
            )

    async def run(self, code: str, *, quiet: bool = False) -> AsyncGenerator[Piece, None]:
        """Run code, and yield its output. If the caller leaves early, the code continues until
        `stop` is called.

        Raises: ComputerError if the kernel has ended.
        """
        assert self._client is not None
        asked = self._client.execute(code, silent=quiet, store_history=not quiet, allow_stdin=False)
        replied = asyncio.create_task(self._replied(asked), name="reply of code")
        # once an error has been reported, lines reported by the kernel's threads are out of date
        over = False
        try:
            while True:
                message = await self._while_alive(self._message(replied))
                kind, content = read_message(message, asked)
                if kind == "status" and content.get("execution_state") == "idle":
                    return
                for piece in pieces_of(kind, content):
                    over = over or isinstance(piece, CodeFailure)
                    if not (over and isinstance(piece, CurrentLine)):
                        yield piece
        except ComputerError:
            await self._running.kill()  # nothing more can be received from the kernel
            raise
        finally:
            replied.cancel()

    async def _message(self, replied: asyncio.Task[None]) -> Any:
        """Return the next message about the code, or None for any other message.

        Raises: ComputerError if the code ended and its last message never came because it was too
        large.
        """
        assert self._client is not None
        coming = asyncio.ensure_future(self._client.get_iopub_msg(timeout=None))
        try:
            await asyncio.wait({coming, replied}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({coming}, timeout=LAST_SECONDS)
            if not coming.done():
                raise ComputerError(
                    f"Python sent more than {size(LARGEST)} of output at once and was stopped.",
                    "Show less at once.",
                )
            return coming.result()
        except (ValueError, TypeError, LookupError):
            return None  # not a Jupyter message: code can write to the socket, too
        finally:
            coming.cancel()

    async def _replied(self, asked: str) -> None:
        """Return once the kernel reports that it has run the code."""
        assert self._client is not None
        while True:
            with contextlib.suppress(ValueError, TypeError, LookupError):
                reply = await self._client.get_shell_msg(timeout=None)
                if reply["parent_header"].get("msg_id") == asked:
                    return

    async def stop(self) -> None:
        """Stop the running code: interrupt it first, then kill the kernel if necessary. Its child
        processes are killed in any case.
        """
        assert self._client is not None
        self._running.interrupt()
        with contextlib.suppress(TimeoutError, ComputerError):
            await asyncio.wait_for(self._until_idle(), self._place.limits.grace)
            self._running.sweep()
            return
        await self.aclose()

    async def _until_idle(self) -> None:
        """Return once the kernel answers again, which means that no code is running any more."""
        assert self._client is not None
        await self._while_alive(self._replied(self._client.kernel_info()))

    async def aclose(self) -> None:
        """End the kernel and all its child processes."""
        await self._running.kill()
        if self._client is not None:
            self._client.stop_channels()
        if self._context is not None:
            self._context.destroy(linger=0)
        self._client = self._context = None
        shutil.rmtree(self._sockets, ignore_errors=True)

    async def _while_alive(self, work: Any) -> Any:
        """Wait for work while the kernel is alive.

        Raises: ComputerError if the kernel ended first.
        """
        task, end = asyncio.ensure_future(work), asyncio.ensure_future(self._running.ended())
        try:
            await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            error = end.result().error("Python", self._place.limits)
            raise error or GONE
        finally:
            for one in (task, end):
                one.cancel()


def connection(sockets: Path) -> dict[str, Any]:
    """Return the connection settings for a kernel whose sockets are in a folder."""
    ports = {f"{name}_port": number for number, name in enumerate(CHANNELS, 1)}
    base = {"transport": "ipc", "ip": str(sockets / "k"), "signature_scheme": "hmac-sha256"}
    return ports | base | {"key": secrets.token_hex(16), "kernel_name": "python"}


def read_message(message: Any, asked: str) -> tuple[str, dict[str, Any]]:
    """Return the type and the content of a message about given code. Both are empty for any other
    message.

    Code can send any message in the kernel's name.
    """
    parent, header, content = (
        told if isinstance(told := (message or {}).get(name), dict) else {}
        for name in ("parent_header", "header", "content")
    )
    if parent.get("msg_id") != asked:
        return "", {}
    return str(header.get("msg_type")), content


def pieces_of(kind: str, content: dict[str, Any]) -> list[Piece]:
    """Return the content of a kernel's message, or nothing if a required field is missing."""
    if kind == "stream":
        return [PrintedText(str(content["text"]))] if "text" in content else []
    if kind == "deskpilot_line":
        return [CurrentLine(content["line"])] if isinstance(content.get("line"), int) else []
    if kind == "error":
        return failed(content)
    if kind in ("display_data", "execute_result") and isinstance(content.get("data"), dict):
        return shown(content["data"])
    return []


def failed(content: dict[str, Any]) -> list[Piece]:
    """Return an error: a missing module as a sentence, and everything else as Python reports it."""
    missing = content.get("ename") == "ModuleNotFoundError"
    if missing and (name := re.search(r"'([\w.]+)'", str(content.get("evalue")))):
        return [
            CodeFailure(
                f"The module {name[1]} is not installed, and code has no network to download it.",
                "Do without it; pandas, numpy, matplotlib and plotly are available.",
            )
        ]
    lines = content.get("traceback")
    text = ANSI.sub("", "\n".join(map(str, lines)) if isinstance(lines, list) else "").strip()
    return [PrintedText(f"{text}\n"), CodeFailure()]


def shown(data: dict[str, Any]) -> list[Piece]:
    """Return the display data: a picture if there is one, otherwise a page, otherwise text. A chart
    or a page also comes with its text.
    """
    for kind, form in PICTURES.items():
        if kind in data:
            return [DisplayedOutput(form, str(data[kind]).strip())]
    if FIGURE in data:
        return [DisplayedOutput("plotly", data[FIGURE])]
    page = data.get("text/html") or data.get("image/svg+xml")
    if page:
        return [DisplayedOutput("html", str(page))]
    text = data.get("text/plain", data.get("application/javascript"))
    return [PrintedText(f"{text}\n")] if text else []
