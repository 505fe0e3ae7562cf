"""The tiny language model, which is a guard and can be made to see: where it is, and a flag that is
set while it computes.
"""

from __future__ import annotations

import base64
import io
import threading
from pathlib import Path
from typing import Any

import av
import numpy as np

COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "white": (255, 255, 255)}
KINDS = {
    "png": ("png", "image2pipe", "rgb24"),
    "jpeg": ("mjpeg", "image2pipe", "yuvj444p"),
    "bmp": ("bmp", "image2pipe", "bgr24"),
    "gif": ("gif", "gif", "rgb8"),
    "webp": ("libwebp", "image2pipe", "bgra"),
}
HERE = Path(__file__).parent
LLAMA: dict[str, Any] = {
    "model_path": str(HERE / "tiny-llama" / "tiny-llama.gguf"),
    "n_ctx": "2048",
    "n_threads": "1",
}

SEEING = LLAMA | {"projector_path": str(HERE / "tiny-llama" / "tiny-mmproj.gguf")}
GUARD = LLAMA | {"guard": "llama-guard"}


def picture(colour: str, kind: str = "png", width: int = 40, height: int = 40) -> str:
    """Return a picture of one colour as a data URI. kind: png, mjpeg, bmp, gif."""
    codec, container, layout = KINDS[kind]
    file = io.BytesIO()
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:] = COLOURS[colour]
    with av.open(file, "w", format=container) as writer:
        stream = writer.add_stream(codec, rate=1)
        stream.width, stream.height, stream.pix_fmt = width, height, layout  # type: ignore[attr-defined]
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format=layout)
        for packet in [*stream.encode(frame), *stream.encode(None)]:  # type: ignore[attr-defined]
            writer.mux(packet)
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"


class SetAfter(threading.Event):
    """A flag that sets itself when it was looked at so many times: a stop at the same place in
    every run.
    """

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def is_set(self) -> bool:
        """Count a look."""
        self.looks -= 1
        if self.looks < 0:
            self.set()
        return super().is_set()
