"""OCR on every provider that does it, with graphs that take every dark bar for the letter A."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from backends.flexai.entities import ModelType
from backends.flexai.errors import CredentialsValidateFailedError, InvokeBadRequestError
from tests.models.ocr import HIGH, SIZE, WIDE, picture, write_graphs

if TYPE_CHECKING:
    from pathlib import Path

READERS = ["onnxruntime"]
BARS = [(100, 100), (100, 300), (100, 500), (600, 120), (600, 320), (600, 520)]  # two columns


@pytest.fixture(scope="session")
def ocr_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ocr")
    write_graphs(folder)
    return folder


def base(folder: Path) -> dict[str, Any]:
    credentials = {"model_path": str(folder), "n_threads": "1", "device": "cpu"}
    return {"model": "tiny-ocr", "credentials": credentials}


@pytest.mark.parametrize("provider", READERS)
class TestReaders:
    async def test_lines_come_column_by_column_with_their_places(
        self, models: Any, provider: str, ocr_folder: Path
    ) -> None:
        pixels = io.BytesIO(picture(BARS[::-1]).tobytes())
        size = {"width": SIZE[0], "height": SIZE[1]}
        found = await models.invoke(
            provider, ModelType.OCR, **base(ocr_folder), **size, picture=pixels
        )
        assert [line.text for line in found.lines] == ["A"] * 6
        for line, (left, top) in zip(found.lines, BARS, strict=True):
            assert 0.9 < line.score <= 1
            x0, y0, x1, y1 = line.box
            assert x0 <= left < left + WIDE <= x1
            assert y0 <= top < top + HIGH <= y1
            assert (x1 - x0, y1 - y0) < (2 * WIDE, 3 * HIGH)

    async def test_a_blank_page_has_no_lines(
        self, models: Any, provider: str, ocr_folder: Path
    ) -> None:
        pixels = io.BytesIO(picture([]).tobytes())
        size = {"width": SIZE[0], "height": SIZE[1]}
        found = await models.invoke(
            provider, ModelType.OCR, **base(ocr_folder), **size, picture=pixels
        )
        assert found.lines == []

    @pytest.mark.parametrize(("width", "height"), [(10, 11), (0, 0), (-10, -10), (10**6, 10**6)])
    async def test_a_picture_of_another_size_is_a_bad_request(
        self, models: Any, provider: str, ocr_folder: Path, width: int, height: int
    ) -> None:
        size = {"width": width, "height": height}
        with pytest.raises(InvokeBadRequestError, match="are not a readable image of"):
            await models.invoke(
                provider,
                ModelType.OCR,
                **base(ocr_folder),
                **size,
                picture=io.BytesIO(b"x" * 100),
            )

    async def test_a_damaged_or_missing_graph_is_told(
        self, models: Any, provider: str, ocr_folder: Path, tmp_path: Path
    ) -> None:
        check = (provider, ModelType.OCR, "validate_credentials")
        assert await models.call(*check, **base(ocr_folder)) is None
        with pytest.raises(CredentialsValidateFailedError, match=r"find\.onnx is missing"):
            await models.call(*check, **base(tmp_path))
        (tmp_path / "find.onnx").write_bytes((ocr_folder / "find.onnx").read_bytes())
        (tmp_path / "read.onnx").write_bytes(b"damaged")
        with pytest.raises(CredentialsValidateFailedError, match="cannot be loaded"):
            await models.call(*check, **base(tmp_path))
