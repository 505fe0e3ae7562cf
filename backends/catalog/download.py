"""Download files: resume after an interruption, check the hash, and rename only when complete."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

import httpx
from filelock import FileLock, Timeout

from backends.catalog.errors import NoSpace, NotReachable, NotTheFile
from backends.gguf import parts_of

if TYPE_CHECKING:
    from collections.abc import Generator

PIECE_BYTES = 1 << 20
AGAIN = "Try again; it will resume."
ACCOUNT = "its server requires an account."
UNKNOWN = "its server returned HTTP {}."
REFUSALS = {
    401: (ACCOUNT, "Accept its terms on the hub's site, and put your token into HF_TOKEN."),
    403: (ACCOUNT, "Accept its terms on the hub's site, and put your token into HF_TOKEN."),
    404: (
        "the server does not have it.",
        "Check whether HF_ENDPOINT names a hub that has it.",
    ),
    429: ("too many requests.", "Try again later."),
}
PARTIAL = 206  # HTTP status: the server sends only the rest, as requested


@dataclass(frozen=True)
class DownloadProgress:
    """The progress of a download: the current step, the number of bytes done and the total number
    of bytes."""

    what: str
    done_bytes: int
    total_bytes: int


Report = Callable[[DownloadProgress], None]


def download(
    client: httpx.Client, place: str | Path, target: Path, *, size: int, sha256: str, report: Report
) -> None:
    """Download or copy a file to `target`. A partial file from an earlier attempt is continued.

    place: a URL, or a file on this machine.
    Raises: NotReachable, NotTheFile, NoSpace.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    need_space(target.parent, lacking(target, size))
    part = part_of(target)
    try:
        if isinstance(place, str):
            fetch(client, place, part, size, report)
        else:
            shutil.copyfile(place, part)
    except httpx.HTTPStatusError as error:
        told, remedy = REFUSALS.get(
            error.response.status_code, (UNKNOWN.format(error.response.status_code), AGAIN)
        )
        raise NotReachable(f"{target.name}: {told}", remedy) from error
    except httpx.HTTPError as error:
        raise NotReachable(interrupted(target.name, error), AGAIN) from error
    check_hash(part, sha256, report)
    os.replace(part, target)


def interrupted(name: str, error: httpx.HTTPError) -> str:
    """Return why a download was interrupted."""
    if isinstance(error, httpx.TimeoutException):
        return f"The download of {name} was interrupted: no answer in time."
    if isinstance(error, httpx.ConnectError):
        return f"The download of {name} was interrupted: no connection."
    return f"The download of {name} was interrupted: the connection was lost."


def part_of(target: Path) -> Path:
    """Return the path that a file has until it is complete."""
    return target.with_name(target.name + ".part")


def lacking(target: Path, size: int) -> int:
    """Return how many bytes of a file are still missing."""
    part = part_of(target)
    have = part.stat().st_size if part.exists() else 0
    return size - have if have < size else size


def fetch(client: httpx.Client, address: str, part: Path, size: int, report: Report) -> None:
    """Append the missing bytes to `part`. Start again if the server cannot resume.

    Raises: httpx.HTTPError.
    """
    have = part.stat().st_size if part.exists() else 0
    if have >= size:
        have = 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    with client.stream("GET", address, headers=headers) as answer:
        answer.raise_for_status()
        if answer.status_code != PARTIAL:
            have = 0
        with part.open("ab" if have else "wb") as file:
            for piece in answer.iter_bytes():
                file.write(piece)
                have += len(piece)
                if have > size:
                    break  # a different file, which the hash check reports
                report(DownloadProgress("downloading", have, size))
            file.flush()
            os.fsync(file.fileno())


