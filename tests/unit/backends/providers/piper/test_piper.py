"""Piper: text becomes sound clause by clause, or an error in words."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.flexai.entities import ModelType
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeCancelledError,
)
from backends.flexai.models import Text2SpeechModel
from backends.flexai.models.ai_model import cancellable
from backends.flexai.registry import Registry
from backends.providers.speech import LONGEST, clauses, header, speakable
from tests.models.speech import PIPER, SHOW, samples_of, spoken

if TYPE_CHECKING:
    from collections.abc import Generator

REGISTRY = Registry({"piper": "backends.providers.piper"})
LONG = (
    "This is a rather long sentence, with a comma in it, that goes on for quite a while before it"
    " ends."
)


def piper() -> Text2SpeechModel:
    model = REGISTRY.model("piper", ModelType.TTS)
    assert isinstance(model, Text2SpeechModel)
    return model


def said(text: str, credentials: dict[str, Any] = PIPER, **options: Any) -> bytes:
    sound = piper().invoke("tiny", credentials, text, False, **options)
    assert isinstance(sound, bytes)
    return sound


def streamed(text: str, **options: Any) -> Generator[bytes]:
    return cast("Generator[bytes]", piper().invoke("tiny", PIPER, text, True, **options))


def test_a_sentence_sounds_as_raw_piper_makes_it() -> None:
    samples, rate = samples_of(said(SHOW))
    expected, expected_rate = spoken(SHOW)
    assert rate == expected_rate
    assert np.abs(samples - expected).max() < 1e-3


def test_a_stream_is_a_header_of_unknown_length_and_the_same_samples_clause_by_clause() -> None:
    pieces = list(streamed(LONG + " The end."))
    assert len(pieces) == 3
    whole = said(LONG + " The end.")
    assert pieces[0][:44] == header(22050)
    assert b"".join(pieces)[44:] == whole[44:]
    assert whole[:44] == header(22050, len(whole) - 44)


def test_the_first_piece_of_a_long_sentence_is_short() -> None:
    assert list(clauses(LONG)) == [
        "This is a rather long sentence,",
        "with a comma in it, that goes on for quite a while before it ends.",
    ]


PIECES = {
    "Yes. No! Really?": ["Yes.", "No!", "Really?"],
    "It cost 3.14 dollars at 10:30, or 1,200 in all. Good.": [
        "It cost 3.14 dollars at 10:30,",
        "or 1,200 in all.",
        "Good.",
    ],
    "Dr. Smith met J. Doe, e.g. at noon. He left.": [
        "Dr. Smith met J. Doe,",
        "e.g. at noon.",
        "He left.",
    ],
    "1. First of all\n2. Second": ["1. First of all", "2. Second"],
    "See https://example.com/a,b?c=d:e. Done.": ["See https://example.com/a,b?c=d:e.", "Done."],
    "Well, no. Really.": ["Well, no.", "Really."],
    "你好,今天天气很好。我们去公园吧！": ["你好,今天天气很好。", "我们去公园吧！"],
    "一二三四五六七八,九十；再见。": ["一二三四五六七八,九十；", "再见。"],
    "“Stop!” she said. “Why?”": ["“Stop!”", "she said.", "“Why?”"],
    "… ! , -": [],
}


@pytest.mark.parametrize("text", PIECES)
def test_text_is_cut_where_a_speaker_would_breathe(text: str) -> None:
    assert list(clauses(text)) == PIECES[text]


@given(st.text(alphabet=st.sampled_from("abc1 .,!?\n:;。，"), max_size=1500))
def test_cutting_loses_no_word_and_makes_no_piece_too_long(text: str) -> None:
    pieces = list(clauses(text))
    assert all(len(piece) <= LONGEST for piece in pieces)
    letters = [c for c in text if c.isalnum()]
    assert [c for piece in pieces for c in piece if c.isalnum()] == letters


@pytest.mark.slow
def test_a_hundred_thousand_characters_without_a_full_stop_come_piece_by_piece() -> None:
    text = "show me the sales table " * 4200
    assert len(text) > 100_000
    pieces = list(streamed(text))
    assert len(pieces) > 400
    longest = max(len(piece) for piece in pieces) / 2 / 22050
    assert longest < 30  # seconds: what a voice makes at once needs memory by its length
    assert len(list(clauses("x" * 100_000))) == pytest.approx(100_000 / LONGEST, abs=2)


@pytest.mark.parametrize("text", ["😀", "👩‍👩‍👧‍👦 🇩🇪 ❤️ 1️⃣"[:-3], "...!?", "—", "\0", "\ud800"])
def test_text_without_words_is_refused_with_a_remedy(text: str) -> None:
    for streaming in (False, True):
        with pytest.raises(InvokeBadRequestError, match="no words") as caught:
            list(cast("Any", piper().invoke("tiny", PIPER, text, streaming)))
        assert caught.value.remedy
    with pytest.raises(InvokeBadRequestError):
        said("  \n")


def test_emoji_control_characters_and_raw_phonemes_are_not_spoken() -> None:
    plain = said("Hello world")
    assert said("Hello 😀 world") == plain
    assert said("Hello \0\ud800 world") == plain
    assert speakable("[[ hɛloʊ ]] 20 °C ©") == "[ hɛloʊ ]] 20 °C ©"


@pytest.mark.parametrize("text", ["Привет", "你好", "مرحبا", "It is 3.14% of $1,200.", "a" * 5000])
def test_other_scripts_numbers_and_endless_words_make_some_sound(text: str) -> None:
    assert len(said(text)) > 1000


def test_a_speed_of_two_takes_half_as_long() -> None:
    usual, fast, slow = (len(said(LONG, speed=s)) for s in (1.0, 2.0, 0.5))
    assert usual / fast == pytest.approx(2, rel=0.15)
    assert slow / usual == pytest.approx(2, rel=0.15)


def test_samples_alone_at_a_rate_one_names() -> None:
    wav_samples = said(LONG)[44:]
    assert said(LONG, audio_format="pcm") == wav_samples
    faster = said(LONG, audio_format="pcm", sample_rate=24000)
    assert len(faster) == pytest.approx(len(wav_samples) * 24000 / 22050, rel=0.001)
    assert b"".join(streamed(LONG, audio_format="pcm", sample_rate=24000)) == faster
    assert samples_of(said(LONG, sample_rate=8000))[1] == 8000


@pytest.mark.parametrize(
    "options",
    [
        {"speed": 0.0},
        {"speed": 99},
        {"speed": float("nan")},
        {"audio_format": "mp3"},
        {"sample_rate": 5},
        {"voice": "nobody"},
        {"pitch": 2},
    ],
)
def test_options_it_cannot_take_are_refused_in_words(options: dict[str, Any]) -> None:
    with pytest.raises(InvokeBadRequestError) as caught:
        said(SHOW, **options)
    assert caught.value.remedy


def test_a_stream_stops_between_clauses_when_it_is_cancelled_or_closed() -> None:
    flag = threading.Event()
    with cancellable(flag):
        pieces = streamed("One more time. " * 1000)
        next(pieces)
        flag.set()
        with pytest.raises(InvokeCancelledError):
            next(pieces)
    other = streamed("One more time. " * 1000)
    next(other)
    other.close()


def changed(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    """Return the credentials of a copy of the voice whose JSON says something else."""
    voice = tmp_path / "voice.onnx"
    shutil.copy(PIPER["model_path"], voice)
    config = json.loads(Path(PIPER["model_path"] + ".json").read_text("utf-8")) | changes
    (tmp_path / "voice.onnx.json").write_text(json.dumps(config))
    return PIPER | {"model_path": str(voice)}


def test_voices_are_those_of_the_voices_json(tmp_path: Path) -> None:
    single = [{"name": "en_US-tiny-medium", "value": "en_US-tiny-medium"}]
    assert piper().get_tts_model_voices("tiny", PIPER) == single
    assert piper().get_tts_model_voices("tiny", PIPER, "en") == single
    assert piper().get_tts_model_voices("tiny", PIPER, "de") == []
    assert said(SHOW, voice="en_US-tiny-medium") == said(SHOW, voice="") == said(SHOW)
    several = changed(tmp_path, speaker_id_map={"ann": 0, "bob": 1})
    assert [v["value"] for v in piper().get_tts_model_voices("tiny", several)] == ["ann", "bob"]
    assert said(SHOW, several, voice="bob") == said(
        SHOW
    )  # this voice has one speaker whatever it says
    with pytest.raises(InvokeBadRequestError, match="carl") as caught:
        said(SHOW, several | {"default_voice": "carl"})
    assert "ann, bob" in caught.value.remedy


def test_a_missing_or_damaged_voice_is_refused_with_a_remedy(tmp_path: Path) -> None:
    other = changed(tmp_path, phoneme_type="klingon")
    nothing = PIPER | {"model_path": str(tmp_path / "none.onnx")}
    for credentials in (other, nothing, PIPER | {"n_threads": "two"}):
        with pytest.raises(InvokeBadRequestError) as caught:
            said(SHOW, credentials)
        assert caught.value.remedy
        with pytest.raises(CredentialsValidateFailedError):
            piper().validate_credentials("tiny", credentials)
    voice = Path(other["model_path"])
    beside = voice.with_name("voice.onnx.json")
    for damage in ("{", "[]", "{}"):
        beside.write_text(damage)
        with pytest.raises(InvokeBadRequestError, match=r"voice.onnx.json"):
            said(SHOW, other)
    changed(tmp_path)
    voice.write_bytes(b"x" * 1000)
    with pytest.raises(InvokeBadRequestError, match="cannot be loaded"):
        said(SHOW, other)


def test_a_voice_whose_language_needs_more_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(InvokeBadRequestError, match="not installed") as caught:
        said("你好", changed(tmp_path, phoneme_type="japanese"))
    assert "piper-tts[ja]" in caught.value.remedy


def test_four_threads_share_a_voice() -> None:
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(said(LONG))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
