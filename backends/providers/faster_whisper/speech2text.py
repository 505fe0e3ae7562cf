"""Speech-to-text with Whisper behind the FlexAI interface; each model folder is loaded once, on
first use.
"""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from backends.flexai.devices import Device, build_for, choose, report
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
    native_errors,
)
from backends.flexai.models import Speech2TextModel, validating
from backends.flexai.models.ai_model import stop_if_cancelled
from backends.flexai.models.speech_models import Writing, gather
from backends.flexai.schema import read_settings
from backends.providers.faster_whisper.sound import open_sound, pieces
from backends.providers.onnx_session import load_nvidia_libraries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from faster_whisper import WhisperModel
    from faster_whisper.transcribe import Segment, TranscriptionInfo

    from backends.providers.faster_whisper.sound import SpeechPiece


FETCH = "Its folder is incomplete; download the model again, or copy all of its files."
# Without tokenizer.json, the library would download one, whatever its options are.
BUILDS = {"cuda": build_for("cuda"), "cpu": ""}
NEEDED = (
    ("config.json",),
    ("model.bin",),
    ("tokenizer.json",),
    ("vocabulary.json", "vocabulary.txt"),
)


class WhisperCredentials(BaseModel):
    """The location of the model and how to run it.

    compute_type: None for int8 on the CPU and float16 on a GPU. n_threads: 0 for the engine's
    default.
    """

    model_config = ConfigDict(protected_namespaces=(), extra="ignore")

    model_path: Path
    device: Device = "auto"
    compute_type: str | None = None
    n_threads: int = Field(default=0, ge=0)
    beam_size: int = Field(default=5, ge=1)


_models: dict[Path, tuple[str, WhisperModel]] = {}
_lock = threading.Lock()


def model_for(wanted: WhisperCredentials) -> WhisperModel:
    """Return the model in a folder. A loaded model is replaced if the settings or files have
    changed.

    Raises: InvokeBadRequestError.
    """
    check_folder(wanted.model_path)
    file = (wanted.model_path / "model.bin").stat()
    key = f"{wanted.model_dump_json(exclude={'beam_size'})} {file.st_mtime_ns} {file.st_size}"
    with _lock:
        known = _models.get(wanted.model_path)
        if known is None or known[0] != key:
            _models.pop(wanted.model_path, None)
            _models[wanted.model_path] = key, load(wanted)
        return _models[wanted.model_path][1]


def check_folder(folder: Path) -> None:
    """Check that a folder holds a complete model before the library opens it.

    Raises: InvokeBadRequestError.
    """
    if not folder.is_dir():
        raise InvokeBadRequestError(
            f"There is no folder {folder}.", "Specify the folder of a Whisper model."
        )
    for names in NEEDED:
        if not any((folder / name).is_file() for name in names):
            raise InvokeBadRequestError(f"{names[0]} is missing from {folder}.", FETCH)


def load(wanted: WhisperCredentials) -> WhisperModel:
    """Load a model.

    Raises: InvokeBadRequestError for a damaged file, or a device or compute type that this machine
    lacks.
    """
    from faster_whisper import WhisperModel

    device = choose(wanted.device, whisper_devices(), "faster-whisper", BUILDS)

    def damaged(error: Exception) -> InvokeBadRequestError:
        return InvokeBadRequestError(
            f"The model in {wanted.model_path} cannot be loaded: {error}",
            "If the message names CUDA or a driver, set the device to cpu; otherwise a file is "
            "damaged, so download the model again.",
        )

    try:
        with native_errors(damaged, OSError, RuntimeError, LookupError, TypeError):
            model = WhisperModel(
                str(wanted.model_path),
                device=device,
                compute_type=wanted.compute_type or ("int8" if device == "cpu" else "float16"),
                cpu_threads=wanted.n_threads,
                local_files_only=True,
            )
    except ValueError as error:  # a compute type that the device lacks
        raise InvokeBadRequestError(
            f"The model cannot run with these settings: {error}.",
            "Leave compute_type empty, or choose int8.",
        ) from error
    report(device)
    return model


def whisper_devices() -> list[str]:
    """Return the devices of CTranslate2, best first."""
    from ctranslate2 import get_cuda_device_count

    if not get_cuda_device_count():
        return ["cpu"]
    load_nvidia_libraries()
    return ["cuda", "cpu"]


REPEATS = (
    # maximum compression ratio, Whisper's own limit; repetitive text compresses better
    2.4
)
# seconds decoded at a time, so an hour of audio needs no more memory than two minutes
BLOCK_SECONDS = 120.0


class FasterWhisperSpeech2Text(Speech2TextModel):
    """Transcribes audio in any format. Long files are processed in pieces, cut at pauses.

    A call can be stopped between segments, but not during an encoder pass, which covers up to 30 s
    of speech.
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
        """Return the schema of any Whisper folder that no YAML file describes."""
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
                    "This model knows only English and cannot translate.",
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
                    language = language or info.language  # detected only once, where speech starts
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
    """Return the arguments for the library's `transcribe`. If no temperature is given, the library
    tries increasing ones.
    """
    ladder = {} if temperature is None else {"temperature": temperature}
    return ladder | {
        "beam_size": beam_size,
        "language": language,
        "initial_prompt": prompt,
        "hotwords": hotwords,
        "word_timestamps": words,
        "task": "translate" if translate else "transcribe",
        # otherwise a repetition would continue to the end of the file
        "condition_on_previous_text": False,
    }


def transcribed(
    whisper: WhisperModel, piece: SpeechPiece, options: dict[str, Any]
) -> tuple[Iterable[Segment], TranscriptionInfo]:
    """Return a transcript. If the expected words make the model repeat text endlessly, they are not
    used.
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
            "It knows only English; choose a multilingual model."
            if len(known) == 1
            else "Send an ISO 639-1 code such as en, zh or de, or none.",
        )
    return code


def segments(piece: SpeechPiece, found: Iterable[Segment]) -> Iterator[TranscriptSegment]:
    """Yield the segments that the library found, with their times converted to times in the
    file.
    """
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
