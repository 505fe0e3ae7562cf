"""From the image of a message to its pixels: data URIs and bare base64 of any usual format."""

from __future__ import annotations

import base64
import binascii
import io
import re
from typing import TYPE_CHECKING

import numpy as np

from backends.flexai.errors import InvokeBadRequestError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]  # (height, width, 3), red, green, blue

MOST_BYTES = 32 * 1024 * 1024
MOST_PIXELS = 50_000_000  # a file of a few kilobytes can hold a picture of many gigabytes
FORMATS = "png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,gif"  # others can name files and addresses to read
REMEDY = "Send a PNG, JPEG, WebP or GIF as a data URI or base64."


def read_picture(data: str) -> Pixels:
    """Return the pixels of an image given as a data URI or base64; of a moving one the first picture.

    Raises: InvokeBadRequestError; for an address too: nothing is fetched here.
    """
    raw = decode(data)
    import av  # heavy: only who shows pictures waits for it
    from av.error import FFmpegError

    try:
        with av.open(io.BytesIO(raw), "r", options={"format_whitelist": FORMATS}) as container:
            stream = container.streams.video[0]
            check_size(stream.codec_context.width * stream.codec_context.height)
            frame = next(container.decode(stream))
            return np.ascontiguousarray(frame.to_ndarray(format="rgb24"), np.uint8)
    except (FFmpegError, IndexError, StopIteration) as error:
        raise InvokeBadRequestError("The image cannot be read.", REMEDY) from error


def check_size(pixels: int) -> None:
    """Check that a picture is not too large to be unpacked.

    Raises: InvokeBadRequestError.
    """
    if pixels > MOST_PIXELS:
        raise InvokeBadRequestError(
            f"The image has {pixels / 1e6:.0f} million pixels; "
            f"at most {MOST_PIXELS / 1e6:.0f} can be looked at.",
            "Make it smaller.",
        )


def decode(data: str) -> bytes:
    """Return the bytes of a data URI or of bare base64.

    Raises: InvokeBadRequestError.
    """
    if re.match(r"(?i)https?:|ftp:|file:", data):
        raise InvokeBadRequestError(
            "The image is an address, and models on this machine fetch nothing.",
            "Send the image itself, as a data URI or base64.",
        )
    head, _, tail = data.partition(",")
    text = tail if head.lower().startswith("data:") else data
    if len(text) > MOST_BYTES * 4 // 3:
        raise InvokeBadRequestError(
            f"The image is larger than {MOST_BYTES // 1024**2} MB.", "Make it smaller."
        )
    try:
        return base64.b64decode(re.sub(r"\s+", "", text), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvokeBadRequestError("The image is no base64.", REMEDY) from error
