"""A model's file behind an address: fetched whole, checked by the hash its server or the person
declares.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import httpx

from backends.catalog.download import Report, download
from backends.catalog.errors import NotReachable, NotTheFile
from backends.gguf import parts_of

HASH = re.compile(r"[0-9a-f]{64}")


def is_address(text: str) -> bool:
    """Tell whether a text is an address of the web."""
    return text.startswith(("http://", "https://"))


def fetch_file(
    address: str, folder: Path, sha256: str, report: Report, web: httpx.Client | None = None
) -> Path:
    """Put the file at an address into a folder and return where it is; a part from an earlier try
    is continued.

    sha256: of the file; empty takes what the server declares, as the model hub does.
    Raises: NotReachable, NotTheFile, NoSpace.
    """
    try:
        name = unquote(urlsplit(address).path).rpartition("/")[2]
    except ValueError:
        name = ""
    if name in ("", ".", ".."):
        raise NotReachable(f"{address} names no file.", "Give the address of a GGUF file.")
    with web or httpx.Client(follow_redirects=True, timeout=60) as client:
        size, declared = told_of(client, address)
        wanted = sha256.lower() or declared
        if not HASH.fullmatch(wanted):
            raise NotTheFile(
                f"Nobody says which hash {name} must have.",
                "Give it with --sha256; who offers the file tells it.",
            )
        download(client, address, folder / name, size=size, sha256=wanted, report=report)
    return folder / name


def addresses_of(address: str) -> list[str]:
    """Return the addresses of a model's files: all parts, where an address is that of one."""
    try:
        place = urlsplit(address)
    except ValueError:
        return [address]  # fetching it says what is wrong
    names = [part.name for part in parts_of(Path(unquote(place.path)))]
    if len(names) == 1:
        return [address]
    folder = place.path.rpartition("/")[0]
    return [place._replace(path=f"{folder}/{quote(name)}").geturl() for name in names]


def told_of(client: httpx.Client, address: str) -> tuple[int, str]:
    """Return size and sha256 of a file as its server declares them; an empty hash where it does
    not.

    The model hub tells both in its redirect; other servers tell the size where the redirects end.
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
            f"{address} cannot be reached: {error}.", "Look at the address and the network."
        ) from error
    if size <= 0:
        raise NotReachable(
            f"{address} does not say how large it is.", "Fetch it by hand, then import the file."
        )
    return size, answer.headers.get("X-Linked-ETag", "").strip('"').lower()
