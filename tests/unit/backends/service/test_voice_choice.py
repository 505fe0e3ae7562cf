"""Which voice speaks: the one named, where it knows the language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from backends.copilot import NoModel
from backends.flexai.entities import ModelType
from backends.service.models import ServiceModels


@dataclass
class Entry:
    id: str
    languages: list[str]
    type: ModelType = ModelType.TTS


@dataclass
class Found:
    entry: Entry


class Shelf:
    """Voices on this machine, and none one could fetch."""

    def __init__(self, *voices: tuple[str, list[str]]) -> None:
        self.voices = [Found(Entry(name, languages)) for name, languages in voices]

    def all_installed(self) -> list[Found]:
        return self.voices

    def entries(self) -> list[Entry]:
        return []


@pytest.mark.parametrize(
    ("named", "language", "chosen"),
    [
        (None, None, "joe"),
        (None, "zh", "huayan"),
        ("joe", "en", "joe"),
        ("joe", None, "joe"),
        ("joe", "zh", "huayan"),  # it would spell the characters out
        ("own", "zh", "own"),  # nobody said what it speaks
        ("joe", "ja", "own"),
    ],
)
def test_the_voice_one_chose_speaks_what_it_can_and_another_the_rest(
    named: str | None, language: str | None, chosen: str
) -> None:
    shelf: Any = Shelf(("joe", ["en"]), ("huayan", ["zh"]), ("own", []))
    unused: Any = None
    assert ServiceModels(shelf, unused).voice(named, language).entry.id == chosen


def test_where_none_knows_the_language_the_named_one_speaks_and_an_unnamed_one_is_missed() -> None:
    shelf: Any = Shelf(("joe", ["en"]))
    unused: Any = None
    models = ServiceModels(shelf, unused)
    assert models.voice("joe", "zh").entry.id == "joe"
    with pytest.raises(NoModel, match="speaks the language 'zh'"):
        models.voice(None, "zh")
    with pytest.raises(NoModel, match="speaks the language 'ja'") as caught:
        models.voice(None, "ja")
    assert "No Japanese voice for Piper is offered" in caught.value.remedy
