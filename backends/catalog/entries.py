"""The catalogue's entries, and the marker file in a complete model folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, Field, ValidationError, model_validator

from backends.catalog.download import PIECE_BYTES, DownloadProgress, Report, sha256_of
from backends.flexai.entities import ModelType

MARK = "installed.json"  # a folder without it does not count as a model
BEGUN = "download.json"  # in the folder of a model found on the hub, until the download is complete
# files that are created here from the downloaded ones
PREPARED = {
    "onnx": ("model.onnx",),
    "e5s1": ("model.safetensors", "config.json", "model.onnx"),
}


class WheelMember(BaseModel):
    """A file inside a wheel: its path there, and the local file to which it is appended."""

    member: str
    file: str
    bytes: int
    sha256: str


class Wheel(BaseModel):
    """A wheel in a package index, and the members that are needed from it. name: the wheel's file
    name.
    """

    package: str
    name: str
    bytes: int
    sha256: str
    members: list[WheelMember]


class WheelFile(BaseModel):
    """A local file whose content is in wheels: its local name, size and hash."""

    name: str
    bytes: int
    sha256: str


class WheelSource(BaseModel):
    """Files contained in the wheels of a package index.

    Members of the same file are joined in the order of the wheels. files: the files that consist of
    several parts. The others are single members and need not be listed.
    """

    kind: Literal["wheel"]
    wheels: list[Wheel]
    files: list[WheelFile] = []

    @model_validator(mode="after")
    def _with_files_in_one_part(self) -> Self:
        parts: dict[str, list[WheelMember]] = {}
        for wheel in self.wheels:
            for member in wheel.members:
                parts.setdefault(member.file, []).append(member)
        given = {file.name: file for file in self.files}
        self.files = []
        for name, members in parts.items():
            one = WheelFile(name=name, bytes=members[0].bytes, sha256=members[0].sha256)
            file = given.get(name, one)
            if sum(member.bytes for member in members) != file.bytes:
                raise ValueError(f"the parts of {name} are not as long as it")
            self.files.append(file)
        return self

    @property
    def bytes(self) -> int:
        """Return the size of the unpacked files."""
        return sum(file.bytes for file in self.files)

    @property
    def download_bytes(self) -> int:
        """Return the size of the download."""
        return sum(wheel.bytes for wheel in self.wheels)


class HubFile(BaseModel):
    """A file in a repository: its path there, its local name, its size and its hash."""

    path: str
    name: str
    bytes: int
    sha256: str


class HubSource(BaseModel):
    """Files in a repository on the model hub, at one revision."""

    kind: Literal["hub"]
    repo: str
    revision: str
    files: list[HubFile]

    @property
    def bytes(self) -> int:
        """Return the size of the files."""
        return sum(file.bytes for file in self.files)

    @property
    def download_bytes(self) -> int:
        """Return the size of the download."""
        return self.bytes


class LocalFile(BaseModel):
    """A file of an imported model."""

    name: str
    bytes: int


class LocalSource(BaseModel):
    """Files that the user brought to this machine."""

    kind: Literal["local"]
    files: list[LocalFile]

    @property
    def bytes(self) -> int:
        """Return the size of the files."""
        return sum(file.bytes for file in self.files)

    @property
    def download_bytes(self) -> int:
        """Return 0, since nothing is downloaded."""
        return 0


class CatalogEntry(BaseModel):
    """A model that can be used.

    credentials: the credentials for the FlexAI call, in which `model_path` is relative to the
    model's folder. memory_bytes: the measured memory, or None if it was not measured. prepare: what
    is created from the files once after the download: a graph (`onnx`), or a graph and the weights,
    which are packed (`e5s1`). reads_questions: whether it can understand
    questions about tables that the parser does not understand. found: whether it was found on the
    model hub, in which case it is not in the catalogue.
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
    prepare: Literal["onnx", "e5s1"] | None = None
    starter: bool = False
    reads_questions: bool = False
    found: bool = False

    def speaks(self, language: str) -> bool:
        """Return whether the model supports a language (ISO 639-1). A model that lists no languages
        may support any.
        """
        return not self.languages or language in self.languages or "multilingual" in self.languages

    def fits(self, model_id: str | None, repo: str) -> bool:
        """Return whether this is the model with a given id or, if no id is given, a model from a
        given hub repository.

        A repository may contain several models.
        """
        if model_id is not None:
            return self.id == model_id
        return isinstance(self.source, HubSource) and self.source.repo == repo

    @property
    def fingerprint(self) -> str:
        """Return 12 hexadecimal digits that change whenever the model's results may change.

        They cover the engine, the files with their hashes or revision, the credentials and the
        prefixes.
        """
        depends = self.model_dump_json(include={"provider", "model", "source", "credentials"})
        return hashlib.blake2b(depends.encode(), digest_size=6).hexdigest()

    @property
    def size_bytes(self) -> int:
        """Return the size of the model's files."""
        return self.source.bytes


class Pack(BaseModel):
    """A group of models in the catalogue. members: their ids."""

    id: str
    name: str
    members: list[str]


class UnlistedModel(BaseModel):
    """A model that people may look for, but that is not in the catalogue.

    language: an ISO 639-1 code. why: the reason, in a sentence.
    """

    type: ModelType
    language: str
    why: str


def read_absent() -> list[UnlistedModel]:
    """Return the models that the catalogue lists as unavailable."""
    text = (files("resources") / "absent.yaml").read_text("utf-8")
    return [UnlistedModel.model_validate(raw) for raw in yaml.safe_load(text)]


