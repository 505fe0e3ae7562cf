"""A Piper voice in two parts: an encoder for the text, and a decoder that produces sound piece by
piece.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from onnxruntime import InferenceSession


FIRST_SECONDS = 0.2  # length of sound in the first step
# share of a step's playing time in which the next one must be ready: the machine may become busier
SHARE = 0.25
KEPT = 8  # runs whose cost is remembered


class Decoder:
    """Turns frames into sound, and records the cost of a frame. rate: samples a second. costs:
    seconds of earlier frames.
    """

    def __init__(
        self, session: InferenceSession, halves: Halves, rate: int, costs: Iterable[float] = ()
    ) -> None:
        self._session = session
        self._reach = halves.reach
        self._hop = halves.hop
        self._seconds = halves.hop / rate  # playing time of a frame
        self._costs = deque(costs, KEPT)

    def whole(self, given: dict[str, np.ndarray]) -> np.ndarray:
        """Return the sound of all frames at once: float32, shape (samples,)."""
        return self._run(given, 0, frames_in(given))

    def soon(self, given: dict[str, np.ndarray]) -> Iterator[np.ndarray]:
        """Yield the same samples in steps, each ready well within the playing time of the previous
        one.

        If the machine is too slow for that, or its speed is not known yet, all come at once.
        """
        count, done = frames_in(given), 0
        step = self._first()
        while done < count:
            end = count if not 0 < step < count - done else done + step
            yield self._run(given, done, end)
            done, step = end, self._after(end - done)

    def _first(self) -> int:
        step = round(FIRST_SECONDS / self._seconds)
        return step if self._costs and self._after(step) >= step else 0

    def _after(self, step: int) -> int:
        """Return how many frames can be computed while this many are played; 0 if that is not even
        enough for the overlap on either side.
        """
        return int(step * self._seconds * SHARE / max(self._costs)) - 2 * self._reach

    def _run(self, given: dict[str, np.ndarray], begin: int, end: int) -> np.ndarray:
        count, begun = frames_in(given), time.perf_counter()
        first, last = max(0, begin - self._reach), min(count, end + self._reach)
        part = {
            name: (
                np.ascontiguousarray(value[..., first:last]) if value.shape[-1] == count else value
            )
            for name, value in given.items()
        }
        sound: Any = self._session.run(None, part)[0]
        self._costs.append((time.perf_counter() - begun) / (last - first))
        return sound.reshape(-1)[(begin - first) * self._hop : (end - first) * self._hop]


def frames_in(given: dict[str, np.ndarray]) -> int:
    """Return the number of frames. The inputs also include a speaker's embedding, which has length
    one.
    """
    return max(value.shape[-1] for value in given.values())


# prefix of a decoder's nodes in every voice exported by Piper's training
DECODER = "/dec/"
# Operators that look only at their own position, and those that move positions, which only the end
# of a decoder may contain. A decoder with operators other than these and convolutions is not split.
PLACED = frozenset("Add Cast Constant Div Identity LeakyRelu Mul Relu Tanh".split())  # noqa: SIM905
MOVED = frozenset("Reshape Squeeze Transpose Unsqueeze".split())  # noqa: SIM905


@dataclass(frozen=True)
class Halves:
    """Two ONNX files.

    given: the tensors that go from the first to the second. reach: how many frames on either side
    also affect the sound. hop: samples produced by one frame.
    """

    frames: Path
    decoder: Path
    given: list[str]
    reach: int
    hop: int


def halves_of(path: Path, folder: Path) -> Halves | None:
    """Write the halves of a voice into a folder; None if its graph has no decoder made of
    convolutions.

    Raises: the errors of `onnx` for a bad file.
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
    """Return the tensors that a decoder's nodes take from other nodes, without constants."""
    nodes = [node for node in graph.node if node.name.startswith(DECODER)]
    known = {name for node in nodes for name in node.output} | {
        one.name for one in graph.initializer
    }
    known |= {name for node in graph.node if node.op_type == "Constant" for name in node.output}
    return list(
        dict.fromkeys(name for node in nodes for name in node.input if name and name not in known)
    )


def sight_of(decoder: Any, given: list[str]) -> tuple[int, int] | None:
    """Return how many frames to either side a decoder looks, and the samples of a frame; None if
    unknown.
    """
    # by tensor: how many frames it looks to either side, and how many positions a frame has there
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
