"""Speech into text and text into speech over HTTP, with OpenAI's own client and the tiny models."""

from __future__ import annotations

import io
import json
import os
import signal
import wave
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import openai
import pytest
from openai.types.audio import TranscriptionVerbose

from backends.catalog import Catalog
from tests.models.speech import PIPER, SENTENCES, SHOW, WHISPER, at_rate, encoded, spoken, wav
from tests.service.conftest import Service, start, stop

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAR, SAY = "/v1/audio/transcriptions", "/v1/audio/speech"


def running(folder: Path, repository: Path) -> Iterator[Service]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(folder / "home"))
        patch.setenv("DESKPILOT_MODELS", str(folder / "models"))
        service = start(repository, "--no-warm")
    yield service
    stop(service)


@pytest.fixture(scope="module")
def speaking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("speaking")
    catalog = Catalog(folder / "models")
    catalog.add(Path(WHISPER["model_path"]), "tiny-whisper", link=True)
    catalog.add(Path(PIPER["model_path"]), "tiny-voice", link=True)
    yield from running(folder, Path(__file__).resolve().parents[2])


@pytest.fixture
def openai_client(speaking: Service) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(
        base_url=f"{speaking.url}/v1", api_key=speaking.token, max_retries=0
    ) as client:
        yield client


def test_a_sentence_spoken_by_the_service_is_written_down_by_it(
    openai_client: openai.OpenAI,
) -> None:
    for text in SENTENCES[:6]:
        sound = openai_client.audio.speech.create(
            model="tiny-voice", voice="alloy", input=text, response_format="wav"
        ).read()
        heard = openai_client.audio.transcriptions.create(
            model="tiny-whisper", file=("said.wav", sound)
        )
        assert heard.text == text


def two_sentences() -> io.BytesIO:
    pause = np.zeros(22050, np.float32)
    samples = np.concatenate([spoken(SENTENCES[1])[0], pause, spoken(SENTENCES[2])[0]])
    return encoded(at_rate(samples, 22050, 44100), 44100, "mp3", "libmp3lame")


def test_a_transcript_comes_in_every_format_openai_has(openai_client: openai.OpenAI) -> None:
    create = openai_client.audio.transcriptions.create
    text = f"{SENTENCES[1]} {SENTENCES[2]}"
    base: dict[str, Any] = {"model": "tiny-whisper", "language": "en"}
    assert create(**base, file=two_sentences()).text == text
    assert create(**base, file=two_sentences(), response_format="text").strip() == text
    verbose = create(
        **base,
        file=two_sentences(),
        response_format="verbose_json",
        timestamp_granularities=["word", "segment"],
    )
    assert isinstance(verbose, TranscriptionVerbose)
    assert (verbose.text, verbose.language) == (text, "en")
    assert verbose.segments
    assert verbose.words
    assert [s.text.strip() for s in verbose.segments] == SENTENCES[1:3]
    assert 0 <= verbose.segments[0].start < verbose.segments[0].end <= verbose.segments[1].start
    assert verbose.segments[1].end <= verbose.duration + 0.3
    srt = create(**base, file=two_sentences(), response_format="srt").split("\n\n")
    assert srt[0].split("\n")[0] == "1"
    assert srt[0].split("\n")[2] == SENTENCES[1]
    assert srt[1].split("\n")[1].count(" --> 00:00:0") == 1
    vtt = create(**base, file=two_sentences(), response_format="vtt")
    assert vtt.startswith("WEBVTT\n\n00:00:0")
    assert SENTENCES[2] in vtt


def test_a_transcript_streams_and_tells_how_far_it_is(openai_client: openai.OpenAI) -> None:
    stream = openai_client.audio.transcriptions.create(
        model="tiny-whisper", file=two_sentences(), stream=True, response_format="srt"
    )
    events: list[Any] = list(stream)
    deltas = [e for e in events if e.type == "transcript.text.delta"]
    assert "".join(e.delta for e in deltas).strip() == f"{SENTENCES[1]} {SENTENCES[2]}"
    assert [e.heard for e in deltas] == sorted(e.heard for e in deltas)
    assert events[-1].type == "transcript.text.done"
    assert events[-1].text.startswith("1\n00:00:0")
    assert len(events[-1].segments) == 2


