"""The Whisper models in this process, one for each folder, loaded on first use."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from backends.flexai.devices import Device, build_for, choose, report
from backends.flexai.errors import InvokeBadRequestError
from backends.providers.native_errors import native_errors
from backends.providers.onnx_session import load_nvidia_libraries

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

FETCH = "Its folder is not whole; fetch the model again, or copy all of its files."
# Without tokenizer.json the library would download one, whatever its options say.
BUILDS = {"cuda": build_for("cuda"), "cpu": ""}
NEEDED = (
    ("config.json",),
    ("model.bin",),
    ("tokenizer.json",),
    ("vocabulary.json", "vocabulary.txt"),
)


class WhisperCredentials(BaseModel):
    """The location of the model and how to run it.

    compute_type: None for int8 on the CPU and float16 on a GPU. n_threads: 0 for the engine's
    default.
    """

    model_config = ConfigDict(protected_namespaces=(), extra="ignore")

    model_path: Path
    device: Device = "auto"
    compute_type: str | None = None
    n_threads: int = Field(default=0, ge=0)
    beam_size: int = Field(default=5, ge=1)


_models: dict[Path, tuple[str, WhisperModel]] = {}
_lock = threading.Lock()


def model_for(wanted: WhisperCredentials) -> WhisperModel:
    """Return the model in a folder. If the settings or files have changed, the loaded model is
    replaced.

    Raises: InvokeBadRequestError.
    """
    check_folder(wanted.model_path)
    file = (wanted.model_path / "model.bin").stat()
    key = f"{wanted.model_dump_json(exclude={'beam_size'})} {file.st_mtime_ns} {file.st_size}"
    with _lock:
        known = _models.get(wanted.model_path)
        if known is None or known[0] != key:
            _models.pop(wanted.model_path, None)
            _models[wanted.model_path] = key, load(wanted)
        return _models[wanted.model_path][1]


def check_folder(folder: Path) -> None:
    """Check that a folder holds a complete model before the library opens it.

    Raises: InvokeBadRequestError.
    """
    if not folder.is_dir():
        raise InvokeBadRequestError(
            f"There is no folder {folder}.", "Name the folder of a Whisper model."
        )
    for names in NEEDED:
        if not any((folder / name).is_file() for name in names):
            raise InvokeBadRequestError(f"{names[0]} is missing in {folder}.", FETCH)


def load(wanted: WhisperCredentials) -> WhisperModel:
    """Load a model.

    Raises: InvokeBadRequestError for a damaged file, or a device or compute type that this machine
    lacks.
    """
    from faster_whisper import WhisperModel

    device = choose(wanted.device, whisper_devices(), "faster-whisper", BUILDS)

    def damaged(error: Exception) -> InvokeBadRequestError:
        return InvokeBadRequestError(
            f"The model in {wanted.model_path} cannot be loaded: {error}",
            "If it names CUDA or a driver, set the device to cpu; else a file is damaged: fetch it"
            " again.",
        )

    try:
        with native_errors(damaged, OSError, RuntimeError, LookupError, TypeError):
            model = WhisperModel(
                str(wanted.model_path),
                device=device,
                compute_type=wanted.compute_type or ("int8" if device == "cpu" else "float16"),
                cpu_threads=wanted.n_threads,
                local_files_only=True,
            )
    except ValueError as error:  # a compute type that the device lacks
        raise InvokeBadRequestError(
            f"The model cannot compute like this: {error}.",
            "Leave compute_type empty, or choose int8.",
        ) from error
    report(device)
    return model


def whisper_devices() -> list[str]:
    """Return the devices of CTranslate2, best first."""
    from ctranslate2 import get_cuda_device_count

    if not get_cuda_device_count():
        return ["cpu"]
    load_nvidia_libraries()
    return ["cuda", "cpu"]
