"""Speech into text and text into speech, in this process and through a worker: one contract."""

from __future__ import annotations

import io
from contextlib import aclosing
from typing import Any

import pytest

from backends.flexai.entities import ModelType, Transcript, TranscriptChunk
from backends.flexai.errors import CredentialsValidateFailedError, InvokeBadRequestError
from backends.flexai.registry import load_providers
from tests.contract.conftest import LOOPBACK, PROVIDERS, REMOTE, VOICE, registry
from tests.models.speech import (
    ESPEAK,
    PIPER,
    SENTENCES,
    SHOW,
    SYSTEM_VOICE,
    WHISPER,
    at_rate,
    encoded,
    samples_of,
    spoken,
    wav,
)

LISTENERS = [
    pytest.param("faster_whisper", {"model": "tiny", "credentials": WHISPER}, id="faster_whisper"),
    pytest.param(REMOTE, {"model": "tiny-faster_whisper", "credentials": LOOPBACK}, id="loopback"),
]
WITH_ESPEAK = pytest.mark.skipif(
    not SYSTEM_VOICE, reason="espeak-ng is not installed on this machine"
)
SPEAKERS = [
    pytest.param("piper", {"model": "tiny", "credentials": PIPER}, id="piper"),
    pytest.param(
        "espeak", {"model": "system", "credentials": ESPEAK}, id="espeak", marks=WITH_ESPEAK
    ),
    pytest.param(REMOTE, {"model": "tiny-piper", "credentials": VOICE}, id="loopback"),
]


def test_both_providers_are_installed_and_described() -> None:
    assert set(PROVIDERS) <= set(load_providers().names())
    for provider, kind in (("faster_whisper", ModelType.SPEECH2TEXT), ("piper", ModelType.TTS)):
        found = registry().provider(provider)
        assert found.entity.supported_model_types == [kind]
        form = found.entity.model_credential_schema
        assert form is not None
        assert form.credential_form_schemas[0].variable == "model_path"
        assert all(schema.model_type is kind for schema in found.schemas)


@pytest.mark.parametrize(("provider", "base"), LISTENERS)
class TestListeners:
    async def test_a_file_becomes_its_text_and_is_rewound(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        file = encoded(at_rate(*spoken(), 44100), 44100, "mp3", "libmp3lame")
        assert await models.invoke(provider, ModelType.SPEECH2TEXT, **base, file=file) == SHOW
        assert file.tell() == 0

    async def test_a_transcript_has_times_and_a_language(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        sound, rate = spoken()
        written = await models.call(
            provider, ModelType.SPEECH2TEXT, "transcribe", **base, file=wav(sound, rate), words=True
        )
        assert isinstance(written, Transcript)
        assert (written.text, written.language) == (SHOW, "en")
        assert written.duration == pytest.approx(len(sound) / rate, abs=0.01)
        segment = written.segments[0]
        assert 0 <= segment.start < segment.end <= written.duration + 0.2
        assert "".join(word.word for word in segment.words).strip() == SHOW

    async def test_a_transcript_is_told_while_it_is_written(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        arguments = base | {"file": wav(*spoken())}
        steps = [step async for step in models.stream(provider, ModelType.SPEECH2TEXT, **arguments)]
        assert all(isinstance(step, TranscriptChunk) for step in steps)
        assert "".join(s.text for step in steps for s in step.segments).strip() == SHOW
        assert steps[-1].heard == pytest.approx(steps[-1].duration, abs=0.05)

    @pytest.mark.parametrize("data", [b"", b"no sound at all " * 9], ids=["empty", "text"])
    async def test_what_is_no_sound_is_a_bad_request(
        self, models: Any, provider: str, base: dict[str, Any], data: bytes
    ) -> None:
        with pytest.raises(InvokeBadRequestError) as caught:
            await models.invoke(provider, ModelType.SPEECH2TEXT, **base, file=io.BytesIO(data))
        assert caught.value.text
        assert caught.value.remedy

    async def test_credentials_that_lead_nowhere_are_refused(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        nowhere = base | {"credentials": {"model_path": "/nowhere"}}
        with pytest.raises(CredentialsValidateFailedError) as caught:
            await models.call(provider, ModelType.SPEECH2TEXT, "validate_credentials", **nowhere)
        assert caught.value.remedy


@pytest.mark.parametrize(("provider", "base"), SPEAKERS)
class TestSpeakers:
    async def test_a_whole_sound_is_a_wav_and_the_stream_joined(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        said = base | {"content_text": f"{SHOW} {SENTENCES[0]}"}
        whole = await models.invoke(provider, ModelType.TTS, **said)
        pieces = [piece async for piece in models.stream(provider, ModelType.TTS, **said)]
        assert len(pieces) > 1
        assert pieces[0][:4] == whole[:4] == b"RIFF"
        assert b"".join(pieces)[44:] == whole[44:]
        samples, _ = samples_of(whole)
        assert 0.9 < samples.max() <= 1

    async def test_what_it_says_is_understood(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        sound = await models.invoke(provider, ModelType.TTS, **base, content_text=SENTENCES[0])
        file = io.BytesIO(sound)
        name, listener = "faster_whisper", {"model": "tiny", "credentials": WHISPER}
        assert (
            await models.invoke(name, ModelType.SPEECH2TEXT, **listener, file=file) == SENTENCES[0]
        )

    async def test_options_travel_and_unknown_ones_are_refused(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        said = base | {"content_text": SHOW}
        usual = await models.invoke(provider, ModelType.TTS, **said)
        fast = await models.invoke(provider, ModelType.TTS, **said, speed=2.0, audio_format="pcm")
        assert len(fast) < 0.6 * len(usual)
        for wrong in ({"voice": "nobody"}, {"pitch": 1}):
            with pytest.raises(InvokeBadRequestError) as caught:
                await models.invoke(provider, ModelType.TTS, **said, **wrong)
            assert caught.value.remedy

    async def test_its_voices_are_told(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        voices = await models.call(
            provider, ModelType.TTS, "get_tts_model_voices", **base, language="en"
        )
        assert voices
        assert set(voices[0]) == {"name", "value"}
        said = base | {"content_text": SHOW, "voice": voices[0]["value"]}
        assert await models.invoke(provider, ModelType.TTS, **said)

    @pytest.mark.parametrize("text", [" ", "😀", "...!?"])
    async def test_nothing_to_say_is_a_bad_request(
        self, models: Any, provider: str, base: dict[str, Any], text: str
    ) -> None:
        with pytest.raises(InvokeBadRequestError) as caught:
            await models.invoke(provider, ModelType.TTS, **base, content_text=text)
        assert caught.value.remedy

    async def test_a_hundred_thousand_characters_begin_soon_and_stop_when_nobody_listens(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        said = base | {"content_text": "show me the sales table " * 4200}
        async with aclosing(models.stream(provider, ModelType.TTS, **said)) as pieces:
            first = await anext(pieces)
        assert 44 < len(first) < 2 * 22050 * 20
        assert await models.invoke(provider, ModelType.TTS, **base, content_text="Stop.")