def check_hash(path: Path, sha256: str, report: Report) -> None:
    """Check a file's hash, and remove the file if it differs.

    Raises: NotTheFile.
    """
    digest, done, size = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            done += len(piece)
            report(DownloadProgress("checking", done, size))
    if digest.hexdigest() != sha256:
        path.unlink()
        raise NotTheFile(
            f"{path.name.removesuffix('.part')} is not the file the catalogue names: its hash"
            " differs.",
            "It was removed. Try again, or ask the administrator of the index.",
        )


def sha256_of(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def alone(lock: Path, report: Report) -> Generator[None]:
    """Wait until no other process or thread holds the same lock, then hold it for the duration of
    the block.

    Without this, two downloads of one model would write into the same partial file.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    mine = FileLock(lock)
    try:
        mine.acquire(timeout=0)
    except Timeout:
        report(DownloadProgress("waiting for another download", 0, 1))
        mine.acquire()
    try:
        yield
    finally:
        mine.release()


def need_space(
    folder: Path,
    size: int,
    remedy: str = "Free some space, or set DESKPILOT_MODELS to another folder.",
) -> None:
    """Check that the disk has room for `size` bytes.

    Raises: NoSpace.
    """
    free = shutil.disk_usage(folder).free
    if free < size:
        raise NoSpace(
            f"{size / 1000000.0:.0f} MB are needed in {folder}, but only {free / 1000000.0:.0f} "
            "MB are free.",
            remedy,
        )


HASH = re.compile(r"[0-9a-f]{64}")


def is_address(text: str) -> bool:
    """Return whether a text is a web address."""
    return text.startswith(("http://", "https://"))


def fetch_file(
    address: str, folder: Path, sha256: str, report: Report, web: httpx.Client | None = None
) -> Path:
    """Download the file at an address to a folder, and return its path. A partial file is
    continued.

    sha256: the hash of the file. If it is empty, the hash that the server declares is used, as on
    the model hub. Raises: NotReachable, NotTheFile, NoSpace.
    """
    try:
        name = unquote(urlsplit(address).path).rpartition("/")[2]
    except ValueError:
        name = ""
    if name in ("", ".", ".."):
        raise NotReachable(
            f"{address} does not name a file.", "Specify the address of a GGUF file."
        )
    with web or httpx.Client(follow_redirects=True, timeout=60) as client:
        size, declared = told_of(client, address)
        wanted = sha256.lower() or declared
        if not HASH.fullmatch(wanted):
            raise NotTheFile(
                f"No hash is known for {name}.",
                "Specify it with --sha256; the file's publisher lists it.",
            )
        download(client, address, folder / name, size=size, sha256=wanted, report=report)
    return folder / name


def addresses_of(address: str) -> list[str]:
    """Return the addresses of a model's files. If an address points to one part, return the
    addresses of all parts."""
    try:
        place = urlsplit(address)
    except ValueError:
        return [address]  # the download will report what is wrong
    names = [part.name for part in parts_of(Path(unquote(place.path)))]
    if len(names) == 1:
        return [address]
    folder = place.path.rpartition("/")[0]
    return [place._replace(path=f"{folder}/{quote(name)}").geturl() for name in names]


def told_of(client: httpx.Client, address: str) -> tuple[int, str]:
    """Return the size and the SHA-256 hash that a server declares for a file. The hash is empty if
    it declares none.

    The model hub declares both in its redirect. Other servers declare the size after redirects.
    Raises: NotReachable.
    """
    try:
        answer = client.head(address, follow_redirects=False)
        linked = answer.headers.get("X-Linked-Size")
        if linked is None and answer.is_redirect:
            answer = client.head(address)
        if not answer.has_redirect_location:
            answer.raise_for_status()
        size = int(linked or answer.headers.get("Content-Length", "0"))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise NotReachable(
            f"{address} cannot be reached: {error}.", "Check the address and the network."
        ) from error
    if size <= 0:
        raise NotReachable(
            f"{address} does not say how large it is.",
            "Download it manually, then import the file.",
        )
    return size, answer.headers.get("X-Linked-ETag", "").strip('"').lower()
