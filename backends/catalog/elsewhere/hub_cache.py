"""The cache of the model hub, which transformers, faster-whisper and many others share.

Source: the cache layout of huggingface_hub, `models--OWNER--NAME/snapshots/REVISION`, `refs/main`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from backends.catalog.elsewhere.folders import is_projector, is_whole
from backends.catalog.elsewhere.model import Found, answers, inside
from backends.catalog.errors import NotAModel
from backends.catalog.imported import recognise
from backends.gguf import bytes_of, own_name


def hub_cache(home: Path, environment: Mapping[str, str]) -> Iterator[Found]:
    """Yield the models of the cache: Whispers, folders of sentence-transformers, GGUF files, voices."""
    for folder in sorted(cache_of(home, environment).glob("models--*--*")):
        snapshot = newest(folder)
        if snapshot is None:
            continue
        name = "/".join(folder.name.split("--")[1:])
        try:
            entry, _ = recognise(snapshot, "m")
            yield Found(f"hub:{name}", snapshot, entry.size_bytes)
        except (NotAModel, OSError):
            for path in inside(snapshot, "**/*.gguf"):
                if not is_projector(path) and is_whole(path) and answers(path):
                    yield Found(f"hub:{name}/{own_name(path)}.gguf", path, bytes_of(path))


def cache_of(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of the cache, as the hub's own library finds it."""
    if named := environment.get("HF_HUB_CACHE"):
        return Path(named)
    if named := environment.get("HF_HOME"):
        return Path(named) / "hub"
    return Path(environment.get("XDG_CACHE_HOME") or home / ".cache") / "huggingface" / "hub"


def newest(folder: Path) -> Path | None:
    """Return the snapshot that `main` stands for, else the only one; None if it is not there."""
    try:
        named = folder / "snapshots" / (folder / "refs" / "main").read_text("utf-8").strip()
    except (OSError, ValueError):
        kept = sorted((folder / "snapshots").glob("*"))
        return kept[0] if len(kept) == 1 else None
    return named if named.is_dir() else None
