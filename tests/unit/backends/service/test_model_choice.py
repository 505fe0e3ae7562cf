"""Which model is used where none is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backends.catalog.catalog import InstalledModel
from backends.catalog.entries import read_entries
from backends.copilot import NoModel
from backends.flexai.entities import EmbeddingUsage, ModelType, TextEmbeddingResult
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


class Embedding:
    """Notes which model is asked for vectors."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def invoke(self, provider: str, kind: ModelType, **arguments: Any) -> Any:
        self.asked.append(arguments["model"])
        vectors = [[1.0] * 384 for _ in arguments["texts"]]
        usage = EmbeddingUsage.model_construct()
        return TextEmbeddingResult.model_construct(embeddings=vectors, usage=usage)


async def test_questions_are_read_with_the_starter_embedder_whatever_else_is_here() -> None:
    shelf: Any = Shelf("multilingual-e5-small", "minilm-l6")
    workers: Any = Embedding()
    models = ServiceModels(shelf, workers)
    assert models.has_embedder()
    assert (await models.embed(["how many"])).shape == (1, 384)
    assert workers.asked == ["minilm-l6"]
    assert (
        models.installed(ModelType.TEXT_EMBEDDING, "multilingual-e5-small").entry.id
        == "multilingual-e5-small"
    )


async def test_another_embedder_never_takes_its_place_though_its_vectors_are_as_long() -> None:
    shelf: Any = Shelf("multilingual-e5-small")
    shelf.entry = lambda name: next(one for one in read_entries() if one.id == name)
    workers: Any = Embedding()
    models = ServiceModels(shelf, workers)
    assert not models.has_embedder()
    await models.warm()
    with pytest.raises(NoModel, match="starter embedder") as caught:
        await models.embed(["how many"])
    assert "pull minilm-l6" in caught.value.remedy
    assert workers.asked == []
    result = await models.embed_result(["a text"], None)
    assert (workers.asked, len(result.embeddings)) == (["multilingual-e5-small"], 1)
