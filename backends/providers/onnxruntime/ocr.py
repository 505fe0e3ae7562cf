"""OCR on onnxruntime."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from backends.flexai.devices import Device
from backends.flexai.entities import OcrLine, OcrResult
from backends.flexai.errors import InvokeBadRequestError, InvokeError, native_errors
from backends.flexai.models import OcrModel, validating
from backends.providers.onnx_session import onnx_devices, open_session
from backends.providers.onnxruntime.page_reader import PageReader

FINDER, READER = "find.onnx", "read.onnx"


class OcrCredentials(BaseModel):
    """A folder with find.onnx and read.onnx, and how many threads they take."""

    model_path: Path
    n_threads: int = Field(default=2, ge=0)
    device: Device = "auto"


_loaded: dict[str, PageReader] = {}
_lock = threading.Lock()


class OnnxOcr(OcrModel):
    """Reads pictures with the graphs of a folder: one finds lines, one reads them."""

    def devices(self) -> list[str]:
        """Return the devices of ONNX Runtime, best first."""
        return onnx_devices()

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the folder holds graphs that load."""
        with validating():
            self._reader(credentials)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeBadRequestError: [ValueError, TypeError]}

    def _invoke(
        self, model: str, credentials: dict[str, Any], width: int, height: int, pixels: bytes
    ) -> OcrResult:
        picture = np.frombuffer(pixels, dtype=np.uint8).reshape(height, width)
        lines = self._reader(credentials).read(picture)
        found = [
            OcrLine(
                text=text,
                score=score,
                box=(float(box.left), float(box.top), float(box.right), float(box.bottom)),
            )
            for text, score, box in lines
        ]
        return OcrResult(model=model, lines=found)

    def _reader(self, credentials: dict[str, Any]) -> PageReader:
        try:
            wanted = OcrCredentials.model_validate(credentials)
        except ValidationError as error:
            raise InvokeBadRequestError(
                f"These settings are not usable: {error.errors()[0]['msg']}."
            ) from error
        key = str(wanted.model_dump())
        with _lock:
            if key not in _loaded:
                _loaded[key] = load(wanted)
            return _loaded[key]


def load(wanted: OcrCredentials) -> PageReader:
    """Load both graphs.

    Raises: InvokeBadRequestError for files that are missing or damaged.
    """
    for name in (FINDER, READER):
        if not (wanted.model_path / name).is_file():
            raise InvokeBadRequestError(
                f"{name} is missing in {wanted.model_path}.",
                "Fetch the model again: deskpilot models pull.",
            )

    def damaged(error: Exception) -> InvokeBadRequestError:
        return InvokeBadRequestError(
            f"The model in {wanted.model_path} cannot be loaded: {error}",
            "Its file is damaged; remove the folder and fetch the model again.",
        )

    with native_errors(damaged, OSError, RuntimeError, ValueError, KeyError):
        finder, reader = (
            open_session(wanted.model_path / name, wanted.n_threads, wanted.device, thrifty=True)
            for name in (FINDER, READER)
        )
        return PageReader(finder, reader)
