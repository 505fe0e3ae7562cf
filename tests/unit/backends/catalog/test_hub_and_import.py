"""Models from a hub on loopback that breaks off and lies, and models brought by hand."""

from __future__ import annotations

import hashlib
import http.server
import shutil
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from backends.catalog.catalog import Catalog
from backends.catalog.entries import (
    CatalogEntry,
    HubSource,
    LocalSource,
    WheelSource,
    read_entries,
    read_packs,
)
from backends.catalog.errors import NotAModel, NotReachable, NotTheFile
from backends.flexai.entities import ModelType
from backends.flexai.registry import load_providers
from tests.models.retrieval import EMBEDDER, ENCODER
from tests.models.speech import PIPER, WHISPER

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

CONTENT = {
    "config.json": b"{}",
    "1_Pooling/config.json": b'{"p":1}',
    "model.bin": b"weights " * 40_000,
}


class Hub(http.server.BaseHTTPRequestHandler):
    """Answers for the files of one repository at one revision, as the real hub does."""

    break_at = 0
    lies = False
    asked: list[str] = []  # noqa: RUF012 - shared with the test on purpose

    def do_GET(self) -> None:
        Hub.asked.append(f"{self.path} {self.headers.get('Range', '')}".strip())
        content = CONTENT.get(self.path.removeprefix("/some/model/resolve/rev1/sub/"))
        if content is None:
            self.send_error(404)
            return
        if Hub.lies:
            content = content[::-1]
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        cut, Hub.break_at = (
            Hub.break_at if len(content) > 10 else 0,
            0 if len(content) > 10 else Hub.break_at,
        )
        self.wfile.write(content[start : start + cut] if cut else content[start:])

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    Hub.break_at, Hub.lies, Hub.asked = 0, False, []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


