"""Models that other programs store on this machine: Ollama, LM Studio, Jan, GPT4All, hub caches and
the operating system.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backends.catalog.errors import NotAModel, UnknownModel
from backends.catalog.model_import import SYSTEM_VOICE, recognise, system_voice
from backends.gguf import NotGguf, bytes_of, missing_parts, own_name, parts_of, read_gguf

SILENT = (
    "bert",
    "clip",
    "t5encoder",
    "wav",
    "sam",
)  # parts of architecture names, for models that cannot chat

PROGRAMS = {
    "ollama": "Ollama",
    "lmstudio": "LM Studio",
    "jan": "Jan",
    "gpt4all": "GPT4All",
    "hub": "the cache of the model hub",
    "system": "the system",
}


@dataclass(frozen=True)
class FoundModel:
    """A model that belongs to another program.

    name: `program:its name there`. path: its file or folder. projector: the mmproj file of a model
    that sees images.
    """

    name: str
    path: Path
    bytes: int
    projector: Path | None = None

    @property
    def program(self) -> str:
        """Return the program that owns the model."""
        return PROGRAMS[self.name.partition(":")[0]]

    def files(self) -> set[Path]:
        """Return its files, or those at the top of its folder, with links followed."""
        return {
            file.resolve() for file in (self.path.iterdir() if self.path.is_dir() else [self.path])
        }

    @property
    def own_name(self) -> str:
        """Return the model's name in the other program."""
        return self.name.partition(":")[2]


def answers(path: Path) -> bool:
    """Return whether a file is a GGUF chat model. Return False if it cannot be read."""
    try:
        architecture = read_gguf(path).architecture
    except (NotGguf, OSError):
        return False
    return not any(part in architecture for part in SILENT)


def inside(folder: Path, pattern: str) -> Iterator[Path]:
    """Yield the files that match a pattern, in sorted order. Yield none if the folder is missing or
    unreadable."""
    try:
        yield from sorted(path for path in folder.glob(pattern) if path.is_file())
    except OSError:
        return


def lm_studio(home: Path, environment: Mapping[str, str]) -> Iterator[FoundModel]:
    """Yield LM Studio's models: `models/PUBLISHER/REPOSITORY/FILE.gguf`."""
    pointer = home / ".lmstudio-home-pointer"
    try:
        own = Path(pointer.read_text("utf-8").strip())
    except (OSError, ValueError):
        own = home / ".lmstudio"
    for folder in (own / "models", home / ".cache" / "lm-studio" / "models"):
        yield from models_in("lmstudio", folder, "*/*/*.gguf")


def jan(home: Path, environment: Mapping[str, str]) -> Iterator[FoundModel]:
    """Yield Jan's models: `llamacpp/models/NAME/model.gguf` today, formerly
    `models/NAME/FILE.gguf`.
    """
    for data in (
        *(places / "Jan" / "data" for places in data_folders(home, environment)),
        home / "jan",
    ):
        yield from models_in("jan", data / "llamacpp" / "models", "**/*.gguf")
        yield from models_in("jan", data / "models", "**/*.gguf")


def gpt4all(home: Path, environment: Mapping[str, str]) -> Iterator[FoundModel]:
    """Yield GPT4All's models: GGUF files in a single folder."""
    for places in data_folders(home, environment):
        yield from models_in("gpt4all", places / "nomic.ai" / "GPT4All", "*.gguf")


