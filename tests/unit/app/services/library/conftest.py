"""Small tables of macro data and shares, and where a design is kept."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from app.adapters.system.json_file import JsonFile
from app.data.library.library_file import Library
from app.services.library.designer import DesignProgress
from tests.unit.app.services.library.chooser import Chooser, designer

if TYPE_CHECKING:
    from pathlib import Path

    from app.data.design.definition import State


def made_tables(folder: Path) -> list[Path]:
    """Write quarters of GDP, quarters of prices, and weeks of three shares."""
    chance = random.Random(5)
    quarters = [
        dt.date(y, m, d)
        for y in range(2015, 2024)
        for m, d in ((3, 31), (6, 30), (9, 30), (12, 31))
    ]
    made: list[Path] = []
    for name, level in (("gdp", 900.0), ("cpi", 100.0)):
        rows: list[str] = []
        for day in quarters:
            level *= 1 + chance.gauss(0.004, 0.01)
            rows.append(f"{day},{level:.2f}")
        made.append(folder / f"{name}.csv")
        made[-1].write_text("\n".join([f"date,{name}", *rows]) + "\n", "utf-8")
    week, weeks = dt.date(2023, 1, 6), 30
    lines = ["date,company,close,volume"]
    for n in range(weeks):
        for company, start in (("Alder", 40), ("Birch", 95), ("Cedar", 22)):
            close = start * (1 + chance.gauss(0, 0.08))
            lines.append(
                f"{week + dt.timedelta(days=7 * n)},{company},{close:.2f},{chance.randrange(900)}"
            )
    made.append(folder / "shares.csv")
    made[-1].write_text("\n".join(lines) + "\n", "utf-8")
    return made


@dataclass(frozen=True)
class Outcome:
    """A whole design: its tables, their hashes before, what it kept, what it told."""

    tables: list[Path]
    hashes: list[str]
    library: Library
    state: State
    told: list[DesignProgress]


@pytest.fixture(scope="session")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Design once, for all tests that only look at what came of it."""
    folder = tmp_path_factory.mktemp("designed")
    tables, told = made_tables(folder), list[DesignProgress]()
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in tables]
    library = Library(JsonFile(folder / "library.json"))
    job = designer(JsonFile(folder / "design.json"), library, Chooser())
    state = asyncio.run(job.run(tables, told.append, 24, chance=4))
    return Outcome(tables, hashes, library, state, told)


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    return made_tables(tmp_path)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(JsonFile(tmp_path / "library.json"))


@pytest.fixture
def file(tmp_path: Path) -> JsonFile:
    return JsonFile(tmp_path / "design.json")
