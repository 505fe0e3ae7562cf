"""Whisper: any sound becomes text, or an error in words."""

from __future__ import annotations

import io
import shutil
import socket
import struct
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pytest

from backends.flexai.entities import ModelType, Transcript
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeCancelledError,
)
from backends.flexai.models import Speech2TextModel
from backends.flexai.models.ai_model import cancellable
from backends.flexai.registry import Registry
from backends.providers.faster_whisper import sound as pieces_module
from backends.providers.faster_whisper import speech2text
from tests.models.speech import SENTENCES, SHOW, WHISPER, at_rate, encoded, spoken, wav

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

REGISTRY = Registry({"faster_whisper": "backends.providers.faster_whisper"})


def whisper() -> Speech2TextModel:
    model = REGISTRY.model("faster_whisper", ModelType.SPEECH2TEXT)
    assert isinstance(model, Speech2TextModel)
    return model


def heard(file: io.BytesIO, **changes: str) -> str:
    return whisper().invoke("tiny", WHISPER | changes, file)


def transcribed(file: io.BytesIO, **options: Any) -> Transcript:
    return whisper().transcribe("tiny", WHISPER, file, **options)


FORMATS = {
    "mp3": (44100, "mp3", "libmp3lame"),
    "opus in ogg": (48000, "ogg", "libopus"),
    "flac": (44100, "flac", "flac"),
    "aac in m4a": (44100, "mp4", "aac"),
    "opus in webm": (48000, "webm", "libopus"),
    "24-bit wav": (48000, "wav", "pcm_s24le"),
    "float wav": (44100, "wav", "pcm_f32le"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_any_format_is_told_by_its_content(name: str) -> None:
    rate, container, codec = FORMATS[name]
    file = encoded(at_rate(*spoken(), rate), rate, container, codec)
    assert heard(file) == SHOW
    assert file.tell() == 0


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 44100, 48000])
@pytest.mark.parametrize("channels", [1, 2])
def test_any_rate_in_mono_and_stereo_is_heard(rate: int, channels: int) -> None:
    assert heard(wav(at_rate(*spoken(), rate), rate, channels)) == SHOW


def test_the_file_is_read_from_its_start_and_rewound() -> None:
    file = wav(*spoken())
    file.seek(1000)
    assert heard(file) == SHOW
    assert file.tell() == 0


def float_wav(samples: np.ndarray) -> io.BytesIO:
    data = samples.astype("<f4").tobytes()
    form = struct.pack("<HHIIHH", 3, 1, 16000, 64000, 4, 32)
    head = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<I", 16)
    return io.BytesIO(head + form + b"data" + struct.pack("<I", len(data)) + data)


