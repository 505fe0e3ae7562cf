"""The tiny speech models: where they are, what they know, and sound made with them."""

from __future__ import annotations

import io
import json
import shutil
import wave
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
WHISPER: dict[str, Any] = {
    "model_path": str(HERE / "tiny-whisper"),
    "device": "cpu",
    "n_threads": "1",
    # In int8 the rounding depends on the processor, and on some one sentence in 48 becomes another.
    "compute_type": "float32",
}
PIPER: dict[str, Any] = {
    "model_path": str(HERE / "tiny-piper" / "en_US-tiny-medium.onnx"),
    "n_threads": "1",
}
ESPEAK: dict[str, Any] = {"default_voice": "en-us"}
SYSTEM_VOICE = shutil.which("espeak-ng") is not None
SENTENCES: list[str] = json.loads((HERE / "sentences.json").read_text("utf-8"))
SHOW = "Show me the sales table."


@cache
def spoken(text: str = SHOW) -> tuple[np.ndarray, int]:
    """Return raw Piper's samples of a text, float32, and their rate."""
    from piper import PiperVoice

    voice = PiperVoice.load(PIPER["model_path"])
    chunks = list(voice.synthesize(text))
    return np.concatenate([chunk.audio_float_array for chunk in chunks]), chunks[0].sample_rate


def at_rate(samples: np.ndarray, rate: int, wanted: int) -> np.ndarray:
    """Return samples at another rate."""
    import av

    resampler = av.AudioResampler(format="flt", layout="mono", rate=wanted)
    frame = av.AudioFrame.from_ndarray(
        samples.astype(np.float32)[None], format="flt", layout="mono"
    )
    frame.sample_rate = rate
    made = [*resampler.resample(frame), *resampler.resample(None)]
    return np.concatenate([part.to_ndarray()[0] for part in made])


def wav(samples: np.ndarray, rate: int, channels: int = 1) -> io.BytesIO:
    """Return a file of 16-bit samples, the same in each channel."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        whole = (np.clip(samples, -1, 1) * 32767).astype("<i2")
        writer.writeframes(np.repeat(whole[:, None], channels, 1).tobytes())
    file.seek(0)
    return file


def encoded(samples: np.ndarray, rate: int, container: str, codec: str) -> io.BytesIO:
    """Return a file of a container and codec."""
    import av

    file = io.BytesIO()
    with av.open(file, "w", format=container) as writer:
        stream = writer.add_stream(codec, rate=rate)
        stream.layout = "mono"  # type: ignore[attr-defined]
        whole = (np.clip(samples, -1, 1) * 32767).astype(np.int16)[None]
        frame = av.AudioFrame.from_ndarray(whole, format="s16", layout="mono")
        frame.sample_rate = rate
        context = stream.codec_context
        resampler = av.AudioResampler(
            format=context.format,  # type: ignore[attr-defined]
            layout="mono",
            rate=rate,
            frame_size=context.frame_size or None,  # type: ignore[attr-defined]
        )
        for made in [*resampler.resample(frame), *resampler.resample(None)]:
            writer.mux(stream.encode(made))  # type: ignore[attr-defined]
        writer.mux(stream.encode(None))  # type: ignore[attr-defined]
    file.seek(0)
    return file


def samples_of(sound: bytes) -> tuple[np.ndarray, int]:
    """Return the samples of a WAV, -1 to 1, and their rate."""
    with wave.open(io.BytesIO(sound)) as reader:
        assert (reader.getnchannels(), reader.getsampwidth()) == (1, 2)
        frames = reader.readframes(reader.getnframes())
        return np.frombuffer(frames, "<i2").astype(np.float32) / 32768, reader.getframerate()
