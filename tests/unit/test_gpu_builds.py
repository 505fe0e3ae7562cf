"""Which builds for a GPU are installed: plans for machines we do not have, and the one we have,
printed.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


load("clients")
load("llama_build")
load("npm_servers")  # all of which `dev` imports from beside it
builds: Any = load("gpu_builds")
dev: Any = load("dev")
LINUX = builds.Machine("linux", cuda=(12, 8), nvcc=False, vulkan=True)


def lines(kind: str, machine: Any) -> list[str]:
    return [" ".join(step.pip) for step in builds.plan(kind, machine, dev.pins())]


def test_cuda_gets_builds_of_every_engine_at_the_versions_of_the_project() -> None:
    llama, away, onnx, torch_away, torch = lines("cuda", LINUX)
    assert "--only-binary llama-cpp-python" in llama
    assert "/cu125 llama-cpp-python==" in llama  # the newest that a driver for 12.8 takes
    assert dev.pins()["llama-cpp-python"] in llama
    assert away == "uninstall -y onnxruntime onnxruntime-gpu"
    assert onnx.startswith("install onnxruntime-gpu[cuda,cudnn]>=")
    assert torch_away == "uninstall -y torch"
    assert dev.pins()["torch"] in torch


def test_with_cudas_compiler_llama_cpp_is_built_here() -> None:
    step = builds.plan("cuda", builds.Machine("linux", (11, 0), nvcc=True), dev.pins())[0]
    assert step.environment["CMAKE_ARGS"] == "-DGGML_CUDA=on"
    assert "--no-binary" in step.pip


@pytest.mark.parametrize(
    ("driver", "wheel"), [((12, 1), "cu121"), ((12, 4), "cu124"), ((13, 0), "cu125")]
)
def test_the_wheel_is_one_the_driver_takes(driver: tuple[int, int], wheel: str) -> None:
    assert f"/{wheel} " in lines("cuda", builds.Machine("linux", driver))[0]


def test_a_driver_that_is_too_old_is_told() -> None:
    with pytest.raises(builds.NoGpu, match="too old"):
        lines("cuda", builds.Machine("linux", (11, 8)))


@pytest.mark.parametrize(("kind", "system"), [("vulkan", "linux"), ("metal", "darwin")])
def test_vulkan_and_metal_build_llama_cpp_and_leave_the_rest(kind: str, system: str) -> None:
    (step,) = builds.plan(kind, builds.Machine(system, vulkan=True), dev.pins())
    assert step.environment["CMAKE_ARGS"] == f"-DGGML_{kind.upper()}=on"


@pytest.mark.parametrize(
    ("machine", "kind"),
    [
        (LINUX, "cuda"),
        (builds.Machine("linux", vulkan=True), "vulkan"),
        (builds.Machine("darwin", vulkan=True), "metal"),
        (builds.Machine("win32", (12, 4)), "cuda"),
    ],
)
def test_auto_takes_the_quickest_gpu_that_is_here(machine: Any, kind: str) -> None:
    assert builds.kind_for("auto", machine) == kind


def test_a_gpu_that_is_not_here_is_told_before_anything_is_installed() -> None:
    with pytest.raises(builds.NoGpu, match="No GPU was found"):
        builds.kind_for("auto", builds.Machine("linux"))
    with pytest.raises(builds.NoGpu, match=r"nvidia-smi.*ask for: vulkan"):
        builds.kind_for("cuda", builds.Machine("linux", vulkan=True))


def test_the_drivers_version_is_read_from_nvidia_smi() -> None:
    said = "| NVIDIA-SMI 570.86   Driver Version: 570.86   CUDA Version: 12.8     |"
    assert builds.cuda_of(said) == (12, 8)
    assert builds.cuda_of("command not found") is None


@pytest.mark.parametrize(
    ("words", "order"),
    [
        (["run"], ("run", None, False, [], False, False)),
        (["run", "--gpu", "cuda", "ask", "x"], ("run", "cuda", False, ["ask", "x"], False, False)),
        (
            ["test", "--dry-run", "--gpu", "auto", "-k", "a"],
            ("test", "auto", True, ["-k", "a"], False, False),
        ),
        (["test", "--quick", "tests/unit"], ("test", None, False, ["tests/unit"], True, False)),
        (["test", "--cluster", "-x"], ("test", None, False, ["-x"], False, True)),
        (["run", "--quick"], ("run", None, False, ["--quick"], False, False)),
        (["run", "--cluster"], ("run", None, False, ["--cluster"], False, False)),
        (
            ["run", "ask", "--gpu", "cuda"],
            ("run", None, False, ["ask", "--gpu", "cuda"], False, False),
        ),
        (["run", "--gpu", "intel"], None),
        (["run", "--gpu"], None),
        (["build"], None),
        ([], None),
    ],
)
def test_our_options_come_before_those_of_deskpilot(words: list[str], order: Any) -> None:
    assert dev.read_order(words) == order


def test_a_dry_run_prints_and_installs_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(dev, "this_machine", lambda: LINUX)
    assert dev.show_plan(dev.Order("run", "cuda", True, ["doctor"])) == 0
    told = capsys.readouterr().out
    assert "onnxruntime-gpu[cuda,cudnn]" in told
    assert told.endswith("then run doctor\n")


def test_the_program_itself_prints_its_plan_on_any_machine() -> None:
    command = [sys.executable, str(PACKAGING / "dev.py"), "run", "--dry-run", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "then run doctor")
