"""An ONNX Runtime session on exactly the device requested."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backends.flexai.devices import build_for, choose, report

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"
PATIENT_MICROSECONDS = (
    50  # longer than the time between two layers, but no longer than it takes to wake a thread
)
BUILDS = {"cuda": build_for("cuda"), "cpu": ""}


def open_session(
    path: Path, threads: int, device: str, *, patient: bool = False, thrifty: bool = False
) -> InferenceSession:
    """Open a model. device: `auto`, `cpu` or `cuda`.

    patient: its threads spin only briefly while they wait for each other, and then sleep. By
    default, they keep spinning, which makes a run take 50% longer if other programs compute at the
    same time. If they never spun, a run would take 50% longer when no other program computes.

    thrifty: memory is returned to the system after each run; this is meant for inputs whose size
    differs between runs.

    Raises: InvokeBadRequestError if the device is missing; ONNX Runtime's errors for a bad file.
    """
    from onnxruntime import (
        InferenceSession,
        SessionOptions,  # pyright: ignore[reportAttributeAccessIssue]
    )

    chosen = choose(device, onnx_devices() if device != "cpu" else ["cpu"], "ONNX Runtime", BUILDS)
    options = SessionOptions()
    options.intra_op_num_threads = threads  # by default the library would use every core
    if patient:
        options.add_session_config_entry(
            "session.intra_op.spin_duration_us", str(PATIENT_MICROSECONDS)
        )
    options.enable_cpu_mem_arena = not thrifty
    options.enable_mem_pattern = not thrifty
    session = InferenceSession(
        str(path), options, providers=[CUDA, CPU] if chosen == "cuda" else [CPU]
    )
    report("cuda" if CUDA in session.get_providers() else "cpu")
    return session


@cache
def onnx_devices() -> list[str]:
    """Return the devices of ONNX Runtime, best first.

    GPU builds list a GPU even if there is none, and fall back to the CPU without an error.
    Therefore, a model with a single node is run as a test.
    """
    from onnxruntime import get_available_providers  # pyright: ignore[reportAttributeAccessIssue]

    if CUDA not in get_available_providers():
        return ["cpu"]
    load_nvidia_libraries()
    return ["cuda", "cpu"] if CUDA in tried() else ["cpu"]


def load_nvidia_libraries() -> None:
    """Load cuBLAS and cuDNN from the packages that contain them; these are not in the system's
    library path.
    """
    from onnxruntime import preload_dlls  # pyright: ignore[reportAttributeAccessIssue]

    preload_dlls(msvc=False)


def tried() -> list[str]:
    """Return the execution providers that a tiny model actually gets."""
    from onnx import TensorProto, helper
    from onnxruntime import (
        InferenceSession,
        SessionOptions,  # pyright: ignore[reportAttributeAccessIssue]
    )

    one, two = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("one", "two")
    )
    graph = helper.make_graph(
        [helper.make_node("Identity", ["one"], ["two"])], "tiny", [one], [two]
    )
    model: Any = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = SessionOptions()
    options.log_severity_level = 4  # our own report says what is missing
    session = InferenceSession(model.SerializeToString(), options, providers=[CUDA, CPU])
    return list(session.get_providers())
