"""Build the tiny projector: an eye for the tiny language model, which sees whether a patch is red,
green or blue.

    python -m tests.models.build_eye OUT      → OUT/tiny-mmproj.gguf

A real CLIP projector of the LLaVA kind: each of four patches becomes what the language model would
read for the colour's word. Weights are written down, the same bytes each time. Needs gguf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gguf
import numpy as np

from tests.models.build_llama import CALLS, IS_KEY, NOW, ONE, PLAIN, WIDTH, Network
from tests.models.gguf_file import build, finish
from tests.models.llama_words import Tokens

if TYPE_CHECKING:
    from pathlib import Path

NAME = "tiny-mmproj.gguf"
SIDE, PATCH, EYE = 28, 14, 32  # pixels of a picture and of a patch; numbers that stand for a patch
COLOURS = ["red", "green", "blue"]


def look() -> dict[str, np.ndarray]:
    """Return the vision transformer: the mean of each colour of a patch, passed on as it is."""
    patch = np.zeros((EYE, 3, PATCH, PATCH), np.float32)
    for colour in range(3):
        patch[colour, colour] = 1 / PATCH**2
    made = {
        "v.patch_embd.weight": patch,
        "v.position_embd.weight": np.zeros(((SIDE // PATCH) ** 2, EYE)),
    }
    for name in ("attn_q", "attn_k", "attn_v", "attn_out", "ffn_up", "ffn_down"):
        made |= {
            f"v.blk.0.{name}.weight": np.zeros((EYE, EYE)),
            f"v.blk.0.{name}.bias": np.zeros(EYE),
        }
    for name in ("ln1", "ln2"):
        made |= {f"v.blk.0.{name}.weight": np.ones(EYE), f"v.blk.0.{name}.bias": np.zeros(EYE)}
    return made


def tell() -> dict[str, np.ndarray]:
    """Return the projector: one pure colour becomes its word, all else a token that says
    nothing.
    """
    tokens = Tokens()
    network = Network(tokens)
    first, bias = np.zeros((EYE, EYE)), np.zeros(EYE)
    second = np.zeros((WIDTH, EYE))
    for at, colour in enumerate(COLOURS):
        first[at, :3] = -4
        first[at, at] = 4
        bias[at] = -8  # a pure colour gives 4, everything else less than -4
        second[[CALLS, IS_KEY + network.keys[colour]], at] = 1 / 4
        second[PLAIN, at] = -(2**0.5) / 4
    bias[3] = 4
    second[[ONE, PLAIN], 3] = 1 / 4, 2**0.5 / 4
    second[NOW : NOW + 64, 3] = network.codes[tokens.numbers["<|endoftext|>"]] / 4
    return {
        "mm.0.weight": first,
        "mm.0.bias": bias,
        "mm.2.weight": second,
        "mm.2.bias": np.zeros(WIDTH),
    }


def write(path: Path) -> None:
    """Write the projector."""
    file = gguf.GGUFWriter(path, "clip")
    file.add_name("tiny eye")
    file.add_license("GPL-3.0-or-later")
    file.add_bool("clip.has_vision_encoder", True)
    file.add_string("clip.projector_type", "mlp")
    file.add_bool("clip.use_gelu", True)
    file.add_vision_image_size(SIDE)
    file.add_vision_patch_size(PATCH)
    file.add_vision_embedding_length(EYE)
    file.add_vision_feed_forward_length(EYE)
    file.add_vision_projection_dim(WIDTH)
    file.add_vision_block_count(1)
    file.add_vision_head_count(1)
    file.add_vision_attention_layernorm_eps(1e-5)
    file.add_vision_image_mean([0.5, 0.5, 0.5])
    file.add_vision_image_std([0.5, 0.5, 0.5])
    for name, weights in (look() | tell()).items():
        kind = np.float16 if name == "v.patch_embd.weight" else np.float32
        file.add_tensor(name, weights.astype(kind))
    finish(file)


if __name__ == "__main__":
    build(NAME, write)
