"""The terminal asks the service to read a picture, by the one client there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from app.adapters.model_service.client import ServiceEmbedder
from app.domain.errors import ModelServiceError
from backends.catalog.entries import CatalogEntry, LocalFile, LocalSource, write_mark
from backends.flexai.entities import ModelType
from tests.models.ocr import SIZE, picture, write_graphs
from tests.service.conftest import start, stop

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Address:
    """Where the service is."""

    url: str
    headers: dict[str, str]

    async def address(self) -> Address:
        return self


def install(folder: Path) -> None:
    """Let a model of the tests count as installed."""
    folder.mkdir(parents=True)
    write_graphs(folder)
    files = [LocalFile(name=f.name, bytes=f.stat().st_size) for f in folder.iterdir()]
    entry = CatalogEntry(
        id="tiny-ocr",
        name="tiny",
        type=ModelType.OCR,
        provider="onnxruntime",
        model="tiny-ocr",
        licence="none",
        languages=["multilingual"],
        good_for="tests",
        source=LocalSource(kind="local", files=files),
        credentials={"model_path": "."},
    )
    write_mark(folder, entry)


async def test_a_picture_is_read_and_one_that_is_none_is_told(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_HOME", str(tmp_path))
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    install(tmp_path / "models" / "tiny-ocr")
    service = start(repository)
    place = Address(service.url, {"Authorization": f"Bearer {service.token}"})
    client = ServiceEmbedder(place)  # type: ignore[arg-type]
    try:
        (model,) = (await client.retrieval()).ocr
        assert (model.id, model.languages) == ("tiny-ocr", frozenset({"*"}))
        assert model.key.startswith("tiny-ocr@")
        lines = await client.read_picture(model.id, *SIZE, picture([(100, 300)]).tobytes())
        assert [line.text for line in lines] == ["A"]
        left, top, right, bottom = lines[0].box
        assert left <= 100 < right
        assert top <= 300 < bottom
        with pytest.raises(ModelServiceError, match="not a readable image of 900 by 1000"):
            await client.read_picture(model.id, *SIZE, b"short")
        with pytest.raises(ModelServiceError, match="no OCR model 'nobody'"):
            await client.read_picture("nobody", *SIZE, b"short")
    finally:
        await client.aclose()
        stop(service)
