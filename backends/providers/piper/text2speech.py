"""Text-to-speech with Piper behind the FlexAI interface."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from backends.flexai.devices import Device
from backends.flexai.entities import AIModelEntity
from backends.flexai.errors import InvokeBadRequestError, InvokeError, native_errors
from backends.flexai.models import Text2SpeechModel, validating
from backends.flexai.models.speech_models import Sound
from backends.flexai.schema import read_settings
from backends.installation import installation
from backends.providers.onnx_session import onnx_devices, open_session
from backends.providers.piper.decoder import Decoder, halves_of
from backends.providers.speech import at_full_strength, check_form, clauses, in_form, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piper import SynthesisConfig


FETCH = "Its files are not whole; fetch the voice again, or copy both of them."
EXTRAS = {"pinyin": "zh", "japanese": "ja", "thai": "th", "hebrew": "he"}

logging.getLogger("piper.phoneme_ids").setLevel(logging.ERROR)  # a warning for each foreign letter


class PiperCredentials(BaseModel):
    """Where the voice is, which of its speakers speaks, how many threads it takes."""

    model_config = ConfigDict(protected_namespaces=(), extra="ignore")

    model_path: Path
    default_voice: str | None = None
    n_threads: int = Field(default=2, ge=0)
    device: Device = "auto"


class LoadedVoice:
    """A loaded voice. rate: samples a second. speakers: name to number, empty for a single one."""

    def __init__(self, wanted: PiperCredentials, config: dict[str, Any]) -> None:
        from piper import PiperVoice
        from piper.config import PiperConfig

        def opened(model: Path, threads: int) -> Any:
            # it speaks while a language model computes
            return open_session(model, threads, wanted.device, patient=True)

        read = PiperConfig.from_dict(config)
        self.rate = read.sample_rate
        self.speakers = dict(read.speaker_id_map)
        with TemporaryDirectory() as folder:  # a session opened from bytes would keep them
            halves = halves_of(wanted.model_path, Path(folder))
            # frames are thousands of small steps: to wake another thread for each takes longer than
            # it saves
            session = (
                opened(halves.frames, 1) if halves else opened(wanted.model_path, wanted.n_threads)
            )
            self._decoder = (
                Decoder(opened(halves.decoder, wanted.n_threads), halves, self.rate)
                if halves
                else None
            )
        self._given = halves.given if halves else []
        self._voice = PiperVoice(session=session, config=read)
        self._kind = str(config.get("phoneme_type", "espeak"))
        self._loudest: dict[int | None, float] = {}  # by speaker: of all they have said

    def say(
        self, pieces: Iterator[str], speaker: int | None, speed: float, *, soon: bool
    ) -> Iterator[np.ndarray]:
        """Yield 16-bit samples, mono, of one piece after another; `soon`, the first one's in
        steps.
        """
        from piper import SynthesisConfig

        scale = self._voice.config.length_scale / speed
        wanted = SynthesisConfig(speaker_id=speaker, length_scale=scale, normalize_audio=False)
        # a step cannot tell how loud the next will be
        loudest = self._loudest.get(speaker, 0.0) if soon and self._decoder else 0.0
        yield from at_full_strength(
            self._noted(self._sounds(pieces, wanted, soon=loudest > 0), speaker), loudest
        )

    def _noted(self, sounds: Iterator[np.ndarray], speaker: int | None) -> Iterator[np.ndarray]:
        for sound in sounds:
            self._loudest[speaker] = max(
                self._loudest.get(speaker, 0.0), float(np.abs(sound).max(initial=0))
            )
            yield sound

    def _sounds(
        self, pieces: Iterator[str], wanted: SynthesisConfig, *, soon: bool
    ) -> Iterator[np.ndarray]:
        try:
            for piece in pieces:
                if self._decoder is None:
                    yield from (
                        chunk.audio_float_array for chunk in self._voice.synthesize(piece, wanted)
                    )
                    continue
                for phonemes in filter(None, self._voice.phonemize(piece)):
                    frames = self._frames(self._voice.phonemes_to_ids(phonemes), wanted)
                    yield from self._decoder.soon(frames) if soon else [self._decoder.whole(frames)]
                    soon = False
        except ImportError as error:
            extra = EXTRAS.get(self._kind, self._kind)
            raise InvokeBadRequestError(
                f"This voice needs parts of Piper that are not installed ({error.name}).",
                f"Install them: {installation().add(f'piper-tts[{extra}]')}",
            ) from error

    def _frames(self, ids: list[int], wanted: SynthesisConfig) -> dict[str, np.ndarray]:
        config = self._voice.config
        scales = [config.noise_scale, wanted.length_scale, config.noise_w_scale]
        fed = {
            "input": np.array([ids], np.int64),
            "input_lengths": np.array([len(ids)], np.int64),
            "scales": np.array(scales, np.float32),
        }
        if config.num_speakers > 1:
            speaker = config.default_speaker_id if wanted.speaker_id is None else wanted.speaker_id
            fed["sid"] = np.array([speaker], np.int64)
        made: Any = self._voice.session.run(self._given, fed)
        return dict(zip(self._given, made, strict=True))


_voices: dict[Path, tuple[str, LoadedVoice]] = {}
_lock = threading.Lock()


def voice_for(wanted: PiperCredentials) -> LoadedVoice:
    """Return the voice of a file; other files under its name, or other threads, replace it.

    Raises: InvokeBadRequestError.
    """
    files = [find(file).stat() for file in (wanted.model_path, beside(wanted.model_path))]
    key = (
        f"{wanted.n_threads} {wanted.device} {[(file.st_mtime_ns, file.st_size) for file in files]}"
    )
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
    """Return the JSON of a voice.

    Raises: InvokeBadRequestError if it is missing or is no voice's.
    """
    file = find(beside(path))
    try:
        config = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise InvokeBadRequestError(f"{file.name} is not JSON: {error}", FETCH) from error
    if not isinstance(config, dict) or "phoneme_id_map" not in config:
        raise InvokeBadRequestError(f"{file.name} does not describe a voice.", FETCH)
    return config


def load(wanted: PiperCredentials, config: dict[str, Any]) -> LoadedVoice:
    """Load a voice.

    Raises: InvokeBadRequestError.
    """

    def damaged(error: Exception) -> InvokeBadRequestError:
        name = wanted.model_path.name
        return InvokeBadRequestError(
            f"The voice {name} cannot be loaded: {type(error).__name__}: {error}", FETCH
        )

    with native_errors(
        damaged, OSError, RuntimeError, ValueError, TypeError, LookupError, AttributeError
    ):
        return LoadedVoice(wanted, config)


SPEEDS = (0.25, 4.0)


class PiperText2Speech(Text2SpeechModel):
    """Speaks clause by clause; a stream begins with its first clause.

    The sound is WAV of 16-bit mono unless `audio_format` says "pcm", at the voice's own rate unless
    `sample_rate` names another. A stream's WAV header says that its length is unknown.
    """

    extensions: ClassVar[frozenset[str]] = frozenset(
        {"voice", "speed", "audio_format", "sample_rate"}
    )

    def devices(self) -> list[str]:
        """Return the devices of ONNX Runtime, best first."""
        return onnx_devices()

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the voice loads, and knows its default speaker."""
        with validating():
            wanted = read_settings(PiperCredentials, credentials)
            speaker_of(voice_for(wanted), wanted, None)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeBadRequestError: [ValueError, TypeError]}

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema of any other voice file."""
        return self.customizable(model, model_properties={"audio_type": "wav"})

    def get_tts_model_voices(
        self, model: str, credentials: dict[str, Any], language: str | None = None
    ) -> list[dict[str, str]]:
        """Return the speakers in the voice's JSON; without names there is a single speaker."""
        path = read_settings(PiperCredentials, credentials).model_path
        config = read_config(path)
        spoken = config.get("language", {})
        if language not in (None, spoken.get("code"), spoken.get("family")):
            return []
        names = sorted(config.get("speaker_id_map") or {}) or [path.name.removesuffix(".onnx")]
        return [{"name": name, "value": name} for name in names]

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None = None,
        *,
        voice: str | None = None,
        speed: float = 1.0,
        audio_format: str = "wav",
        sample_rate: int | None = None,
    ) -> bytes | Sound:
        check_form(speed, SPEEDS, audio_format, sample_rate)
        text = words_of(content_text)
        wanted = read_settings(PiperCredentials, credentials)
        loaded = voice_for(wanted)
        speaker = speaker_of(loaded, wanted, voice)
        pieces = loaded.say(clauses(text), speaker, speed, soon=streaming)
        return in_form(pieces, loaded.rate, sample_rate, audio_format, streaming=streaming)


def speaker_of(voice: LoadedVoice, wanted: PiperCredentials, asked: str | None) -> int | None:
    """Return the number of a speaker; None for a voice that has one.

    Raises: InvokeBadRequestError for a speaker the voice does not have.
    """
    name = asked or wanted.default_voice
    single = wanted.model_path.name.removesuffix(".onnx")
    if not name or (not voice.speakers and name == single):
        return None
    if name in voice.speakers:
        return voice.speakers[name]
    known = sorted(voice.speakers) or [single]
    shown = ", ".join(known[:8]) + (" …" if len(known) > 8 else "")
    raise InvokeBadRequestError(
        f"There is no voice {name!r}.", f"Choose one of: {shown}; or name none."
    )
