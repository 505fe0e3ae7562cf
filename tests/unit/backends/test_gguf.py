"""The head of a GGUF, as strangers and broken disks write it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from backends.gguf import NotGguf, need_whole, read_gguf

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBER, TEXT, LIST = 4, 8, 9


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def key(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def file_of(folder: Path, *keys: bytes, tensors: bytes = b"", count: int = 0) -> Path:
    head = b"GGUF" + struct.pack("<IQQ", 3, count, 1 + len(keys))
    path = folder / "model.gguf"
    path.write_bytes(
        head + key("general.architecture", TEXT, text("llama")) + b"".join(keys) + tensors
    )
    return path


def test_what_a_sound_head_says_is_read(tmp_path: Path) -> None:
    numbers = {"block_count": 2, "attention.head_count": 4, "embedding_length": 64}
    keys = [key(f"llama.{name}", NUMBER, struct.pack("<I", n)) for name, n in numbers.items()]
    few = key("llama.attention.head_count_kv", LIST, struct.pack("<IQII", NUMBER, 2, 1, 2))
    made = read_gguf(file_of(tmp_path, *keys, few))
    assert (made.layers, made.cache_bytes) == (2, (1 + 2) * (16 + 16) * 2)


@pytest.mark.parametrize("depth", [20, 5000])
def test_lists_in_lists_without_end_are_damage_and_no_endless_recursion(
    tmp_path: Path, depth: int
) -> None:
    nested = struct.pack("<IQ", LIST, 1) * depth + struct.pack("<IQ", NUMBER, 0)
    with pytest.raises(NotGguf, match="nested"):
        read_gguf(file_of(tmp_path, key("general.x", LIST, nested)))


def test_a_head_of_billions_of_layers_takes_no_memory(tmp_path: Path) -> None:
    layers = key("llama.block_count", NUMBER, struct.pack("<I", 2**32 - 1))
    with pytest.raises(NotGguf, match="layers"):
        read_gguf(file_of(tmp_path, layers))


@pytest.mark.parametrize("name", ["llama.context_length", "llama.embedding_length"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_what_is_no_whole_number_is_damage(tmp_path: Path, name: str, value: float) -> None:
    with pytest.raises(NotGguf, match="whole number"):
        read_gguf(file_of(tmp_path, key(name, 6, struct.pack("<f", value))))


def alignment(folder: Path) -> Path:
    """Return a file whose tensors are aligned by no number."""
    nothing = struct.pack("<f", float("nan"))
    return file_of(folder, key("general.alignment", 6, nothing))


def dimensions(folder: Path) -> Path:
    """Return a file with a tensor of a hundred thousand dimensions, each as large as can be."""
    tensor = text("t") + struct.pack("<I", 100_000) + struct.pack("<Q", 2**63) * 100_000
    return file_of(folder, tensors=tensor + struct.pack("<IQ", 0, 0), count=1)


@pytest.mark.parametrize("made", [alignment, dimensions])
def test_a_tensor_told_without_sense_is_damage(
    tmp_path: Path, made: Callable[[Path], Path]
) -> None:
    with pytest.raises(NotGguf, match="damaged"):
        need_whole(made(tmp_path))
