"""Choose engine builds that use a GPU, and plan the steps that install them.

Nothing here runs a command, so every plan can be printed (`--dry-run`) and tested on any machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

KINDS = ("auto", "cuda", "vulkan", "metal")
WHEELS = "https://abetlen.github.io/llama-cpp-python/whl"  # llama-cpp-python's own, built for CUDA
BUILT_FOR = (
    (12, 5),
    (12, 4),
    (12, 3),
    (12, 2),
    (12, 1),
)  # versions of CUDA it has wheels for, newest first
BUILD_FLAG = {"cuda": "-DGGML_CUDA=on", "vulkan": "-DGGML_VULKAN=on", "metal": "-DGGML_METAL=on"}


@dataclass(frozen=True)
class Machine:
    """What the plan depends on. system: sys.platform. cuda: the version the driver supports, or
    None.

    nvcc: whether CUDA's compiler is installed. vulkan: whether a Vulkan loader is installed.
    """

    system: str
    cuda: tuple[int, int] | None = None
    nvcc: bool = False
    vulkan: bool = False


@dataclass(frozen=True)
class Step:
    """One call of pip. why: the reason, shown to the user. environment: variables for the call."""

    why: str
    pip: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)


class NoGpu(Exception):
    """The requested GPU cannot be used on this machine; the message says why and what to do."""


def cuda_of(told: str) -> tuple[int, int] | None:
    """Return the CUDA version that the driver supports, according to nvidia-smi."""
    found = re.search(r"CUDA Version:\s*(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found else None


def kind_for(asked: str, machine: Machine) -> str:
    """Return the kind of GPU to install for.

    Raises: NoGpu.
    """
    here = [
        kind
        for kind, there in (
            ("cuda", machine.cuda is not None),
            ("metal", machine.system == "darwin"),
            ("vulkan", machine.vulkan and machine.system != "darwin"),
        )
        if there
    ]
    if asked == "auto":
        if not here:
            raise NoGpu(
                "No GPU was found: neither NVIDIA's driver (nvidia-smi) nor Vulkan. Install its"
                " driver first."
            )
        return here[0]
    if asked not in here:
        wanted = {
            "cuda": "NVIDIA's driver (nvidia-smi) was not found",
            "metal": "Metal is available only on macOS",
            "vulkan": "no Vulkan loader was found (vulkaninfo, libvulkan)",
        }[asked]
        raise NoGpu(
            f"Builds for {asked} would not run: {wanted}. Install it, or ask for:"
            f" {', '.join(here) or 'none'}."
        )
    return asked


def plan(kind: str, machine: Machine, pins: dict[str, str]) -> list[Step]:
    """Return the steps that replace the CPU builds of the engines.

    pins: package → requirement, as in pyproject.toml. Raises: NoGpu if no build supports the
    driver.
    """
    return [llama(kind, machine, pins), *(others_for_cuda(machine, pins) if kind == "cuda" else ())]


def llama(kind: str, machine: Machine, pins: dict[str, str]) -> Step:
    """Return the step for llama.cpp: compile it, or use a wheel for CUDA if its compiler is
    missing.
    """
    wanted = pins["llama-cpp-python"]
    again = ("install", "--force-reinstall", "--no-deps")
    if kind != "cuda" or machine.nvcc:
        return Step(
            f"language models: llama.cpp compiled for {kind} (ten minutes or more)",
            (*again, "--no-cache-dir", "--no-binary", "llama-cpp-python", wanted),
            {"CMAKE_ARGS": BUILD_FLAG[kind], "FORCE_CMAKE": "1"},
        )
    fitting = next((v for v in BUILT_FOR if machine.cuda is not None and v <= machine.cuda), None)
    if fitting is None:
        raise NoGpu(
            "The driver is too old for the available builds (CUDA 12.1). Update it, or install"
            " CUDA's nvcc."
        )
    index = f"{WHEELS}/cu{fitting[0]}{fitting[1]}"
    return Step(
        "language models: llama.cpp, a wheel built for CUDA",
        (*again, "--only-binary", "llama-cpp-python", "--extra-index-url", index, wanted),
    )


def others_for_cuda(machine: Machine, pins: dict[str, str]) -> list[Step]:
    """Return the steps for the other engines, which have GPU builds only for CUDA.

    CTranslate2 (speech to text) has CUDA built in; it uses the cuBLAS and cuDNN installed here.
    """
    onnx = [
        Step(
            "embedder, voices: both builds of ONNX Runtime share a folder, so remove both first",
            ("uninstall", "-y", "onnxruntime", "onnxruntime-gpu"),
        ),
        Step(
            "embedder, voices, speech to text: ONNX Runtime for CUDA, with cuBLAS and cuDNN",
            (
                "install",
                pins["onnxruntime"].replace("onnxruntime", "onnxruntime-gpu[cuda,cudnn]", 1),
            ),
        ),
    ]
    if (
        machine.system == "win32"
    ):  # PyPI's torch of this version is a CPU build; torch's site lists the others
        return onnx
    return [
        *onnx,
        Step(
            "embedders, rerankers: a CPU build of torch would count as installed, so remove it"
            " first",
            ("uninstall", "-y", "torch"),
        ),
        Step(
            "embedders, rerankers: torch for CUDA (several GB)",
            ("install", pins["torch"], pins["sentence-transformers"]),
        ),
    ]
