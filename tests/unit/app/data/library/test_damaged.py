"""A library that was damaged, changed by hand, or written by a newer Deskpilot: what can be read is
used, the rest is told.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from app.adapters.system.json_file import JsonFile
from app.data.library.entry import Note
from app.data.library.library_file import Library
from app.data.library.validator import entry_of, replayed, titled, validated
from app.data.sources import Sources
from app.data.tables import uuid_of
from app.domain.errors import DeskpilotError, SetupError, SourceError
from backends.data.workflow.step import Workflow
from backends.data.workflow.summary import piece_uid

pytestmark = pytest.mark.slow

ROWS = 450


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(
        "\n".join(["day,sold", *(f"2024-01-{n % 28 + 1:02},{n}" for n in range(ROWS))]), "utf-8"
    )
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "library.json"


@pytest.fixture
async def library(file: Path, sales: Path) -> Library:
    made = Library(JsonFile(file))
    steps = [
        {"id": "r1", "interface": "read_rows", "arguments": {"source": uuid_of(sales)}},
        {"id": "r2", "interface": "show_table", "arguments": {"data": "r1"}},
    ]
    sources = opened(sales)
    entry = entry_of("all_sales", Workflow.model_validate({"steps": steps}), sources)
    await made.put(await validated(entry, sources))
    return made


def opened(path: Path) -> Sources:
    sources = Sources()
    sources.add_file(path)
    return sources


def held_in(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text("utf-8"))


def edit(file: Path, **more: Any) -> None:
    known = held_in(file)
    known["entries"] |= more.pop("entries", {})
    file.write_text(json.dumps(known | more), "utf-8")


MANY = [{"id": f"r{n}", "interface": "read_rows"} for n in range(10_000)]


@pytest.mark.parametrize(
    "damaged",
    [
        "x",
        {"a": 1},
        [None],
        [{"name": "bad"}],
        [{"name": "bad", "workflow": {"steps": MANY}}],
        [{"future": 1}],
    ],
)
async def test_a_workflow_that_cannot_be_read_does_not_take_the_others_along(
    library: Library, file: Path, damaged: Any
) -> None:
    edit(file, entries={"bad": damaged})
    good, bad = library.entries()
    assert (good.status, bad.status) == ("validated", "failed")
    assert "cannot be read" in bad.reason
    assert library.entry("all_sales").workflow.steps
    with pytest.raises(SourceError, match="contains no workflow"):
        library.entry("bad")
    kept = await library.remove("bad")
    assert [entry.name for entry in library.entries()] == ["all_sales"]
    await library.put_back("bad", kept)
    assert len(library.entries()) == 2


async def test_a_workflow_is_called_as_it_is_listed(library: Library, file: Path) -> None:
    held = held_in(file)["entries"]["all_sales"]
    edit(file, entries={"other": held})
    assert [entry.name for entry in library.entries()] == ["all_sales", "other"]
    await library.remove("other")
    with pytest.raises(SourceError, match="has no 'other'"):
        await library.remove("other")


async def test_nothing_is_written_into_the_library_of_a_newer_deskpilot(
    library: Library, file: Path, sales: Path
) -> None:
    entry = library.entry("all_sales")
    edit(file, version=2)
    before = held_in(file)
    for read in (library.entries, library.notes):
        with pytest.raises(SourceError, match="newer"):
            read()
    with pytest.raises(SourceError, match="newer"):
        await library.put(entry)
    with pytest.raises(SourceError, match="newer"):
        await library.keep_note("uid", Note(path=str(sales)))
    assert held_in(file) == before


@pytest.mark.parametrize(
    "more", [{"entries_": 1}, {"sources": [1]}, {"sources": {"u": {"path": 5}}}]
)
async def test_a_note_that_cannot_be_read_is_told(library: Library, file: Path, more: Any) -> None:
    edit(file, **more)
    if "sources" in more:
        with pytest.raises(SourceError, match="cannot be read"):
            library.note("u")
    else:  # what nobody knows is kept
        await library.keep_note("u", Note(path="x"))
        assert held_in(file)["entries_"] == 1


@pytest.mark.parametrize("text", ['{"entries": ', "[" * 100_000, "[]", "\ufffe\x00"])
def test_a_file_that_is_no_library_is_told(file: Path, text: str) -> None:
    library = Library(JsonFile(file))
    file.write_text(text, "utf-8")
    with pytest.raises(SetupError, match=r"library\.json"):
        library.entries()
    with pytest.raises(DeskpilotError):
        asyncio.run(library.remove("all_sales"))
    assert file.read_text("utf-8") == text


async def test_all_rows_of_a_replayed_table_can_be_had(library: Library, sales: Path) -> None:
    sources, entry = opened(sales), library.entry("all_sales")
    result = await replayed(entry, {}, sources)
    (one,) = result.shown
    assert (len(one.rows), one.rows_in_all) == (200, ROWS)
    whole = sources.runs.whole(piece_uid(result.hashes, titled(entry, {}), one.step))
    assert whole is not None
    assert [row["sold"] for row in whole] == list(range(ROWS))
