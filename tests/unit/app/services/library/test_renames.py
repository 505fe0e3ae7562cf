"""Designed interfaces over a table that is another one by now: stale, refused, or right; never
wrong.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from app.adapters.system.json_file import JsonFile
from app.data.library.library_file import Library
from app.data.library.validator import replayed, stale
from app.data.sources import Sources
from app.domain.errors import DeskpilotError
from tests.unit.app.services.library.chooser import Chooser, designer

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

HEAD = "date,company,close,volume"


@dataclass(frozen=True)
class Shares:
    """A table of shares, and the interfaces that were designed over it."""

    path: Path
    library: Library

    def write(self, head: str, lines: list[list[str]]) -> Sources:
        """Put another table in its place, and open it."""
        self.path.write_text("\n".join([head, *map(",".join, lines)]) + "\n", "utf-8")
        sources = Sources.of(self.library)
        sources.add_file(self.path)
        return sources


def lines() -> list[list[str]]:
    """Return weeks of three shares."""
    chance = random.Random(9)
    return [
        [f"2024-{week // 4 + 1:02}-{week % 4 * 7 + 1:02}", who, f"{chance.uniform(20, 90):.2f}", str(chance.randrange(900))]
        for week in range(24)
        for who in ("Alder", "Birch", "Cedar")
    ]  # fmt: skip


@pytest.fixture(scope="module")
def shares(tmp_path_factory: pytest.TempPathFactory) -> Shares:
    """Design once; each test puts a table of its own there."""
    folder = tmp_path_factory.mktemp("renamed")
    made = Shares(folder / "shares.csv", Library(JsonFile(folder / "library.json")))
    made.write(HEAD, lines())
    job = designer(JsonFile(folder / "design.json"), made.library, Chooser())
    asyncio.run(job.run([made.path], lambda _: None, 20, chance=1))
    assert len([e for e in made.library.entries() if e.status == "validated"]) >= 8
    return made


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("date,company,volume,close", "they are in a different order"),  # each has the other's name
        (
            "date,company,volume,lots",
            "close was removed; lots was added",
        ),  # one has another's old name
        ("date,company,Close,volume", "close was removed; Close was added"),
        ("day,company,close,volume", "date was removed; day was added"),
        ("date,firm,close,volume", "company was removed; firm was added"),
    ],
)
async def test_a_column_with_another_name_makes_all_stale(
    head: str, told: str, shares: Shares
) -> None:
    sources = shares.write(head, lines())
    assert sources.library() == []
    for entry in (e for e in shares.library.entries() if e.status == "validated"):
        assert (
            stale(entry, sources)
            == f"The columns of shares have changed since it was created: {told}."
        )
        with pytest.raises(DeskpilotError, match="is stale"):
            await replayed(entry, {}, sources)


async def test_a_column_of_another_kind_makes_all_stale(shares: Shares) -> None:
    other = lines()
    other[40][2] = "suspended"
    sources = shares.write(HEAD, other)
    assert sources.library() == []
    for entry in (e for e in shares.library.entries() if e.status == "validated"):
        assert stale(entry, sources).endswith("close contains text, not number.")


async def test_a_column_more_a_column_less_and_another_order_make_all_stale(shares: Shares) -> None:
    more = shares.write(f"{HEAD},currency", [[*line, "EUR"] for line in lines()])
    assert more.library() == []
    less = shares.write("date,company,close", [line[:3] for line in lines()])
    assert less.library() == []
    moved = shares.write("company,date,close,volume", [[b, a, *rest] for a, b, *rest in lines()])
    assert moved.library() == []
    back = shares.write(HEAD, lines())
    assert back.library()


async def test_a_share_that_is_gone_is_said_to_be_and_the_others_are_right(shares: Shares) -> None:
    left = [line for line in lines() if line[1] != "Alder"]
    sources = shares.write(HEAD, left)
    asked = 0
    for entry in sources.library():
        if all(p.name != "entity" for p in entry.workflow.parameters):
            continue
        gone = await replayed(entry, {"entity": "Alder"}, sources)
        assert [s.error for s in gone.failed] == ["No row meets these conditions."], entry.name
        there = await replayed(entry, {"entity": "Birch"}, sources)
        assert not there.failed
        with pytest.raises(DeskpilotError, match="not one of the values"):
            await replayed(entry, {"entity": "Delta"}, sources)
        asked += 1
    assert asked >= 4
    everyone = [
        e for e in sources.library() if e.workflow.steps[-1].arguments.get("by") == ["company"]
    ]
    for entry in everyone:
        result = await replayed(entry, {}, sources)
        assert {row[0] for row in result.shown[0].rows} == {"Birch", "Cedar"}
