"""The tiny voice behind a decoder of convolutions, as real voices have one: it costs what it is
told to, and sounds the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.models.speech import PIPER

HOP = 256  # samples of a frame
LOOKING = 10  # layers that look at the frames beside them, as far as a real decoder does
NOTHING = 1e-30  # of what the layers make is heard


def decoding_voice(folder: Path, layers: int = 2 * LOOKING, channels: int = 8) -> Path:
    """Write a voice and its JSON; return the voice's file."""
    model = onnx.load(PIPER["model_path"])
    graph = model.graph
    graph.node[-1].output[0] = "sound"  # the last node makes the output
    rng = np.random.default_rng(0)

    def weights(*shape: int, scale: float = 0.02) -> np.ndarray:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    given: dict[str, np.ndarray] = {
        "d_frames": np.array([1, -1, HOP]),
        "d_in": weights(channels, HOP, 1, scale=0.05),
        "d_beside": weights(channels, channels, 3),
        "d_mid": weights(channels, channels, 1),
        "d_out": weights(HOP, channels, 1),
        "d_none": np.array(NOTHING, np.float32),
        "d_each": np.eye(HOP, dtype=np.float32)[:, None],
        "d_shape": np.array([1, 1, 1, -1]),
    }
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in given.items())

    def node(kind: str, inputs: list[str], output: str, **more: Any) -> None:
        name = "" if output in ("d_rows", "d_given") else f"/dec/{output}"
        graph.node.append(helper.make_node(kind, inputs, [output], name, **more))

    node("Reshape", ["sound", "d_frames"], "d_rows")
    node("Transpose", ["d_rows"], "d_given", perm=[0, 2, 1])
    node("Conv", ["d_given", "d_in"], "d_0", kernel_shape=[1])
    for layer in range(layers):
        looks = layer < LOOKING
        more = {"kernel_shape": [3], "pads": [1, 1]} if looks else {"kernel_shape": [1]}
        node("Conv", [f"d_{layer}", "d_beside" if looks else "d_mid"], f"d_{layer}m", **more)
        node("Tanh", [f"d_{layer}m"], f"d_{layer + 1}")
    node("Conv", [f"d_{layers}", "d_out"], "d_end", kernel_shape=[1])
    node("Mul", ["d_end", "d_none"], "d_nothing")
    node("Add", ["d_given", "d_nothing"], "d_sum")
    node("ConvTranspose", ["d_sum", "d_each"], "d_line", kernel_shape=[HOP], strides=[HOP])
    node("Reshape", ["d_line", "d_shape"], "output")
    del graph.output[:]
    shape = ["batch_size", 1, 1, "time"]
    graph.output.append(helper.make_tensor_value_info("output", TensorProto.FLOAT, shape))
    path = folder / "decoding.onnx"
    onnx.save(model, path)
    path.with_name("decoding.onnx.json").write_bytes(
        Path(PIPER["model_path"] + ".json").read_bytes()
    )
    return path
