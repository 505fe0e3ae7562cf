"""Speech-to-text with Whisper behind the FlexAI interface."""

from __future__ import annotations

from contextlib import closing
from typing import IO, TYPE_CHECKING, Any

from backends.flexai.cancellation import stop_if_cancelled
from backends.flexai.entities import (
    AIModelEntity,
    TranscriptChunk,
    TranscriptSegment,
    TranscriptWord,
)
from backends.flexai.errors import (
    InvokeBadRequestError,
    InvokeError,
    UnsupportedParameterError,
)
from backends.flexai.models import Speech2TextModel, validating
from backends.flexai.models.speech2text_model import Writing, gather
from backends.flexai.schema import read_settings
from backends.providers.faster_whisper.engines import WhisperCredentials, model_for, whisper_devices
from backends.providers.faster_whisper.sound import open_sound, pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from faster_whisper import WhisperModel
    from faster_whisper.transcribe import Segment, TranscriptionInfo

    from backends.providers.faster_whisper.sound import SpeechPiece

REPEATS = (
    # maximum compression ratio; text that repeats itself compresses better: Whisper's own limit
    2.4
)
# decoded at a time, so an hour of sound needs no more memory than two minutes
BLOCK_SECONDS = 120.0


class FasterWhisperSpeech2Text(Speech2TextModel):
    """Transcribes any format; long files are processed in pieces, cut at pauses.

    A call can be stopped between segments, but not during an encoder pass of up to 30 s of speech.
    """

    translates = True

    def devices(self) -> list[str]:
        """Return the devices of CTranslate2, best first."""
        return whisper_devices()

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the folder holds a model that can be loaded."""
        with validating():
            model_for(read_settings(WhisperCredentials, credentials))

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeBadRequestError: [ValueError, TypeError]}

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema of any other Whisper folder."""
        return self.customizable(model)

    def _invoke(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], user: str | None = None
    ) -> str:
        return gather(self._write(model, credentials, file)).text

    def _write(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], **options: Any
    ) -> Writing:
        wanted = read_settings(WhisperCredentials, credentials)
        file.seek(0)
        with closing(open_sound(file)) as sound:
            whisper = model_for(wanted)
            if options.get("translate") and not whisper.model.is_multilingual:
                raise UnsupportedParameterError(
                    "This model knows English only and translates nothing.",
                    "Choose a multilingual model.",
                    "model",
                )
            language = check_language(whisper, options.pop("language", None))
            with closing(sound.blocks(BLOCK_SECONDS)) as blocks:
                for piece, heard in pieces(blocks):
                    stop_if_cancelled()
                    if piece is None:
                        yield TranscriptChunk(
                            heard=heard, duration=sound.duration, language=language
                        )
                        continue
                    found, info = transcribed(
                        whisper, piece, arguments(wanted.beam_size, language, **options)
                    )
                    language = language or info.language  # detected once, in the first speech
                    for segment in segments(piece, found):
                        stop_if_cancelled()
                        at = min(heard, segment.end or heard)
                        yield TranscriptChunk(
                            segments=[segment], heard=at, duration=sound.duration, language=language
                        )


def arguments(
    beam_size: int,
    language: str | None,
    prompt: str | None = None,
    hotwords: str | None = None,
    temperature: float | None = None,
    words: bool = False,
    translate: bool = False,
) -> dict[str, Any]:
    """Return the arguments for the library's `transcribe`. Without a temperature, the library tries
    increasing ones.
    """
    ladder = {} if temperature is None else {"temperature": temperature}
    return ladder | {
        "beam_size": beam_size,
        "language": language,
        "initial_prompt": prompt,
        "hotwords": hotwords,
        "word_timestamps": words,
        "task": "translate" if translate else "transcribe",
        # otherwise one repetition continues to the end of the file
        "condition_on_previous_text": False,
    }


def transcribed(
    whisper: WhisperModel, piece: SpeechPiece, options: dict[str, Any]
) -> tuple[Iterable[Segment], TranscriptionInfo]:
    """Return a transcript. Expected words are dropped if they make the model repeat one
    endlessly.
    """
    found, info = whisper.transcribe(piece.samples, **options)
    if options["hotwords"]:
        found = list(found)
        if any(segment.compression_ratio > REPEATS for segment in found):
            plain: dict[str, Any] = options | {"hotwords": None}
            return whisper.transcribe(piece.samples, **plain)
    return found, info


def check_language(whisper: WhisperModel, language: str | None) -> str | None:
    """Return the language of the transcript; None if the model should detect it.

    Raises: InvokeBadRequestError if the model does not know the language.
    """
    known = whisper.supported_languages
    if not whisper.model.is_multilingual:
        known = ["en"]
    if language is None:
        return None if len(known) > 1 else known[0]
    code = language.lower().replace("_", "-").partition("-")[0]
    if code not in known:
        raise InvokeBadRequestError(
            f"This model does not know the language {language!r}.",
            "It knows English only; choose a multilingual model."
            if len(known) == 1
            else "Send a code of ISO 639-1 such as en, zh, de, or none.",
        )
    return code


def segments(piece: SpeechPiece, found: Iterable[Segment]) -> Iterator[TranscriptSegment]:
    """Yield the segments that the library found, with times relative to the file."""
    for segment in found:
        yield TranscriptSegment(
            start=round(piece.original(segment.start), 3),
            end=round(piece.original(segment.end), 3),
            text=segment.text,
            words=[
                TranscriptWord(
                    word=word.word,
                    start=round(piece.original(word.start), 3),
                    end=round(piece.original(word.end), 3),
                )
                for word in segment.words or []
            ],
            tokens=segment.tokens,
            avg_logprob=segment.avg_logprob,
            no_speech_prob=segment.no_speech_prob,
            compression_ratio=segment.compression_ratio,
            temperature=segment.temperature,
        )
