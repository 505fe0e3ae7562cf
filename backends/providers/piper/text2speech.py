"""Text-to-speech with Piper behind the FlexAI interface.

A Piper voice is split into two parts: an encoder for the text, and a decoder that produces audio
piece by piece.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections import deque
from dataclasses import dataclass
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
from backends.providers.speech import at_full_strength, check_form, clauses, in_form, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from onnxruntime import InferenceSession
    from piper import SynthesisConfig


FIRST_SECONDS = 0.2  # seconds of audio in the first step
# the next step must be ready within this share of a step's playing time, in case the machine gets
# busier
SHARE = 0.25
KEPT = 8  # number of runs whose durations are remembered


class Decoder:
    """Turns frames into audio, and records how long a frame takes. rate: samples per second. costs:
    seconds that earlier frames took.
    """

    def __init__(
        self, session: InferenceSession, halves: Halves, rate: int, costs: Iterable[float] = ()
    ) -> None:
        self._session = session
        self._reach = halves.reach
        self._hop = halves.hop
        self._seconds = halves.hop / rate  # playing time of a frame in seconds
        self._costs = deque(costs, KEPT)

    def whole(self, given: dict[str, np.ndarray]) -> np.ndarray:
        """Return the audio of all frames at once: float32, shape (samples,)."""
        return self._run(given, 0, frames_in(given))

    def soon(self, given: dict[str, np.ndarray]) -> Iterator[np.ndarray]:
        """Yield the same samples in steps. Each step is ready well before the previous one has been
        played.

        If the machine is too slow for that, or its speed is not known yet, all samples come at
        once.
        """
        count, done = frames_in(given), 0
        step = self._first()
        while done < count:
            end = count if not 0 < step < count - done else done + step
            yield self._run(given, done, end)
            done, step = end, self._after(end - done)

    def _first(self) -> int:
        step = round(FIRST_SECONDS / self._seconds)
        return step if self._costs and self._after(step) >= step else 0

    def _after(self, step: int) -> int:
        """Return how many frames can be computed while this many are being played; 0 or less if the
        time is too short even for the overlap on both sides.
        """
        return int(step * self._seconds * SHARE / max(self._costs)) - 2 * self._reach

    def _run(self, given: dict[str, np.ndarray], begin: int, end: int) -> np.ndarray:
        count, begun = frames_in(given), time.perf_counter()
        first, last = max(0, begin - self._reach), min(count, end + self._reach)
        part = {
            name: (
                np.ascontiguousarray(value[..., first:last]) if value.shape[-1] == count else value
            )
            for name, value in given.items()
        }
        sound: Any = self._session.run(None, part)[0]
        self._costs.append((time.perf_counter() - begun) / (last - first))
        return sound.reshape(-1)[(begin - first) * self._hop : (end - first) * self._hop]


def frames_in(given: dict[str, np.ndarray]) -> int:
    """Return the number of frames. The inputs may also include a speaker's embedding, which has a
    length of one.
    """
    return max(value.shape[-1] for value in given.values())


# prefix of the decoder's nodes in every voice that Piper's training exports
DECODER = "/dec/"
# Operators that read only their own position, and operators that move positions. The latter may
# occur only at the end of a decoder. A decoder with any operators other than these and convolutions
# is not split.
PLACED = frozenset("Add Cast Constant Div Identity LeakyRelu Mul Relu Tanh".split())  # noqa: SIM905
MOVED = frozenset("Reshape Squeeze Transpose Unsqueeze".split())  # noqa: SIM905


@dataclass(frozen=True)
class Halves:
    """A voice split into two ONNX files.

    given: the tensors passed from the first file to the second. reach: how many frames on either
    side of a frame also affect its audio. hop: how many samples one frame produces.
    """

    frames: Path
    decoder: Path
    given: list[str]
    reach: int
    hop: int


def halves_of(path: Path, folder: Path) -> Halves | None:
    """Write the two halves of a voice to a folder. Return None if its graph has no decoder built
    from convolutions.

    Raises: the errors that `onnx` raises for a bad file.
    """
    import onnx
    from onnx.utils import Extractor

    model = onnx.load(path)
    output = model.graph.output[0].name
    given = given_to_decoder(model.graph)
    if not given:
        return None
    for name in given:
        model.graph.value_info.append(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
        )
    cut = Extractor(model)
    decoder = cut.extract_model(given, [output])
    looks = sight_of(decoder.graph, given)
    if looks is None:
        return None
    frames = cut.extract_model([one.name for one in model.graph.input], given)
    halves = Halves(folder / "frames.onnx", folder / "decoder.onnx", given, *looks)
    onnx.save(frames, halves.frames)
    onnx.save(decoder, halves.decoder)
    return halves


def given_to_decoder(graph: Any) -> list[str]:
    """Return the tensors that a decoder's nodes take from other nodes, not counting constants."""
    nodes = [node for node in graph.node if node.name.startswith(DECODER)]
    known = {name for node in nodes for name in node.output} | {
        one.name for one in graph.initializer
    }
    known |= {name for node in graph.node if node.op_type == "Constant" for name in node.output}
    return list(
        dict.fromkeys(name for node in nodes for name in node.input if name and name not in known)
    )


