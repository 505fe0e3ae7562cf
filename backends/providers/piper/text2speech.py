"""Text-to-speech with Piper behind the FlexAI interface."""

from __future__ import annotations

from typing import Any, ClassVar

from backends.flexai.entities import AIModelEntity
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models import Text2SpeechModel, validating
from backends.flexai.models.text2speech_model import Sound
from backends.flexai.schema import read_settings
from backends.providers.onnx_session import onnx_devices
from backends.providers.piper.voice import LoadedVoice, PiperCredentials, read_config, voice_for
from backends.providers.speech import check_form, clauses, in_form, words_of

SPEEDS = (0.25, 4.0)


class PiperText2Speech(Text2SpeechModel):
    """Speaks clause by clause; a stream starts with the first clause.

    The sound is a WAV of 16-bit mono unless `audio_format` says "pcm". It has the voice's own rate
    unless `sample_rate` is given. A stream's WAV header says that the length is unknown.
    """

    extensions: ClassVar[frozenset[str]] = frozenset(
        {"voice", "speed", "audio_format", "sample_rate"}
    )

    def devices(self) -> list[str]:
        """Return the devices of ONNX Runtime, best first."""
        return onnx_devices()

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the voice can be loaded and has its default speaker."""
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
        """Return the speakers in the voice's JSON file; without names there is a single speaker."""
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
    """Return the number of a speaker; None if the voice has only one.

    Raises: InvokeBadRequestError if the voice does not have the speaker.
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
