"""Setting up a clone: what is compiled, what is installed meanwhile, what is told when it fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
# Stands in for the environment's Python. Its compiler waits for pip, and pip for the compiler: one
# after the other they never end. It notes what it did.
STAND_IN = """#!{python}
import os, pathlib, platform, sys, time
here = pathlib.Path(__file__).parent
words = sys.argv[1:]

def note(what):
    with (here / "log").open("a") as file:
        file.write(what + "\\n")

def meet(mine, others):
    (here / mine).touch()
    last = time.monotonic() + 20
    while not (here / others).exists():
        if time.monotonic() > last:
            sys.exit(f"{{mine}}: nobody came")
        time.sleep(0.01)

if words[:2] == ["-P", "-c"] and "compileall" in words[2]:
    meet("started", "deskpilot-run.stamp")  # nobody waits for it
    (here / "bytecode").touch()
elif words[:2] == ["-P", "-c"]:
    if not (here / "has-llama").exists():
        sys.exit(1)
    print({version!r})
elif words[:3] == ["-m", "pip", "wheel"]:
    meet("compiler", "packages")
    print("[1/1] Building")
    if "BROKEN_COMPILER" in os.environ:
        sys.exit("error: no such header")
    system = {{"darwin": "macosx_14_0", "win32": "win"}}.get(sys.platform, "linux")
    name = f"llama_cpp_python-{version}-py3-none-{{system}}_{{platform.machine().lower()}}.whl"
    (pathlib.Path(words[words.index("-w") + 1]) / name).touch()
    note("compiled")
elif words[:2] == ["-m", "pip"] and words[-1].endswith(".whl"):
    (here / "has-llama").touch()
    note("llama.cpp")
elif words[:2] == ["-m", "pip"] and "--editable" in words:
    note("deskpilot")
elif words[:2] == ["-m", "pip"] and "--upgrade" not in words:
    if any(word.startswith("llama-cpp-python") for word in words):
        sys.exit("pip would compile llama.cpp, too")
    if "--no-compile" not in words:
        sys.exit("pip would write bytecode while the compiler waits")
    print("Collecting numpy")
    if "BROKEN_INDEX" in os.environ:
        (here / "packages").touch()
        sys.exit("No matching distribution")
    meet("packages", "compiler")
    if "BROKEN_COMPILER" in os.environ:
        time.sleep(60)
    note("packages")
elif words[:2] == ["-m", "backends.catalog"]:
    note("models")
"""


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    import dev  # pyright: ignore[reportMissingImports]

    python = tmp_path / "python"
    version = dev.pins()["llama-cpp-python"].partition("==")[2]
    python.write_text(STAND_IN.format(python=sys.executable, version=version))
    python.chmod(0o755)
    monkeypatch.setattr(dev, "VENV", tmp_path)
    monkeypatch.setattr(dev, "PYTHON", python)
    monkeypatch.setattr(dev, "install_system", lambda _packages: None)
    monkeypatch.setattr(dev.llama_build, "KEPT", tmp_path / "wheels")
    monkeypatch.setattr(dev, "BACKGROUND", [])
    monkeypatch.delenv(dev.llama_build.VARIABLE, raising=False)
    yield dev
    for one in dev.BACKGROUND:
        one.wait(60)


def noted(folder: Path) -> list[str]:
    log = folder / "log"
    return log.read_text().split() if log.exists() else []


def test_other_packages_are_installed_while_llama_cpp_compiles(
    dev: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    dev.set_up(testing=False)
    log = noted(tmp_path)
    assert sorted(log[:2]) == ["compiled", "packages"]
    assert log[2:] == ["llama.cpp", "deskpilot", "models"]
    said = capfd.readouterr()
    assert "100 %" in said.err
    assert "Collecting numpy" not in said.err + said.out
    assert (tmp_path / "deskpilot-run.stamp").is_file()


def test_bytecode_is_written_while_nobody_waits_for_it(dev: Any, tmp_path: Path) -> None:
    dev.set_up(testing=False)
    assert [one.wait(60) for one in dev.BACKGROUND] == [0]
    assert (tmp_path / "bytecode").exists()


def test_bytecode_is_written_for_every_package(
    dev: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(made)], check=True)
    (site,) = made.glob("[lL]ib/**/site-packages")
    (site / "package").mkdir()
    (site / "package" / "module.py").write_text("WORD = 1\n")
    program = dev.BIN.relative_to(ROOT / ".venv") / ("python.exe" if os.name == "nt" else "python")
    monkeypatch.setattr(dev, "PYTHON", made / program)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    dev.write_bytecode()
    assert dev.BACKGROUND[-1].wait(60) == 0
    assert [*site.glob("package/__pycache__/module.*.pyc")]


def test_a_package_that_cannot_be_installed_stops_the_set_up_and_says_why(
    dev: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BROKEN_INDEX", "1")
    monkeypatch.setattr(sys, "argv", ["dev.py", "run"])
    assert dev.main() == 1
    said = capfd.readouterr().err
    assert "No matching distribution" in said
    assert "Set-up stopped" in said
    assert noted(tmp_path) == ["compiled"]
    assert not (tmp_path / "deskpilot-run.stamp").exists()
    monkeypatch.delenv("BROKEN_INDEX")
    dev.set_up(testing=False)  # what is compiled is kept
    assert noted(tmp_path) == ["compiled", "llama.cpp", "deskpilot", "models"]


def test_a_compiler_that_fails_ends_the_rest_at_once_and_leaves_no_wheel(
    dev: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BROKEN_COMPILER", "1")
    with pytest.raises(subprocess.CalledProcessError) as error:
        dev.set_up(testing=False)
    assert "wheel" in error.value.cmd
    assert "error: no such header" in capfd.readouterr().err
    assert noted(tmp_path) == []
    assert list((tmp_path / "wheels").iterdir()) == []
    monkeypatch.delenv("BROKEN_COMPILER")
    dev.set_up(testing=False)
    assert "llama.cpp" in noted(tmp_path)


def test_ctrl_c_stops_the_set_up_in_a_sentence(
    dev: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dev.llama_build, "compile_wheel", interrupted)
    monkeypatch.setattr(sys, "argv", ["dev.py", "run"])
    assert dev.main() == 130
    said = capfd.readouterr().err
    assert "Set-up stopped; the same command resumes it." in said
    assert "Traceback" not in said


def test_a_wheel_of_llama_cpp_that_is_there_is_not_compiled_again(dev: Any, tmp_path: Path) -> None:
    version = dev.pins()["llama-cpp-python"].partition("==")[2]
    (tmp_path / "wheels").mkdir()
    machine = dev.llama_build.platform.machine().lower()
    system = {"darwin": "macosx_14_0", "win32": "win"}.get(sys.platform, "linux")
    name = f"llama_cpp_python-{version}-py3-none-{system}_{machine}.whl"
    (tmp_path / "wheels" / name).touch()
    dev.set_up(testing=False)
    assert noted(tmp_path) == ["llama.cpp", "deskpilot", "models"]
