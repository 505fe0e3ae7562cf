"""A model in several GGUF files: recognised by any, sized, fetched, taken in, loaded through the
first.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
from pathlib import Path
from typing import Any

import gguf
import pytest

from backends.catalog import Catalog
from backends.catalog.__main__ import from_web
from backends.catalog.download import addresses_of
from backends.catalog.entries import CatalogEntry
from backends.catalog.errors import NotAModel, NotReachable, NotTheFile
from backends.catalog.other_programs import all_found
from backends.flexai.entities import LLMResult, ModelType, UserPromptMessage
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.registry import load_providers
from backends.gguf import bytes_of, missing_parts, own_name, parts_of
from backends.providers.llama_cpp.llm import LlamaCppLLM
from backends.service.memory import Needs
from backends.workers import ModelDemand
from tests.loopback_hub import Hub, serving
from tests.models.build_llama import write

pytestmark = pytest.mark.slow

NAMES = ["tiny-00001-of-00002.gguf", "tiny-00002-of-00002.gguf"]
SAID = [UserPromptMessage(content="France?")]


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the tiny language model in two parts."""
    folder = tmp_path_factory.mktemp("cut")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gguf, "GGUFWriter", functools.partial(gguf.GGUFWriter, split_max_tensors=6))
        write(folder / "tiny.gguf")
    assert sorted(file.name for file in folder.iterdir()) == NAMES
    return folder


@pytest.fixture
def half(cut: Path, tmp_path: Path) -> Path:
    """A folder that lacks the second part."""
    (tmp_path / "half").mkdir()
    shutil.copy(cut / NAMES[0], tmp_path / "half")
    return tmp_path / "half"


def answer(credentials: dict[str, Any]) -> str:
    given = credentials | {"n_ctx": "512", "n_threads": "1"}
    result = LlamaCppLLM("llama_cpp").invoke("m", given, SAID, {"temperature": 0.0}, stream=False)
    assert isinstance(result, LLMResult)
    return result.message.text()


def test_parts_are_told_by_their_names(cut: Path) -> None:
    both = [cut / name for name in NAMES]
    assert parts_of(cut / NAMES[0]) == parts_of(cut / NAMES[1]) == both
    assert missing_parts(both[0]) == []
    assert bytes_of(both[1]) == sum(part.stat().st_size for part in both)
    assert own_name(both[1]) == "tiny"
    for other in (
        "tiny.gguf",
        "tiny-00003-of-00002.gguf",
        "tiny-00000-of-00000.gguf",
        "a-1-of-2.gguf",
    ):
        assert parts_of(Path(other)) == [Path(other)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("link", [True, False])
def test_it_is_imported_by_any_part_and_answers(
    cut: Path, tmp_path: Path, name: str, link: bool
) -> None:
    catalog = Catalog(tmp_path / "models", [])
    found = catalog.add(cut / name, link=link)
    assert (found.entry.id, found.entry.type) == ("tiny", ModelType.LLM)
    assert found.entry.size_bytes == bytes_of(cut / name)
    assert "Paris" in answer(found.credentials)
    need = Needs(catalog, load_providers()).need(
        ModelDemand("llama_cpp", ModelType.LLM, "tiny", found.credentials | {"n_ctx": "512"})
    )
    assert need > bytes_of(cut / name)


def test_it_is_loaded_through_the_first_part_whichever_is_named(cut: Path) -> None:
    assert "Paris" in answer({"model_path": str(cut / NAMES[1])})


def test_a_missing_part_is_named_when_it_is_imported_and_when_it_is_loaded(
    half: Path, tmp_path: Path
) -> None:
    with pytest.raises(NotAModel, match=r"2 parts.*tiny-00002-of-00002\.gguf") as caught:
        Catalog(tmp_path / "models", []).add(half / NAMES[0])
    assert caught.value.remedy
    with pytest.raises(
        InvokeBadRequestError, match=r"2 parts.*tiny-00002-of-00002\.gguf"
    ) as refused:
        answer({"model_path": str(half / NAMES[0])})
    assert refused.value.remedy


def test_a_part_that_is_cut_short_is_one_sentence(cut: Path, half: Path) -> None:
    (half / NAMES[1]).write_bytes((cut / NAMES[1]).read_bytes()[:5000])
    with pytest.raises(InvokeBadRequestError, match="cannot be loaded"):
        answer({"model_path": str(half / NAMES[0])})


def test_a_part_that_goes_away_makes_the_model_one_that_is_not_here(
    cut: Path, tmp_path: Path
) -> None:
    catalog = Catalog(tmp_path / "models", [])
    found = catalog.add(cut / NAMES[0])
    (found.folder / "model-00002-of-00002.gguf").unlink()
    assert catalog.installed("tiny") is None


def test_another_programs_model_in_parts_is_used_in_place_once_it_is_whole(
    cut: Path, half: Path
) -> None:
    home = half.parent / "home"
    place = home / ".lmstudio" / "models" / "someone" / "tiny-GGUF"
    shutil.copytree(half, place)
    assert all_found(home, {}) == []
    shutil.copy(cut / NAMES[1], place)
    (found,) = all_found(home, {})
    assert (found.name, found.bytes) == ("lmstudio:tiny", bytes_of(cut / NAMES[0]))
    assert "Paris" in answer(Catalog(half.parent / "models", []).adopt(found).credentials)


def test_all_parts_are_fetched_from_the_address_of_one(cut: Path, tmp_path: Path) -> None:
    files = {f"Q4/{name}": (cut / name).read_bytes() for name in NAMES}
    with serving(Hub("some/model", "c" * 40, files)) as hub:
        address = f"{hub.address}/some/model/resolve/main/Q4/{NAMES[1]}?download=true"
        assert [a.rpartition("/")[2] for a in addresses_of(address)] == [
            f"{n}?download=true" for n in NAMES
        ]
        catalog = Catalog(tmp_path / "models", [])
        with pytest.raises(NotTheFile, match="hash of its own"):
            from_web(catalog, address, "a" * 64, None, lambda _: None)
        assert "Paris" in answer(from_web(catalog, address, "", None, lambda _: None).credentials)
        del hub.files[f"Q4/{NAMES[1]}"]
        with pytest.raises(NotReachable, match=r"tiny-00002-of-00002\.gguf"):
            from_web(Catalog(tmp_path / "other", []), address, "", None, lambda _: None)


def test_a_model_of_the_catalogue_may_come_in_parts(
    cut: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    files = {name: (cut / name).read_bytes() for name in NAMES}
    listed = [
        {"path": n, "name": n, "bytes": len(c), "sha256": hashlib.sha256(c).hexdigest()}
        for n, c in files.items()
    ]
    source = {"kind": "hub", "repo": "some/model", "revision": "c" * 40, "files": listed}
    told = {"id": "tiny", "name": "Tiny", "type": "llm", "provider": "llama_cpp", "model": "tiny"}
    rest = {
        "licence": "MIT",
        "languages": [],
        "good_for": "",
        "credentials": {"model_path": NAMES[0]},
    }
    with serving(Hub("some/model", "c" * 40, files)) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        catalog = Catalog(
            tmp_path / "models", [CatalogEntry.model_validate(told | rest | {"source": source})]
        )
        assert "Paris" in answer(catalog.pull("tiny").credentials)
