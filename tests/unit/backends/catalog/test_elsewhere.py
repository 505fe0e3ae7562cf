"""Models other programs keep: their folders as those programs lay them out, used in place."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from backends.catalog.catalog import Catalog
from backends.catalog.entries import CatalogEntry
from backends.catalog.errors import NotAModel, UnknownModel
from backends.catalog.other_programs import FoundModel, all_found, one_found
from backends.flexai.entities import ModelType
from backends.flexai.registry import load_providers
from tests.models.llama import LLAMA
from tests.models.retrieval import EMBEDDER
from tests.models.speech import WHISPER

GGUF = Path(LLAMA["model_path"]).read_bytes()
CLIP = GGUF.replace(
    b"general.architecture\x08\0\0\0\x05\0\0\0\0\0\0\0llama",
    b"general.architecture\x08\0\0\0\x04\0\0\0\0\0\0\0clip",
)


@pytest.fixture(autouse=True)
def no_service_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backends.catalog.other_programs.SYSTEM_WIDE", tmp_path / "none")


@pytest.fixture
def other_home(tmp_path: Path) -> Path:
    folder = tmp_path / "somebody"
    folder.mkdir()
    return folder


def found_in(home: Path, **environment: str) -> list[FoundModel]:
    return all_found(home, environment)


def blob(folder: Path, content: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    path = folder / "blobs" / f"sha256-{digest}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return {"digest": f"sha256:{digest}", "size": len(content)}


def ollama_model(folder: Path, place: str, content: bytes = GGUF, projector: bytes = b"") -> Path:
    """Lay a model out as Ollama does after `ollama pull`."""
    kind = "application/vnd.ollama.image"
    layers = [{"mediaType": f"{kind}.model", **blob(folder, content)}]
    layers += [{"mediaType": f"{kind}.projector", **blob(folder, projector)}] if projector else []
    layers += [
        {"mediaType": f"{kind}.template", **blob(folder, b"{{ .Prompt }}")},
        {"mediaType": f"{kind}.license", **blob(folder, b"MIT")},
        {"mediaType": f"{kind}.params", **blob(folder, b'{"stop":["<|im_end|>"]}')},
    ]
    config = blob(folder, b'{"model_format":"gguf","model_family":"llama","file_type":"Q4_0"}')
    manifest = folder / "manifests" / place
    manifest.parent.mkdir(parents=True, exist_ok=True)
    told = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
        "config": {"mediaType": "application/vnd.docker.container.image.v1+json", **config},
        "layers": layers,
    }
    manifest.write_text(json.dumps(told))
    return manifest


def put(path: Path, content: bytes = GGUF) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def hub_model(cache: Path, repo: str, files: dict[str, bytes], revision: str = "a" * 40) -> Path:
    """Lay a repository out as huggingface_hub does: blobs, and a snapshot of links to them."""
    folder = cache / f"models--{repo.replace('/', '--')}"
    snapshot = folder / "snapshots" / revision
    for name, content in files.items():
        kept = put(folder / "blobs" / hashlib.sha256(content).hexdigest(), content)
        (snapshot / name).parent.mkdir(parents=True, exist_ok=True)
        (snapshot / name).symlink_to(kept)
    put(folder / "refs" / "main", revision.encode())
    return snapshot


def files_of(folder: str) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()
    }


def test_ollamas_models_are_found_by_the_names_it_gives_them(other_home: Path) -> None:
    folder = other_home / ".ollama" / "models"
    ollama_model(folder, "registry.ollama.ai/library/llama3.2/1b")
    ollama_model(folder, "registry.ollama.ai/somebody/tuned/latest", GGUF + b"\0")
    ollama_model(folder, "hf.co/bartowski/Some-GGUF/Q4_K_M", GGUF + b"\0\0")
    assert [model.name for model in found_in(other_home)] == [
        "ollama:hf.co/bartowski/Some-GGUF:Q4_K_M",
        "ollama:llama3.2:1b",
        "ollama:somebody/tuned:latest",
    ]


def test_ollamas_folder_may_be_named(tmp_path: Path, other_home: Path) -> None:
    ollama_model(other_home / ".ollama" / "models", "registry.ollama.ai/library/there/1b")
    ollama_model(tmp_path / "disk", "registry.ollama.ai/library/here/1b")
    assert [m.name for m in found_in(other_home, OLLAMA_MODELS=str(tmp_path / "disk"))] == [
        "ollama:here:1b"
    ]


@pytest.mark.parametrize("harm", ["cut", "gone", "garbled", "list", "traversal", "embedder"])
def test_what_is_not_whole_or_holds_no_conversation_is_left_out(
    other_home: Path, harm: str
) -> None:
    folder = other_home / ".ollama" / "models"
    content = (
        GGUF.replace(b"\x05\0\0\0\0\0\0\0llama", b"\x05\0\0\0\0\0\0\0abert", 1)
        if harm == "embedder"
        else GGUF
    )
    manifest = ollama_model(folder, "registry.ollama.ai/library/m/1b", content)
    (model,) = (folder / "blobs").glob(f"sha256-{hashlib.sha256(content).hexdigest()}")
    if harm == "cut":
        model.write_bytes(content[:1000])
    elif harm == "gone":
        model.unlink()
    elif harm == "garbled":
        manifest.write_text("{")
    elif harm == "list":
        manifest.write_text("[1, 2]")
    elif harm == "traversal":
        manifest.write_text(manifest.read_text().replace("sha256:", "sha256:../../"))
    assert found_in(other_home) == []


def test_a_model_of_ollama_is_used_in_place_and_answers(tmp_path: Path, other_home: Path) -> None:
    folder = other_home / ".ollama" / "models"
    ollama_model(folder, "registry.ollama.ai/library/tiny/1b")
    catalog = Catalog(tmp_path / "models", [])
    done = catalog.adopt(one_found("ollama:tiny:1b", found_in(other_home)))
    assert (done.entry.id, done.entry.name, done.entry.type) == (
        "tiny-1b",
        "tiny:1b",
        ModelType.LLM,
    )
    path = Path(done.credentials["model_path"])
    assert path.is_symlink()
    assert path.resolve().parent == folder / "blobs"
    load_providers().model("llama_cpp", ModelType.LLM).validate_credentials(
        "tiny-1b", done.credentials
    )
    with pytest.raises(NotAModel, match="already"):
        catalog.adopt(one_found("ollama:tiny:1b", found_in(other_home)))
    shutil.rmtree(folder)  # `ollama rm` takes it away from both
    assert catalog.all_installed() == []


def test_a_model_that_sees_comes_with_its_projector(tmp_path: Path, other_home: Path) -> None:
    ollama_model(
        other_home / ".ollama" / "models", "registry.ollama.ai/library/seeing/7b", projector=CLIP
    )
    put(other_home / ".lmstudio/models/maker/seeing-GGUF/seeing-Q4.gguf", GGUF + b"\0")
    put(other_home / ".lmstudio/models/maker/seeing-GGUF/mmproj-seeing-f16.gguf", CLIP)
    catalog = Catalog(tmp_path / "models", [])
    models = found_in(other_home)
    assert [model.name for model in models] == ["ollama:seeing:7b", "lmstudio:seeing-Q4"]
    for model in models:
        done = catalog.adopt(model)
        assert Path(done.credentials["projector_path"]).read_bytes() == CLIP
        assert Path(done.credentials["projector_path"]).parent == done.folder


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (".lmstudio/models/bartowski/Llama-GGUF/Llama-Q4_K_M.gguf", "lmstudio:Llama-Q4_K_M"),
        (".cache/lm-studio/models/bartowski/Llama-GGUF/Llama-Q4_K_M.gguf", "lmstudio:Llama-Q4_K_M"),
        (".local/share/Jan/data/llamacpp/models/Jan-v1-4B/model.gguf", "jan:Jan-v1-4B"),
        (".config/Jan/data/llamacpp/models/janhq/Jan-v1-4B/model.gguf", "jan:Jan-v1-4B"),
        ("Library/Application Support/Jan/data/llamacpp/models/Jan-v1/model.gguf", "jan:Jan-v1"),
        ("jan/models/mistral-7b/mistral-7b-q4.gguf", "jan:mistral-7b-q4"),
        (".local/share/nomic.ai/GPT4All/Llama-3-8B.Q4_0.gguf", "gpt4all:Llama-3-8B.Q4_0"),
        ("Library/Application Support/nomic.ai/GPT4All/x.gguf", "gpt4all:x"),
    ],
)
def test_folders_of_gguf_files_are_found_on_every_system(
    other_home: Path, place: str, name: str
) -> None:
    put(other_home / place)
    put((other_home / place).with_name("mmproj-f16.gguf"), CLIP)
    put((other_home / place).with_name("big-00001-of-00003.gguf"))
    put((other_home / place).with_name("half.gguf"), GGUF[:200])
    assert [model.name for model in found_in(other_home)] == [name]


def test_windows_and_a_moved_home_of_lm_studio_are_looked_into(
    tmp_path: Path, other_home: Path
) -> None:
    put(tmp_path / "Local" / "nomic.ai" / "GPT4All" / "w.gguf")
    put(
        tmp_path / "Roaming" / "Jan" / "data" / "llamacpp" / "models" / "j" / "model.gguf",
        GGUF + b"\0",
    )
    put(tmp_path / "moved" / "models" / "a" / "b" / "m.gguf", GGUF + b"\0\0")
    (other_home / ".lmstudio-home-pointer").write_text(str(tmp_path / "moved"))
    environment = {"APPDATA": str(tmp_path / "Roaming"), "LOCALAPPDATA": str(tmp_path / "Local")}
    assert sorted(m.name for m in found_in(other_home, **environment)) == [
        "gpt4all:w",
        "jan:j",
        "lmstudio:m",
    ]


def test_the_cache_of_the_hub_gives_ggufs_whispers_and_embedders(
    tmp_path: Path, other_home: Path
) -> None:
    cache = other_home / ".cache" / "huggingface" / "hub"
    hub_model(cache, "someone/Chat-GGUF", {"chat-Q4.gguf": GGUF, "README.md": b"#"})
    hub_model(cache, "Systran/faster-whisper-tiny9", files_of(WHISPER["model_path"]))
    hub_model(cache, "sentence-transformers/tiny", files_of(EMBEDDER["model_path"]))
    hub_model(cache, "someone/dataset-like", {"data.csv": b"a,b"})
    (cache / "models--half--fetched" / "blobs").mkdir(parents=True)
    models = found_in(other_home)
    assert [model.name for model in models] == [
        "hub:Systran/faster-whisper-tiny9",
        "hub:sentence-transformers/tiny",
        "hub:someone/Chat-GGUF/chat-Q4.gguf",
    ]
    catalog = Catalog(tmp_path / "models", [])
    done = [catalog.adopt(model) for model in models]
    assert [found.entry.type for found in done] == [
        ModelType.SPEECH2TEXT,
        ModelType.TEXT_EMBEDDING,
        ModelType.LLM,
    ]
    assert all(file.is_symlink() for found in done for file in found.folder.rglob("*.bin"))
    whisper = done[0]
    load_providers().model("faster_whisper", ModelType.SPEECH2TEXT).validate_credentials(
        "w", whisper.credentials
    )


@pytest.mark.parametrize("variable", ["HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"])
def test_the_cache_may_lie_elsewhere(tmp_path: Path, other_home: Path, variable: str) -> None:
    below = {"HF_HUB_CACHE": "", "HF_HOME": "hub", "XDG_CACHE_HOME": "huggingface/hub"}[variable]
    hub_model(tmp_path / "disk" / below, "a/b", {"m.gguf": GGUF})
    assert [m.name for m in found_in(other_home, **{variable: str(tmp_path / "disk")})] == [
        "hub:a/b/m.gguf"
    ]


def catalogued(files: dict[str, bytes]) -> CatalogEntry:
    listed = [
        {"path": n, "name": n, "bytes": len(c), "sha256": hashlib.sha256(c).hexdigest()}
        for n, c in files.items()
    ]
    source = {"kind": "hub", "repo": "Systran/known", "revision": "a" * 40, "files": listed}
    named = {
        "id": "known",
        "name": "Known",
        "type": "speech2text",
        "provider": "faster_whisper",
        "model": "known",
    }
    rest = {"licence": "MIT", "languages": [], "good_for": "", "credentials": {"model_path": "."}}
    return CatalogEntry.model_validate(named | rest | {"source": source})


def test_a_model_of_the_catalogue_in_the_cache_is_that_model(
    tmp_path: Path, other_home: Path
) -> None:
    files = files_of(WHISPER["model_path"])
    cache = other_home / ".cache" / "huggingface" / "hub"
    hub_model(cache, "Systran/known", files)
    done = Catalog(tmp_path / "one", [catalogued(files)]).adopt(found_in(other_home)[0])
    assert (done.entry.id, done.entry.licence) == ("known", "MIT")
    other = catalogued(
        files | {"config.json": b"{}"}
    )  # the cache holds another revision than the catalogue names
    done = Catalog(tmp_path / "two", [other]).adopt(found_in(other_home)[0])
    assert done.entry.id == "systran-known"


def test_one_that_is_not_found_is_told_with_those_that_are(other_home: Path) -> None:
    ollama_model(other_home / ".ollama" / "models", "registry.ollama.ai/library/there/1b")
    with pytest.raises(UnknownModel, match="No other program") as caught:
        one_found("ollama:nope:1b", found_in(other_home))
    assert "ollama:there:1b" in caught.value.remedy


def test_the_list_shows_what_others_keep_until_it_is_taken(
    tmp_path: Path, other_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backends.catalog.__main__ import app

    monkeypatch.setenv("HOME", str(other_home))
    for name in ("OLLAMA_MODELS", "HF_HOME", "HF_HUB_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    ollama_model(other_home / ".ollama" / "models", "registry.ollama.ai/library/tiny/1b")
    assert "ollama:tiny:1b" in CliRunner().invoke(app, ["list"]).output
    done = CliRunner().invoke(app, ["import", "ollama:tiny:1b"])
    assert (done.exit_code, "tiny-1b can be used." in done.output) == (0, True)
    listed = CliRunner().invoke(app, ["list"]).output
    assert "ollama:tiny:1b" not in listed
    (row,) = (line for line in listed.splitlines() if line.strip().startswith("tiny-1b"))
    assert "here" in row
