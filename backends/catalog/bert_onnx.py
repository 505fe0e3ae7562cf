"""Write a BERT encoder as an ONNX graph that takes token ids and returns one unit vector per text.

The starter embedder is a sentence-transformers folder. Importing torch would take 6 s and hundreds
of MB, so the embedder's graph is written once. Pooling is the same as in that model: the mean over
the tokens of a text, then L2 normalization. The weights stay in model.safetensors, where the graph
finds them by their offset. If the graph contained them, they would be stored twice, on disk and in
a package. The weights stay fp32, apart from word embeddings that are stored as fp16. As int8, the
graph is 1.7 times as fast, but finds only 90% of the ten nearest texts (tests/bench/embed.py).
Scaling activations over a batch would make a vector depend on the other texts in the batch.

Source: Devlin et al. 2018 (post-norm encoder, GELU by erf). The tensor names are those in
model.safetensors.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data

OPSET = 17
WEIGHTS = "model.safetensors"
KINDS = {"F32": TensorProto.FLOAT, "F16": TensorProto.FLOAT16}


class Graph:
    """Collects nodes and weights. Each method returns the name of the value that it creates.

    weights: a safetensors file in the folder where the graph is written.
    """

    def __init__(self, weights: Path) -> None:
        with weights.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            self._tensors = json.loads(file.read(length))
        self._weights, self._start = weights.name, 8 + length
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self._count = 0

    def op(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a node."""
        self._count += 1
        output = name or f"v{self._count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        """Add a constant."""
        name = f"c{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(np.asarray(value, dtype=dtype), name)
        return name

    def weight(self, name: str) -> str:
        """Add a tensor of the model, by its offset in the file."""
        told = self._tensors[name]
        kind = KINDS[told["dtype"]]
        tensor = TensorProto(name=name, data_type=kind, dims=told["shape"])
        begin, end = told["data_offsets"]
        tensor.raw_data = b""  # empty, or else the data would not count as external
        set_external_data(tensor, self._weights, offset=self._start + begin, length=end - begin)
        tensor.ClearField("raw_data")
        self.constants[name] = tensor
        return name

    def rows(self, name: str, places: str) -> str:
        """Add the rows of a table at some places, as float32.

        Of a float16 table, only these rows are converted. The table itself stays in the file, from
        which the system loads the pages that are used.
        """
        found = self.op("Gather", self.weight(name), places)
        wide = self._tensors[name]["dtype"] != "F32"
        return self.op("Cast", found, to=TensorProto.FLOAT) if wide else found

    def linear(self, x: str, prefix: str) -> str:
        """Add x W^T + b."""
        turned = self.op("Transpose", self.weight(f"{prefix}.weight"), perm=[1, 0])
        product = self.op("MatMul", x, turned)
        return self.op("Add", product, self.weight(f"{prefix}.bias"))

    def norm(self, x: str, prefix: str, epsilon: float) -> str:
        """Add a layer norm over the last axis."""
        weight, bias = self.weight(f"{prefix}.weight"), self.weight(f"{prefix}.bias")
        return self.op("LayerNormalization", x, weight, bias, axis=-1, epsilon=epsilon)


def write_onnx(folder: Path) -> None:
    """Write `model.onnx` next to `model.safetensors` and `config.json` in a folder.

    The weights stay in `model.safetensors`. The graph's inputs are ids and mask, both int64 with
    the shape (texts, tokens). Its output is float32 vectors with the shape (texts, hidden) and an
    L2 norm of 1.
    """
    config = json.loads((folder / "config.json").read_text())
    graph = Graph(folder / WEIGHTS)
    x = embeddings(graph, config)
    bias = attention_bias(graph)
    for number in range(config["num_hidden_layers"]):
        x = layer(graph, x, bias, f"encoder.layer.{number}", config)
    pool(graph, x)
    ids, mask = (
        helper.make_tensor_value_info(n, TensorProto.INT64, ["texts", "tokens"])
        for n in ("ids", "mask")
    )
    vectors = helper.make_tensor_value_info(
        "vectors", TensorProto.FLOAT, ["texts", config["hidden_size"]]
    )
    made = helper.make_graph(
        graph.nodes, "bert", [ids, mask], [vectors], list(graph.constants.values())
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    part = folder / "model.onnx.part"
    onnx.save_model(model, str(part))
    os.replace(part, folder / "model.onnx")


def embeddings(g: Graph, config: dict[str, Any]) -> str:
    """Return the normalized sum of the word embeddings, the position embeddings and the first token
    type embedding."""
    words = g.rows("embeddings.word_embeddings.weight", "ids")
    length = g.op("Gather", g.op("Shape", "ids"), g.constant(1, np.int64))
    places = g.op("Range", g.constant(0, np.int64), length, g.constant(1, np.int64))
    positions = g.rows("embeddings.position_embeddings.weight", places)
    kinds = g.rows("embeddings.token_type_embeddings.weight", g.constant(0, np.int64))
    total = g.op("Add", g.op("Add", words, positions), kinds)
    return g.norm(total, "embeddings.LayerNorm", config["layer_norm_eps"])


def attention_bias(g: Graph) -> str:
    """Return 0 for tokens and a large negative number for padding, with the shape (texts, 1, 1,
    tokens)."""
    floats = g.op("Cast", "mask", name="mask_float", to=TensorProto.FLOAT)
    wide = g.op("Unsqueeze", floats, g.constant([1, 2], np.int64))
    return g.op("Mul", g.op("Sub", g.constant(1.0), wide), g.constant(-1e9))


def layer(g: Graph, x: str, bias: str, prefix: str, config: dict[str, Any]) -> str:
    """Add one encoder layer: attention and feed-forward, each with a residual connection and a
    norm."""
    heads, epsilon = config["num_attention_heads"], config["layer_norm_eps"]
    size = config["hidden_size"] // heads
    split = g.constant([0, 0, heads, size], np.int64)

    def head(name: str, order: list[int]) -> str:
        projected = g.linear(x, f"{prefix}.attention.self.{name}")
        return g.op("Transpose", g.op("Reshape", projected, split), perm=order)

    query, key, value = (
        head("query", [0, 2, 1, 3]),
        head("key", [0, 2, 3, 1]),
        head("value", [0, 2, 1, 3]),
    )
    scores = g.op("Div", g.op("MatMul", query, key), g.constant(float(np.sqrt(size))))
    weights = g.op("Softmax", g.op("Add", scores, bias), axis=-1)
    mixed = g.op("Transpose", g.op("MatMul", weights, value), perm=[0, 2, 1, 3])
    joined = g.op("Reshape", mixed, g.constant([0, 0, config["hidden_size"]], np.int64))
    attended = g.op("Add", g.linear(joined, f"{prefix}.attention.output.dense"), x)
    x = g.norm(attended, f"{prefix}.attention.output.LayerNorm", epsilon)
    inner = g.linear(x, f"{prefix}.intermediate.dense")
    erf = g.op("Erf", g.op("Div", inner, g.constant(float(np.sqrt(2)))))
    gelu = g.op("Mul", g.op("Mul", inner, g.op("Add", erf, g.constant(1.0))), g.constant(0.5))
    return g.norm(
        g.op("Add", g.linear(gelu, f"{prefix}.output.dense"), x),
        f"{prefix}.output.LayerNorm",
        epsilon,
    )


def pool(g: Graph, x: str) -> str:
    """Return the mean over the tokens, without padding, scaled to length 1."""
    mask = g.op("Unsqueeze", "mask_float", g.constant([2], np.int64))
    total = g.op("ReduceSum", g.op("Mul", x, mask), g.constant([1], np.int64), keepdims=0)
    count = g.op("ReduceSum", mask, g.constant([1], np.int64), keepdims=0)
    mean = g.op("Div", total, count)
    return g.op("LpNormalization", mean, name="vectors", axis=-1, p=2)
