"""Search the model hub for chat models in GGUF format, and download them.

The hub is the one that `HF_ENDPOINT` names, by default the public one. Source: its HTTP API,
https://huggingface.co/docs/hub/api.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import httpx

from backends import offline
from backends.catalog.download import HASH, REFUSALS
from backends.catalog.entries import CatalogEntry, HubFile, HubSource
from backends.catalog.errors import NotReachable, UnknownModel
from backends.catalog.sources import open_hub
from backends.flexai.entities import ModelType
from backends.gguf import PART

if TYPE_CHECKING:
    from collections.abc import Iterable

PUBLIC = "https://huggingface.co"
REACHED_OTHERWISE = (
    "Check the network. If it blocks this site, import a model from a file or a folder instead."
)
MOST = 12  # maximum number of repositories in a search; each needs a request for its files
AT_ONCE = 4
SECONDS = 20.0
BUSY = 429  # HTTP status for too many requests
NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
REVISION = re.compile(r"[0-9a-f]{40}")
KIND = re.compile(r"(?:^|[-._])((?:UD-)?(?:IQ|Q)\d\w*|BF16|F16|FP16|F32|MXFP4\w*)$", re.I)
BESIDE = ("mmproj", "imatrix")  # GGUF files that accompany a model but are not models themselves


@dataclass(frozen=True)
class HubVariant:
    """A model in a repository: a GGUF file, or all its parts.

    kind: the quantization, such as Q4_K_M, or empty if the file name does not state it.
    """

    name: str
    kind: str
    files: tuple[HubFile, ...]

    @property
    def bytes(self) -> int:
        """Return the size of its files."""
        return sum(file.bytes for file in self.files)

    @property
    def path(self) -> str:
        """Return the path of its first file in the repository."""
        return self.files[0].path


@dataclass(frozen=True)
class HubRepository:
    """A repository with its models, smallest first.

    licence: the licence stated on its page, or empty if none is stated. downloads: the number of
    downloads in the last month. gated: whether its terms must be accepted with an account.
    """

    id: str
    revision: str
    licence: str
    downloads: int
    gated: bool
    variants: tuple[HubVariant, ...]


@dataclass(frozen=True)
class HubPlace:
    """The location of a model on the hub. path: the path of its first file in the repository at the
    given revision.
    """

    repo: str
    revision: str
    path: str


def endpoint() -> str:
    """Return the address of the hub."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or PUBLIC


def host() -> str:
    """Return the hub's name, as users know it."""
    return urlsplit(endpoint()).netloc


def search(words: str, client: httpx.Client | None = None) -> list[HubRepository]:
    """Return repositories with GGUF models that match the given words, with the most downloaded
    ones first.

    Raises: NotReachable.
    """
    asked: dict[str, str | int] = {
        "search": words,
        "filter": "gguf",
        "sort": "downloads",
        "direction": -1,
        "limit": MOST,
    }
    with client or open_hub() as web:
        found = ask(web, "/api/models", asked)
        names = [str(one.get("id", "")) for one in found if isinstance(one, dict)]
        known = [name for name in names if NAME.fullmatch(name)][:MOST]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            every = list(pool.map(lambda name: described(web, name), known))
    return [one for one in every if one is not None and one.variants]


def repository(web: httpx.Client, name: str, revision: str) -> HubRepository:
    """Return a repository as it was at a revision.

    Raises: NotReachable, UnknownModel.
    """
    if NAME.fullmatch(name) is None or REVISION.fullmatch(revision) is None:
        raise UnknownModel(f"{name} is not a repository on the model hub.", "Search for the model.")
    return read_repository(
        name, ask(web, f"/api/models/{quote(name)}/revision/{revision}", {"blobs": "true"})
    )


def described(web: httpx.Client, name: str) -> HubRepository | None:
    """Return a repository from a search, or None if it has been removed or closed in the meantime.

    Raises: NotReachable if the hub no longer answers.
    """
    try:
        return read_repository(name, ask(web, f"/api/models/{quote(name)}", {"blobs": "true"}))
    except NotReachable as error:
        if isinstance(error.__cause__, httpx.HTTPStatusError):
            return None
        raise


def ask(web: httpx.Client, path: str, query: dict[str, str | int]) -> Any:
    """Return the hub's answer.

    Raises: NotReachable.
    """
    try:
        answer = web.get(endpoint() + path, params=query, timeout=SECONDS)
        answer.raise_for_status()
        return answer.json()
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        remedy = REFUSALS[BUSY][1] if status == BUSY else "Try again later."
        raise NotReachable(f"{host()} refused the search (HTTP {status}).", remedy) from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        if offline.is_on():
            raise NotReachable(
                "Deskpilot is offline, so the model hub can't be searched.",
                "Turn off Offline in Settings, Network first.",
            ) from error
        raise NotReachable(f"{host()} cannot be reached.", REACHED_OTHERWISE) from error


