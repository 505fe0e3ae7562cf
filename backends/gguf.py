"""Read the header of a GGUF file without an engine: its name, layers, memory per token, and parts.

Source: the GGUF specification of ggml (docs/gguf.md), versions 2 and 3, in little-endian byte
order.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

SIMPLE = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
TEXT, LIST = 8, 9
# The type number of a tensor → the number of values in a block, and the number of bytes in a block.
# For types that are not listed, only the start of the tensor is checked.
BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
    40: (64, 36),
    41: (128, 18),
}
ALIGNMENT = 32  # alignment of the tensors, unless the header states a different one
LONGEST_TEXT = 1 << 24  # maximum bytes of a text; a longer one means that the file is damaged
# limits: layers in a model, dimensions of a tensor, nesting of lists
LAYERS, DIMENSIONS, DEEPEST = 1 << 16, 4, 8
CACHE_BYTES = 2  # bytes for one number in the KV cache, at half precision
PART = re.compile(r"(?P<name>.+)-(?P<number>[0-9]{5})-of-(?P<count>[0-9]{5})(?P<end>\.gguf)", re.I)


class NotGguf(ValueError):
    """The file is not a GGUF file, or its header is damaged."""


@dataclass(frozen=True)
class Gguf:
    """The information in the header of a file.

    architecture: "llama", "bert", "clip" … layers: 0 if the header does not state the number.
    context: the number of tokens that the model was trained with. cache_bytes: how many bytes a
    token takes up in the KV cache at half precision.
    """

    name: str
    architecture: str
    layers: int
    context: int
    cache_bytes: int


def parts_of(path: Path) -> list[Path]:
    """Return all files of a model in order, given any of them. If the model is not split, the list
    has one entry.

    A large model may be split into files named `name-00001-of-00003.gguf` and so on, in the same
    folder.
    """
    found = PART.fullmatch(path.name)
    if found is None or not 1 <= int(found["number"]) <= int(found["count"]):
        return [path]
    every = range(1, int(found["count"]) + 1)
    return [
        path.with_name(f"{found['name']}-{n:05}-of-{found['count']}{found['end']}") for n in every
    ]


def missing_parts(path: Path) -> list[Path]:
    """Return the files of a model that are missing."""
    return [part for part in parts_of(path) if not part.is_file()]


def bytes_of(path: Path) -> int:
    """Return the total size of a model's files in bytes.

    Raises: OSError.
    """
    return sum(part.stat().st_size for part in parts_of(path))


def own_name(path: Path) -> str:
    """Return the name of a model's file without the part number."""
    found = PART.fullmatch(path.name)
    return found["name"] if found else path.stem


def read_gguf(path: Path) -> Gguf:
    """Return the header of a GGUF file.

    Raises: NotGguf, OSError.
    """
    try:
        with path.open("rb") as file:
            return described(read_head(file))
    except (
        struct.error,
        UnicodeDecodeError,
        KeyError,
        TypeError,
        OverflowError,
        MemoryError,
    ) as error:
        raise NotGguf(f"{path.name} is damaged: {error}") from error


