"""One Piper voice, loaded: pieces of text in, samples out."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from backends.flexai.devices import Device
from backends.flexai.errors import InvokeBadRequestError
from backends.providers.native import native_errors
from backends.providers.onnx_session import open_session
from backends.providers.speaking.form import at_full_strength

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piper import PiperVoice

FETCH = "Its files are not whole; fetch the voice again, or copy both of them."
EXTRAS = {"pinyin": "zh", "japanese": "ja", "thai": "th", "hebrew": "he"}

logging.getLogger("piper.phoneme_ids").setLevel(logging.ERROR)  # a warning for each foreign letter


class Credentials(BaseModel):
    """Where the voice is, which of its speakers speaks, how many threads it takes."""

    model_config = ConfigDict(protected_namespaces=(), extra="ignore")

    model_path: Path
    default_voice: str | None = None
    n_threads: int = Field(default=2, ge=0)
    device: Device = "auto"


class Voice:
    """A loaded voice. rate: samples a second. speakers: name to number, empty for a single one."""

    def __init__(self, wanted: Credentials, config: dict[str, Any]) -> None:
        from piper import PiperVoice
        from piper.config import PiperConfig

        # it speaks while a language model computes
        session = open_session(wanted.model_path, wanted.n_threads, wanted.device, patient=True)
        self._voice: PiperVoice = PiperVoice(session=session, config=PiperConfig.from_dict(config))
        self._kind = str(config.get("phoneme_type", "espeak"))
        self.rate = self._voice.config.sample_rate
        self.speakers = dict(self._voice.config.speaker_id_map)

    def say(self, pieces: Iterator[str], speaker: int | None, speed: float) -> Iterator[np.ndarray]:
        """Yield 16-bit samples, mono, of one piece after another."""
        from piper import SynthesisConfig

        scale = self._voice.config.length_scale / speed
        wanted = SynthesisConfig(speaker_id=speaker, length_scale=scale, normalize_audio=False)
        made = (chunk.audio_float_array for piece in pieces for chunk in self._chunks(piece, wanted))
        yield from at_full_strength(made)

    def _chunks(self, piece: str, wanted: Any) -> Iterator[Any]:
        try:
            yield from self._voice.synthesize(piece, wanted)
        except ImportError as error:
            extra = EXTRAS.get(self._kind, self._kind)
            raise InvokeBadRequestError(
                f"This voice needs parts of Piper that are not installed ({error.name}).",
                f"Install them: pip install 'piper-tts[{extra}]'",
            ) from error


_voices: dict[Path, tuple[str, Voice]] = {}
_lock = threading.Lock()


def voice_for(wanted: Credentials) -> Voice:
    """Return the voice of a file; other files under its name, or other threads, replace it.

    Raises: InvokeBadRequestError.
    """
    files = [find(file).stat() for file in (wanted.model_path, beside(wanted.model_path))]
    key = f"{wanted.n_threads} {wanted.device} {[(file.st_mtime_ns, file.st_size) for file in files]}"
    with _lock:
        known = _voices.get(wanted.model_path)
        if known is None or known[0] != key:
            _voices[wanted.model_path] = key, load(wanted, read_config(wanted.model_path))
        return _voices[wanted.model_path][1]


def beside(path: Path) -> Path:
    """Return the JSON file that belongs to a voice."""
    return path.with_name(path.name + ".json")


def find(file: Path) -> Path:
    """Return a file that must be there.

    Raises: InvokeBadRequestError.
    """
    if not file.is_file():
        raise InvokeBadRequestError(f"{file.name} is missing in {file.parent}.", FETCH)
    return file


def read_config(path: Path) -> dict[str, Any]:
    """Return what the JSON beside a voice says.

    Raises: InvokeBadRequestError if it is missing or is no voice's.
    """
    file = find(beside(path))
    try:
        config = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise InvokeBadRequestError(f"{file.name} is not JSON: {error}", FETCH) from error
    if not isinstance(config, dict) or "phoneme_id_map" not in config:
        raise InvokeBadRequestError(f"{file.name} describes no voice.", FETCH)
    return config


def load(wanted: Credentials, config: dict[str, Any]) -> Voice:
    """Load a voice.

    Raises: InvokeBadRequestError.
    """

    def damaged(error: Exception) -> InvokeBadRequestError:
        name = wanted.model_path.name
        return InvokeBadRequestError(
            f"The voice {name} cannot be loaded: {type(error).__name__}: {error}", FETCH
        )

    with native_errors(damaged, OSError, RuntimeError, ValueError, TypeError, LookupError, AttributeError):
        return Voice(wanted, config)
