"""Downloads from a hub that speaks as the real one: whole or not at all, whatever happens on the
way.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from backends.catalog.__main__ import app
from backends.catalog.catalog import Catalog
from backends.catalog.entries import CatalogEntry
from backends.catalog.errors import CatalogError, NoSpace, NotReachable, NotTheFile
from tests.loopback_hub import Hub, serving
from tests.models.llama import LLAMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.catalog.download import DownloadProgress

pytestmark = pytest.mark.slow

WEIGHTS = b"0123456789abcdef" * 200_000
FILES = {"config.json": b"{}", "sub/model.bin": WEIGHTS}
REVISION = "c" * 40


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with serving(Hub("some/model", REVISION, FILES)) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.address)
        yield running


def entry() -> CatalogEntry:
    files = [
        {"path": n, "name": n, "bytes": len(c), "sha256": hashlib.sha256(c).hexdigest()}
        for n, c in FILES.items()
    ]
    source = {"kind": "hub", "repo": "some/model", "revision": REVISION, "files": files}
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


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "models", [entry()])


def part_of(catalog: Catalog) -> Path:
    return catalog.folder / "m" / "sub" / "model.bin.part"


def model_of(catalog: Catalog) -> bytes:
    return (catalog.folder / "m" / "sub" / "model.bin").read_bytes()


ITS_OWN = """
import sys
import huggingface_hub
address, cache, revision, *names = sys.argv[1:]
info = huggingface_hub.HfApi(endpoint=address).model_info("some/model", revision=revision)
assert info.sha == revision
assert sorted(sibling.rfilename for sibling in info.siblings or []) == sorted(names), info
for name in names:
    path = huggingface_hub.hf_hub_download("some/model", name, revision=revision, endpoint=address, cache_dir=cache)
    print(name, path)
try:
    huggingface_hub.hf_hub_download("some/model", "none", endpoint=address, cache_dir=cache)
except huggingface_hub.errors.EntryNotFoundError:
    print("none is missed")
"""


def test_the_hubs_own_library_takes_this_hub_for_a_real_one(hub: Hub, tmp_path: Path) -> None:
    # in a process of its own: what runs here may have turned the library's network off for good
    env = {
        k: v for k, v in os.environ.items() if k not in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    }
    command = [
        sys.executable,
        "-c",
        ITS_OWN,
        hub.address,
        str(tmp_path / "cache"),
        REVISION,
        *FILES,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env=env, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert last == "none is missed"
    for line in lines:
        name, path = line.split(" ", 1)
        assert Path(path).read_bytes() == FILES[name]


def test_a_large_file_comes_by_the_redirect_and_its_progress_is_told(
    hub: Hub, catalog: Catalog
) -> None:
    seen: list[DownloadProgress] = []
    catalog.pull("m", seen.append)
    assert model_of(catalog) == WEIGHTS
    assert any(asked.startswith("GET /storage/sub/model.bin") for asked in hub.asked)
    coming = [p for p in seen if p.what == "downloading"]
    assert [p.done_bytes for p in coming] == sorted(p.done_bytes for p in coming)
    assert coming[-1].done_bytes == coming[-1].total_bytes == entry().size_bytes


PULL = """
import sys, json
from pathlib import Path
from backends.catalog.__main__ import app
from backends.catalog.catalog import Catalog
from backends.catalog.entries import CatalogEntry
Catalog(Path(sys.argv[1]), [CatalogEntry.model_validate_json(sys.argv[2])]).pull("m")
"""


def test_a_pull_killed_in_the_middle_goes_on_where_it_stopped(
    hub: Hub, catalog: Catalog, repository: Path
) -> None:
    hub.stall = threading.Event()
    command = [sys.executable, "-c", PULL, str(catalog.folder), entry().model_dump_json()]
    with subprocess.Popen(command, cwd=repository) as pulling:
        assert hub.halfway.wait(60)
        wait_for_bytes(part_of(catalog), 1)
        pulling.send_signal(signal.SIGKILL)
    hub.stall.set()
    hub.stall = None
    assert catalog.installed("m") is None
    assert not (catalog.folder / "m" / "sub" / "model.bin").exists()
    have = part_of(catalog).stat().st_size
    assert 0 < have < len(WEIGHTS)
    catalog.pull("m")
    assert model_of(catalog) == WEIGHTS
    assert hub.asked[-1] == f"GET /storage/sub/model.bin bytes={have}-"


def wait_for_bytes(path: Path, least: int) -> None:
    """Wait until a file another process writes has some bytes."""
    for _ in range(2000):
        if path.exists() and path.stat().st_size >= least:
            return
        threading.Event().wait(0.005)
    raise AssertionError(f"{path} stayed empty")


def test_a_pull_that_is_stopped_keeps_what_came_and_goes_on(hub: Hub, catalog: Catalog) -> None:
    class Stopped(Exception):
        """Somebody pressed the button."""

    def stop(progress: DownloadProgress) -> None:
        if progress.what == "downloading" and progress.done_bytes > 100_000:
            raise Stopped

    with pytest.raises(Stopped):
        catalog.pull("m", stop)
    assert catalog.installed("m") is None
    catalog.pull("m")
    assert model_of(catalog) == WEIGHTS
    assert "bytes=" in hub.asked[-1]


def test_a_hub_that_breaks_off_is_told_and_gone_on_with(hub: Hub, catalog: Catalog) -> None:
    hub.break_at = 70_000
    with pytest.raises(NotReachable, match="was interrupted") as caught:
        catalog.pull("m")
    assert "it will resume" in caught.value.remedy
    assert part_of(catalog).stat().st_size == 70_000
    catalog.pull("m")
    assert hub.asked[-1] == "GET /storage/sub/model.bin bytes=70000-"
    assert model_of(catalog) == WEIGHTS


def test_a_hub_that_knows_no_ranges_is_asked_from_the_start(hub: Hub, catalog: Catalog) -> None:
    part_of(catalog).parent.mkdir(parents=True)
    part_of(catalog).write_bytes(WEIGHTS[:5000])
    hub.ranges = False
    catalog.pull("m")
    assert model_of(catalog) == WEIGHTS


def test_a_part_that_belongs_to_another_file_is_not_taken_for_a_beginning(
    hub: Hub, catalog: Catalog
) -> None:
    part_of(catalog).parent.mkdir(parents=True)
    part_of(catalog).write_bytes(b"x" * 5000)
    with pytest.raises(NotTheFile):
        catalog.pull("m")
    assert not part_of(catalog).exists()
    catalog.pull("m")
    assert model_of(catalog) == WEIGHTS


@pytest.mark.parametrize("how", ["lies", "longer"])
def test_a_hub_that_sends_something_else_is_never_believed(
    hub: Hub, catalog: Catalog, how: str
) -> None:
    setattr(hub, how, True)
    with pytest.raises(NotTheFile) as caught:
        catalog.pull("m")
    assert caught.value.remedy
    assert catalog.installed("m") is None
    assert not list(catalog.folder.rglob("model.bin*"))
    setattr(hub, how, False)
    assert catalog.pull("m")


@pytest.mark.parametrize(
    ("status", "text", "remedy"),
    [
        (401, "requires an account", "HF_TOKEN"),
        (403, "requires an account", "HF_TOKEN"),
        (404, "does not have it", "import"),
        (429, "too many requests", "later"),
        (500, "HTTP 500", "again"),
    ],
)
def test_what_the_hub_refuses_is_told_in_words(
    hub: Hub, catalog: Catalog, status: int, text: str, remedy: str
) -> None:
    hub.refuse = status
    with pytest.raises(NotReachable) as caught:
        catalog.pull("m")
    assert text in caught.value.text
    assert remedy in caught.value.remedy


def test_a_token_is_sent_to_the_hub_and_not_to_where_it_redirects(
    hub: Hub, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.token = "hf_secret"
    with pytest.raises(NotReachable, match="account"):
        catalog.pull("m")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    assert catalog.pull("m")
    assert hub.storage_saw == {None}


def test_the_disk_is_looked_at_before_anything_is_asked_for(
    hub: Hub, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Disk:
        free = len(WEIGHTS) - 1

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk)
    with pytest.raises(NoSpace, match="3 MB are needed"):
        catalog.pull("m")
    assert hub.asked == []
    part_of(catalog).parent.mkdir(parents=True, exist_ok=True)
    part_of(catalog).write_bytes(WEIGHTS[:1_000_000])  # what came before needs no room again
    assert catalog.pull("m")


def test_a_hub_nobody_reaches_leaves_nothing_behind(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(CatalogError) as caught:
        catalog.pull("m")
    assert "models import" in caught.value.remedy
    assert catalog.installed("m") is None
    assert not list(catalog.folder.rglob("*.part"))


GGUF = Path(LLAMA["model_path"]).read_bytes()


@pytest.fixture
def shelf(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The address of a GGUF on the hub, and a folder of models of our own."""
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    hub.files = {"tiny.gguf": GGUF, "small.gguf": b"GGUF"}
    return f"{hub.address}/some/model/resolve/main/tiny.gguf"