BAD: dict[str, tuple[Callable[[], io.BytesIO], str]] = {
    "0 bytes": (io.BytesIO, "empty"),
    "a header without sound": (lambda: wav(np.zeros(0), 16000), "no sound"),
    "random bytes": (lambda: io.BytesIO(np.random.default_rng(1).bytes(4096)), "cannot be read"),
    "a text": (lambda: io.BytesIO(b"hello world " * 50), "cannot be read"),
    "a header cut short": (lambda: io.BytesIO(wav(*spoken()).getvalue()[:20]), "cannot be read"),
    "NaN": (lambda: float_wav(np.full(16000, np.nan)), "not numbers"),
    "infinite": (lambda: float_wav(np.full(16000, np.inf)), "not numbers"),
    "a playlist": (
        lambda: io.BytesIO(
            b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:9/x.ts\n"
        ),
        "cannot be read",
    ),
    "a script naming other files": (
        lambda: io.BytesIO(b"ffconcat version 1.0\nfile README.md\n"),
        "cannot be read",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_sound_is_refused_in_words_with_a_remedy(case: str) -> None:
    make, said = BAD[case]
    file = make()
    with pytest.raises(InvokeBadRequestError, match=said) as caught:
        heard(file)
    assert caught.value.remedy
    assert file.tell() == 0


@pytest.mark.parametrize("samples", [1, 160, 48000])
def test_silence_of_any_length_is_no_text_and_no_error(samples: int) -> None:
    written = transcribed(wav(np.zeros(samples, np.float32), 16000))
    assert (written.text, written.segments) == ("", [])
    assert written.duration == pytest.approx(samples / 16000, abs=0.001)


def test_noise_is_no_text() -> None:
    noise = np.random.default_rng(0).standard_normal(48000).astype(np.float32)
    assert heard(wav(noise * 0.05, 16000)) == ""


def test_a_stretch_damaged_in_the_middle_costs_only_itself() -> None:
    sound = np.concatenate(
        [spoken("Stop.")[0], np.zeros(22050 * 4, np.float32), spoken("Next page.")[0]]
    )
    data = bytearray(encoded(at_rate(sound, 22050, 44100), 44100, "mp3", "libmp3lame").getvalue())
    middle = len(data) // 2  # mp3 has as many bytes a second everywhere: this is the pause
    data[middle : middle + 3000] = bytes(3000)
    assert heard(io.BytesIO(bytes(data))) == "Stop. Next page."


def long_sound(count: int, pause_seconds: float = 0.7) -> tuple[np.ndarray, list[float], float]:
    """Return some sentences after one another at 22,050 Hz, when each begins, and how long it
    is.
    """
    parts, starts, at = [], [], 0
    for sentence in SENTENCES[:count]:
        sound = spoken(sentence)[0]
        starts.append(at / 22050)
        parts += [sound * 0.6, np.zeros(int(22050 * pause_seconds), np.float32)]
        at += len(parts[-2]) + len(parts[-1])
    return np.concatenate(parts), starts, at / 22050


def test_a_long_file_is_cut_at_pauses_whatever_the_blocks_it_is_read_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        pieces_module, "LONGEST_SECONDS", 4.0
    )  # this model knows few sentences at once
    sound, starts, duration = long_sound(16)
    texts = []
    for block in (120.0, 7.0):
        monkeypatch.setattr(speech2text, "BLOCK_SECONDS", block)
        written = transcribed(wav(sound, 22050))
        texts.append(written.text)
        assert written.duration == pytest.approx(duration, abs=0.01)
        assert written.language == "en"
        begun = [segment.start for segment in written.segments]
        assert len(begun) == 16
        assert np.abs(np.array(begun) - starts).max() < 0.8  # this model's clock ticks every 0.2 s
        ended = [segment.end for segment in written.segments]
        assert all(a <= b for a, b in zip(ended, begun[1:], strict=False))
    assert texts == [" ".join(SENTENCES[:16])] * 2


def test_steps_tell_how_far_it_has_listened() -> None:
    sound, _, duration = long_sound(2)
    steps = list(whisper().write("tiny", WHISPER, wav(sound, 22050)))
    assert [step.heard for step in steps] == sorted(step.heard for step in steps)
    assert steps[-1].heard == pytest.approx(duration, abs=0.01)
    assert steps[0].duration == pytest.approx(duration, abs=0.01)
    assert "".join(s.text for step in steps for s in step.segments).strip() == " ".join(
        SENTENCES[:2]
    )


def test_words_have_times_if_they_are_asked_for() -> None:
    assert not transcribed(wav(*spoken())).segments[0].words
    words = transcribed(wav(*spoken()), words=True).segments[0].words
    assert "".join(word.word for word in words).strip() == SHOW


def test_a_call_stops_between_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces_module, "LONGEST_SECONDS", 4.0)
    flag = threading.Event()
    file = wav(long_sound(16)[0], 22050)
    with cancellable(flag), pytest.raises(InvokeCancelledError):
        for _ in whisper().write("tiny", WHISPER, file):
            assert not flag.is_set(), "it went on"
            flag.set()
    assert file.tell() == 0


