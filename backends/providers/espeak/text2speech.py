"""Text-to-speech with espeak-ng behind the FlexAI interface."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from backends.flexai.devices import report
from backends.flexai.entities import AIModelEntity, I18nObject, ModelType
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models import Text2SpeechModel, validating
from backends.flexai.models.text2speech_model import Sound
from backends.flexai.schema import read_settings
from backends.providers.espeak.program import RATE, program, say, spoken
from backends.providers.spoken import check_form, clauses, in_form, words_of

SPEEDS = (0.5, 4.0)  # it speaks no slower


class Credentials(BaseModel):
    """Which voice speaks unless another is named."""

    model_config = ConfigDict(extra="ignore")

    default_voice: str = "en-us"


class EspeakText2Speech(Text2SpeechModel):
    """Speaks clause by clause; a voice is named by its language. Sound as of Piper's."""

    extensions: ClassVar[frozenset[str]] = frozenset(
        {"voice", "speed", "audio_format", "sample_rate"}
    )

    def devices(self) -> list[str]:
        """Return what it computes on; nothing where it is not installed."""
        return ["cpu"] if program() else []

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that espeak-ng is here and has the default voice."""
        with validating():
            voice_of(read_settings(Credentials, credentials), None)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeBadRequestError: [ValueError, TypeError]}

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the one schema there is."""
        return AIModelEntity(
            model=model,
            label=I18nObject(en_US="espeak-ng"),
            model_type=ModelType.TTS,
            fetch_from="customizable-model",
            model_properties={"audio_type": "wav"},
        )

    def get_tts_model_voices(
        self, model: str, credentials: dict[str, Any], language: str | None = None
    ) -> list[dict[str, str]]:
        """Return the voices espeak-ng has, of a language if one is named."""
        with self.mapped_errors():
            voices = [voice for voice in spoken() if language is None or voice.speaks(language)]
        return [{"name": voice.name, "value": voice.tag} for voice in voices]

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
        tag = voice_of(read_settings(Credentials, credentials), voice)
        report("cpu")
        pieces = say(clauses(text), tag, speed)
        return in_form(pieces, RATE, sample_rate, audio_format, streaming=streaming)


def voice_of(wanted: Credentials, asked: str | None) -> str:
    """Return the tag of a voice: of the one that is named, or the first that speaks the language.

    Raises: InvokeBadRequestError for a voice espeak-ng does not have, InvokeServerUnavailableError.
    """
    name = asked or wanted.default_voice
    voices = spoken()
    for voice in sorted(voices, key=lambda voice: voice.tag != name.lower()):
        if voice.speaks(name):
            return voice.tag
    shown = ", ".join(sorted(voice.tag for voice in voices)[:8])
    raise InvokeBadRequestError(
        f"There is no voice {name!r}.", f"Choose one by its language: {shown} …; or name none."
    )
