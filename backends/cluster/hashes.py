"""Identify the model at a path by the hash of its bytes, which is the same on every machine of a
cluster.

Ray is not imported here, so this module works where Ray is not installed.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backends.catalog import Catalog
from backends.catalog.catalog import PATHS
from backends.catalog.download import sha256_of
from backends.paths import model_hashes_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.catalog.catalog import InstalledModel


class ModelHashes:
    """Hashes of files, which are cached until the size or modification time changes.

    file: the file that stores them across restarts. If it cannot be read or written, the only
    effect is that hashes are computed again.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or model_hashes_file()
        self._known: dict[str, list[Any]] = {}
        try:
            self._known = dict(json.loads(self._file.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            self._known = {}

    def of(self, credentials: dict[str, Any]) -> str:
        """Return the hash of the files that the credentials name.

        Raises: OSError if a file is missing.
        """
        digest = hashlib.sha256()
        for name in PATHS:
            if place := credentials.get(name):
                for file in files_of(Path(str(place))):
                    digest.update(f"{name} {self._one(file)}\n".encode())
        return digest.hexdigest()

    def _one(self, file: Path) -> str:
        told = file.stat()
        look = [told.st_size, told.st_mtime_ns]
        known = self._known.get(str(file))
        if known is not None and known[:2] == look:
            return str(known[2])
        found = sha256_of(file)
        self._known[str(file)] = [*look, found]
        self._keep()
        return found

    def _keep(self) -> None:
        made = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            made.write_text(json.dumps(self._known), "utf-8")
            made.replace(self._file)
        except OSError:
            made.unlink(missing_ok=True)


def files_of(place: Path) -> Iterator[Path]:
    """Yield a file, or the files in a folder in order."""
    if place.is_dir():
        yield from sorted(one for one in place.rglob("*") if one.is_file())
    else:
        yield place


def paths_here(wanted: str, given: dict[str, Any]) -> dict[str, str] | None:
    """Return the paths of a model on this machine, or None if this machine does not have it.

    These are the given paths if they contain the right files, or else those of an installed model
    with the same bytes.
    """
    hashes = ModelHashes()
    paths = {name: str(given[name]) for name in PATHS if given.get(name)}
    if has(hashes, paths, wanted):
        return paths
    for found in Catalog().all_installed():
        paths = paths_of(found)
        if has(hashes, paths, wanted):
            return paths
    return None


def paths_of(found: InstalledModel) -> dict[str, str]:
    """Return the paths of an installed model."""
    return {name: str(found.credentials[name]) for name in PATHS if found.credentials.get(name)}


def has(hashes: ModelHashes, paths: dict[str, str], wanted: str) -> bool:
    """Return whether the files at these paths have the given hash."""
    try:
        return bool(paths) and hashes.of(paths) == wanted
    except OSError:
        return False
