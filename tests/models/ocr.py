"""Graphs that take every dark bar on a page for the letter A."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import ModelProto, StringStringEntryProto, TensorProto, helper

if TYPE_CHECKING:
    from pathlib import Path

SIZE = (900, 1000)  # pixels: width, height
WIDE, HIGH = 120, 24  # of a bar


def write_graphs(folder: Path) -> None:
    """Write find.onnx and read.onnx."""
    numbers = [("one", TensorProto.FLOAT, [1.0]), ("half", TensorProto.FLOAT, [0.5])]
    find = [
        helper.make_node("ReduceMean", ["x"], ["grey"], axes=[1], keepdims=1),
        helper.make_node("Sub", ["one", "grey"], ["dark"]),
        helper.make_node("Mul", ["dark", "half"], ["y"]),
    ]
    finder = graph(find, ["n", 3, "h", "w"], numbers)
    steep = ("steep", TensorProto.FLOAT, [-10.0])
    read = [
        helper.make_node("ReduceMin", ["x"], ["least"], axes=[1, 2], keepdims=0),
        helper.make_node("Add", ["least", "half"], ["shifted"]),
        helper.make_node("Mul", ["shifted", "steep"], ["logit"]),
        helper.make_node("Sigmoid", ["logit"], ["letter"]),
        helper.make_node("Sub", ["one", "letter"], ["blank"]),
        helper.make_node("Sub", ["letter", "one"], ["space"]),
        helper.make_node("Unsqueeze", ["letter", "last"], ["letter3"]),
        helper.make_node("Unsqueeze", ["blank", "last"], ["blank3"]),
        helper.make_node("Unsqueeze", ["space", "last"], ["space3"]),
        helper.make_node("Concat", ["blank3", "letter3", "space3"], ["y"], axis=2),
    ]
    last = ("last", TensorProto.INT64, [2])
    reader = graph(read, ["n", 3, 48, "w"], [*numbers, steep, last], character="A")
    (folder / "find.onnx").write_bytes(finder.SerializeToString())
    (folder / "read.onnx").write_bytes(reader.SerializeToString())


def graph(nodes: list[Any], shape: list[Any], made: list[Any], **told: str) -> ModelProto:
    """Return a model from `x` to `y` with constants it needs."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    constants = [
        helper.make_tensor(name, kind, [len(values)] if values is not None else [], values or [0])
        for name, kind, values in made
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "tiny", [x], [y], constants),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    model.metadata_props.extend(StringStringEntryProto(key=k, value=v) for k, v in told.items())
    return model


def picture(bars: list[tuple[int, int]]) -> np.ndarray:
    """Return a white page with black bars."""
    made = np.full((SIZE[1], SIZE[0]), 255, dtype=np.uint8)
    for left, top in bars:
        made[top : top + HIGH, left : left + WIDE] = 0
    return made
