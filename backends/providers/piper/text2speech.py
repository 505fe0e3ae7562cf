"""Text-to-speech with Piper behind the FlexAI interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from backends.flexai.cancellation import stop_if_cancelled
from backends.flexai.entities import AIModelEntity, I18nObject, ModelType
from backends.flexai.errors import CredentialsValidateFailedError, InvokeBadRequestError, InvokeError
from backends.flexai.models import Text2SpeechModel
from backends.flexai.models.text2speech_model import Sound
from backends.flexai.schema import read_settings
from backends.providers.onnx_session import onnx_devices
from backends.providers.piper.clauses import clauses, has_words, speakable
from backends.providers.piper.voice import Credentials, Voice, read_config, voice_for
from backends.providers.piper.wav import header

if TYPE_CHECKING:
    from collections.abc import Iterator

SLOWEST, FASTEST = 0.25, 4.0
RATES = (8000, 192000)


class PiperText2Speech(Text2SpeechModel):
    """Speaks clause by clause; a stream begins with its first clause.

    The sound is WAV of 16-bit mono unless `audio_format` says "pcm", at the voice's own rate unless
    `sample_rate` names another. A stream's WAV header says that its length is unknown.
    """

    extensions: ClassVar[frozenset[str]] = frozenset({"voice", "speed", "audio_format", "sample_rate"})

    def devices(self) -> list[str]:
        """Return what ONNX Runtime can use here, best first."""
        return onnx_devices()

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the voice loads, and knows its default speaker."""
        try:
            wanted = read_settings(Credentials, credentials)
            speaker_of(voice_for(wanted), wanted, None)
        except InvokeError as error:
            raise CredentialsValidateFailedError(error.text, error.remedy) from error

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeBadRequestError: [ValueError, TypeError]}

    def get_customizable_model_schema(self, model: str, credentials: dict[str, Any]) -> AIModelEntity | None:
        """Return the schema of any other voice file."""
        return AIModelEntity(
            model=model,
            label=I18nObject(en_US=model),
            model_type=ModelType.TTS,
            fetch_from="customizable-model",
            model_properties={"audio_type": "wav"},
        )

    def get_tts_model_voices(
        self, model: str, credentials: dict[str, Any], language: str | None = None
    ) -> list[dict[str, str]]:
        """Return the speakers that the voice's JSON names; one that names none is a single speaker."""
        path = read_settings(Credentials, credentials).model_path
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
        check_form(speed, audio_format, sample_rate)
        text = speakable(content_text)
        if not has_words(text):
            raise InvokeBadRequestError(
                "There is nothing to say: the text holds no words.", "Send letters or numbers."
            )
        wanted = read_settings(Credentials, credentials)
        loaded = voice_for(wanted)
        speaker = speaker_of(loaded, wanted, voice)
        rate = sample_rate or loaded.rate
        pieces = sounds(loaded, text, speaker, speed, rate)
        if streaming:
            return stream(header(rate) if audio_format == "wav" else b"", pieces)
        samples = b"".join(pieces)
        return (header(rate, len(samples)) if audio_format == "wav" else b"") + samples


def stream(head: bytes, pieces: Iterator[bytes]) -> Sound:
    """Yield the header with the first piece, then the others."""
    for piece in pieces:
        yield head + piece
        head = b""


def sounds(voice: Voice, text: str, speaker: int | None, speed: float, rate: int) -> Iterator[bytes]:
    """Yield 16-bit samples, clause by clause; a cancelled call ends between two clauses."""
    made = resampled(voice.say(clauses(text), speaker, speed), voice.rate, rate)
    for samples in made:
        stop_if_cancelled()
        yield samples.tobytes()


def resampled(pieces: Iterator[np.ndarray], rate: int, wanted: int) -> Iterator[np.ndarray]:
    """Yield the samples at another rate; as they are if it is the same."""
    if rate == wanted:
        yield from pieces
        return
    from av import AudioFrame
    from av.audio.resampler import AudioResampler

    resampler = AudioResampler(format="s16", layout="mono", rate=wanted)
    for piece in pieces:
        frame = AudioFrame.from_ndarray(piece[None], format="s16", layout="mono")
        frame.sample_rate = rate
        yield joined(resampler.resample(frame))
    yield joined(resampler.resample(None))


def joined(frames: list[Any]) -> np.ndarray:
    """Return the samples of some frames."""
    return np.concatenate([np.zeros(0, "<i2"), *(frame.to_ndarray()[0] for frame in frames)])


def speaker_of(voice: Voice, wanted: Credentials, asked: str | None) -> int | None:
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
    raise InvokeBadRequestError(f"There is no voice {name!r}.", f"Choose one of: {shown}; or name none.")


def check_form(speed: float, audio_format: str, sample_rate: int | None) -> None:
    """Check how the sound is wanted.

    Raises: InvokeBadRequestError.
    """
    if not SLOWEST <= speed <= FASTEST:
        raise InvokeBadRequestError(
            f"A speed of {speed:g} cannot be spoken.", f"Send one between {SLOWEST:g} and {FASTEST:g}."
        )
    if audio_format not in ("wav", "pcm"):
        raise InvokeBadRequestError(f"{audio_format} cannot be made.", "Ask for wav or pcm.")
    if sample_rate is not None and not RATES[0] <= sample_rate <= RATES[1]:
        raise InvokeBadRequestError(
            f"{sample_rate} Hz cannot be made.", f"Ask for {RATES[0]} to {RATES[1]} Hz."
        )
