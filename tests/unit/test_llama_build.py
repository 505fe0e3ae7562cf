"""llama.cpp as a wheel: one build for all machines, found where it lies, compiled with a bar."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def llama_build(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    import llama_build  # pyright: ignore[reportMissingImports]

    return llama_build


def test_it_is_compiled_for_any_processor_and_without_programs(llama_build: Any) -> None:
    assert "-DGGML_NATIVE=OFF" in llama_build.OPTIONS
    (told,) = [one for one in llama_build.OPTIONS if "INCLUDE" in one]
    include = Path(told.partition("=")[2])
    assert "set(LLAMA_BUILD_COMMON OFF)" in include.read_text("utf-8")


def test_a_wheel_of_this_version_and_machine_is_found_the_persons_folder_first(
    llama_build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_build.sys, "platform", "linux")
    monkeypatch.setattr(llama_build.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(llama_build, "KEPT", tmp_path / "kept")
    monkeypatch.setenv(llama_build.VARIABLE, str(tmp_path / "own"))
    for folder, tag in (
        ("kept", "0.3.36-py3-none-linux_x86_64"),
        ("kept", "0.3.35-py3-none-linux_x86_64"),
        ("own", "0.3.36-py3-none-win_amd64"),
        ("own", "0.3.36-py3-none-macosx_14_0_x86_64"),
        ("own", "0.3.36-py3-none-linux_aarch64"),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"llama_cpp_python-{tag}.whl").touch()
    found = llama_build.prebuilt("0.3.36", llama_build.folders())
    assert found.parent.name == "kept"
    own = tmp_path / "own" / "llama_cpp_python-0.3.36-py3-none-manylinux_2_28_x86_64.whl"
    own.touch()
    assert llama_build.prebuilt("0.3.36", llama_build.folders()) == own
    assert llama_build.prebuilt("0.3.37", llama_build.folders()) is None


PROJECT = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.21)\nproject(llama_cpp CXX)\n"
    "add_subdirectory(mtmd)\n",
    "mtmd/CMakeLists.txt": "add_library(mtmd mtmd.cpp models/a.cpp models/b.cpp)\n",
    "mtmd/mtmd.cpp": "static int same() { return 1; }\nint whole() { return same(); }\n",
    "mtmd/models/a.cpp": "static int same() { return 2; }\nint a() { return same(); }\n",
    "mtmd/models/b.cpp": "int b() { return 3; }\n",
}


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs cmake")
def test_models_of_pictures_are_compiled_together_and_nothing_else_is(
    llama_build: Any, tmp_path: Path
) -> None:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (include,) = [one for one in llama_build.OPTIONS if "INCLUDE" in one]
    build = tmp_path / "build"
    subprocess.run(["cmake", "-S", tmp_path, "-B", build, include], check=True)
    (together,) = build.glob("mtmd/CMakeFiles/mtmd.dir/Unity/unity_*_cxx.cxx")
    included = re.findall(r'#include "(.+)"', together.read_text("utf-8"))
    assert [Path(one).name for one in included] == ["a.cpp", "b.cpp"]
    subprocess.run(["cmake", "--build", build], check=True)  # `same` twice in one file would fail


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs cmake")
def test_in_a_clone_headers_are_read_once_and_what_computes_is_compiled_in_full(
    llama_build: Any, tmp_path: Path
) -> None:
    more = {
        "CMakeLists.txt": f"{PROJECT['CMakeLists.txt']}add_subdirectory(src)\n",
        "src/CMakeLists.txt": "add_library(llama llama-sampler.cpp models/a.cpp)\n",
        "src/llama-sampler.cpp": "#include <string>\nstd::string word() { return {}; }\n",
        "src/models/a.cpp": "std::vector<int> layers() { return {}; }\n",  # includes no header
    }
    for name, text in {**PROJECT, **more}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (include,) = [one for one in llama_build.OPTIONS if "INCLUDE" in one]
    build = tmp_path / "build"
    told = [include, llama_build.QUICK_BUILD, "-DCMAKE_BUILD_TYPE=Release"]
    told += ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    subprocess.run(["cmake", "-S", tmp_path, "-B", build, *told], check=True)
    subprocess.run(["cmake", "--build", build], check=True)
    compiled = {
        Path(one["file"]).relative_to(tmp_path).as_posix(): (
            re.findall(r" -O(\d)", one["command"])[-1],
            "cmake_pch" in one["command"],  # at another level than the headers' GCC 12 crashes
        )
        for one in json.loads((build / "compile_commands.json").read_text("utf-8"))
    }
    assert compiled["src/models/a.cpp"] == ("1", True)
    assert compiled["mtmd/mtmd.cpp"] == ("1", True)
    assert compiled["src/llama-sampler.cpp"] == ("3", False)


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        (["-- configured", *(f"[{n}/40] Building CXX" for n in range(1, 41))], "100 %"),
        ([f"[{n:3d}%] Building CXX" for n in range(0, 101, 5)], "100 %"),
    ],
)
def test_the_steps_of_ninja_and_of_make_become_a_bar(
    llama_build: Any, lines: list[str], last: str
) -> None:
    on_terminal = list(llama_build.bars(lines, True))
    assert all(one.startswith("\r  [") for one in on_terminal[:-1])
    assert on_terminal[-1] == "\n"
    assert f"[{'#' * 30}] {last}" in on_terminal[-2]
    in_a_file = list(llama_build.bars(lines, False))
    assert 10 <= len(in_a_file) <= 11
    assert in_a_file[-1].endswith("\n")
    assert list(llama_build.bars(["nothing to build"], True)) == []


COMPILER = """
import os, pathlib, sys
print("[1/2] Building", flush=True)
folder = pathlib.Path(sys.argv[sys.argv.index("-w") + 1])
system = {"darwin": "macosx_14_0", "win32": "win"}.get(sys.platform, "linux")
import platform
name = f"llama_cpp_python-0.3.36-py3-none-{system}_{platform.machine().lower()}.whl"
(folder / name).touch()
if "BROKEN" in os.environ:
    print("error: no compiler"); sys.exit(3)
if "-DDESKPILOT_QUICK_BUILD=ON" not in os.environ["CMAKE_ARGS"].split():
    sys.exit("somebody waits for this")
print("[2/2] Linking")
"""


def test_a_wheel_is_kept_and_what_the_compiler_said_is_told_when_it_fails(
    llama_build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text(COMPILER)
    out = io.StringIO()
    wheel = llama_build.compile_wheel(sys.executable, "0.3.36", tmp_path / "wheels", out)
    assert list((tmp_path / "wheels").iterdir()) == [wheel]
    wheel.unlink()
    assert "100 %" in out.getvalue()
    monkeypatch.setenv("BROKEN", "1")
    out = io.StringIO()
    with pytest.raises(subprocess.CalledProcessError):
        llama_build.compile_wheel(sys.executable, "0.3.36", tmp_path / "wheels", out)
    assert "error: no compiler" in out.getvalue()
    assert list((tmp_path / "wheels").iterdir()) == []  # half a wheel would be taken next time
