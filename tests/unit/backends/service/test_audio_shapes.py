"""Subtitles, options and limits of the sound routes, without a service."""

from __future__ import annotations

import io
from typing import Any

import pytest
from fastapi import UploadFile

from backends.flexai.entities import ModelType, Transcript, TranscriptSegment
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.registry import Registry
from backends.service.routes.audio import (
    MOST_BYTES,
    NamedVoice,
    SpeechRequest,
    contents,
    srt,
    verbose,
    vtt,
)

ECHO = Registry({"echo": "tests.echo_provider"})


def transcript(*segments: TranscriptSegment) -> Transcript:
    text = "".join(segment.text for segment in segments).strip()
    return Transcript(text=text, segments=list(segments), duration=9.0)


def test_times_are_written_to_the_millisecond_and_past_the_hour() -> None:
    told = transcript(
        TranscriptSegment(start=0.0, end=1.9996, text=" One."),
        TranscriptSegment(start=3725.04, end=3726.5, text=" Two."),
    )
    assert srt(told) == (
        "1\n00:00:00,000 --> 00:00:02,000\nOne.\n\n2\n01:02:05,040 --> 01:02:06,500\nTwo.\n\n"
    )
    assert vtt(told).startswith("WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nOne.\n\n")


def test_no_text_can_break_the_subtitles_it_stands_in() -> None:
    told = transcript(
        TranscriptSegment(start=0, end=1, text=" a --> b\n\n2\nc "),
        TranscriptSegment(start=1, end=2, text=" "),
    )
    assert srt(told) == "1\n00:00:00,000 --> 00:00:01,000\na → b 2 c\n\n"


def test_nothing_said_is_no_cue() -> None:
    assert srt(transcript()) == ""
    assert vtt(transcript()) == "WEBVTT\n\n"


def test_a_model_without_times_gives_text_and_no_subtitles() -> None:
    listener: Any = ECHO.model("echo", ModelType.SPEECH2TEXT)
    told = listener.transcribe("echo", {}, io.BytesIO(b"fLaC" + bytes(20)), language="en")
    assert told.text == "flac of 24 bytes"
    for made in (srt, vtt):
        with pytest.raises(InvokeBadRequestError, match="no times") as caught:
            made(told)
        assert caught.value.remedy
    assert verbose(told)["segments"][0]["end"] is None


def test_a_voice_without_the_extensions_says_so() -> None:
    speaker: Any = ECHO.model("echo", ModelType.TTS)
    assert speaker.invoke("echo", {}, "Hi", False, voice=None) == b"Hi"
    for streaming in (False, True):
        with pytest.raises(InvokeBadRequestError, match="speed") as caught:
            speaker.invoke("echo", {}, "Hi", streaming, speed=2.0)
        assert caught.value.remedy
    assert speaker.get_tts_model_voices("echo", {}) == []


@pytest.mark.parametrize(
    ("voice", "meant"),
    [("alloy", None), ("", ""), (None, None), ("ann", "ann"), (NamedVoice(id="bob"), "bob")],
)
def test_openais_voices_mean_the_models_own(voice: Any, meant: str | None) -> None:
    assert SpeechRequest(input="Hi", voice=voice).options(False)["voice"] == meant
    assert SpeechRequest(input="Hi", voice=voice, language="de").options(True)["voice"] == (
        meant or "de"
    )
    assert (
        SpeechRequest(input="Hi", voice=voice, response_format="pcm").options(False)["sample_rate"]
        == 24000
    )


async def test_a_file_too_large_to_travel_is_refused_before_it_is_read() -> None:
    assert (await contents(UploadFile(io.BytesIO(b"abc"), size=3))).read() == b"abc"
    with pytest.raises(InvokeBadRequestError, match="401 MB") as caught:
        await contents(UploadFile(io.BytesIO(b"abc"), size=MOST_BYTES + 1_000_000))
    assert "MP3" in caught.value.remedy
