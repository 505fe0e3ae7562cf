"""The process between the app and the code: it limits the code, watches it, and ends it with all
its child processes.

This is a separate program: `python supervisor.py SPEC`. It reads `interrupt` and `sweep` from
stdin, one per line. When stdin closes, it kills all its child processes. Its stderr carries JSON
lines about what happened, and its stdout carries the code's output.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil

# PR_SET_CHILD_SUBREAPER of <linux/prctl.h>: orphaned descendants become our children
SUBREAPER = 36
TICK = 0.1
GUARD = "bwrap"  # processes with this name keep the sandbox running and are never interrupted


def main() -> int:
    """Run the program in the specification until it ends or stdin closes."""
    spec: dict[str, Any] = json.loads(sys.argv[1])
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0)
    try:
        payload = subprocess.Popen(
            spec["command"],
            cwd=spec["cwd"],
            env=spec["env"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            pass_fds=spec["fds"],
            preexec_fn=lambda: limit(spec),
        )
    except OSError as error:
        tell(ended=127, why=f"cannot: {error.strerror}")
        return 0
    os.close(1)  # only the code has this open now, so it closes when the code has ended
    for fd in spec["fds"]:
        os.close(fd)
    tell(started=payload.pid)
    why = watch(payload, spec, orders(payload))
    kill_all(payload)
    tell(ended=payload.poll(), why=why)
    return 0


def limit(spec: dict[str, Any]) -> None:
    """Limit this process and everything it starts, as far as the system allows."""
    if sys.platform != "linux":
        return
    me, user = psutil.Process(), spec["user"]
    used = threads_of(user if user is not None else os.getuid())
    limits = [
        (psutil.RLIMIT_CORE, 0),
        (psutil.RLIMIT_FSIZE, spec["disk"]),
        (psutil.RLIMIT_NPROC, used + spec["processes"]),
    ]
    if spec["address_space"]:
        limits.append((psutil.RLIMIT_AS, spec["address_space"]))
    for kind, most in limits:
        _, hard = me.rlimit(kind)
        most = most if hard == -1 else min(most, hard)
        me.rlimit(kind, (most, most))


def threads_of(user: int) -> int:
    """Return the number of a user's threads, which count towards the process limit."""
    count = 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            count += process.num_threads() if process.uids().real == user else 0
    return count


def orders(payload: subprocess.Popen[bytes]) -> queue.Queue[str]:
    """Return a queue that receives the lines of stdin, an empty string at the end of stdin, and
    `ended` once the payload has ended.
    """
    found: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in sys.stdin:
            found.put(line.strip())
        found.put("")

    def wait() -> None:
        payload.wait()
        found.put("ended")

    for work in (read, wait):
        threading.Thread(target=work, daemon=True).start()
    return found


def watch(payload: subprocess.Popen[bytes], spec: dict[str, Any], told: queue.Queue[str]) -> str:
    """Watch the code until it ends, must be stopped, or exceeds a limit. Return the reason."""
    looked = 0.0
    while payload.poll() is None:
        with contextlib.suppress(queue.Empty):
            order = told.get(timeout=TICK)
            if order == "interrupt":
                interrupt()
            elif order == "sweep":
                sweep(payload.pid)
            elif not order:
                return "stopped"
        reap(payload.pid)
        if (why := too_much(spec)) is not None:
            return why
        if time.monotonic() - looked > 4 * TICK:
            looked = time.monotonic()
            if not fits(Path(spec["folder"]), spec["disk"]):
                return "disk"
    return ""


def below() -> list[psutil.Process]:
    """Return all descendants of this process."""
    with contextlib.suppress(psutil.Error):
        return psutil.Process().children(recursive=True)
    return []


def too_much(spec: dict[str, Any]) -> str | None:
    """Return the limit that the code exceeds, if any."""
    memory = threads = 0
    for process in below():
        with contextlib.suppress(psutil.Error):
            memory += process.memory_info().rss
            threads += process.num_threads()
    if memory > spec["memory"]:
        return "memory"
    return "processes" if threads > 2 * spec["processes"] else None


def fits(folder: Path, room: int, entries: int = 50_000) -> bool:
    """Return whether a folder is within its limits for bytes and for files."""
    waiting = [folder]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as found:
            for entry in found:
                entries -= 1
                with contextlib.suppress(OSError):
                    room -= entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                if room < 0 or entries < 0:
                    return False
    return True


def interrupt() -> None:
    """Ask the code to stop, as Ctrl+C does."""
    for process in below():
        with contextlib.suppress(psutil.Error):
            if process.name() != GUARD:
                process.send_signal(signal.SIGINT)


def sweep(payload: int) -> None:
    """Kill the processes that the code has started. The program that runs it continues."""
    spared = set[int]()
    with contextlib.suppress(psutil.Error):
        at = psutil.Process(payload)
        spared.add(at.pid)
        while at.name() == GUARD and (inner := at.children()):
            at = inner[0]
            spared.add(at.pid)
    for process in below():
        if process.pid not in spared:
            with contextlib.suppress(psutil.Error):
                process.kill()


def kill_all(payload: subprocess.Popen[bytes]) -> None:
    """Kill all descendants until none is left, since they may start more in the meantime."""
    until = time.monotonic() + 5
    while (alive := below()) and time.monotonic() < until:
        for process in alive:
            with contextlib.suppress(psutil.Error):
                process.kill()
        payload.poll()
        reap(payload.pid)
        time.sleep(0.005)


def reap(payload: int) -> None:
    """Reap orphaned processes that have ended, except the payload, which is handled separately."""
    for process in below():
        with contextlib.suppress(psutil.Error, ChildProcessError):
            if process.pid != payload and process.status() == psutil.STATUS_ZOMBIE:
                os.waitpid(process.pid, os.WNOHANG)


def tell(**what: object) -> None:
    """Report an event to the app."""
    with contextlib.suppress(OSError):  # the app may have ended
        os.write(2, json.dumps(what).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main())
