"""The tiny voice is what its script builds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from tests.models.speech import PIPER


def constants(path: Path) -> dict[str, np.ndarray]:
    graph = onnx.load(path).graph
    return {made.name: numpy_helper.to_array(made) for made in graph.initializer}


@pytest.mark.slow
def test_the_committed_voice_is_what_its_script_builds(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="the sounds are computed with scipy")
    from tests.models.build_piper import build

    built = build(tmp_path)
    committed = Path(PIPER["model_path"])
    assert (
        built.with_name(built.name + ".json").read_bytes() == Path(f"{committed}.json").read_bytes()
    )
    ours, theirs = constants(built), constants(committed)
    assert ours.keys() == theirs.keys()
    assert all(np.allclose(ours[name], theirs[name], atol=1e-2) for name in ours)
    nodes = [
        [(n.op_type, *n.input, *n.output) for n in onnx.load(p).graph.node]
        for p in (built, committed)
    ]
    assert nodes[0] == nodes[1]
