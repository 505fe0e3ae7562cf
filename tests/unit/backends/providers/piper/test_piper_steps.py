"""A voice's decoder makes its sound in steps: the first is heard before the last is made, and no
sample differs.
"""

from __future__ import annotations

from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from backends.flexai.entities import ModelType
from backends.flexai.registry import Registry
from backends.providers.onnx_session import open_session
from backends.providers.piper import text2speech as decoding
from backends.providers.piper.text2speech import (
    Decoder,
    given_to_decoder,
    halves_of,
    sight_of,
)
from tests.models.decoding_voice import HOP, LOOKING, decoding_voice
from tests.models.speech import PIPER, SHOW, samples_of, spoken

SLOW = 0.0012  # seconds a frame: a tenth of what it is heard
LONG = "I read your table, and the sales of March were the highest of the whole year by far."
MODEL: Any = Registry({"piper": "backends.providers.piper"}).model("piper", ModelType.TTS)


@pytest.fixture
def voice(tmp_path: Path) -> dict[str, Any]:
    return {"model_path": str(decoding_voice(tmp_path)), "n_threads": "1"}


@pytest.fixture(autouse=True)
def timeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs take next to no time, however busy the machine is; what a frame costs is told."""
    clock = count(step=1e-6)
    monkeypatch.setattr(decoding, "time", SimpleNamespace(perf_counter=lambda: next(clock)))


def decoder(folder: Path, *costs: float) -> Decoder:
    halves = halves_of(decoding_voice(folder), folder)
    assert halves is not None
    assert (halves.given, halves.reach, halves.hop) == (["d_given"], LOOKING + 1, HOP)
    return Decoder(open_session(halves.decoder, 1, "cpu"), halves, 22050, costs)


def frames(length: int) -> dict[str, np.ndarray]:
    return {
        "d_given": np.random.default_rng(length)
        .standard_normal((1, HOP, length))
        .astype(np.float32)
    }


def pieces(credentials: dict[str, Any], text: str) -> list[np.ndarray]:
    made = [np.frombuffer(piece, "<i2") for piece in MODEL.invoke("m", credentials, text, True)]
    made[0] = made[0][22:]  # the header
    return made


@pytest.mark.parametrize("length", [1, 2, 17, 30, 90, 400])
def test_steps_are_the_whole(tmp_path: Path, length: int) -> None:
    made = decoder(tmp_path, *[SLOW] * 8)
    given = frames(length)
    whole = made.whole(given)
    steps = list(made.soon(given))
    assert np.allclose(np.concatenate(steps), whole, atol=1e-6)
    assert len(whole) == length * HOP
    assert len(steps) > 1 or length <= 17


def test_each_step_gives_time_enough_for_the_next(tmp_path: Path) -> None:
    steps = [len(step) // HOP for step in decoder(tmp_path, *[SLOW] * 8).soon(frames(400))]
    seconds = HOP / 22050
    assert steps[0] * seconds == pytest.approx(decoding.FIRST_SECONDS, abs=seconds)
    assert len(steps) > 3
    for heard, made in pairwise(steps):
        assert (made + 2 * (LOOKING + 1)) * SLOW <= decoding.SHARE * heard * seconds


def test_before_anybody_knows_what_a_frame_costs_all_come_at_once(tmp_path: Path) -> None:
    assert len(list(decoder(tmp_path).soon(frames(400)))) == 1


def test_a_machine_slower_than_that_makes_no_steps(tmp_path: Path) -> None:
    assert len(list(decoder(tmp_path, SLOW * 2).soon(frames(400)))) == 1


def test_a_voice_sounds_the_same_in_two_halves(voice: dict[str, Any]) -> None:
    samples, _ = samples_of(MODEL.invoke("m", voice, SHOW, False))
    assert np.abs(samples - spoken(SHOW)[0]).max() < 1e-3


def test_the_second_answer_begins_with_a_step_as_loud_as_the_first_was(
    voice: dict[str, Any],
) -> None:
    first, second = pieces(voice, LONG), pieces(voice, LONG)
    assert len(first) == 2
    assert len(second) > 2
    assert len(second[0]) < len(first[0]) / 2
    loud = max(np.abs(piece.astype(int)).max() for piece in second)
    assert loud == pytest.approx(32767, abs=2)
    one, other = (np.concatenate(made) / 32767 for made in (first, second))
    assert np.corrcoef(one, other)[0, 1] > 0.99


def test_whole_sound_is_made_without_steps_and_alike_each_time(voice: dict[str, Any]) -> None:
    pieces(voice, LONG)
    assert MODEL.invoke("m", voice, LONG, False) == MODEL.invoke("m", voice, LONG, False)


def test_a_voice_without_such_a_decoder_is_spoken_clause_by_clause(tmp_path: Path) -> None:
    assert halves_of(Path(PIPER["model_path"]), tmp_path) is None
    assert len(pieces(PIPER, LONG)) == len(pieces(PIPER, LONG)) == 2


def graph_of(*nodes: onnx.NodeProto) -> onnx.GraphProto:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("z", "out")]
    return helper.make_graph(list(nodes), "g", ends[:1], ends[1:])


def test_what_a_speaker_colours_goes_to_the_decoder_too() -> None:
    graph = graph_of(
        helper.make_node("Conv", ["g", "w"], ["colour"], "/dec/cond/Conv", kernel_shape=[1]),
        helper.make_node("Conv", ["z", "w"], ["wide"], "/dec/pre/Conv", kernel_shape=[7]),
        helper.make_node("Add", ["wide", "colour"], ["sum"], "/dec/Add"),
        helper.make_node(
            "ConvTranspose", ["sum", "w"], ["out"], "/dec/up", kernel_shape=[16], strides=[8]
        ),
    )
    graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, [1], [0.0]))
    assert given_to_decoder(graph) == ["g", "z"]
    assert sight_of(graph, ["g", "z"]) == (5, 8)


def test_a_decoder_that_looks_at_everything_is_not_cut() -> None:
    graph = graph_of(
        helper.make_node("InstanceNormalization", ["z", "s", "b"], ["out"], "/dec/norm")
    )
    assert sight_of(graph, ["z"]) is None


def test_a_decoder_that_makes_frames_of_channels_is_not_cut() -> None:
    graph = graph_of(
        helper.make_node("Reshape", ["z", "shape"], ["shuffled"], "/dec/shuffle"),
        helper.make_node("Conv", ["shuffled", "w"], ["out"], "/dec/Conv", kernel_shape=[3]),
    )
    assert sight_of(graph, ["z"]) is None
