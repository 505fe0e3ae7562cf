"""Build the tiny voice: a real Piper voice whose ONNX graph joins computed units of sound.

    python -m tests.models.build_piper OUT      → OUT/en_US-tiny-medium.onnx and its .json

Same inputs and output as any Piper voice, 0.35 MB, no random node: the same text is the same sound.
It takes two seconds and makes the same bytes each time. Needs onnx, piper-tts and scipy.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP

from tests.models.formant_units import HOP, RATE, units

NAME = "en_US-tiny-medium.onnx"
SILENT_FRAMES = {"^": 4, "$": 6, " ": 2, ",": 12, ";": 12, ":": 12, ".": 8, "?": 8, "!": 8, "-": 3}
WITHOUT_SOUND = set("_'()\"ˈˌːˑ˞ʲʰʷˤ̧̩̯̪̺̻̝̃̊#↑↓")  # stress, length and other marks
SAME_AS = dict(
    zip("grɝɫʍɒɞεyxXçɦʔɽɨʉɵøœqcβʋ", "ɡɹɚlwɑɜɛikkhhtɾᵻuəɜɛkkvv", strict=True)
)  # a sound without a unit of its own, and the nearest that has one
CONFIG: dict[str, Any] = {
    "dataset": "tiny",
    "audio": {"sample_rate": RATE, "quality": "medium"},
    "espeak": {"voice": "en-us"},
    "language": {
        "code": "en_US",
        "family": "en",
        "region": "US",
        "name_native": "English",
        "name_english": "English",
        "country_english": "United States",
    },
    "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
    "phoneme_type": "espeak",
    "phoneme_map": {},
    "phoneme_id_map": {symbol: list(ids) for symbol, ids in DEFAULT_PHONEME_ID_MAP.items()},
    "num_symbols": 256,
    "num_speakers": 1,
    "speaker_id_map": {},
    "piper_version": "1.0.0",
    "hop_length": HOP,
}


class Rows:
    """The table of frames, and where in it each unit begins."""

    def __init__(self) -> None:
        self._rows: list[np.ndarray] = []
        self._known: dict[Any, tuple[int, int]] = {}
        self._size = 0

    def put(self, key: Any, frames: np.ndarray) -> tuple[int, int]:
        """Keep a unit once; return where it begins and how many frames it lasts."""
        if key not in self._known:
            self._known[key] = self._size, len(frames) - 1
            self._rows.append(frames)
            self._size += len(frames)
        return self._known[key]

    def table(self) -> np.ndarray:
        """Return all frames, float16."""
        return np.concatenate([*self._rows, silence(0)]).astype(np.float16)


def silence(frames: int) -> np.ndarray:
    """Return a unit that says nothing."""
    return np.zeros((frames + 1, HOP))


def place(symbol: str, number: int, rows: Rows, sounds: dict[str, np.ndarray]) -> tuple[int, int]:
    """Return where a phoneme's unit is and how long; one without a sound of its own is a tone of
    its own.
    """
    if symbol in WITHOUT_SOUND:
        return rows.put("zero", silence(0))[0], 0
    if symbol in SILENT_FRAMES:
        return rows.put(("sil", SILENT_FRAMES[symbol]), silence(SILENT_FRAMES[symbol]))
    own = SAME_AS.get(symbol, symbol)
    if own in sounds:
        return rows.put(own, sounds[own])
    if len(symbol) == 2 and set(symbol) <= set(
        sounds
    ):  # "aɪ", as voices with vowel clusters write it
        return rows.put(symbol, np.concatenate([sounds[symbol[0]][:-1], sounds[symbol[1]]]))
    time = np.arange(5 * HOP) / RATE
    return rows.put(symbol, (0.3 * np.sin(2 * np.pi * (300 + 23 * number) * time)).reshape(5, HOP))


def constants() -> dict[str, np.ndarray]:
    """Return the graph's constants: the table, each phoneme's place and length, the cross-fade."""
    symbols = {ids[0]: symbol for symbol, ids in DEFAULT_PHONEME_ID_MAP.items()}
    size, rows, sounds = max(symbols) + 1, Rows(), units()
    places = [place(symbols.get(number, "_"), number, rows, sounds) for number in range(size)]
    fade = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(2 * HOP) / (2 * HOP))
    return {
        "tab": rows.table(),
        "off": np.array([at for at, _ in places], np.int64),
        "len": np.array([frames for _, frames in places], np.int64),
        "w0": fade[:HOP].astype(np.float32)[None],
        "w1": fade[HOP:].astype(np.float32)[None],
        "m1": np.array([-1]),
        "zero1": np.array([0]),
        "one1": np.array([1]),
        "two1": np.array([2]),
        "ax0": np.array(0),
        "s0": np.array(0),
        "s1": np.array(1),
        "zrow": np.zeros((1, HOP), np.float32),
        "shape": np.array([1, 1, 1, -1]),
        "minls": np.array([0.1], np.float32),
    }


def nodes() -> list[onnx.NodeProto]:
    """Return the graph: phonemes to lengths, lengths to frames, frames to overlapped sound."""
    made: list[onnx.NodeProto] = []

    def op(kind: str, inputs: str, output: str, **more: Any) -> None:
        made.append(helper.make_node(kind, inputs.split(), [output], **more))

    def filled(inputs: str, output: str, value: int) -> None:
        op(
            "ConstantOfShape",
            inputs,
            output,
            value=helper.make_tensor("v", TensorProto.INT64, [1], [value]),
        )

    op("Reshape", "input m1", "ids_all")
    op("Slice", "ids_all zero1 input_lengths zero1", "ids")
    op("Gather", "len ids", "L")
    op("Gather", "off ids", "O")
    op("Cast", "L", "Lf", to=TensorProto.FLOAT)
    op("Slice", "scales one1 two1 zero1", "ls0")
    op("Max", "ls0 minls", "ls")
    op("Mul", "Lf ls", "w")
    op("Ceil", "w", "w_ceil")  # the only one: Piper finds the lengths for its alignments by it
    op("Cast", "w_ceil", "d", to=TensorProto.INT64)
    op("CumSum", "d ax0", "cum")
    op("Sub", "cum d", "start")
    op("ReduceSum", "d", "F", keepdims=0)
    op("Range", "s0 F s1", "f")
    # which phoneme a frame belongs to: ones at the starts, added up; a table of comparisons would
    # be huge
    op("Add", "F s1", "F1")
    op("Reshape", "F1 one1", "F1s")
    filled("F1s", "zz", 0)
    op("Shape", "start", "nshape")
    filled("nshape", "ones", 1)
    op("ScatterElements", "zz start ones", "sc", axis=0, reduction="add")
    op("CumSum", "sc ax0", "cs")
    op("Sub", "cs s1", "idx1")
    op("Slice", "idx1 zero1 m1 zero1", "idx")
    op("Gather", "start idx", "fs")
    op("Sub", "f fs", "o")
    op("Cast", "o", "of", to=TensorProto.FLOAT)
    op("Gather", "Lf idx", "fl")
    op("Gather", "w_ceil idx", "fd")
    op("Mul", "of fl", "x1")
    op("Div", "x1 fd", "x2")
    op("Floor", "x2", "x3")
    op("Cast", "x3", "src", to=TensorProto.INT64)
    op("Gather", "O idx", "fo")
    op("Add", "fo src", "row")
    op("Add", "row s1", "row1")
    op("Gather", "tab row", "a16")
    op("Gather", "tab row1", "b16")
    op("Cast", "a16", "a32", to=TensorProto.FLOAT)
    op("Cast", "b16", "b32", to=TensorProto.FLOAT)
    op("Mul", "a32 w0", "aw")
    op("Mul", "b32 w1", "bw")
    op("Concat", "aw zrow", "ap", axis=0)
    op("Concat", "zrow bw", "bp", axis=0)
    op("Add", "ap bp", "y")
    op("Reshape", "y shape", "output")
    return made


def build(folder: Path) -> Path:
    """Write the voice and its JSON; return the voice's file."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = [
        numpy_helper.from_array(np.ascontiguousarray(v), name) for name, v in constants().items()
    ]
    inputs = [
        helper.make_tensor_value_info("input", TensorProto.INT64, ["batch_size", "phonemes"]),
        helper.make_tensor_value_info("input_lengths", TensorProto.INT64, ["batch_size"]),
        helper.make_tensor_value_info("scales", TensorProto.FLOAT, [3]),
    ]
    output = helper.make_tensor_value_info(
        "output", TensorProto.FLOAT, ["batch_size", 1, 1, "time"]
    )
    graph = helper.make_graph(nodes(), "tiny-piper", inputs, [output], kept)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="tiny-piper"
    )
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    path = folder / NAME
    onnx.save(model, path)
    path.with_name(NAME + ".json").write_text(
        json.dumps(CONFIG, ensure_ascii=False, indent=1), "utf-8"
    )
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    build(parser.parse_args().out)
