"""How far a design has come: kept after each step, so that it goes on from there, whatever ended
it.
"""

from __future__ import annotations

import uuid
from typing import Literal

from pydantic import BaseModel

from app.data.design.definition import Definition, SelfRequest, now

Phase = Literal["asking", "defining", "merging", "validating", "done"]
VERSION = 1


class Table(BaseModel):
    """A table a design is about: its file, and the hash of the content it began with."""

    path: str
    hash: str


class Kept(BaseModel):
    """What became of a definition in the library."""

    name: str
    version: int
    status: str
    reason: str = ""


class State(BaseModel):
    """A design. wanted: how many requests. chance: what its choices begin from. seeds: requests of
    a person.

    defined, laid: how many requests have their definition, how many definitions were merged or
    left.
    apart: pairs that were alike, but not the same when they were replayed.
    """

    version: Literal[1] = VERSION
    id: str
    began: str
    wanted: int
    chance: int
    seeds: list[str] = []
    tables: dict[str, Table]
    phase: Phase = "asking"
    model: str = ""
    requests: list[SelfRequest] = []
    defined: int = 0
    definitions: list[Definition] = []
    laid: int = 0
    interfaces: list[Definition] = []
    apart: list[tuple[str, str]] = []
    kept: list[Kept] = []

    @property
    def validated(self) -> list[Kept]:
        """Return what may be used."""
        return [one for one in self.kept if one.status == "validated"]

    @property
    def merged(self) -> list[Definition]:
        """Return the interfaces that were several."""
        return [one for one in self.interfaces if len(one.made_of) > 1]


def begun(tables: dict[str, Table], wanted: int, seeds: list[str], chance: int) -> State:
    """Return a design that begins."""
    return State(
        id=uuid.uuid4().hex[:12],
        began=now(),
        wanted=wanted,
        chance=chance,
        seeds=seeds,
        tables=tables,
    )
