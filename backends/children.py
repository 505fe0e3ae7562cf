"""Start Python child processes, never with modules of the current folder.

`python -m` looks for modules in the current folder first, which may be a folder of downloads: a
`yaml.py` there would run with our tokens. A child gets `-P`, passes it on to its own children, and
works in the folder of this Python. Engines, servers and code that a person starts are programs of
their own; their folder is chosen where they start.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[1]
# Variables that name a file or folder: a relative one would name another from a child's folder.
PLACES = (
    "DESKPILOT_HOME",
    "DESKPILOT_MODELS",
    "HF_HOME",
    "PGPASSFILE",
    "PIP_CONFIG_FILE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
)


async def start(
    *arguments: str, variables: Mapping[str, str] | None = None, **streams: Any
) -> asyncio.subprocess.Process:
    """Start Python with arguments such as `-m`, a module and its own.

    variables: all it sees; those of this process if not given. streams: as asyncio's subprocesses
    take them.
    Raises: OSError.
    """
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        *arguments,
        cwd=folder(),
        env=environment(os.environ if variables is None else variables),
        **streams,
    )


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python to its end, and return what it printed.

    Raises: OSError.
    """
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=folder(),
        env=environment(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )


def attend(*arguments: str) -> int:
    """Run Python to its end with our own streams, and return its status.

    It works in our folder, because its arguments may name files there.
    Raises: OSError.
    """
    command = [sys.executable, "-P", *arguments]
    return subprocess.run(command, env=environment(os.environ), check=False).returncode


def become(*arguments: str, bound: str, handed: str, line: bytes = b"") -> int:
    """Become Python with these arguments, so that signals reach it; return its status.

    Where a process cannot replace itself, it starts a child that ends with it: the child's standard
    input is a pipe of ours. bound: the argument that makes it end when that pipe closes. line: a
    secret for it; handed: the argument that names the open file with the secret. Raises: OSError.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform == "win32":
        return attend_bound(*arguments, bound, *([handed, "0"] if line else []), line=line)
    if line:
        with tempfile.TemporaryFile() as file:  # it has no name any more
            file.write(line)
            file.seek(0)
            handle = os.dup(file.fileno())
        os.set_inheritable(handle, True)
        arguments = (*arguments, handed, str(handle))
    command = [sys.executable, "-P", *arguments]
    os.execve(sys.executable, command, environment(os.environ))


def attend_bound(*arguments: str, line: bytes = b"") -> int:
    """Run Python to its end and return its status; its standard input closes when this process
    ends, however it ends.

    line: what is in its standard input. Raises: OSError.
    """
    command = [sys.executable, "-P", *arguments]
    with subprocess.Popen(command, env=environment(os.environ), stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(line)
        process.stdin.flush()
        return process.wait()


def begin(*arguments: str, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start Python without input and output of ours, for a caller that ends it itself.

    variables: all it sees. Raises: OSError.
    """
    return subprocess.Popen(
        [sys.executable, "-P", *arguments],
        cwd=folder(),
        env=environment(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )


def open_pipes(*arguments: str) -> subprocess.Popen[str]:
    """Start Python for a thread that talks with it in lines of UTF-8.

    Raises: OSError.
    """
    return subprocess.Popen(
        [sys.executable, "-P", *arguments],
        cwd=folder(),
        env=environment(os.environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def folder() -> Path:
    """Return where children work: the folder of this Python, which anyone who could write could
    change us anyway.
    """
    return Path(sys.prefix)


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables with which Python finds our modules, but none in the current
    folder.

    The children of a clone import the clone, wherever they start and whatever else is installed.
    """
    found = dict(variables)
    places = [p for p in found.pop("PYTHONPATH", "").split(os.pathsep) if Path(p).is_absolute()]
    if (ROOT / "pyproject.toml").is_file():
        places = [str(ROOT), *(place for place in places if place != str(ROOT))]
    if places:
        found["PYTHONPATH"] = os.pathsep.join(places)
    for name in PLACES:
        if found.get(name):
            found[name] = str(Path(found[name]).expanduser().absolute())
    return found | {"PYTHONSAFEPATH": "1"}
