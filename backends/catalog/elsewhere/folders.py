"""LM Studio, Jan and GPT4All: folders of GGUF files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from backends.catalog.elsewhere.model import Found, answers, inside
from backends.gguf import bytes_of, missing_parts, own_name, parts_of


def lm_studio(home: Path, environment: Mapping[str, str]) -> Iterator[Found]:
    """Yield LM Studio's models: `models/PUBLISHER/REPOSITORY/FILE.gguf`."""
    pointer = home / ".lmstudio-home-pointer"
    try:
        own = Path(pointer.read_text("utf-8").strip())
    except (OSError, ValueError):
        own = home / ".lmstudio"
    for folder in (own / "models", home / ".cache" / "lm-studio" / "models"):
        yield from models_in("lmstudio", folder, "*/*/*.gguf")


def jan(home: Path, environment: Mapping[str, str]) -> Iterator[Found]:
    """Yield Jan's models: `llamacpp/models/NAME/model.gguf` today, `models/NAME/FILE.gguf` before."""
    for data in (
        *(places / "Jan" / "data" for places in data_folders(home, environment)),
        home / "jan",
    ):
        yield from models_in("jan", data / "llamacpp" / "models", "**/*.gguf")
        yield from models_in("jan", data / "models", "**/*.gguf")


def gpt4all(home: Path, environment: Mapping[str, str]) -> Iterator[Found]:
    """Yield GPT4All's models: GGUF files in one folder."""
    for places in data_folders(home, environment):
        yield from models_in("gpt4all", places / "nomic.ai" / "GPT4All", "*.gguf")


def data_folders(home: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return where programs keep their data, on Linux, macOS and Windows."""
    windows = [
        Path(environment[name]) for name in ("APPDATA", "LOCALAPPDATA") if environment.get(name)
    ]
    linux = [Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share"), home / ".config"]
    return [*linux, home / "Library" / "Application Support", *windows]


def models_in(program: str, folder: Path, pattern: str) -> Iterator[Found]:
    """Yield the models of a folder; a file mmproj… beside a model is its projector."""
    for path in inside(folder, pattern):
        if is_projector(path) or not is_whole(path) or not answers(path):
            continue
        beside = [other for other in inside(path.parent, "*.gguf") if is_projector(other)]
        name = path.parent.name if path.stem == "model" else own_name(path)
        yield Found(
            f"{program}:{name}", path, bytes_of(path), beside[0] if len(beside) == 1 else None
        )


def is_whole(path: Path) -> bool:
    """Tell whether a file stands for a model: one in several parts does so by the first, if all are there."""
    return parts_of(path)[0] == path and not missing_parts(path)


def is_projector(path: Path) -> bool:
    """Tell whether a file is the projector of another model, by the name all programs give it."""
    return "mmproj" in path.name.lower()
