"""Compile llama.cpp into a wheel, here and for the packages, and find existing wheels.

A clone's wheel (`compile_wheel`) is compiled faster, with the parts that only load and describe
models at -O1. The packages' wheel is not, so never give a clone's wheel to `bundle.py --llama`.

One build serves every x86-64 processor since 2013 (x86-64-v3). A wheel compiled only for the build
machine's processor would fail with an illegal instruction on other machines.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / "build" / "wheels"  # what was compiled before, or was laid there
VARIABLE = "DESKPILOT_WHEELS"  # another folder with wheels
V3 = ("SSE42", "AVX", "AVX2", "FMA", "F16C", "BMI2")
OPTIONS = [
    "-DGGML_NATIVE=OFF",
    *([f"-DGGML_{name}=ON" for name in V3] if platform.machine() in ("x86_64", "AMD64") else []),
    "-DLLAMA_OPENSSL=OFF",
    f"-DCMAKE_PROJECT_llama_cpp_INCLUDE={(HERE / 'llama.cmake').as_posix()}",
]
QUICK_BUILD = "-DDESKPILOT_QUICK_BUILD=ON"  # for a clone, whose user waits; see llama.cmake
STEP = re.compile(r"^\s*\[\s*(\d+)(?:/(\d+)|%)\]")  # of ninja, or of make


def folders() -> list[Path]:
    """Return the folders that may contain wheels, the user's own first."""
    told = os.environ.get(VARIABLE)
    return [*([Path(told)] if told else []), KEPT]


def prebuilt(version: str, places: Iterable[Path]) -> Path | None:
    """Return a llama-cpp-python wheel of this version that was built for this kind of machine."""
    system = {"linux": "linux", "darwin": "macosx", "win32": "win"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    for place in places:
        for path in sorted(place.glob(f"llama_cpp_python-{version}-*.whl")):
            tag = path.stem.rpartition("-")[2].lower()
            if system in tag and machine in tag:
                return path
    return None


def compile_wheel(python: str, version: str, folder: Path, out: TextIO) -> Path:
    """Compile llama.cpp with the pip of a Python, showing a progress bar; return the wheel.

    The folder gets a complete wheel or none. Raises: subprocess.CalledProcessError, after writing
    the compiler's output to `out`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        run_pip(python, version, Path(made), out)
        wheel = prebuilt(version, [Path(made)])
        if wheel is None:
            raise FileNotFoundError(f"pip built no wheel of llama-cpp-python {version}.")
        return wheel.replace(folder / wheel.name)


def run_pip(python: str, version: str, folder: Path, out: TextIO) -> None:
    """Build the wheel.

    Raises: subprocess.CalledProcessError.
    """
    command = [python, "-m", "pip", "wheel", "--verbose", "--no-deps", "--no-cache-dir"]
    command += ["--no-binary", "llama-cpp-python", "-w", str(folder)]
    command += [f"llama-cpp-python=={version}"]
    arguments = " ".join([*OPTIONS, QUICK_BUILD, os.environ.get("CMAKE_ARGS", "")]).strip()
    said: list[str] = []
    with subprocess.Popen(
        command,
        env=os.environ | {"CMAKE_ARGS": arguments},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in bars(keep(process.stdout, said), out.isatty()):
            out.write(line)
            out.flush()
    if process.returncode:
        out.write("".join(said[-40:]))
        raise subprocess.CalledProcessError(process.returncode, command)


def keep(lines: Iterable[str], said: list[str]) -> Iterator[str]:
    """Yield lines, and keep a copy of them."""
    for line in lines:
        said.append(line)
        yield line


def bars(lines: Iterable[str], terminal: bool) -> Iterator[str]:
    """Yield progress text for a build: one bar on a terminal, otherwise every tenth step.

    lines: output that includes lines from ninja (`[3/60] …`) or make (`[ 5%] …`).
    """
    started, told, drawn = time.monotonic(), -1, False
    for line in lines:
        found = STEP.match(line)
        if found is None:
            continue
        done, whole = int(found[1]), int(found[2] or 100)
        tenth = done * 10 // whole
        if not terminal and tenth == told:
            continue
        told, drawn = tenth, True
        full = done * 30 // whole
        minutes, seconds = divmod(int(time.monotonic() - started), 60)
        bar = f"  [{'#' * full}{'.' * (30 - full)}] {done * 100 // whole:3d} %"
        bar += f"  {minutes}:{seconds:02d}"
        yield f"\r{bar}" if terminal else f"{bar}\n"
    if drawn and terminal:
        yield "\n"
