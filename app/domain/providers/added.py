"""A provider somebody added: what was filled in, and where its secrets are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Place = str  # "keyring", "session", or "env:NAME"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
ENV = "env:"


@dataclass(frozen=True)
class AddedModel:
    """One model of a provider that was added. values: what its form holds, secrets aside."""

    model: str
    type: str
    values: dict[str, str] = field(default_factory=dict[str, str])
    secrets: dict[str, Place] = field(default_factory=dict[str, Place])


@dataclass(frozen=True)
class Added:
    """A provider that was added.

    name: what people call it here. provider: its kind. key: by which its secrets are found. values: what
    its form holds, secrets aside. secrets: of each secret field where it is kept. host: where questions
    go, empty if they stay on this machine.
    """

    name: str
    provider: str
    key: str
    host: str
    values: dict[str, str] = field(default_factory=dict[str, str])
    secrets: dict[str, Place] = field(default_factory=dict[str, Place])
    models: tuple[AddedModel, ...] = ()

    def id_of(self, model: AddedModel) -> str:
        """Return the name by which a model is asked for."""
        return f"{self.name}/{model.model}"


@dataclass(frozen=True)
class Filled:
    """What somebody filled into a form: values, secrets as typed, and secrets of the environment by variable."""

    values: dict[str, str] = field(default_factory=dict[str, str])
    secrets: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    environment: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Choice:
    """A model a provider offers; type: empty where nobody says."""

    model: str
    type: str = ""


@dataclass(frozen=True)
class Tried:
    """What a provider said when its credentials were tried out."""

    models: tuple[Choice, ...]
    host: str


Keep = Literal["keyring", "session"]
