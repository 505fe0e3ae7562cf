"""Copy a file whole: gone on where it stopped, checked by its hash before it gets its name."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from backends.catalog.download import PIECE_BYTES, Progress, Report, sha256_of
from backends.catalog.errors import NotTheFile


def is_there(path: Path, size: int, sha256: str) -> bool:
    """Tell whether a file is the one that is meant."""
    return path.is_file() and path.stat().st_size == size and sha256_of(path) == sha256


def copy_whole(source: Path, target: Path, sha256: str, report: Report) -> None:
    """Put a copy of `source` at `target`; a part from an earlier try is continued.

    Raises: NotTheFile if the source is not what its hash says; OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    digest, done, size = hashlib.sha256(), 0, source.stat().st_size
    if part.exists() and part.stat().st_size > size:
        part.unlink()
    with source.open("rb") as read, part.open("a+b") as write:
        write.seek(0)
        while piece := write.read(PIECE_BYTES):
            if read.read(len(piece)) != piece:  # what lies there is no beginning of this file
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
            report(Progress("copying", done, size))
        write.flush()
        os.fsync(write.fileno())
    if digest.hexdigest() != sha256:
        part.unlink()
        raise NotTheFile(
            f"{source} is damaged: its hash differs.", "Copy the kit again from where it was made."
        )
    os.replace(part, target)
