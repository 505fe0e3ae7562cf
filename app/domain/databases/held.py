"""What a database holds, and which part of it is copied."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

FOLDER = "databases"  # in the data folder, where copies lie
KEY = "deskpilot_copy"  # under which a copy says in its file what it is of
ROWS = 1_000_000  # of a table that are copied unless somebody says how many
BYTES = 2 * 1024**3  # of a copy on disk
SECONDS = 600.0  # a copy may take
LISTING = 30.0  # seconds the list of tables may take


@dataclass(frozen=True)
class Held:
    """A table or view. rows: about how many, as the database itself estimates; -1 where it does not know."""

    schema: str
    name: str
    view: bool = False
    rows: int = -1
    about: str = ""

    @property
    def full_name(self) -> str:
        """Return its name with its schema, as one writes it."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True)
class Wish:
    """Which table is to be copied. first: how many rows at most, the rest left out; 0 for all, or not at all."""

    schema: str
    name: str
    first: int = 0
    most: int = ROWS
    seconds: float = SECONDS


@dataclass(frozen=True)
class Progress:
    """How far a copy has come. bytes: of it that lie on disk already."""

    rows: int
    bytes: int


@dataclass(frozen=True)
class Copied:
    """A table as it was copied. of: about how many rows there are, where some were left out, else 0.

    url: of its database, without a password. rows: how many were copied. meanings: what its owner says of columns, by name. types: their
    types, as the database names them.
    """

    url: str
    database: str
    schema: str
    name: str
    view: bool = False
    rows: int = 0
    of: int = 0
    first: int = 0
    about: str = ""
    meanings: dict[str, str] = field(default_factory=dict[str, str])
    types: dict[str, str] = field(default_factory=dict[str, str])

    def described(self) -> str:
        """Return in words what it is, for people and copilots; no server and no user is named."""
        kind = "View" if self.view else "Table"
        part = f"Only the first {self.rows:,} of {about(self.of)} rows of the" if self.of else "The"
        told = f"{part} {kind.lower()} {self.schema}.{self.name} of the database {self.database}."
        return " ".join(one for one in (self.about.strip(), told) if one)

    def as_dict(self) -> dict[str, Any]:
        """Return its fields as JSON values."""
        return dict(self.__dict__)


def about(rows: int) -> str:
    """Return a number of rows that is an estimate, in words."""
    return f"about {rows:,}" if rows > 0 else "more"