def need_whole(path: Path) -> None:
    """Check that a GGUF file contains all of its tensors.

    A valid header is not enough, because even an interrupted download has one.
    Raises: NotGguf, OSError.
    """
    try:
        with path.open("rb") as file:
            head, tensors = read_head(file), read_count(file)
            ends = [end_of_tensor(file) for _ in range(tensors)]
            alignment = max(1, whole(head.get("general.alignment", ALIGNMENT)))
            begin = -(-file.tell() // alignment) * alignment
    except (
        struct.error,
        UnicodeDecodeError,
        KeyError,
        TypeError,
        OverflowError,
        MemoryError,
    ) as error:
        raise NotGguf(f"{path.name} is damaged: {error}") from error
    if path.stat().st_size < begin + max(ends, default=0):
        raise NotGguf(f"{path.name} is cut off: it has {path.stat().st_size} bytes.")


def read_count(file: IO[bytes]) -> int:
    """Return the number of tensors in a file. The file's position does not change."""
    here = file.tell()
    file.seek(8)
    count = int(read_number(file, "<Q"))
    file.seek(here)
    return count


def end_of_tensor(file: IO[bytes]) -> int:
    """Read the description of one tensor. Return the position at which the tensor ends, in bytes
    from the start of the tensors.
    """
    read_text(file)
    numbers, dimensions = 1, read_number(file, "<I")
    if dimensions > DIMENSIONS:
        raise NotGguf(f"This GGUF is damaged: a tensor has {dimensions} dimensions.")
    for _ in range(dimensions):
        numbers *= read_number(file, "<Q")
    kind, begin = read_number(file, "<I"), read_number(file, "<Q")
    block, size = BLOCKS.get(kind, (1, 0))
    return begin + numbers // block * size


def read_head(file: IO[bytes]) -> dict[str, Any]:
    """Read the keys and values in the header of a file. Lists are reduced as `read_value`
    describes.
    """
    magic, version, _, count = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF" or version not in (2, 3):
        raise NotGguf(f"This is not a GGUF of a known version ({magic!r}, {version}).")
    return {read_text(file): read_value(file, read_number(file, "<I")) for _ in range(count)}


def read_number(file: IO[bytes], form: str) -> Any:
    """Return one number."""
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def read_text(file: IO[bytes]) -> str:
    """Return one string."""
    length = read_number(file, "<Q")
    if length > LONGEST_TEXT:
        raise NotGguf(f"This GGUF is damaged: a text has {length} bytes.")
    return file.read(length).decode("utf-8", "replace")


def read_value(file: IO[bytes], kind: int, depth: int = 0) -> Any:
    """Read one value. A list of numbers is returned in full. For a list of strings or lists, only
    the length is returned.
    """
    if kind == TEXT:
        return read_text(file)
    if kind != LIST:
        return read_number(file, SIMPLE[kind])
    if depth > DEEPEST:
        raise NotGguf("This GGUF is damaged: its lists are nested too deeply.")
    inner, length = read_number(file, "<I"), read_number(file, "<Q")
    if inner not in SIMPLE:
        for _ in range(length):
            skip(file, inner, depth + 1)
        return length
    form = f"<{length}{SIMPLE[inner][1]}"
    return list(struct.unpack(form, file.read(struct.calcsize(form))))


def skip(file: IO[bytes], kind: int, depth: int) -> None:
    """Skip one string or list."""
    if kind == TEXT:
        length = read_number(file, "<Q")
        if len(file.read(length)) < length:
            raise struct.error("it ends within its header")
    else:
        read_value(file, kind, depth)


def whole(value: Any) -> int:
    """Return a value that must be a whole number.

    Raises: NotGguf.
    """
    if not isinstance(value, int) or value < 0:
        raise NotGguf(f"This GGUF is damaged: {value!r:.40} instead of a whole number.")
    return value


def described(head: dict[str, Any]) -> Gguf:
    """Return the information in the keys of a header."""
    architecture = str(head["general.architecture"])

    def told(name: str, default: Any = 0) -> int:
        return whole(head.get(f"{architecture}.{name}", default))

    def of_layers(name: str, default: list[int]) -> list[int]:
        found = head.get(f"{architecture}.{name}")
        if found is None:
            return default
        return [whole(one) for one in found] if isinstance(found, list) else [whole(found)] * layers

    if (layers := told("block_count")) > LAYERS:
        raise NotGguf(f"This GGUF is damaged: it has {layers} layers.")
    heads = of_layers("attention.head_count", [0] * layers)
    each = of_layers("attention.head_count_kv", heads)
    width = told("embedding_length") // max([1, *heads])
    size = told("attention.key_length", width) + told("attention.value_length", width)
    return Gguf(
        name=str(head.get("general.name") or ""),
        architecture=architecture,
        layers=layers,
        context=told("context_length"),
        cache_bytes=sum(each) * size * CACHE_BYTES,
    )