def entry() -> CatalogEntry:
    files = [
        {
            "path": f"sub/{name}",
            "name": name,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        for name, content in CONTENT.items()
    ]
    source = {"kind": "hub", "repo": "some/model", "revision": "rev1", "files": files}
    named = {
        "id": "m",
        "name": "M",
        "type": "speech2text",
        "provider": "p",
        "model": "m",
        "licence": "MIT",
    }
    rest = {"languages": [], "good_for": "", "credentials": {"model_path": "."}}
    return CatalogEntry.model_validate(named | rest | {"source": source})


@pytest.mark.usefixtures("hub")
def test_a_repository_arrives_file_by_file_and_goes_on_where_it_broke_off(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path, [entry()])
    Hub.break_at = 100_000
    with pytest.raises(NotReachable) as caught:
        catalog.pull("m")
    assert "models import" in caught.value.remedy
    assert catalog.installed("m") is None
    seen: list[int] = []
    found = catalog.pull("m", lambda p: seen.append(p.done_bytes))
    assert (tmp_path / "m" / "model.bin").read_bytes() == CONTENT["model.bin"]
    assert found.credentials == {"model_path": str(tmp_path / "m")}
    assert Hub.asked[-1].endswith("bytes=100000-")
    assert len([a for a in Hub.asked if "sub/config.json" in a]) == 1
    assert (tmp_path / "m" / "1_Pooling" / "config.json").read_bytes() == b'{"p":1}'
    assert max(seen) == found.entry.source.bytes
    asked = len(Hub.asked)
    catalog.pull("m")
    assert len(Hub.asked) == asked


@pytest.mark.usefixtures("hub")
def test_a_hub_that_lies_or_lacks_a_file_leaves_nothing_that_looks_whole(tmp_path: Path) -> None:
    Hub.lies = True
    with pytest.raises(NotTheFile):
        Catalog(tmp_path, [entry()]).pull("m")
    assert list((tmp_path / "m").iterdir()) == []
    Hub.lies = False
    lacking = entry()
    assert isinstance(lacking.source, HubSource)
    lacking.source.files[-1].path = "sub/other.bin"
    with pytest.raises(NotReachable, match="was not downloaded"):
        Catalog(tmp_path, [lacking]).pull("m")


def test_a_hub_that_is_down_is_told_with_the_way_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(NotReachable) as caught:
        Catalog(tmp_path, [entry()]).pull("m")
    assert "deskpilot models import FOLDER --id m" in caught.value.remedy


@pytest.mark.parametrize("link", [False, True], ids=["copied", "linked"])
def test_a_whisper_and_a_voice_are_taken_in_and_told_by_their_files(
    tmp_path: Path, link: bool
) -> None:
    catalog = Catalog(tmp_path / "models", [])
    whisper = catalog.add(Path(WHISPER["model_path"]), "my-whisper", link=link)
    voice = catalog.add(Path(PIPER["model_path"]), link=link)
    assert [f.entry.id for f in catalog.all_installed()] == ["en-us-tiny-medium", "my-whisper"]
    assert (whisper.entry.type, voice.entry.type) == (ModelType.SPEECH2TEXT, ModelType.TTS)
    assert voice.entry.languages == ["en"]
    registry = load_providers()
    for found in (whisper, voice):
        model = registry.model(found.entry.provider, found.entry.type)
        model.validate_credentials(found.entry.model, found.credentials)
        assert (found.folder / "installed.json").is_file()
    with pytest.raises(NotAModel, match="already"):
        catalog.add(Path(WHISPER["model_path"]), "my-whisper")


@pytest.mark.parametrize("link", [False, True])
def test_folders_of_sentence_transformers_are_told_apart_and_taken_in_with_their_parts(
    tmp_path: Path, link: bool
) -> None:
    catalog = Catalog(tmp_path / "models", [])
    folder = tmp_path / "of the hub"
    shutil.copytree(EMBEDDER["model_path"], folder)
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.json").write_text("{}")
    (folder / "own_code.py").write_text("raise SystemExit")
    embedder = catalog.add(folder, "near", link=link)
    reranker = catalog.add(Path(ENCODER["model_path"]), link=link)
    assert (embedder.entry.type, reranker.entry.type) == (
        ModelType.TEXT_EMBEDDING,
        ModelType.RERANK,
    )
    assert (reranker.entry.id, reranker.entry.provider) == (
        "tiny-cross-encoder",
        "sentence_transformers",
    )
    names = {file.name for file in embedder.entry.source.files}
    assert {"model.safetensors", "tokenizer.json", "modules.json", "1_Pooling/config.json"} <= names
    assert not {"onnx/model.json", "own_code.py"} & names
    assert embedder.bytes > 200_000
    for found in (embedder, reranker):
        check = load_providers().model(found.entry.provider, found.entry.type)
        check.validate_credentials(found.entry.model, found.credentials)
    (embedder.folder / "1_Pooling" / "config.json").unlink()
    assert [found.entry.id for found in catalog.all_installed()] == ["tiny-cross-encoder"]


def test_what_is_no_model_is_refused_and_says_what_would_be(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    half = tmp_path / "half"
    shutil.copytree(WHISPER["model_path"], half)
    (half / "tokenizer.json").unlink()
    fake = tmp_path / "fake.gguf"
    fake.write_bytes(b"nothing")
    for path in (half, fake, tmp_path / "none"):
        with pytest.raises(NotAModel, match=r"half|fake|none") as caught:
            catalog.add(path)
        assert "Piper voice" in caught.value.remedy
    with pytest.raises(NotAModel, match="not a valid model name"):
        catalog.add(Path(WHISPER["model_path"]), "../up")


def test_files_brought_for_a_model_of_the_catalogue_are_checked(tmp_path: Path) -> None:
    catalog, folder = Catalog(tmp_path / "models", [entry()]), tmp_path / "stick"
    folder.mkdir()
    for name, content in CONTENT.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    assert catalog.add(folder, "m").entry.licence == "MIT"
    shutil.rmtree(tmp_path / "models")
    (folder / "config.json").write_bytes(b"[]")
    with pytest.raises(NotTheFile, match=r"config.json"):
        catalog.add(folder, "m")
    (folder / "config.json").unlink()
    with pytest.raises(NotAModel, match="missing"):
        catalog.add(folder, "m")


def test_an_imported_model_whose_files_are_gone_is_not_offered(tmp_path: Path) -> None:
    folder = tmp_path / "whisper"
    shutil.copytree(WHISPER["model_path"], folder)
    catalog = Catalog(tmp_path / "models", [])
    catalog.add(folder, "mine", link=True)
    shutil.rmtree(folder)
    assert catalog.all_installed() == []
    with pytest.raises(NotAModel, match="files of mine are no longer where"):
        catalog.pull("mine")


def test_every_speech_model_of_the_catalogue_has_its_provider_and_schema() -> None:
    registry = load_providers()
    kinds = {ModelType.SPEECH2TEXT: 0, ModelType.TTS: 0}
    for known in read_entries():
        if known.type in kinds:
            kinds[known.type] += 1
            schemas = registry.model(known.provider, known.type).schemas
            assert known.model in {schema.model for schema in schemas}
            assert not isinstance(known.source, LocalSource)
            assert isinstance(known.source, WheelSource) or len(known.source.revision) == 40
            assert all(len(file.sha256) == 64 for file in known.source.files)
            assert known.credentials["model_path"] in {".", *(f.name for f in known.source.files)}
    assert kinds == {ModelType.SPEECH2TEXT: 6, ModelType.TTS: 6}


def test_every_embedder_and_reranker_of_the_catalogue_is_a_whole_folder_with_a_schema() -> None:
    registry, kinds = load_providers(), {ModelType.TEXT_EMBEDDING: 0, ModelType.RERANK: 0}
    for known in read_entries():
        if known.provider != "sentence_transformers":
            continue
        kinds[known.type] += 1
        assert isinstance(known.source, HubSource)
        assert len(known.source.revision) == 40
        assert known.model in {s.model for s in registry.model(known.provider, known.type).schemas}
        assert all((len(file.sha256), file.name) == (64, file.path) for file in known.source.files)
        assert {"model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"} <= {
            file.name for file in known.source.files
        }
    assert kinds == {ModelType.TEXT_EMBEDDING: 1, ModelType.RERANK: 2}


def test_a_voice_pack_is_an_ear_and_a_voice_of_one_language() -> None:
    known = {entry.id: entry for entry in read_entries()}
    packs = read_packs()
    assert {"voice-en", "voice-zh", "voice-de", "voice-fr"} <= {pack.id for pack in packs}
    for pack in packs:
        assert pack.id not in known
        ear, voice = (known[member] for member in pack.members)
        assert (ear.type, voice.type) == (ModelType.SPEECH2TEXT, ModelType.TTS)
        assert voice.languages == [pack.id.removeprefix("voice-")]
        assert ear.languages in (voice.languages, ["multilingual"])


def test_a_packs_models_are_pulled_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pulled: list[str] = []
    monkeypatch.setattr("backends.catalog.__main__.pull_one", lambda _, name: pulled.append(name))
    main = import_module("backends.catalog.__main__")
    assert CliRunner().invoke(main.app, ["pull", "voice-en", "whisper-small"]).exit_code == 0
    assert pulled == ["whisper-tiny-en", "piper-en-joe", "whisper-small"]
    assert "voice-zh" in CliRunner().invoke(main.app, ["list"]).output


def test_a_line_of_the_list_is_one_line_in_a_narrow_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    main = import_module("backends.catalog.__main__")
    monkeypatch.setattr(main, "all_found", list)  # what this machine has for other programs
    monkeypatch.setenv("COLUMNS", "80")
    lines = CliRunner().invoke(main.app, ["list"]).output.splitlines()
    models = {e.id for e in main.Catalog().entries()} | {p.id for p in main.read_packs()}
    assert {line.split()[0] for line in lines[1:]} == models
    (qwen,) = [line for line in lines if line.startswith("qwen3-0.6b ")]
    assert "639 MB   1270 MB" in qwen
    monkeypatch.setenv("COLUMNS", "150")
    assert "good for" in CliRunner().invoke(main.app, ["list"]).output
