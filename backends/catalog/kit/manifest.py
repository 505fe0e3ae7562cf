"""What a kit says of itself: its models, and of each file its size and hash."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ValidationError, field_validator

from backends.catalog.entries import Entry, LocalFile, LocalSource, hashes
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
            raise ValueError(f"{name!r} leads out of the kit")
        return name


class KitModel(BaseModel):
    """One model of a kit."""

    entry: Entry
    files: list[KitFile]

    @field_validator("entry")
    @classmethod
    def _id_is_a_name(cls, entry: Entry) -> Entry:
        if not re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]*", entry.id):
            raise ValueError(f"{entry.id!r} is no name for a model")
        return entry

    @property
    def bytes(self) -> int:
        """What the files take."""
        return sum(file.bytes for file in self.files)

    def here(self, known: Entry | None) -> Entry:
        """Return the entry under which the model is kept here. known: the catalogue's of the same id.

        Raises: NotTheFile if the catalogue names other files.
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
                f"The kit holds another version of {known.name} than this Deskpilot knows.",
                "Make the kit with the same version of Deskpilot.",
            )
        return known


class Manifest(BaseModel):
    """All models of a kit. form: of this file."""

    form: int = FORM
    models: list[KitModel] = []


def read_manifest(folder: Path) -> Manifest:
    """Return what a kit holds.

    Raises: NotAModel where there is no kit, NotTheFile where its list is damaged or newer than this program.
    """
    try:
        manifest = Manifest.model_validate_json((folder / NAME).read_bytes())
    except OSError as error:
        raise NotAModel(
            f"There is no kit in {folder}.",
            "Name the folder that `deskpilot models export-kit` filled.",
        ) from error
    except ValidationError as error:
        raise NotTheFile(
            f"The list of the kit, {NAME}, is damaged: {error.errors()[0]['msg']}.",
            "Copy the kit again.",
        ) from error
    if manifest.form != FORM:
        raise NotTheFile(
            "The kit was made by a newer Deskpilot.", "Update Deskpilot on this machine."
        )
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the list whole or not at all."""
    part = folder / f"{NAME}.part"
    part.write_text(manifest.model_dump_json(indent=1), "utf-8")
    os.replace(part, folder / NAME)
