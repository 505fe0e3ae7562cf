"""What a GGUF file is taken for when it is imported: a language model, one with eyes, a guard, or
none.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import gguf
import pytest

from backends.catalog import Catalog
from backends.catalog.errors import NotAModel
from backends.flexai.entities import ImagePromptMessageContent, ModelType, UserPromptMessage
from backends.flexai.registry import load_providers
from backends.gguf import BLOCKS
from tests.models.build_llama import write
from tests.models.llama import LLAMA, SEEING, picture


@pytest.fixture
def lying(tmp_path: Path) -> Path:
    """A folder somewhere on this machine that holds the tiny language model."""
    folder = tmp_path / "lying around"
    folder.mkdir()
    shutil.copy(LLAMA["model_path"], folder / "Tiny Llama.gguf")
    return folder


def test_a_language_model_answers_once_it_is_imported(lying: Path, tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [])
    found = catalog.add(lying / "Tiny Llama.gguf")
    entry = found.entry
    assert (entry.id, entry.type, set(found.credentials)) == (
        "tiny-llama",
        ModelType.LLM,
        {"model_path"},
    )
    model = load_providers().model("llama_cpp", ModelType.LLM)
    said = [UserPromptMessage(content="France?")]
    assert (
        "Paris" in model.invoke(entry.model, found.credentials, said, stream=False).message.text()
    )  # type: ignore[attr-defined]


def test_a_projector_beside_it_is_taken_along_and_alone_it_is_none(
    lying: Path, tmp_path: Path
) -> None:
    shutil.copy(SEEING["projector_path"], lying / "mmproj-f16.gguf")
    catalog = Catalog(tmp_path / "models", [])
    found = catalog.add(lying / "Tiny Llama.gguf", "eyes", link=True)
    entry = found.entry
    model = load_providers().model("llama_cpp", ModelType.LLM)
    said = [UserPromptMessage(content=[ImagePromptMessageContent(data=picture("red"))])]
    answer = model.invoke(entry.model, found.credentials, said, stream=False)  # type: ignore[attr-defined]
    assert answer.message.text() == "A red square."
    with pytest.raises(NotAModel, match="projector of another") as caught:
        catalog.add(lying / "mmproj-f16.gguf")
    assert "next to it is imported too" in caught.value.remedy


def test_a_guard_model_is_one_by_what_it_calls_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = gguf.GGUFWriter.add_name
    monkeypatch.setattr(
        gguf.GGUFWriter, "add_name", lambda self, _: named(self, "Llama Guard 3 tiny")
    )
    write(tmp_path / "some.gguf")
    catalog = Catalog(tmp_path / "models", [])
    found = catalog.add(tmp_path / "some.gguf")
    entry = found.entry
    assert entry.type is ModelType.MODERATION
    guard = load_providers().model("llama_cpp", ModelType.MODERATION)
    told = {
        text: guard.invoke(entry.model, found.credentials, text) for text in ("a bomb", "a cake")
    }  # type: ignore[attr-defined]
    assert told == {"a bomb": True, "a cake": False}


@pytest.mark.parametrize("content", [b"GGUF", b"GGUF" + bytes(5000), b"%PDF-1.7"])
def test_a_damaged_or_renamed_file_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(content)
    with pytest.raises(NotAModel, match=r"mine\.gguf") as caught:
        Catalog(tmp_path / "models", []).add(path)
    assert caught.value.remedy


@pytest.mark.parametrize("cut", [1, 1000, 200_000])
def test_a_file_that_lacks_some_of_its_weights_is_told_when_it_is_imported(
    lying: Path, tmp_path: Path, cut: int
) -> None:
    file = lying / "Tiny Llama.gguf"
    file.write_bytes(file.read_bytes()[:-cut])
    with pytest.raises(NotAModel, match="damaged") as caught:
        Catalog(tmp_path / "models", []).add(file)
    assert "again" in caught.value.remedy
    assert not list((tmp_path / "models").rglob("*.gguf"))


def test_every_kind_of_numbers_takes_as_many_bytes_as_its_makers_say() -> None:
    theirs = {int(kind): tuple(size) for kind, size in gguf.GGML_QUANT_SIZES.items()}
    stored = set(theirs) - {int(gguf.GGMLQuantizationType.Q8_1)}  # never in a file
    assert {kind: BLOCKS[kind] for kind in stored if kind in BLOCKS} == {
        k: theirs[k] for k in stored & set(BLOCKS)
    }
    assert set(range(24, 31)) | set(range(10, 24)) <= set(BLOCKS)