def read_packs() -> list[Pack]:
    """Return the packs that ship with Deskpilot."""
    text = (files("resources") / "packs.yaml").read_text("utf-8")
    return [Pack.model_validate(raw) for raw in yaml.safe_load(text)]


def read_entries() -> list[CatalogEntry]:
    """Return the catalogue that ships with Deskpilot."""
    text = (files("resources") / "catalogue.yaml").read_text("utf-8")
    return [CatalogEntry.model_validate(raw) for raw in yaml.safe_load(text)]


def write_mark(folder: Path, entry: CatalogEntry) -> None:
    """Mark a folder as a complete model, and record the sizes and times of its files, which have
    just been checked.

    For a model that is not in the catalogue, the marker file contains its description.
    """
    told: dict[str, Any] = {"id": entry.id, "files": [f.model_dump() for f in entry.source.files]}
    if isinstance(entry.source, LocalSource) or entry.found:
        told["entry"] = entry.model_dump(mode="json")
    made = {name: sha256_of(folder / name) for name in PREPARED.get(entry.prepare or "", ())}
    (folder / BEGUN).unlink(missing_ok=True)
    told["checked"] = {name: look_of(folder / name) for name in [*hashes(entry), *made]}
    told["made"] = made
    save_mark(folder, told)


def write_begun(folder: Path, entry: CatalogEntry) -> None:
    """Record in a folder which model is being downloaded into it, unless the model is in the
    catalogue.
    """
    if entry.found:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / BEGUN).write_text(entry.model_dump_json(), "utf-8")


def read_begun(path: Path) -> CatalogEntry | None:
    """Return the model whose download was started, or None if the file does not describe one."""
    try:
        return CatalogEntry.model_validate_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def save_mark(folder: Path, told: dict[str, Any]) -> None:
    """Write a marker file completely or not at all."""
    part = folder / f"{MARK}.{os.getpid()}.part"
    part.write_text(json.dumps(told), "utf-8")
    os.replace(part, folder / MARK)


def hashes(entry: CatalogEntry) -> dict[str, str]:
    """Return the required hash of each file, by the file's name. The hash is empty if the file has
    none.
    """
    return {file.name: getattr(file, "sha256", "") for file in entry.source.files}


def look_of(path: Path) -> list[int]:
    """Return the size and time of a file, which reveal a change, or an empty result if the file is
    missing."""
    try:
        status = path.stat()
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns]


def damaged(folder: Path, entry: CatalogEntry) -> list[str] | None:
    """Return the missing, incomplete or changed files of a model, or None if it is not marked as
    complete.

    A file is hashed only if its size or time has changed since the last check, so checking a
    complete model costs one stat call per file.
    """
    try:
        told: dict[str, Any] = json.loads((folder / MARK).read_text("utf-8"))
        checked, made = dict(told.get("checked") or {}), dict(told.get("made") or {})
        bad = dict(told.get("bad") or {})
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    sizes = {file.name: file.bytes for file in entry.source.files}
    wanted = hashes(entry) | {
        name: made.get(name, "") for name in PREPARED.get(entry.prepare or "", ())
    }
    wrong: list[str] = []
    looked: dict[str, list[int]] = {}
    for name, sha256 in wanted.items():
        look = look_of(folder / name)
        if not look or not look[0] or look[0] != sizes.get(name, look[0]) or look == bad.get(name):
            wrong.append(name)
        elif look == checked.get(name) or not sha256 or sha256_of(folder / name) == sha256:
            looked[name] = look
        else:
            wrong.append(name)
    if not wrong and looked != checked:
        with contextlib.suppress(OSError):  # files in a read-only folder are hashed every time
            save_mark(folder, told | {"checked": looked})
    return wrong


def check_again(
    folder: Path, entry: CatalogEntry, report: Report, *, keep: bool = True
) -> list[str]:
    """Check the hashes of a complete model, and return the files that differ.

    keep: whether to record the result, so that these files no longer count as complete. A file
    without a hash is compared with the result of its last check. The first check saves its hash.
    Raises: OSError.
    """
    told: dict[str, Any] = json.loads((folder / MARK).read_text("utf-8"))
    made = dict(told.get("made") or {})
    wanted = hashes(entry) | {
        name: made.get(name, "") for name in PREPARED.get(entry.prepare or "", ())
    }
    wanted = {
        name: sha256 or dict(told.get("found") or {}).get(name, "")
        for name, sha256 in wanted.items()
    }
    total, done = sum((look_of(folder / name) or [0])[0] for name in wanted), 0
    found: dict[str, str] = {}
    for name in wanted:
        digest = hashlib.sha256()
        with (
            contextlib.suppress(OSError),
            (folder / name).open("rb") as file,
        ):  # an unreadable file does not count as complete
            while piece := file.read(PIECE_BYTES):
                digest.update(piece)
                done += len(piece)
                report(DownloadProgress("checking", done, total))
            found[name] = digest.hexdigest()
    wrong = [
        name
        for name, sha256 in wanted.items()
        if found.get(name, "") != (sha256 or found.get(name))
    ]
    looks = {name: look_of(folder / name) for name in wanted}
    good = {name: look for name, look in looks.items() if name not in wrong}
    if not keep:
        return wrong
    save_mark(
        folder,
        told
        | {"checked": good, "bad": {name: looks[name] for name in wrong}}
        | {"found": {name: found[name] for name in good}},
    )
    return wrong


def read_mark(mark: Path) -> CatalogEntry | None:
    """Return the imported or found model that a marker file describes, or None for any other marker
    file."""
    try:
        told = json.loads(mark.read_text("utf-8"))
        return CatalogEntry.model_validate(told["entry"] | {"id": mark.parent.name})
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return None
