"""A model as one chooses it: what it is good for, what it costs, where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.domain.shelf.tuning import Speed

Place = Literal["loaded", "here", "provider", "available"]
EMBEDDER = "text-embedding"
TYPES = {  # what people call the types of models
    "pack": "Voice pack",
    "llm": "Talks",
    EMBEDDER: "Compares meaning",
    "rerank": "Puts in order",
    "speech2text": "Understands speech",
    "tts": "Speaks",
    "moderation": "Guards",
}


@dataclass(frozen=True)
class Model:
    """One model. id: by which it is asked for; called: its name in the engine, by which it is loaded.

    place: loaded into memory, on this machine, behind a provider, or to be fetched. host: where a provider's
    model gets questions, empty if on this machine. Bytes are 0 where they are not known; got: of a download that was paused or broke off. problem: why it
    cannot be used now. speed: as it was measured here, None if nobody did. members: of a pack, the models that are still to be fetched.
    starter: one of the small models that answers begin with.
    """

    id: str
    name: str
    type: str
    place: Place
    provider: str = ""
    host: str = ""
    size_bytes: int = 0
    download_bytes: int = 0
    got_bytes: int = 0
    takes_bytes: int = 0
    memory_bytes: int = 0
    in_use: bool = False
    licence: str = ""
    languages: tuple[str, ...] = ()
    good_for: str = ""
    problem: str = ""
    called: str = ""
    speed: Speed | None = None
    members: tuple[str, ...] = ()
    starter: bool = False

    @property
    def tunable(self) -> bool:
        """Whether parameters are chosen for it, and its speed is measured: a language model of this machine."""
        return self.type == "llm" and self.place in ("here", "loaded")

    @property
    def checkable(self) -> bool:
        """Whether its files lie on this machine and can be hashed again."""
        return self.place in ("here", "loaded")

    @property
    def fetchable(self) -> bool:
        """Whether it can be fetched again once it is gone: it was not imported."""
        return self.download_bytes > 0

    @property
    def usable(self) -> bool:
        """Whether it can be asked now, loaded first if need be."""
        return self.place != "available" and not self.problem


@dataclass(frozen=True)
class Shelf:
    """All models, and the memory they may take together, in bytes."""

    models: tuple[Model, ...]
    budget_bytes: int

    def of_type(self, kind: str) -> list[Model]:
        """Return the models of a type that can be used."""
        return [model for model in self.models if model.type == kind and model.usable]

    @property
    def taken_bytes(self) -> int:
        """What the loaded models take."""
        return sum(model.memory_bytes for model in self.models)

    def fits(self, model: Model) -> bool:
        """Tell whether a model could be loaded with every other unloaded."""
        return not self.budget_bytes or model.takes_bytes <= self.budget_bytes


@dataclass(frozen=True)
class Step:
    """How far a download is: what is done now, bytes done and in all."""

    what: str
    done: int
    total: int


def size(amount: int) -> str:
    """Return bytes as people read them."""
    if amount >= 1e9:
        return f"{amount / 1e9:.1f} GB"
    return f"{max(1, round(amount / 1e6))} MB"
