"""The written graph against the same arithmetic in plain numpy, on small random weights."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnxruntime import InferenceSession
from safetensors.numpy import save_file

from backends.catalog.bert_onnx import write_onnx

if TYPE_CHECKING:
    from pathlib import Path

HIDDEN, INNER, HEADS, LAYERS, WORDS, PLACES, EPSILON = 12, 20, 3, 2, 30, 16, 1e-12
Weights = dict[str, np.ndarray]


def random_weights() -> Weights:
    draw = np.random.default_rng(4)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, HIDDEN),
        "embeddings.position_embeddings.weight": (PLACES, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
    }
    linear = {
        "attention.self.query": HIDDEN,
        "attention.self.key": HIDDEN,
        "attention.self.value": HIDDEN,
    }
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        for name in (*linear, "attention.output.dense"):
            shapes |= {f"{at}.{name}.weight": (HIDDEN, HIDDEN), f"{at}.{name}.bias": (HIDDEN,)}
        shapes |= {
            f"{at}.intermediate.dense.weight": (INNER, HIDDEN),
            f"{at}.intermediate.dense.bias": (INNER,),
        }
        shapes |= {
            f"{at}.output.dense.weight": (HIDDEN, INNER),
            f"{at}.output.dense.bias": (HIDDEN,),
        }
        for name in ("attention.output", "output"):
            shapes |= {
                f"{at}.{name}.LayerNorm.weight": (HIDDEN,),
                f"{at}.{name}.LayerNorm.bias": (HIDDEN,),
            }
    shapes |= {"embeddings.LayerNorm.weight": (HIDDEN,), "embeddings.LayerNorm.bias": (HIDDEN,)}
    return {name: draw.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def norm(x: np.ndarray, w: Weights, name: str) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return (
        centred / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * w[f"{name}.weight"]
        + w[f"{name}.bias"]
    )


def linear(x: np.ndarray, w: Weights, name: str) -> np.ndarray:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def embed_one(ids: list[int], w: Weights) -> np.ndarray:
    """Embed one text alone, head by head, without any padding."""
    x = (
        w["embeddings.word_embeddings.weight"][ids]
        + w["embeddings.position_embeddings.weight"][: len(ids)]
    )
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], w, "embeddings.LayerNorm")
    size = HIDDEN // HEADS
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        q, k, v = (
            linear(x, w, f"{at}.attention.self.{name}") for name in ("query", "key", "value")
        )
        heads = []
        for part in (slice(h * size, (h + 1) * size) for h in range(HEADS)):
            raw = np.exp(q[:, part] @ k[:, part].T / math.sqrt(size))
            heads.append(raw / raw.sum(-1, keepdims=True) @ v[:, part])
        attended = linear(np.concatenate(heads, -1), w, f"{at}.attention.output.dense")
        x = norm(attended + x, w, f"{at}.attention.output.LayerNorm")
        inner = linear(x, w, f"{at}.intermediate.dense")
        gelu = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(linear(gelu, w, f"{at}.output.dense") + x, w, f"{at}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def write_model(folder: Path, weights: Weights) -> None:
    save_file(weights, folder / "model.safetensors")
    config = {
        "hidden_size": HIDDEN,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "layer_norm_eps": EPSILON,
    }
    (folder / "config.json").write_text(json.dumps(config))
    write_onnx(folder)


def test_the_weights_are_on_disk_once(tmp_path: Path) -> None:
    weights = random_weights()
    write_model(tmp_path, weights)
    graph = onnx.load(tmp_path / "model.onnx", load_external_data=False).graph
    own = {one.name for one in graph.initializer if one.data_location == one.EXTERNAL}
    assert own == set(weights)
    words = weights["embeddings.word_embeddings.weight"].tobytes()
    assert words in (tmp_path / "model.safetensors").read_bytes()
    assert words not in (tmp_path / "model.onnx").read_bytes()


def test_the_graph_computes_what_numpy_does_whatever_the_padding(tmp_path: Path) -> None:
    weights = random_weights()
    write_model(tmp_path, weights)
    onnx.checker.check_model(str(tmp_path / "model.onnx"))
    texts = [[1, 5, 2], [3, 7, 9, 11, 29, 4, 4, 8], [6]]
    ids, mask = np.zeros((3, 8), np.int64), np.zeros((3, 8), np.int64)
    for row, text in enumerate(texts):
        ids[row, : len(text)], mask[row, : len(text)] = text, 1
    session = InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    vectors = session.run(["vectors"], {"ids": ids, "mask": mask})[0]
    assert np.allclose(vectors, [embed_one(text, weights) for text in texts], atol=1e-4)
