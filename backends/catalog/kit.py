"""The offline kit: a folder of models for a machine without a network, with each file's size and
hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ValidationError, field_validator

from backends.catalog.catalog import Catalog, InstalledModel
from backends.catalog.download import PIECE_BYTES, DownloadProgress, Report, need_space, sha256_of
from backends.catalog.entries import (
    MARK,
    PREPARED,
    CatalogEntry,
    LocalFile,
    LocalSource,
    hashes,
    write_mark,
)
from backends.catalog.errors import NotAModel, NotTheFile

NAME = "deskpilot-kit.json"
FORM = 1


class KitFile(BaseModel):
    """One file of a model in a kit."""

    name: str
    bytes: int
    sha256: str

    @field_validator("name")
    @classmethod
    def _stays_inside(cls, name: str) -> str:
        path = PurePosixPath(name)
        if (
            path.is_absolute()
            or ".." in path.parts
            or "\\" in name
            or ":" in name
            or not path.parts
        ):
            raise ValueError(f"{name!r} points outside the kit")
        return name


class KitModel(BaseModel):
    """One model of a kit."""

    entry: CatalogEntry
    files: list[KitFile]

    @field_validator("entry")
    @classmethod
    def _id_is_a_name(cls, entry: CatalogEntry) -> CatalogEntry:
        if not re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]*", entry.id):
            raise ValueError(f"{entry.id!r} is not a valid model name")
        return entry

    @property
    def bytes(self) -> int:
        """Return the total size of the files."""
        return sum(file.bytes for file in self.files)

    def here(self, known: CatalogEntry | None) -> CatalogEntry:
        """Return the entry under which the model is stored on this machine.

        known: the catalogue entry with the same id. Raises: NotTheFile if the catalogue lists other
        files.
        """
        if known is None:
            local = [LocalFile(name=file.name, bytes=file.bytes) for file in self.files]
            source = LocalSource(kind="local", files=local)
            return self.entry.model_copy(
                update={"source": source, "prepare": None, "starter": False}
            )
        told = {file.name: file.sha256 for file in self.files}
        if any(sha256 and told.get(name) != sha256 for name, sha256 in hashes(known).items()):
            raise NotTheFile(
                f"The kit contains a different version of {known.name} from the one this "
                "Deskpilot knows.",
                "Make the kit with the same version of Deskpilot.",
            )
        return known


class KitManifest(BaseModel):
    """All models in a kit. form: the version of this file's format."""

    form: int = FORM
    models: list[KitModel] = []


def read_manifest(folder: Path) -> KitManifest:
    """Return the manifest of a kit.

    Raises: NotAModel if there is no kit; NotTheFile if the manifest is damaged or newer than this
    program.
    """
    try:
        manifest = KitManifest.model_validate_json((folder / NAME).read_bytes())
    except OSError as error:
        raise NotAModel(
            f"There is no kit in {folder}.",
            "Specify the folder that `deskpilot models export-kit` created.",
        ) from error
    except ValidationError as error:
        raise NotTheFile(
            f"The kit's list of files, {NAME}, is damaged: {error.errors()[0]['msg']}.",
            "Copy the kit again.",
        ) from error
    if manifest.form != FORM:
        raise NotTheFile(
            "The kit was made by a newer Deskpilot.", "Update Deskpilot on this machine."
        )
    return manifest


def write_manifest(folder: Path, manifest: KitManifest) -> None:
    """Write the manifest completely or not at all."""
    part = folder / f"{NAME}.part"
    part.write_text(manifest.model_dump_json(indent=1), "utf-8")
    os.replace(part, folder / NAME)


def is_there(path: Path, size: int, sha256: str) -> bool:
    """Return whether a file has the given size and hash."""
    return path.is_file() and path.stat().st_size == size and sha256_of(path) == sha256


