"""The models in the catalogue, and those on this machine."""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from backends.catalog.choices import read_choices
from backends.catalog.download import Report, alone
from backends.catalog.entries import (
    BEGUN,
    MARK,
    CatalogEntry,
    HubSource,
    LocalSource,
    check_again,
    damaged,
    hashes,
    read_begun,
    read_entries,
    read_mark,
    write_begun,
)
from backends.catalog.errors import NotAModel, NotReachable, NotTheFile, NotWritten, UnknownModel
from backends.catalog.hub import HubPlace, entry_of, repository, variant_at
from backends.catalog.model_import import Files, fit, recognise, take_in, with_projector
from backends.catalog.sources import bring, give_up, got, open_hub, other_way
from backends.installation import installation
from backends.paths import models_folder

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from backends.catalog.other_programs import FoundModel

PATHS = ("model_path", "projector_path")  # credentials that name a file in the model's folder


@dataclass(frozen=True)
class InstalledModel:
    """A model on this machine.

    credentials: the credentials for the FlexAI call, in which `model_path` is absolute.
    """

    entry: CatalogEntry
    folder: Path
    bytes: int
    credentials: dict[str, str]


class Catalog:
    """Lists, finds and downloads models.

    folder: the folder where models are stored, by default `backends.paths.models_folder()`.
    shipped: the folder with the installed package's read-only models.
    """

    def __init__(
        self,
        folder: Path | None = None,
        entries: list[CatalogEntry] | None = None,
        shipped: Path | None = None,
    ) -> None:
        self.folder = folder or models_folder()
        self.shipped = installation().models if folder is None and shipped is None else shipped
        self._entries = read_entries() if entries is None else entries

    def entries(self) -> list[CatalogEntry]:
        """Return every available model."""
        return list(self._entries)

    def entry(self, model_id: str) -> CatalogEntry:
        """Return a model's entry: from the catalogue, or that of an imported model or of a download
        that was started.

        Raises: UnknownModel.
        """
        for entry in [*self._entries, *self._imported(), *self.begun()]:
            if entry.id == model_id:
                return entry
        names = ", ".join(e.id for e in self._entries)
        raise UnknownModel(f"There is no model {model_id!r}.", f"Available: {names}.")

    def installed(self, model_id: str) -> InstalledModel | None:
        """Return a model on this machine, or None if it is missing or incomplete."""
        return self._found(self.entry(model_id))

    def _found(self, entry: CatalogEntry) -> InstalledModel | None:
        places = [self.folder, *([self.shipped] if self.shipped else [])]
        folders = [place / entry.id for place in places]
        folder = next((one for one in folders if damaged(one, entry) == []), None)
        if folder is None:
            return None
        paths = {k: str(folder / v) for k, v in entry.credentials.items() if k in PATHS}
        credentials = entry.credentials | read_choices(self.folder).models.get(entry.id, {}) | paths
        return InstalledModel(
            entry,
            folder,
            sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()),
            credentials,
        )

    def all_installed(self) -> list[InstalledModel]:
        """Return the models on this machine, in the catalogue's order, followed by imported
        ones.
        """
        return [
            found for entry in [*self._entries, *self._imported()] if (found := self._found(entry))
        ]

    def _imported(self) -> list[CatalogEntry]:
        known = {entry.id for entry in self._entries}
        marks = sorted(self.folder.glob(f"*/{MARK}"))
        told = [read_mark(mark) for mark in marks if mark.parent.name not in known]
        return [entry for entry in told if entry is not None]

    def begun(self) -> list[CatalogEntry]:
        """Return the partly downloaded models that are not in the catalogue."""
        known = {entry.id for entry in self._entries}
        told = {path: read_begun(path) for path in sorted(self.folder.glob(f"*/{BEGUN}"))}
        return [
            entry
            for path, entry in told.items()
            if entry is not None
            and entry.id == path.parent.name
            and entry.id not in known
            and self.got(entry)
        ]

    def pull(
        self, model_id: str, report: Report = lambda _: None, client: httpx.Client | None = None
    ) -> InstalledModel:
        """Download a model, unless it is already on this machine.

        Raises: CatalogError and its subclasses.
        """
        entry = self.entry(model_id)
        if (found := self._found(entry)) is not None:
            return found
        if isinstance(entry.source, LocalSource):
            raise NotAModel(
                f"The files of {entry.id} are no longer where it was imported from.",
                "Import it again.",
            )
        return self._bring(entry, report, client)

    def pull_from_hub(self, place: HubPlace, report: Report = lambda _: None) -> InstalledModel:
        """Download a model found on the model hub, unless it is already on this machine.

        Raises: CatalogError and its subclasses.
        """
        with open_hub() as web:
            repo = repository(web, place.repo, place.revision)
        made = entry_of(repo, variant_at(repo, place.path))
        entry = self.known(made) or made
        return self._found(entry) or self._bring(entry, report, None)

    def known(self, made: CatalogEntry) -> CatalogEntry | None:
        """Return the catalogue entry that has the same files, or None."""
        wanted = set(hashes(made).values())
        return next(
            (
                entry
                for entry in self._entries
                if isinstance(entry.source, HubSource) and wanted <= set(hashes(entry).values())
            ),
            None,
        )

    def _bring(
        self, entry: CatalogEntry, report: Report, client: httpx.Client | None
    ) -> InstalledModel:
        with self._told(entry), self.alone(entry, report):
            found = self._found(entry)  # another process may have downloaded it in the meantime
            if found is not None:
                return found
            for name in damaged(self.folder / entry.id, entry) or []:
                (self.folder / entry.id / name).unlink(
                    missing_ok=True
                )  # the size may be right, but not the content
            write_begun(self.folder / entry.id, entry)
            bring(entry, self.folder, report, client)
        return self._whole(entry)

    def verify(self, model_id: str, report: Report = lambda _: None) -> InstalledModel:
        """Check the hashes of a model's files. A damaged model no longer counts as installed.

        Raises: CatalogError and its subclasses. NotTheFile names the files that differ.
        """
        found = self.installed(model_id)
        if found is None:
            raise NotTheFile(
                f"{self.entry(model_id).name} is incomplete on this machine.", "Download it."
            )
        entry = found.entry
        keep = found.folder.parent != self.shipped
        with self._told(entry), self.alone(entry, report):
            wrong = check_again(found.folder, entry, report, keep=keep)
        if wrong:
            local = isinstance(entry.source, LocalSource)
            raise NotTheFile(
                f"{entry.name} is damaged: {', '.join(wrong)} has changed since it was downloaded.",
                "Import it again." if local else "Download it again.",
            )
        return found

    def remove(self, model_id: str) -> int:
        """Remove a model or its partial download from this machine, and return the number of bytes
        freed.

        Linked files of other programs are kept. Raises: CatalogError and its subclasses;
        UnknownModel if the model is not on this machine.
        """
        found, entry = self.installed(model_id), self.entry(model_id)
        if found is None and (part := self.got(entry)):
            with self._told(entry), self.alone(entry, lambda _: None):
                give_up(entry, self.folder)
            return part
        if found is None:
            raise UnknownModel(f"{entry.name} is not on this machine.", "Nothing was removed.")
        if found.folder.parent == self.shipped:
            raise NotWritten(
                f"{found.entry.name} is part of the installed package.",
                "Remove the package that provides it.",
            )
        with self._told(found.entry), self.alone(found.entry, lambda _: None):
            own = [
                path for path in found.folder.rglob("*") if path.is_file() and not path.is_symlink()
            ]
            freed = sum(path.stat().st_size for path in own)
            # a partly removed model does not count as installed
            (found.folder / MARK).unlink(missing_ok=True)
            shutil.rmtree(found.folder)
        return freed

    def got(self, entry: CatalogEntry) -> int:
        """Return how many bytes of an incomplete download have arrived."""
        return 0 if (self.folder / entry.id / MARK).exists() else got(entry, self.folder)

    def alone(self, entry: CatalogEntry, report: Report) -> AbstractContextManager[None]:
        """Wait until no other process is downloading this model, and hold a lock on it."""
        return alone(self.folder / "downloads" / f"{entry.id}.lock", report)

    def add(
        self,
        path: Path,
        model_id: str | None = None,
        *,
        link: bool = False,
        report: Report = lambda _: None,
    ) -> InstalledModel:
        """Import a model from this machine: a Whisper folder, a Piper voice or a GGUF file.

        model_id: its new name. If this is the name of a catalogue entry, the files must have that
        entry's hashes. link: whether to link to the files instead of copying them. Raises:
        CatalogError and its subclasses.
        """
        known = next((entry for entry in self._entries if entry.id == model_id), None)
        entry, files = fit(known, path) if known else recognise(path, model_id)
        if known is None and any(
            other.id == entry.id for other in [*self._entries, *self._imported()]
        ):
            raise NotAModel(
                f"A model named {entry.id!r} already exists.", "Specify another name with --id."
            )
        with self._told(entry), self.alone(entry, report):
            take_in(entry, files, self.folder / entry.id, link=link, report=report)
        return self._whole(entry)

    def adopt(
        self, found: FoundModel, model_id: str | None = None, *, report: Report = lambda _: None
    ) -> InstalledModel:
        """Use a model that belongs to another program, through links to its files.

        Raises: CatalogError and its subclasses.
        """
        fitting = [entry for entry in self._entries if entry.fits(model_id, found.own_name)]
        known = fitting[0] if len(fitting) == 1 else None
        try:
            entry, files = fit(known, found.path) if known else self._own(found, model_id)
        except (NotAModel, NotTheFile):
            if model_id is not None or known is None:
                raise
            entry, files = self._own(found, None)  # a revision other than the one in the catalogue
        with self._told(entry), self.alone(entry, report):
            take_in(entry, files, self.folder / entry.id, link=True, report=report)
        return self._whole(entry)

    def _own(self, found: FoundModel, model_id: str | None) -> tuple[CatalogEntry, Files]:
        own = re.sub(r"[^a-z0-9.]+", "-", found.own_name.lower().removesuffix(".gguf")).strip("-.")
        entry, files = recognise(found.path, model_id or own)
        if any(other.id == entry.id for other in [*self._entries, *self._imported()]):
            raise NotAModel(
                f"A model named {entry.id!r} already exists.", "Specify another name with --id."
            )
        if found.projector is not None:
            entry, files = with_projector(entry, files, found.projector)
        told = {"name": found.own_name, "good_for": f"Kept by {found.program}."}
        return entry.model_copy(update=told), files

    def _whole(self, entry: CatalogEntry) -> InstalledModel:
        done = self._found(entry)
        if done is None:
            raise NotTheFile(
                f"The download of {entry.name} is incomplete.", "Run the same command again."
            )
        return done

    @contextmanager
    def _told(self, entry: CatalogEntry) -> Generator[None]:
        """Raise errors in the block as errors of the catalogue."""
        try:
            yield
        except NotReachable as error:
            size = f"{entry.source.download_bytes / 1e6:.0f} MB"
            raise NotReachable(
                f"{entry.name} ({size}) was not downloaded: {error.text}",
                f"{error.remedy} {other_way(entry)}",
            ) from error
        except OSError as error:
            raise NotWritten(
                f"{entry.name} cannot be saved in {self.folder}: {error.strerror or error}.",
                "Make it writable and free some disk space, or set DESKPILOT_MODELS to another "
                "folder.",
            ) from error