def read_repository(name: str, told: Any) -> HubRepository:
    """Return a repository, given the hub's description. Files without a size or hash are left out.

    Raises: NotReachable if the answer is invalid.
    """
    if not isinstance(told, dict):
        raise NotReachable(f"{host()} cannot be reached.", REACHED_OTHERWISE)
    revision = str(told.get("sha") or "")
    files = (
        [file for one in listed(told.get("siblings")) if (file := read_file(one)) is not None]
        if REVISION.fullmatch(revision)
        else []
    )
    return HubRepository(
        name,
        revision,
        licence_of(told),
        int(told.get("downloads") or 0),
        bool(told.get("gated")),
        tuple(sorted(variants_of(files), key=lambda variant: variant.bytes)),
    )


def listed(told: Any) -> Iterable[dict[str, Any]]:
    """Return the objects in a list."""
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def read_file(told: dict[str, Any]) -> HubFile | None:
    """Return a GGUF file in a repository, or None for other files and for files without a size and
    hash.
    """
    path, large = str(told.get("rfilename") or ""), told.get("lfs")
    name = PurePosixPath(path).name
    if not name.lower().endswith(".gguf") or any(word in name.lower() for word in BESIDE):
        return None
    if not isinstance(large, dict):
        return None
    sha256, size = str(large.get("sha256") or ""), large.get("size")
    if HASH.fullmatch(sha256) is None or not isinstance(size, int) or size <= 0:
        return None
    return HubFile(path=path, name=name, bytes=size, sha256=sha256)


def variants_of(files: list[HubFile]) -> list[HubVariant]:
    """Return the models that the given files belong to. Parts are joined, and models with a missing
    part are left out.
    """
    whole: list[tuple[tuple[HubFile, ...], str]] = [
        ((file,), file.name[: -len(".gguf")]) for file in files if not PART.fullmatch(file.name)
    ]
    parts: defaultdict[tuple[str, str, int], dict[int, HubFile]] = defaultdict(dict)
    for file in files:
        if (part := PART.fullmatch(file.name)) is not None:
            folder = str(PurePosixPath(file.path).parent)
            parts[folder, part["name"], int(part["count"])][int(part["number"])] = file
    for (_folder, name, count), known in parts.items():
        if sorted(known) == list(range(1, count + 1)):
            whole.append((tuple(known[number] for number in sorted(known)), name))
    return [HubVariant(name, kind_of(name), own) for own, name in whole]


def kind_of(name: str) -> str:
    """Return the quantization that a model's name states, or an empty string if it states none."""
    found = KIND.search(name)
    return found[1].upper() if found is not None else ""


def licence_of(told: dict[str, Any]) -> str:
    """Return the licence that the page of a repository states."""
    card = told.get("cardData")
    if isinstance(card, dict):
        named = card.get("license_name") if card.get("license") == "other" else card.get("license")
        if isinstance(named, str):
            return named
    tags = told.get("tags")
    stated = (
        [str(tag) for tag in tags if str(tag).startswith("license:")]
        if isinstance(tags, list)
        else []
    )
    return stated[0].removeprefix("license:") if stated else ""


def id_of(repo: str, variant: HubVariant) -> str:
    """Return the local id of a model on the hub, which consists of its owner and file name."""
    own = f"{repo.partition('/')[0]}-{variant.name}".lower()
    return re.sub(r"[^a-z0-9.]+", "-", own).strip("-.")


def entry_of(repo: HubRepository, variant: HubVariant) -> CatalogEntry:
    """Return a catalogue entry for a model on the hub, so that it can be sized and downloaded.

    Its files get the names that the engine expects.
    """
    count = len(variant.files)
    names = (
        ["model.gguf"]
        if count == 1
        else [f"model-{n:05}-of-{count:05}.gguf" for n in range(1, count + 1)]
    )
    files = [
        file.model_copy(update={"name": name})
        for file, name in zip(variant.files, names, strict=True)
    ]
    own = id_of(repo.id, variant)
    return CatalogEntry(
        id=own,
        name=variant.name,
        type=ModelType.LLM,
        provider="llama_cpp",
        model=own,
        licence=repo.licence or "see its source",
        languages=[],
        good_for=f"From {repo.id}.",
        source=HubSource(kind="hub", repo=repo.id, revision=repo.revision, files=files),
        credentials={"model_path": names[0]},
        found=True,
    )


def variant_at(repo: HubRepository, path: str) -> HubVariant:
    """Return the model whose first file has the given path.

    Raises: UnknownModel.
    """
    for variant in repo.variants:
        if variant.path == path:
            return variant
    raise UnknownModel(f"{repo.id} has no model {path}.", "Search for the model again.")
