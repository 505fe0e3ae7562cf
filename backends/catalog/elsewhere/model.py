"""A model that another program keeps, and how one tells a GGUF that can answer from any other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from backends.gguf import NotGguf, read_gguf

SILENT = (
    "bert",
    "clip",
    "t5encoder",
    "wav",
    "sam",
)  # parts of names of architectures that hold no conversation

PROGRAMS = {
    "ollama": "Ollama",
    "lmstudio": "LM Studio",
    "jan": "Jan",
    "gpt4all": "GPT4All",
    "hub": "the cache of the model hub",
    "system": "the system",
}


@dataclass(frozen=True)
class Found:
    """A model where another program put it.

    name: `program:its name there`. path: file or folder. projector: its mmproj, for a model that sees.
    """

    name: str
    path: Path
    bytes: int
    projector: Path | None = None

    @property
    def program(self) -> str:
        """Who keeps it."""
        return PROGRAMS[self.name.partition(":")[0]]

    def files(self) -> set[Path]:
        """Return its files, or those at the top of its folder, links followed."""
        return {
            file.resolve() for file in (self.path.iterdir() if self.path.is_dir() else [self.path])
        }

    @property
    def own_name(self) -> str:
        """What the program calls it."""
        return self.name.partition(":")[2]


def answers(path: Path) -> bool:
    """Tell whether a file is a GGUF that holds a conversation; one that cannot be read does not."""
    try:
        architecture = read_gguf(path).architecture
    except (NotGguf, OSError):
        return False
    return not any(part in architecture for part in SILENT)


def inside(folder: Path, pattern: str) -> Iterator[Path]:
    """Yield the files a pattern finds, sorted; nothing where there is no such folder or it may not be read."""
    try:
        yield from sorted(path for path in folder.glob(pattern) if path.is_file())
    except OSError:
        return
