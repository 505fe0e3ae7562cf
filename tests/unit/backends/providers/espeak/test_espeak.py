"""The system's voice: espeak-ng where it is installed, and words about it where it is not."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from backends.catalog import Catalog
from backends.catalog.errors import NotAModel, UnknownModel
from backends.catalog.other_programs import all_found, one_found
from backends.flexai.entities import ModelType
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeCancelledError,
    InvokeServerUnavailableError,
)
from backends.flexai.models import Text2SpeechModel
from backends.flexai.models.ai_model import cancellable
from backends.flexai.registry import Registry
from backends.service.models import ServiceModels
from backends.workers import Workers
from tests.models.speech import ESPEAK, PIPER, SYSTEM_VOICE, samples_of

if TYPE_CHECKING:
    from collections.abc import Generator

pytestmark = pytest.mark.slow

here = pytest.mark.skipif(not SYSTEM_VOICE, reason="espeak-ng is not installed on this machine")
REGISTRY = Registry({"espeak": "backends.providers.espeak"})


def espeak() -> Text2SpeechModel:
    return cast("Text2SpeechModel", REGISTRY.model("espeak", ModelType.TTS))


def said(text: str, **options: Any) -> bytes:
    return cast("bytes", espeak().invoke("system", ESPEAK, text, False, **options))


def script(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program of that name in the place of the system's."""
    place = folder / "espeak-ng"
    place.write_text(f"#!/bin/sh\n{body}\n")
    place.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@here
def test_each_language_has_its_voice_and_another_is_refused_by_name() -> None:
    english, german = said("seventeen"), said("seventeen", voice="de")
    assert english != german
    voices = espeak().get_tts_model_voices("system", ESPEAK, "en_US")
    assert {"name": "English (America)", "value": "en-us"} in voices
    assert {v["value"] for v in espeak().get_tts_model_voices("system", ESPEAK, "zh")} >= {"cmn"}
    with pytest.raises(InvokeBadRequestError, match="klingon") as caught:
        said("Hi", voice="klingon")
    assert "en-us" in caught.value.remedy or "af" in caught.value.remedy
    with pytest.raises(CredentialsValidateFailedError):
        espeak().validate_credentials("system", {"default_voice": "klingon"})


@here
@pytest.mark.parametrize("text", ["-v de", "--version", "[[a]] @ <mark>", "日本 and 5", "x" * 5000])
def test_a_text_is_never_taken_for_an_option(text: str) -> None:
    samples, rate = samples_of(said(text))
    assert rate == 22050
    assert samples.max() > 0.9


@here
def test_twice_the_speed_is_about_half_as_long_and_too_slow_is_told() -> None:
    text = "one two three four five six seven eight nine ten eleven twelve"
    assert 0.35 < len(said(text, speed=2.0)) / len(said(text)) < 0.65
    with pytest.raises(InvokeBadRequestError, match=r"0\.3"):
        said(text, speed=0.3)


@here
def test_a_cancelled_call_ends_between_two_clauses() -> None:
    cancelled = threading.Event()
    with cancellable(cancelled):
        pieces = cast(
            "Generator[bytes]", espeak().invoke("system", ESPEAK, "One. Two. Three.", True)
        )
        next(pieces)
        cancelled.set()
        with pytest.raises(InvokeCancelledError):
            next(pieces)


def test_where_it_is_not_installed_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert espeak().devices() == []
    with pytest.raises(InvokeBadRequestError, match="not installed") as caught:
        said("Hi")
    assert "apt install espeak-ng" in caught.value.remedy
    with pytest.raises(CredentialsValidateFailedError, match="not installed"):
        espeak().validate_credentials("system", ESPEAK)
    with pytest.raises(UnknownModel):
        one_found("system:espeak-ng", all_found(tmp_path, {"PATH": str(tmp_path)}))


def test_one_that_fails_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, "echo no data >&2; exit 3", monkeypatch)
    with pytest.raises(InvokeServerUnavailableError, match="no data") as caught:
        said("Hi")
    assert caught.value.remedy


@here
async def test_it_is_taken_in_by_name_and_speaks_what_no_other_voice_does(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [])
    found = catalog.adopt(one_found("system:espeak-ng"))
    assert (found.entry.id, found.entry.provider) == ("espeak-ng", "espeak")
    catalog.add(Path(PIPER["model_path"]), "tiny-voice")
    async with Workers(REGISTRY._modules) as workers:
        models = ServiceModels(catalog, workers)
        chosen = [models.voice(None, language).entry.id for language in (None, "en", "ja")]
        assert chosen == ["tiny-voice", "tiny-voice", "espeak-ng"]
        system = models.voice("espeak-ng", "ja")
        pieces = [p async for p in models.speak("はい", voice=system, options={"voice": "ja"})]
    assert b"".join(pieces)[:4] == b"RIFF"


def test_no_other_file_of_that_name_is_taken_for_it(tmp_path: Path) -> None:
    other = tmp_path / "espeak-ng"
    other.write_text("#!/bin/sh\ntouch ran\n")
    other.chmod(0o755)
    with pytest.raises(NotAModel):
        Catalog(tmp_path / "models", []).add(other)


@here
async def test_its_process_tells_what_it_computes_on() -> None:
    async with Workers({"espeak": "backends.providers.espeak"}) as workers:
        told = {"model": "system", "credentials": ESPEAK, "content_text": "Hi."}
        await workers.invoke("espeak", ModelType.TTS, **told)
        assert [loaded.device for loaded in workers.loaded()] == ["cpu"]
