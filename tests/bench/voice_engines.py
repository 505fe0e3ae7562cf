"""Ears and voice: ratios against raw faster-whisper and raw Piper, in the same process.

    python -m tests.bench.voice_engines [--pairs 15]

Pairs alternate A B A B; the median ratio and its range are printed. Counts do not depend on the
machine. The tiny models cost almost nothing, so that all we add shows; one arm gives the tiny voice
layers that do nothing but cost what a medium voice costs. With whisper-tiny-en and piper-en-joe
installed, these are measured too.
"""

from __future__ import annotations

import argparse
import io
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
from faster_whisper import WhisperModel
from piper import PiperVoice

from backends.catalog import Catalog
from backends.flexai.entities import ModelType
from backends.flexai.registry import load_providers
from backends.flexai.schema import read_settings
from backends.providers.faster_whisper import speech2text as whispers
from backends.providers.faster_whisper.sound import LONGEST_SECONDS, PAD_MS, PAUSE_MS
from tests.models.decoding_voice import decoding_voice
from tests.models.speech import PIPER, SENTENCES, WHISPER, spoken, wav

# A second of sound takes as much processor as one of Joe, a medium voice: 50 ms of one thread on
# the machine this was made on.
LAYERS, CHANNELS = 220, 512
FIRST = "I read your table, and the sales of March were the highest of the whole year by far."
ANSWER = (
    FIRST
    + " They grew in every region. The north was first, the west second. "
    + "See the chart. " * 6
)


def show(name: str, values: list[float], target: str, unit: str = "") -> None:
    low, high = min(values), max(values)
    print(
        f"{name}: {statistics.median(values):.3f}{unit}  [{low:.3f} – {high:.3f}], {len(values)}"
        f" times; {target}"
    )


@contextmanager
def burning(count: int) -> Iterator[None]:
    """Keep cores busy."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def timed(work: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, Any]:
    begun = clock()
    result = work()
    return clock() - begun, result


def sound_of(sentences: list[str], pause_seconds: float) -> bytes:
    pause = np.zeros(int(22050 * pause_seconds), np.float32)
    return wav(
        np.concatenate([np.concatenate([spoken(s)[0] * 0.6, pause]) for s in sentences]), 22050
    ).getvalue()


def listening(name: str, credentials: dict[str, Any], files: dict[str, bytes], pairs: int) -> None:
    """CPU of a transcript, ours over raw with the same options; encoder passes of both."""
    ours: Any = load_providers().model("faster_whisper", ModelType.SPEECH2TEXT)
    whisper = whispers.model_for(read_settings(whispers.WhisperCredentials, credentials))
    passes = counted(whisper)
    vad = {
        "min_silence_duration_ms": PAUSE_MS,
        "speech_pad_ms": PAD_MS,
        "max_speech_duration_s": LONGEST_SECONDS,
    }

    def raw(data: bytes) -> str:
        found, _ = whisper.transcribe(
            io.BytesIO(data),
            language="en",
            vad_filter=True,
            vad_parameters=vad,
            condition_on_previous_text=False,
        )
        return "".join(segment.text for segment in found).strip()

    for what, data in files.items():
        ratios, added, counts, same = [], [], [], []
        raw(data), ours.invoke("m", credentials, io.BytesIO(data))
        for _ in range(pairs):
            passes.clear()
            our_time, our_text = timed(
                lambda d=data: ours.invoke("m", credentials, io.BytesIO(d)), time.process_time
            )
            ours_passes = len(passes)
            passes.clear()
            raw_time, raw_text = timed(lambda d=data: raw(d), time.process_time)
            ratios.append(our_time / raw_time)
            added.append((our_time - raw_time) * 1000)
            counts.append((ours_passes, len(passes)))
            same.append(our_text == raw_text)
        show(f"CPU of {what}, {name}, ours / raw", ratios, "target ≤ 1.03")
        print(
            f"  added: {statistics.median(added):+.1f} ms; encoder passes ours, raw: {counts[0]}; ",
            end="",
        )
        print(f"the same text {sum(same)} of {pairs} times")


def counted(whisper: WhisperModel) -> list[int]:
    """Make a model note each pass of its encoder."""
    passes: list[int] = []
    encode = whisper.encode

    def noting(features: Any) -> Any:
        passes.append(1)
        return encode(features)

    cast("Any", whisper).encode = noting
    return passes


def speaking(name: str, credentials: dict[str, Any], pairs: int) -> None:
    """Time to the first sound of an answer, ours over raw Piper's first sentence."""
    ours: Any = load_providers().model("piper", ModelType.TTS)
    path = Path(credentials["model_path"])
    raw = PiperVoice.load(path)
    for what, text in (("an answer", ANSWER), ("its first sentence alone", FIRST)):
        ratios, lengths = [], []
        for _ in range(pairs + 1):
            our_time, piece = timed(lambda t=text: first(ours, credentials, t), time.perf_counter)
            raw_time, chunk = timed(lambda t=text: next(iter(raw.synthesize(t))), time.perf_counter)
            ratios.append(our_time / raw_time)
            lengths.append(((len(piece) - 44) // 2, len(chunk.audio_float_array)))
        show(f"first sound of {what}, {name}, ours / raw", ratios[1:], "target ≤ 0.35")
        print(
            f"  samples before the first sound, ours / raw: {lengths[0][0] / lengths[0][1]:.3f}; "
            f"last pair {our_time * 1000:.1f} and {raw_time * 1000:.1f} ms"
        )


def first(model: Any, credentials: dict[str, Any], text: str) -> bytes:
    pieces = model.invoke("m", credentials, text, True)
    piece = next(pieces)
    pieces.close()
    return piece


def main() -> None:
    """Print the ratios, of the full-size models too if they are installed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=15)
    pairs = parser.parse_args().pairs
    files = {
        "one utterance of 2 s": sound_of(SENTENCES[1:2], 0.2),
        "a file of 4 minutes, mostly silent": sound_of(SENTENCES[:20], 10.0),
    }
    listening("tiny model", WHISPER, files, pairs)
    speaking("tiny voice", PIPER | {"n_threads": "2"}, pairs)
    with tempfile.TemporaryDirectory() as folder:
        made = {"model_path": str(decoding_voice(Path(folder), LAYERS, CHANNELS)), "n_threads": "2"}
        speaking("tiny voice with a costly decoder", made, pairs)
    catalog = Catalog()
    ear, voice = catalog.installed("whisper-tiny-en"), catalog.installed("piper-en-joe")
    if voice is not None:
        speaking("Joe", voice.credentials, pairs)
    if voice is not None and ear is not None:
        model: Any = load_providers().model("piper", ModelType.TTS)
        said = {
            name: model.invoke("m", voice.credentials, text, False)
            for name, text in (
                ("one sentence", FIRST),
                ("a minute of speech", " ".join(SENTENCES[:28])),
            )
        }
        listening("Whisper tiny.en", ear.credentials, said, pairs)


if __name__ == "__main__":
    main()
