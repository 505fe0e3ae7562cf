"""Text-to-speech with espeak-ng behind the FlexAI interface."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from backends.flexai.devices import report
from backends.flexai.entities import AIModelEntity, I18nObject, ModelType
from backends.flexai.errors import InvokeBadRequestError, InvokeError, InvokeServerUnavailableError
from backends.flexai.models import Text2SpeechModel, validating
from backends.flexai.models.speech_models import Sound
from backends.flexai.schema import read_settings
from backends.providers.speech import at_full_strength, check_form, clauses, in_form, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "espeak-ng"
RATE = 22050  # in Hz; the same for all voices
HEADER = 44  # length of the WAV header in bytes
WORDS_A_MINUTE = 175  # espeak-ng's default speed
SECONDS = 30.0  # time limit for one piece; espeak-ng generates hours of speech in one second
GET = "Install it: sudo apt install espeak-ng (Debian, Ubuntu), brew install espeak-ng (macOS)."
VOICE = re.compile(r"\s*\d+\s+(?P<tag>\S+)\s+\S+\s+(?P<name>\S+)\s+\S+\s*(?P<others>.*)")
OTHER = re.compile(r"\((\S+) \d+\)")


@dataclass(frozen=True)
class EspeakVoice:
    """A voice. tag: its language, such as en-us. name: the name shown to users. others: other
    language tags that it matches.
    """

    tag: str
    name: str
    others: frozenset[str]

    def speaks(self, language: str) -> bool:
        """Return whether it speaks a language, given as `en`, `en-us` or `en_US`."""
        wanted = language.lower().replace("_", "-")
        return wanted in (self.tag, *self.others) or self.tag.startswith(f"{wanted}-")


def program() -> str | None:
    """Return the path of espeak-ng, or None if it is not installed."""
    return shutil.which(NAME)


def spoken() -> list[EspeakVoice]:
    """Return the voices of espeak-ng.

    Raises: InvokeBadRequestError if it is not installed, InvokeServerUnavailableError if it fails.
    """
    lines = run(["--voices"], "").decode("utf-8", "replace").splitlines()[1:]
    found = [line for line in map(VOICE.fullmatch, lines) if line is not None]
    return [
        EspeakVoice(
            line["tag"].lower(),
            line["name"].replace("_", " "),
            frozenset(tag.lower() for tag in OTHER.findall(line["others"])),
        )
        for line in found
    ]


def say(pieces: Iterator[str], tag: str, speed: float) -> Iterator[np.ndarray]:
    """Yield 16-bit mono samples, piece by piece. tag: the voice's language tag. speed: 1 is the
    normal speed.
    """
    pace = str(round(WORDS_A_MINUTE * speed))
    options = ["--stdout", "--stdin", "-b", "1", "-v", tag, "-s", pace]
    made = (run(options, piece)[HEADER:] for piece in pieces)
    yield from at_full_strength(
        np.frombuffer(wav[: len(wav) // 2 * 2], "<i2").astype(np.float32) for wav in made
    )


def run(options: list[str], text: str) -> bytes:
    """Return espeak-ng's output for a text.

    Raises: InvokeBadRequestError, InvokeServerUnavailableError.
    """
    place = program()
    if place is None:
        raise InvokeBadRequestError("espeak-ng is not installed on this machine.", GET)
    try:
        done = subprocess.run(
            [place, *options], input=text.encode(), capture_output=True, check=True, timeout=SECONDS
        )
    except subprocess.CalledProcessError as error:
        told = (
            error.stderr.decode("utf-8", "replace").strip() or f"it ended with {error.returncode}"
        )
        raise InvokeServerUnavailableError(
            f"espeak-ng failed: {told}", "Install it again."
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvokeServerUnavailableError(
            f"espeak-ng failed: {error}", "Install it again."
        ) from error
    return done.stdout


SPEEDS = (0.5, 4.0)  # espeak-ng cannot speak more slowly


class EspeakCredentials(BaseModel):
    """The setting for the default voice."""

    model_config = ConfigDict(extra="ignore")

    default_voice: str = "en-us"


class EspeakText2Speech(Text2SpeechModel):
    """Speaks clause by clause. Voices are named by language. The audio formats are the same as
    Piper's.
    """

    extensions: ClassVar[frozenset[str]] = frozenset(
        {"voice", "speed", "audio_format", "sample_rate"}
    )

    def devices(self) -> list[str]:
        """Return the devices; the list is empty if espeak-ng is not installed."""
        return ["cpu"] if program() else []

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that espeak-ng is installed and has the default voice."""
        with validating():
            voice_of(read_settings(EspeakCredentials, credentials), None)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeBadRequestError: [ValueError, TypeError]}

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema, which is the same for every model."""
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
        """Return the voices of espeak-ng, or only those for a language if one is given."""
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
        tag = voice_of(read_settings(EspeakCredentials, credentials), voice)
        report("cpu")
        pieces = say(clauses(text), tag, speed)
        return in_form(pieces, RATE, sample_rate, audio_format, streaming=streaming)


def voice_of(wanted: EspeakCredentials, asked: str | None) -> str:
    """Return the tag of the named voice, or of the first voice that speaks the language.

    Raises: InvokeBadRequestError if espeak-ng does not have the voice,
    InvokeServerUnavailableError.
    """
    name = asked or wanted.default_voice
    voices = spoken()
    for voice in sorted(voices, key=lambda voice: voice.tag != name.lower()):
        if voice.speaks(name):
            return voice.tag
    shown = ", ".join(sorted(voice.tag for voice in voices)[:8])
    raise InvokeBadRequestError(
        f"There is no voice {name!r}.", f"Choose one by its language, {shown} …, or specify none."
    )