def test_speech_streams_as_wav_clause_by_clause_and_as_raw_samples(
    openai_client: openai.OpenAI,
) -> None:
    text = " ".join(SENTENCES[:8])
    make = openai_client.audio.speech.with_streaming_response.create
    with make(model="tiny-voice", voice="", input=text, response_format="wav") as answer:
        assert answer.headers["content-type"] == "audio/wav"
        parts = list(answer.iter_bytes())
    assert len(parts) > 3
    with wave.open(io.BytesIO(b"".join(parts))) as reader:
        assert (reader.getframerate(), reader.getnchannels(), reader.getsampwidth()) == (
            22050,
            1,
            2,
        )
    with make(model="tiny-voice", voice="nova", input=text, response_format="pcm") as answer:
        raw = answer.read()
    seconds = (sum(map(len, parts)) - 44) / 2 / 22050
    assert len(raw) / 2 / 24000 == pytest.approx(seconds, rel=0.001)
    fast = openai_client.audio.speech.create(
        model="tiny-voice", voice="en_US-tiny-medium", input=text, response_format="pcm", speed=2.0
    )
    assert len(fast.read()) < 0.6 * len(raw)


def test_no_model_named_means_the_one_there_is(speaking: Service) -> None:
    with speaking.client() as client:
        sound = client.post(SAY, json={"input": SHOW}).content
        said = client.post(HEAR, files={"file": ("x.bin", sound)}).json()
        listed = {m["id"]: m["type"] for m in client.get("/v1/models").json()["data"]}
    assert said["text"] == SHOW
    assert listed == {"tiny-whisper": "speech2text", "tiny-voice": "tts"}


BAD_SOUND: dict[str, tuple[int, bytes, dict[str, str]]] = {
    "0 bytes": (400, b"", {}),
    "a text": (400, b"hello world " * 99, {}),
    "half a header": (400, wav(*spoken()).getvalue()[:20], {}),
    "a header without sound": (400, wav(np.zeros(0), 16000).getvalue(), {}),
    "a language it does not know": (400, wav(*spoken()).getvalue(), {"language": "tlh"}),
    "a model that is not here": (404, wav(*spoken()).getvalue(), {"model": "whisper-1"}),
    "a voice for a listener": (404, wav(*spoken()).getvalue(), {"model": "tiny-voice"}),
    "a format nobody has": (422, wav(*spoken()).getvalue(), {"response_format": "pdf"}),
    "a temperature out of range": (422, wav(*spoken()).getvalue(), {"temperature": "7"}),
}


@pytest.mark.parametrize("stream", ["false", "true"])
def test_sound_that_cannot_be_written_down_is_refused_in_words(
    speaking: Service, stream: str
) -> None:
    with speaking.client() as client:
        for case, (status, data, form) in BAD_SOUND.items():
            answer = client.post(
                HEAR, files={"file": ("a.wav", data)}, data=form | {"stream": stream}
            )
            assert answer.status_code == status, case
            assert answer.json()["error"]["message"], case
        assert client.post(HEAR, data={"model": "tiny-whisper"}).status_code == 422


BAD_TEXT: dict[str, tuple[int, dict[str, Any]]] = {
    "nothing": (400, {"input": " "}),
    "emoji alone": (400, {"input": "😀"}),
    "a voice nobody has": (400, {"input": "Hi", "voice": "carl"}),
    "a speed nobody understands": (400, {"input": "Hi", "speed": 40}),
    "a format that is not made": (422, {"input": "Hi", "response_format": "midi"}),
    "a stream of events": (422, {"input": "Hi", "stream_format": "sse"}),
    "instructions": (400, {"input": "Hi", "instructions": "Whisper."}),
    "a model that is not here": (404, {"input": "Hi", "model": "tts-1"}),
}


def test_text_that_cannot_be_spoken_is_refused_in_words(speaking: Service) -> None:
    with speaking.client() as client:
        for case, (status, body) in BAD_TEXT.items():
            answer = client.post(SAY, json=body)
            assert answer.status_code == status, case
            assert answer.json()["error"]["message"], case


def test_a_caller_who_stops_listening_stops_the_voice_and_the_next_is_served(
    speaking: Service,
) -> None:
    endless = {"input": "show me the sales table " * 4200}
    with speaking.client() as client:
        with client.stream("POST", SAY, json=endless) as answer:
            assert next(answer.iter_bytes())[:1] == b"\xff"  # of MP3, while it is spoken
        assert client.post(SAY, json={"input": "Stop."}, timeout=10).status_code == 200