def sight_of(decoder: Any, given: list[str]) -> tuple[int, int] | None:
    """Return how many frames a decoder reads on either side, and how many samples one frame
    produces; None if this is unknown.
    """
    # for each tensor: how many frames on either side it depends on, and how many of its positions
    # belong to one frame
    seen = dict.fromkeys(given, (0.0, 1))
    moved = set[str]()
    for node in decoder.node:
        sources = [seen[name] for name in node.input if name in seen]
        if not sources:
            continue
        if node.op_type in MOVED:
            moved |= set(node.output)
        elif moved & set(node.input):
            return None
        reach, places = max(reach for reach, _ in sources), max(places for _, places in sources)
        shape = {one.name: list(one.ints) for one in node.attribute}
        if node.op_type == "Conv" and shape.get("strides", [1]) == [1]:
            reach += (shape["kernel_shape"][0] - 1) * shape.get("dilations", [1])[0] / 2 / places
        elif node.op_type == "ConvTranspose":
            stride = shape["strides"][0]
            reach += shape["kernel_shape"][0] / stride / places
            places *= stride
        elif node.op_type not in PLACED | MOVED:
            return None
        seen |= dict.fromkeys(node.output, (reach, places))
    reach, places = seen[decoder.output[0].name]
    return math.ceil(reach), places


FETCH = "Its files are incomplete; download the voice again, or copy both files."
EXTRAS = {"pinyin": "zh", "japanese": "ja", "thai": "th", "hebrew": "he"}

# it would log a warning for each unknown letter
logging.getLogger("piper.phoneme_ids").setLevel(logging.ERROR)


class PiperCredentials(BaseModel):
    """The location of the voice, its speaker, and the number of threads."""

    model_config = ConfigDict(protected_namespaces=(), extra="ignore")

    model_path: Path
    default_voice: str | None = None
    n_threads: int = Field(default=2, ge=0)
    device: Device = "auto"


class LoadedVoice:
    """A loaded voice. rate: samples per second. speakers: name to number; empty if there is a
    single speaker.
    """

    def __init__(self, wanted: PiperCredentials, config: dict[str, Any]) -> None:
        from piper import PiperVoice
        from piper.config import PiperConfig

        def opened(model: Path, threads: int) -> Any:
            # it speaks while a language model is computing
            return open_session(model, threads, wanted.device, patient=True)

        read = PiperConfig.from_dict(config)
        self.rate = read.sample_rate
        self.speakers = dict(read.speaker_id_map)
        # a session opened from bytes would keep these in memory
        with TemporaryDirectory() as folder:
            halves = halves_of(wanted.model_path, Path(folder))
            # a frame consists of thousands of small steps; waking another thread for each of them
            # takes longer than it saves
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
        self._loudest: dict[int | None, float] = {}  # by speaker: the peak of the speech so far

    def say(
        self, pieces: Iterator[str], speaker: int | None, speed: float, *, soon: bool
    ) -> Iterator[np.ndarray]:
        """Yield 16-bit mono samples piece by piece. If `soon` is set, the first piece comes in
        steps.
        """
        from piper import SynthesisConfig

        scale = self._voice.config.length_scale / speed
        wanted = SynthesisConfig(speaker_id=speaker, length_scale=scale, normalize_audio=False)
        # the volume of later steps is not known yet
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
    """Return the voice in a file. A loaded voice is reloaded if its files or the number of threads
    have changed.

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
    """Return the path of the JSON file that belongs to a voice."""
    return path.with_name(path.name + ".json")


def find(file: Path) -> Path:
    """Return a file, which must exist.

    Raises: InvokeBadRequestError.
    """
    if not file.is_file():
        raise InvokeBadRequestError(f"{file.name} is missing from {file.parent}.", FETCH)
    return file


def read_config(path: Path) -> dict[str, Any]:
    """Return the contents of a voice's JSON file.

    Raises: InvokeBadRequestError if the file is missing or does not describe a voice.
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
    """Speaks clause by clause; a stream starts with the first clause.

    The audio is a WAV file with 16-bit mono samples unless `audio_format` is "pcm". Its sample rate
    is the voice's own unless `sample_rate` is given. The WAV header of a stream says that the
    length is unknown.
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
        """Return the schema of any voice file that no YAML file describes."""
        return self.customizable(model, model_properties={"audio_type": "wav"})

    def get_tts_model_voices(
        self, model: str, credentials: dict[str, Any], language: str | None = None
    ) -> list[dict[str, str]]:
        """Return the speakers named in the voice's JSON file; if it names none, there is a single
        speaker.
        """
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
    """Return the number of a speaker, or None if the voice has only one.

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
        f"There is no voice {name!r}.", f"Choose one of {shown}, or specify none."
    )