def data_folders(home: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the folders where programs store their data on Linux, macOS and Windows."""
    windows = [
        Path(environment[name]) for name in ("APPDATA", "LOCALAPPDATA") if environment.get(name)
    ]
    linux = [Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share"), home / ".config"]
    return [*linux, home / "Library" / "Application Support", *windows]


def models_in(program: str, folder: Path, pattern: str) -> Iterator[FoundModel]:
    """Yield the models in a folder. A file named mmproj… next to a model is its projector."""
    for path in inside(folder, pattern):
        if is_projector(path) or not is_whole(path) or not answers(path):
            continue
        beside = [other for other in inside(path.parent, "*.gguf") if is_projector(other)]
        name = path.parent.name if path.stem == "model" else own_name(path)
        yield FoundModel(
            f"{program}:{name}", path, bytes_of(path), beside[0] if len(beside) == 1 else None
        )


def is_whole(path: Path) -> bool:
    """Return whether a file stands for a whole model. For a split model, this is its first part, if
    all parts are there.
    """
    return parts_of(path)[0] == path and not missing_parts(path)


def is_projector(path: Path) -> bool:
    """Return whether a file is the projector of another model. All programs mark it in the same way
    in the file name.
    """
    return "mmproj" in path.name.lower()


def hub_cache(home: Path, environment: Mapping[str, str]) -> Iterator[FoundModel]:
    """Yield the models in the hub cache: Whisper models, sentence-transformers folders, GGUF files
    and voices.
    """
    for folder in sorted(cache_of(home, environment).glob("models--*--*")):
        snapshot = newest(folder)
        if snapshot is None:
            continue
        name = "/".join(folder.name.split("--")[1:])
        try:
            entry, _ = recognise(snapshot, "m")
            yield FoundModel(f"hub:{name}", snapshot, entry.size_bytes)
        except (NotAModel, OSError):
            for path in inside(snapshot, "**/*.gguf"):
                if not is_projector(path) and is_whole(path) and answers(path):
                    yield FoundModel(f"hub:{name}/{own_name(path)}.gguf", path, bytes_of(path))


def cache_of(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the cache folder. It is determined in the same way as by the hub's own library."""
    if named := environment.get("HF_HUB_CACHE"):
        return Path(named)
    if named := environment.get("HF_HOME"):
        return Path(named) / "hub"
    return Path(environment.get("XDG_CACHE_HOME") or home / ".cache") / "huggingface" / "hub"


def newest(folder: Path) -> Path | None:
    """Return the snapshot of `main`, or else the only snapshot, or None if there is none."""
    try:
        named = folder / "snapshots" / (folder / "refs" / "main").read_text("utf-8").strip()
    except (OSError, ValueError):
        kept = sorted((folder / "snapshots").glob("*"))
        return kept[0] if len(kept) == 1 else None
    return named if named.is_dir() else None


HOST, NAMESPACE = "registry.ollama.ai", "library"
MODEL, PROJECTOR = "application/vnd.ollama.image.model", "application/vnd.ollama.image.projector"
# where its system service stores them on Linux
SYSTEM_WIDE = Path("/usr/share/ollama/.ollama/models")


def ollama(home: Path, environment: Mapping[str, str]) -> Iterator[FoundModel]:
    """Yield Ollama's language models whose blobs are complete."""
    named = environment.get("OLLAMA_MODELS")
    folders = [Path(named)] if named else [home / ".ollama" / "models", SYSTEM_WIDE]
    for folder in folders:
        for manifest in inside(folder / "manifests", "*/*/*/*"):
            layers = layers_of(manifest)
            model = blob(folder, layers, MODEL)
            if model is not None and answers(model):
                projector = blob(folder, layers, PROJECTOR)
                name = name_of(manifest.relative_to(folder / "manifests"))
                yield FoundModel(f"ollama:{name}", model, model.stat().st_size, projector)


def name_of(place: Path) -> str:
    """Return Ollama's name for the model in a manifest, such as `llama3.2:1b`, possibly with a
    namespace or host.
    """
    host, namespace, name, tag = place.parts
    before = [host] if host != HOST else []
    before += [namespace] if host != HOST or namespace != NAMESPACE else []
    return "/".join([*before, f"{name}:{tag}"])


def layers_of(manifest: Path) -> list[dict[str, Any]]:
    """Return the layers that a manifest lists, or an empty result if it cannot be read."""
    try:
        layers = json.loads(manifest.read_text("utf-8"))["layers"]
        return [layer for layer in layers if isinstance(layer, dict)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def blob(folder: Path, layers: list[dict[str, Any]], kind: str) -> Path | None:
    """Return the file of a layer, or None if it is missing or incomplete."""
    for layer in layers:
        digest = str(layer.get("digest"))
        if layer.get("mediaType") == kind and re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
            path = folder / "blobs" / digest.replace(":", "-")
            if path.is_file() and path.stat().st_size == layer.get("size"):
                return path
    return None


def system(home: Path, environment: Mapping[str, str]) -> Iterator[FoundModel]:
    """Yield espeak-ng if it is installed."""
    place = system_voice(environment.get("PATH", ""))
    if place is not None:
        yield FoundModel(f"system:{SYSTEM_VOICE}", place, place.stat().st_size)


LOOKS = (ollama, lm_studio, jan, gpt4all, hub_cache, system)


def all_found(
    home: Path | None = None, environment: dict[str, str] | None = None
) -> list[FoundModel]:
    """Return the models of other programs that Deskpilot can use. Unreadable folders are skipped.

    home, environment: the home folder and the environment, by default those of this process.
    """
    around = dict(os.environ) if environment is None else environment
    found = [model for look in LOOKS for model in look(home or Path.home(), around)]
    return list({model.path.resolve(): model for model in reversed(found)}.values())[::-1]


def one_found(name: str, found: list[FoundModel] | None = None) -> FoundModel:
    """Return the model with the given name, such as `ollama:llama3.2:1b`.

    Raises: UnknownModel.
    """
    models = all_found() if found is None else found
    for model in models:
        if model.name == name:
            return model
    names = ", ".join(model.name for model in models)
    raise UnknownModel(
        f"No other program on this machine has a model named {name!r}.",
        f"Found: {names or 'none'}.",
    )
