"""Pictures for a vision model: decode them, project them, and insert them into the prompt."""

from __future__ import annotations

import base64
import binascii
import ctypes
import io
import re
import threading
import weakref
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import llama_cpp
import numpy as np
from llama_cpp import mtmd_cpp

from backends.flexai.errors import InvokeBadRequestError, InvokeServerUnavailableError
from backends.providers.llama_cpp.text import pieces

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray


if TYPE_CHECKING:
    Pixels = NDArray[np.uint8]  # shape (height, width, 3): red, green, blue

MOST_BYTES = 32 * 1024 * 1024
MOST_PIXELS = 50_000_000  # a file of a few kilobytes may expand to a picture of many gigabytes
# other formats can contain the names of files and URLs to read
FORMATS = "png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,gif"
REMEDY = "Send a PNG, JPEG, WebP or GIF as a data URI or base64."


def read_picture(data: str) -> Pixels:
    """Return the pixels of an image that is given as a data URI or base64. If it is an animation,
    only the first frame is used.

    Raises: InvokeBadRequestError; also for a URL, because nothing is downloaded here.
    """
    raw = decode(data)
    import av  # slow to import, so only calls with pictures import it
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
    """Check that a picture is small enough to be decoded safely.

    Raises: InvokeBadRequestError.
    """
    if pixels > MOST_PIXELS:
        raise InvokeBadRequestError(
            f"The image has {pixels / 1000000.0:.0f} million pixels; at most "
            f"{MOST_PIXELS / 1000000.0:.0f} million are supported.",
            "Make it smaller.",
        )


