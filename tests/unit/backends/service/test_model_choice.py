"""Which language model answers where none is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backends.catalog.catalog import InstalledModel
from backends.catalog.entries import read_entries
from backends.flexai.entities import ModelType
from backends.service.models import ServiceModels


class Shelf:
    """Models of the catalogue on this machine, in its order."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def all_installed(self) -> list[InstalledModel]:
        return [
            InstalledModel(entry, Path("/nowhere"), 0, dict(entry.credentials))
            for entry in read_entries()
            if entry.id in self.names
        ]


@pytest.mark.parametrize(
    ("here", "chosen"),
    [
        (("smollm2-135m",), "smollm2-135m"),
        (("smollm2-135m", "qwen2.5-coder-1.5b"), "qwen2.5-coder-1.5b"),
    ],
)
def test_the_model_that_reads_questions_answers_before_the_starter(
    here: tuple[str, ...], chosen: str
) -> None:
    shelf: Any = Shelf(*here)
    unused: Any = None
    assert ServiceModels(shelf, unused).installed(ModelType.LLM).entry.id == chosen
