"""Start Python child processes that never import modules from the current folder.

`python -m` first looks for modules in the current folder. This may be a folder of downloads, in
which a file `yaml.py` would run with our tokens. A child gets `-P`, passes it on to its own
children, and works in the folder of this Python. Engines, servers and code that a user starts are
separate programs; the code that starts them chooses their folder.
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
# Variables that name a file or folder. In a child's folder, a relative path would mean something
# else.
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
    """Start Python with arguments such as `-m`, a module and the module's own arguments.

    variables: the child's whole environment; by default, the environment of this process. streams:
    the same as for an asyncio subprocess.
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
    """Run Python until it exits, and return its output.

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
    """Run Python until it exits, with our own streams, and return its exit status.

    Python runs in our current folder, because its arguments may name files there.
    Raises: OSError.
    """
    command = [sys.executable, "-P", *arguments]
    return subprocess.run(command, env=environment(os.environ), check=False).returncode


def become(*arguments: str, bound: str, handed: str, line: bytes = b"") -> int:
    """Replace this process with Python and these arguments, so that signals reach it. Return its
    exit status.

    On systems where a process cannot replace itself, a child process is started instead. It ends
    together with this process, because its standard input is a pipe from this process. bound: the
    argument that makes the child end when this pipe closes. line: a secret to pass to the process.
    handed: the argument that names the open file with the secret. Raises: OSError.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform == "win32":
        return attend_bound(*arguments, bound, *([handed, "0"] if line else []), line=line)
    if line:
        with tempfile.TemporaryFile() as file:  # the file has no name in the file system
            file.write(line)
            file.seek(0)
            handle = os.dup(file.fileno())
        os.set_inheritable(handle, True)
        arguments = (*arguments, handed, str(handle))
    command = [sys.executable, "-P", *arguments]
    os.execve(sys.executable, command, environment(os.environ))


def attend_bound(*arguments: str, line: bytes = b"") -> int:
    """Run Python until it exits and return its exit status.

    Its standard input closes when this process ends, for whatever reason. line: the data for its
    standard input. Raises: OSError.
    """
    command = [sys.executable, "-P", *arguments]
    with subprocess.Popen(command, env=environment(os.environ), stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(line)
        process.stdin.flush()
        return process.wait()


def begin(*arguments: str, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start Python without our standard input and output, and leave it to the caller to end it.

    variables: the child's whole environment. Raises: OSError.
    """
    return subprocess.Popen(
        [sys.executable, "-P", *arguments],
        cwd=folder(),
        env=environment(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )


def open_pipes(*arguments: str) -> subprocess.Popen[str]:
    """Start Python for a thread that exchanges lines of UTF-8 text with it.

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
    """Return the folder in which children work: the folder of this Python.

    Anyone who could write to it could also change our code.
    """
    return Path(sys.prefix)


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables with which Python finds our modules, but never modules in the
    current folder.

    If Deskpilot runs from a clone, its child processes import the clone's modules, wherever they
    start and whatever else is installed.
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