def decode(data: str) -> bytes:
    """Return the bytes of a data URI or of bare base64.

    Raises: InvokeBadRequestError.
    """
    if re.match(r"(?i)https?:|ftp:|file:", data):
        raise InvokeBadRequestError(
            "The image is given as a web address, and models on this machine cannot download it.",
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
        raise InvokeBadRequestError("The image is not valid base64.", REMEDY) from error


PICTURE = "\ue000picture\ue001"  # stands for a picture in a rendered prompt


@dataclass(frozen=True)
class PicturePlace:
    """The position of a picture in a prompt. size: how many token positions it takes up. chunk: the
    library's handle for it.
    """

    start: int
    size: int
    chunk: Any

    @property
    def end(self) -> int:
        """The first position after the picture."""
        return self.start + self.size


class Prompt:
    """A prompt without pictures. It is a context manager, as is a prompt with pictures."""

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tokens
        self.places: list[PicturePlace] = []

    def __enter__(self) -> Prompt:
        """Return the prompt itself."""
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Free the prompt's resources."""
        self.close()

    def close(self) -> None:
        """Free the prompt's resources; a prompt without pictures has none."""

    def see(self, context: Any, number: int, n_batch: int, place: PicturePlace) -> None:
        """Evaluate the picture at a position; a prompt without pictures has none."""


# llama-cpp-python hides the context handle
# pyright: reportPrivateUsage=false


_silence = llama_cpp.llama_log_callback(lambda *_: None)  # the library stores only a raw pointer


class Scene(Prompt):
    """A prompt with pictures. Closing it frees what the library created for them.

    tokens: the text's tokens, and for each position of a picture a negative number that identifies
    the picture, so that prefixes can be compared as numbers.
    """

    def __init__(self, context: Any, chunks: Any) -> None:
        super().__init__([])
        self._context = context
        self._chunks = chunks
        for at in range(mtmd_cpp.mtmd_input_chunks_size(chunks)):
            chunk: Any = mtmd_cpp.mtmd_input_chunks_get(chunks, at)
            if mtmd_cpp.mtmd_input_chunk_get_type(chunk) == mtmd_cpp.MTMD_INPUT_CHUNK_TYPE_TEXT:
                self.tokens += tokens_of(chunk)
                continue
            size = int(mtmd_cpp.mtmd_input_chunk_get_n_pos(chunk))
            # a picture may consist of several chunks, each with its own numbers
            known = zlib.crc32(mtmd_cpp.mtmd_input_chunk_get_id(chunk) or b"", at)
            self.places.append(PicturePlace(len(self.tokens), size, chunk))
            self.tokens += [-1 - ((known + place) & 0x3FFFFFFF) for place in range(size)]

    def close(self) -> None:
        """Free the pictures."""
        mtmd_cpp.mtmd_input_chunks_free(self._chunks)
        self.places = []

    def see(self, context: Any, number: int, n_batch: int, place: PicturePlace) -> None:
        """Evaluate the next picture of a sequence.

        number: the sequence's id. n_batch: maximum number of tokens in a step. Raises:
        InvokeServerUnavailableError; RuntimeError if the computation was stopped.
        """
        after = llama_cpp.llama_pos(0)
        failed = mtmd_cpp.mtmd_helper_eval_chunk_single(
            self._context,
            context,
            place.chunk,
            llama_cpp.llama_pos(place.start),
            llama_cpp.llama_seq_id(number),
            n_batch,
            False,
            ctypes.pointer(after),
        )
        if failed:
            raise RuntimeError(f"the image could not be read ({failed})")
        if after.value != place.end:
            raise InvokeServerUnavailableError(
                f"The image took {after.value - place.start} positions, not {place.size}.",
                "Use another projector.",
            )


class Projector:
    """A model's projector, loaded.

    The constructor raises InvokeBadRequestError if the file is not a projector, or belongs to
    another model.
    """

    def __init__(self, path: Path, llama: llama_cpp.Llama, *, gpu: bool) -> None:
        mtmd_cpp.mtmd_log_set(_silence, ctypes.c_void_p(0))
        mtmd_cpp.mtmd_helper_log_set(_silence, ctypes.c_void_p(0))
        wanted = mtmd_cpp.mtmd_context_params_default()
        wanted.use_gpu = gpu
        wanted.print_timings = False
        wanted.warmup = False
        wanted.n_threads = llama.n_threads
        self._context: Any = mtmd_cpp.mtmd_init_from_file(str(path).encode(), llama.model, wanted)
        if self._context is None:
            raise InvokeBadRequestError(
                f"{path.name} is damaged, or is not a projector for this model.",
                "Download the projector (mmproj) that belongs to the model.",
            )
        # an engine in use is dropped, not closed, so its memory is freed with the last reference to
        # it
        self._free = weakref.finalize(self, mtmd_cpp.mtmd_free, self._context)
        self._cutting = threading.Lock()  # the library processes one prompt at a time
        if not mtmd_cpp.mtmd_support_vision(self._context):
            self.close()
            raise InvokeBadRequestError(
                f"{path.name} is not an image projector.",
                "Download the projector (mmproj) that belongs to the model.",
            )

    def close(self) -> None:
        """Free the projector's memory."""
        self._free()

    def read(self, prompt: str, pictures: list[Pixels], *, begin: bool) -> Scene:
        """Return the tokens and picture positions of a prompt in which `PICTURE` stands for each
        picture.

        begin: whether to add the start token.
        Raises: InvokeBadRequestError.
        """
        texts = [
            [piece.encode("utf-8", "replace") for piece in pieces(value)]
            for value in prompt.split(PICTURE)
        ]
        if len(texts) != len(pictures) + 1:
            raise InvokeBadRequestError(
                "The model's template ignores images.", "Use another file of this model."
            )
        with ExitStack() as freed, ExitStack() as unread:
            bitmaps: list[Any] = []
            for pixels in pictures:
                bitmaps.append(bitmap_of(pixels))
                freed.callback(mtmd_cpp.mtmd_bitmap_free, bitmaps[-1])
            chunks: Any = mtmd_cpp.mtmd_input_chunks_init()
            unread.callback(mtmd_cpp.mtmd_input_chunks_free, chunks)
            with self._cutting:
                failed = self._cut(chunks, texts, bitmaps, begin=begin)
            if failed:
                raise InvokeBadRequestError(
                    f"The images cannot be prepared ({failed}).", "Send smaller ones, or others."
                )
            scene = Scene(self._context, chunks)
            unread.pop_all()  # from here on, the scene is responsible for freeing them
            return scene

    def _cut(
        self, chunks: Any, texts: list[list[bytes]], bitmaps: list[Any], *, begin: bool
    ) -> int:
        """Tokenize texts, each given in pieces, and the pictures between them. The result is added
        to `chunks`.
        """
        made = [
            [mtmd_cpp.mtmd_input_text(p, len(p), False, True) for p in text if p] for text in texts
        ]
        parts: list[Any] = []
        for at, text in enumerate(made):
            if at:
                parts.append(mtmd_cpp.mtmd_input_part(bitmap=bitmaps[at - 1]))
            parts += [mtmd_cpp.mtmd_input_part(text=ctypes.pointer(piece)) for piece in text]
        kind = ctypes.POINTER(mtmd_cpp.mtmd_input_part)
        array = (kind * len(parts))(*(ctypes.pointer(part) for part in parts))
        return mtmd_cpp.mtmd_tokenize_from_parts(self._context, chunks, array, len(parts), begin)


def bitmap_of(pixels: Pixels) -> Any:
    """Return a copy of a picture in the library's form."""
    height, width, _ = pixels.shape
    data: Any = pixels.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
    made = mtmd_cpp.mtmd_bitmap_init(width, height, data)
    assert made is not None
    mtmd_cpp.mtmd_bitmap_set_id(made, f"{width}x{height} {zlib.crc32(pixels.tobytes())}".encode())
    return made


def tokens_of(chunk: Any) -> list[int]:
    """Return the tokens of a chunk of text."""
    count = ctypes.c_size_t()
    first = mtmd_cpp.mtmd_input_chunk_get_tokens_text(chunk, ctypes.pointer(count))
    return [] if first is None else [first[at] for at in range(count.value)]