def test_a_file_is_taken_in_from_its_address_by_the_hash_its_server_declares(
    hub: Hub, shelf: str, tmp_path: Path
) -> None:
    hub.break_at = 20_000
    first = CliRunner().invoke(app, ["import", shelf])
    assert isinstance(first.exception, NotReachable)
    done = CliRunner().invoke(app, ["import", f"{shelf}?download=true"])
    assert done.exit_code == 0, done.output
    assert "tiny can be used." in done.output
    assert hub.asked[-1].endswith("bytes=20000-")
    assert (tmp_path / "models" / "tiny" / "model.gguf").read_bytes() == GGUF
    assert not (tmp_path / "models" / "downloads" / "tiny.gguf").exists()


def test_a_file_whose_hash_nobody_declares_is_taken_with_the_one_that_is_given(
    hub: Hub, shelf: str
) -> None:
    plain = f"{hub.address}/storage/tiny.gguf"
    for given in ((), ("--sha256", "0" * 64)):
        done = CliRunner().invoke(app, ["import", plain, *given])
        assert isinstance(done.exception, NotTheFile)
        assert done.exception.remedy
    known = hashlib.sha256(GGUF).hexdigest().upper()
    assert (
        CliRunner().invoke(app, ["import", plain, "--sha256", known, "--id", "mine"]).exit_code == 0
    )
    assert [found.entry.id for found in Catalog().all_installed()] == ["mine"]


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9/x.gguf", "http://127.0.0.1:9/", "https://", "http://["]
)
def test_an_address_that_leads_nowhere_is_told(shelf: str, address: str) -> None:
    done = CliRunner().invoke(app, ["import", address])
    assert isinstance(done.exception, NotReachable)
    assert done.exception.remedy


@pytest.mark.usefixtures("hub")
def test_a_hub_that_lacks_the_file_behind_an_address_is_told(shelf: str) -> None:
    done = CliRunner().invoke(app, ["import", shelf.replace("tiny", "none")])
    assert isinstance(done.exception, NotReachable)
