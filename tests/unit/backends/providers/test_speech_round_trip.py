"""Text, voice, text: what is spoken here is understood here."""

from __future__ import annotations

import io
from typing import Any, cast

import pytest

from backends.flexai.entities import ModelType
from backends.flexai.registry import Registry
from tests.models.speech import PIPER, SENTENCES, WHISPER

pytestmark = pytest.mark.slow

MODULES = {name: f"backends.providers.{name}" for name in ("piper", "faster_whisper")}


@pytest.mark.parametrize("speed", [0.8, 1.0])
def test_every_sentence_comes_back_word_for_word(speed: float) -> None:
    registry = Registry(MODULES)
    piper = cast("Any", registry.model("piper", ModelType.TTS))
    whisper = cast("Any", registry.model("faster_whisper", ModelType.SPEECH2TEXT))
    heard = [
        whisper.invoke(
            "tiny", WHISPER, io.BytesIO(piper.invoke("tiny", PIPER, text, False, speed=speed))
        )
        for text in SENTENCES
    ]
    assert len(heard) == 48
    assert heard == SENTENCES
