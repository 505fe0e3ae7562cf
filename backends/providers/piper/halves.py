"""A Piper voice cut in two: what makes the frames of a text, and the decoder that makes sound of frames.

A decoder of convolutions needs only so many frames on either side of those it makes sound of. So sound can be made of
the first frames before it is made of the others, and no sample is different for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DECODER = "/dec/"  # what the nodes of a decoder are named after in every voice that Piper's training exports
# What looks at its own place only, and what puts the places elsewhere, which only the end of a decoder may do.
# A decoder of anything else than these and convolutions is not cut.
PLACED = frozenset("Add Cast Constant Div Identity LeakyRelu Mul Relu Tanh".split())  # noqa: SIM905
MOVED = frozenset("Reshape Squeeze Transpose Unsqueeze".split())  # noqa: SIM905


@dataclass(frozen=True)
class Halves:
    """Two ONNX files.

    given: the tensors that go from the first to the second. reach: frames on either side that sound is made of, too.
    hop: samples that one frame makes.
    """

    frames: Path
    decoder: Path
    given: list[str]
    reach: int
    hop: int


def halves_of(path: Path, folder: Path) -> Halves | None:
    """Write the halves of a voice into a folder; None if its graph shows no decoder of convolutions.

    Raises: what `onnx` raises for a bad file.
    """
    import onnx
    from onnx.utils import Extractor

    model = onnx.load(path)
    output = model.graph.output[0].name
    given = given_to_decoder(model.graph)
    if not given:
        return None
    for name in given:
        model.graph.value_info.append(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
        )
    cut = Extractor(model)
    decoder = cut.extract_model(given, [output])
    looks = sight_of(decoder.graph, given)
    if looks is None:
        return None
    frames = cut.extract_model([one.name for one in model.graph.input], given)
    halves = Halves(folder / "frames.onnx", folder / "decoder.onnx", given, *looks)
    onnx.save(frames, halves.frames)
    onnx.save(decoder, halves.decoder)
    return halves


def given_to_decoder(graph: Any) -> list[str]:
    """Return the tensors that the nodes of a decoder take from others and that are no constants."""
    nodes = [node for node in graph.node if node.name.startswith(DECODER)]
    known = {name for node in nodes for name in node.output} | {
        one.name for one in graph.initializer
    }
    known |= {name for node in graph.node if node.op_type == "Constant" for name in node.output}
    return list(
        dict.fromkeys(name for node in nodes for name in node.input if name and name not in known)
    )


def sight_of(decoder: Any, given: list[str]) -> tuple[int, int] | None:
    """Return how many frames to either side a decoder looks, and samples a frame; None if that is not known."""
    # by tensor: frames it has looked to a side, places that a frame is by now
    seen = dict.fromkeys(given, (0.0, 1))
    moved = set[str]()
    for node in decoder.node:
        sources = [seen[name] for name in node.input if name in seen]
        if not sources:
            continue
        if node.op_type in MOVED:
            moved |= set(node.output)
        elif moved & set(node.input):
            return None
        reach, places = max(reach for reach, _ in sources), max(places for _, places in sources)
        shape = {one.name: list(one.ints) for one in node.attribute}
        if node.op_type == "Conv" and shape.get("strides", [1]) == [1]:
            reach += (shape["kernel_shape"][0] - 1) * shape.get("dilations", [1])[0] / 2 / places
        elif node.op_type == "ConvTranspose":
            stride = shape["strides"][0]
            reach += shape["kernel_shape"][0] / stride / places
            places *= stride
        elif node.op_type not in PLACED | MOVED:
            return None
        seen |= dict.fromkeys(node.output, (reach, places))
    reach, places = seen[decoder.output[0].name]
    return math.ceil(reach), places