def test_a_language_is_checked_and_told() -> None:
    assert transcribed(wav(*spoken()), language="EN-us").language == "en"
    for language in ("de", "xx"):
        with pytest.raises(InvokeBadRequestError, match=language) as caught:
            transcribed(wav(*spoken()), language=language)
        assert "only English" in caught.value.remedy


def test_two_threads_share_a_model() -> None:
    found: dict[int, str] = {}

    def listen(number: int) -> None:
        found[number] = heard(wav(*spoken(SENTENCES[number])))

    threads = [threading.Thread(target=listen, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict(enumerate(SENTENCES[:4]))


@pytest.mark.parametrize(
    "missing", ["config.json", "model.bin", "tokenizer.json", "vocabulary.json"]
)
def test_a_folder_that_is_not_whole_is_refused_before_the_library_goes_online(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*_: Any) -> None:
        raise AssertionError("it went online")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    folder = tmp_path / "whisper"
    shutil.copytree(WHISPER["model_path"], folder)
    (folder / missing).unlink()
    with pytest.raises(InvokeBadRequestError, match=missing) as caught:
        heard(wav(*spoken()), model_path=str(folder))
    assert "download the model again" in caught.value.remedy
    with pytest.raises(CredentialsValidateFailedError, match=missing):
        whisper().validate_credentials("tiny", {"model_path": str(folder)})


def test_a_damaged_model_a_missing_folder_and_wrong_settings_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "whisper"
    shutil.copytree(WHISPER["model_path"], folder)
    whole = (folder / "model.bin").read_bytes()
    (folder / "model.bin").write_bytes(whole[: len(whole) // 2])
    for changes in (
        {"model_path": str(folder)},
        {"model_path": str(tmp_path / "nothing")},
        {"compute_type": "float99"},
        {"beam_size": "many"},
        {"device": "toaster"},
    ):
        with pytest.raises(InvokeBadRequestError) as caught:
            heard(wav(*spoken()), **changes)
        assert caught.value.remedy, changes


def test_a_file_that_was_replaced_is_loaded_anew(tmp_path: Path) -> None:
    folder = tmp_path / "whisper"
    shutil.copytree(WHISPER["model_path"], folder)
    assert heard(wav(*spoken()), model_path=str(folder)) == SHOW
    (folder / "model.bin").write_bytes(b"rubbish")
    with pytest.raises(InvokeBadRequestError):
        heard(wav(*spoken()), model_path=str(folder))
    shutil.copy(Path(WHISPER["model_path"]) / "model.bin", folder)
    assert heard(wav(*spoken()), model_path=str(folder)) == SHOW


def test_credentials_of_a_whole_model_are_accepted() -> None:
    whisper().validate_credentials("tiny", WHISPER)
    schema = whisper().get_model_schema("anything", WHISPER)
    assert schema is not None
    assert schema.fetch_from == "customizable-model"


def test_words_to_expect_that_make_it_repeat_itself_are_left_out() -> None:
    class Whisper:
        """Says one thing again and again where it is told to expect it."""

        asked: ClassVar[list[str | None]] = []

        def transcribe(self, samples: object, **options: Any) -> tuple[list[Any], Any]:
            self.asked.append(options["hotwords"])
            packed = 12.0 if options["hotwords"] == "tbilrate" else 1.1
            return [SimpleNamespace(compression_ratio=packed, text=options["hotwords"])], None

    whisper, piece = cast("Any", Whisper()), cast("Any", SimpleNamespace(samples=None))
    for hotwords, asked in ((None, [None]), ("sales", ["sales"]), ("tbilrate", ["tbilrate", None])):
        Whisper.asked.clear()
        found, _ = speech2text.transcribed(whisper, piece, {"hotwords": hotwords})
        assert Whisper.asked == asked
        assert all(segment.compression_ratio < 2.4 for segment in found)


def test_a_translation_is_another_task_of_the_library() -> None:
    from backends.providers.faster_whisper.speech2text import arguments

    assert arguments(1, "de", translate=True)["task"] == "translate"
    assert arguments(1, "de")["task"] == "transcribe"