def test_a_voice_killed_in_mid_sentence_breaks_the_sound_off_and_the_next_speaks(
    speaking: Service,
) -> None:
    endless = {"input": "show me the sales table " * 4200}
    with speaking.client() as client:
        with (
            pytest.raises(httpx.RemoteProtocolError),
            client.stream("POST", SAY, json=endless) as answer,
        ):
            parts = answer.iter_bytes()
            next(parts)
            loaded = client.get("/v1/manage/models").json()["loaded"]
            os.kill(next(w["pid"] for w in loaded if w["type"] == "tts"), signal.SIGKILL)
            for _ in parts:
                pass
        assert client.post(SAY, json={"input": "Stop."}).status_code == 200


def half_an_hour() -> bytes:
    pause = np.zeros(22050 * 2, np.float32)
    some = np.concatenate([np.concatenate([spoken(s)[0] * 0.6, pause]) for s in SENTENCES[:10]])
    return wav(np.tile(some, 1 + 1800 * 22050 // len(some)), 22050).getvalue()


def test_a_transcript_nobody_waits_for_ends_and_the_next_file_is_written_down(
    speaking: Service,
) -> None:
    long = half_an_hour()
    with speaking.client() as client:
        with client.stream(
            "POST", HEAR, files={"file": ("a.wav", long)}, data={"stream": "true"}
        ) as answer:
            assert b"transcript.text.delta" in next(answer.iter_bytes())
            before = [
                w
                for w in client.get("/v1/manage/models").json()["loaded"]
                if w["type"] == "speech2text"
            ]
        said = client.post(HEAR, files={"file": ("b.wav", wav(*spoken()).getvalue())}, timeout=10)
        assert said.json()["text"] == SHOW
        after = [
            w
            for w in client.get("/v1/manage/models").json()["loaded"]
            if w["type"] == "speech2text"
        ]
        assert [w["pid"] for w in after] == [w["pid"] for w in before]


def test_a_listener_killed_in_mid_file_is_told_in_the_stream_and_the_next_file_is_heard(
    speaking: Service,
) -> None:
    with speaking.client() as client:
        with client.stream(
            "POST", HEAR, files={"file": ("a.wav", half_an_hour())}, data={"stream": "true"}
        ) as answer:
            parts = answer.iter_text()
            text = next(parts)
            loaded = client.get("/v1/manage/models").json()["loaded"]
            os.kill(next(w["pid"] for w in loaded if w["type"] == "speech2text"), signal.SIGKILL)
            text += "".join(parts)
        assert "InvokeServerUnavailableError" in text.rstrip().splitlines()[-1]
        assert "transcript.text.done" not in text
        said = client.post(HEAR, files={"file": ("b.wav", wav(*spoken()).getvalue())})
        assert said.json()["text"] == SHOW


def test_without_speech_models_it_says_exactly_what_to_fetch(
    tmp_path: Path, repository: Path
) -> None:
    for service in running(tmp_path, repository):
        with service.client() as client:
            heard = client.post(HEAR, files={"file": ("a.wav", b"x")})
            said = client.post(SAY, json={"input": "Hi"})
        assert heard.status_code == said.status_code == 404
        assert (
            heard.json()["error"]["message"]
            == "There is no speech recognition model on this machine. Download one with: deskpilot"
            " models pull whisper-base (148 MB, multilingual); or whisper-tiny-en (71 MB, en)"
        )
        assert (
            "deskpilot models pull piper-en-joe (58 MB, en); or piper-de-thorsten (63 MB, de)"
            in (said.json()["error"]["message"])
        )
        assert (
            json.loads((tmp_path / "home" / "service.json").read_text())["token"] == service.token
        )


def test_a_voice_is_chosen_by_language_and_a_missing_one_is_named(speaking: Service) -> None:
    with speaking.client() as client:
        assert client.post(SAY, json={"input": "Yes.", "language": "en"}).status_code == 200
        answer = client.post(SAY, json={"input": "好。", "language": "zh"})
        assert answer.status_code >= 400
        told = answer.json()["error"]["message"]
        assert "'zh'" in told
        assert "deskpilot models pull piper-zh-huayan (" in told
        named = client.post(SAY, json={"input": "Yes.", "language": "zh", "model": "tiny-voice"})
        assert named.status_code == 200