def copy_whole(source: Path, target: Path, sha256: str, report: Report) -> None:
    """Copy `source` to `target`. A partial file from an earlier attempt is continued.

    Raises: NotTheFile if the source does not match its hash; OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    digest, done, size = hashlib.sha256(), 0, source.stat().st_size
    if part.exists() and part.stat().st_size > size:
        part.unlink()
    with source.open("rb") as read, part.open("a+b") as write:
        write.seek(0)
        while piece := write.read(PIECE_BYTES):
            if read.read(len(piece)) != piece:  # the partial file is not the start of this file
                write.truncate(0)
                read.seek(0)
                digest, done = hashlib.sha256(), 0
                break
            digest.update(piece)
            done += len(piece)
        while piece := read.read(PIECE_BYTES):
            write.write(piece)
            digest.update(piece)
            done += len(piece)
            report(DownloadProgress("copying", done, size))
        write.flush()
        os.fsync(write.fileno())
    if digest.hexdigest() != sha256:
        part.unlink()
        raise NotTheFile(
            f"{source} is damaged: its hash differs.", "Copy the kit again from its source."
        )
    os.replace(part, target)


AGAIN = "Copy the kit again from its source."


def export_kit(
    catalog: Catalog, folder: Path, ids: list[str], report: Report = lambda _: None
) -> list[str]:
    """Copy models into a kit, and return their ids. Complete models that are already there are
    kept.

    ids: the ids of installed models, or empty for all of them. Links are followed, since a kit must
    contain the files themselves. Raises: CatalogError and its subclasses, OSError.
    """
    chosen = [found for found in catalog.all_installed() if not ids or found.entry.id in ids]
    for missing in sorted(set(ids) - {found.entry.id for found in chosen}):
        name = catalog.entry(missing).name
        raise NotAModel(
            f"{name} is not on this machine.", f"Download it with: deskpilot models pull {missing}"
        )
    if not chosen:
        raise NotAModel(
            "There is no model on this machine.",
            "Download some with: deskpilot models pull --starter",
        )
    folder.mkdir(parents=True, exist_ok=True)
    models = {found.entry.id: described(found) for found in chosen}
    lacking = [
        (m.entry.id, f)
        for m in models.values()
        for f in m.files
        if not present(folder / m.entry.id, f)
    ]
    need_space(
        folder,
        sum(file.bytes for _, file in lacking),
        "Free some space, or specify a folder on another disk.",
    )
    try:
        kit = {model.entry.id: model for model in read_manifest(folder).models}
    except NotAModel:
        kit = {}
    for found in chosen:
        copy_model(models[found.entry.id], found.folder, folder / found.entry.id, report)
        kit[found.entry.id] = models[found.entry.id]
        write_manifest(
            folder, KitManifest(models=list(kit.values()))
        )  # complete models can be used immediately
    return list(models)


def import_kit(
    catalog: Catalog, folder: Path, ids: list[str], report: Report = lambda _: None
) -> list[InstalledModel]:
    """Import models from a kit, and return them. Models that are already here stay unchanged.

    ids: the ids of the models, or empty for all of them. If the kit lacks a file, it is refused
    before anything is copied. Raises: CatalogError and its subclasses, OSError.
    """
    held = read_manifest(folder).models
    for missing in sorted(set(ids) - {model.entry.id for model in held}):
        raise NotAModel(
            f"The kit does not contain {missing!r}.",
            f"It contains: {', '.join(m.entry.id for m in held)}.",
        )
    models = [model for model in held if not ids or model.entry.id in ids]
    here = {found.entry.id for found in catalog.all_installed()}
    wanted = [model for model in models if model.entry.id not in here]
    for model in wanted:
        check_sizes(folder / model.entry.id, model)
    catalog.folder.mkdir(parents=True, exist_ok=True)
    need_space(catalog.folder, sum(model.bytes for model in wanted))
    for model in wanted:
        known = next((entry for entry in catalog.entries() if entry.id == model.entry.id), None)
        entry = model.here(known)
        with catalog.alone(entry, report):
            copy_model(model, folder / entry.id, catalog.folder / entry.id, report)
            write_mark(catalog.folder / entry.id, entry)
    chosen = {model.entry.id for model in models}
    return [found for found in catalog.all_installed() if found.entry.id in chosen]


def described(found: InstalledModel) -> KitModel:
    """Return the kit's description of an installed model."""
    told: dict[str, Any] = json.loads((found.folder / MARK).read_text("utf-8"))
    known = hashes(found.entry) | dict(told.get("made") or {})
    files: list[KitFile] = []
    for name in [
        *known,
        *(n for n in PREPARED.get(found.entry.prepare or "", ()) if n not in known),
    ]:
        path = found.folder / name
        sha256 = known.get(name) or sha256_of(path)
        files.append(KitFile(name=name, bytes=path.stat().st_size, sha256=sha256))
    return KitModel(entry=found.entry, files=files)


def copy_model(model: KitModel, source: Path, target: Path, report: Report) -> None:
    """Copy the files of a model that are still missing."""
    done = 0
    for file in model.files:

        def told(p: DownloadProgress, before: int = done) -> None:
            report(
                DownloadProgress(f"{p.what} {model.entry.id}", before + p.done_bytes, model.bytes)
            )

        if not is_there(target / file.name, file.bytes, file.sha256):
            copy_whole(source / file.name, target / file.name, file.sha256, told)
        done += file.bytes


def check_sizes(folder: Path, model: KitModel) -> None:
    """Check that the kit has every file of a model, with the right size.

    Raises: NotTheFile.
    """
    for file in model.files:
        if not present(folder, file):
            raise NotTheFile(
                f"{file.name} of {model.entry.name} is missing from the kit or incomplete.", AGAIN
            )


def present(folder: Path, file: KitFile) -> bool:
    """Return whether a file exists and has the right size."""
    path = folder / file.name
    return path.is_file() and path.stat().st_size == file.bytes
