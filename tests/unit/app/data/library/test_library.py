"""Workflows kept by name: tried out before they are trusted, stale when a table changes, replayed
without a model.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.adapters.system.json_file import JsonFile
from app.cli.commands import app
from app.data.library.entry import LibraryEntry, Note, with_parameters
from app.data.library.library_file import Library, parsing_file
from app.data.library.validator import entry_of, replayed, stale, validated
from app.data.sources import Sources
from app.data.tables import uuid_of
from app.domain.errors import DeskpilotError, SourceError
from backends.data.steps import STEPS, acquisition
from backends.data.workflow.interface import StepInterface
from backends.data.workflow.step import Workflow

pytestmark = pytest.mark.slow


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    rows = [
        f"2024-{m:02}-15,{shop},{m * n}"
        for m in range(1, 13)
        for shop, n in (("North", 3), ("South", 5))
    ]
    path.write_text("\n".join(["day,shop,sold", *rows]) + "\n", "utf-8")
    return path


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(JsonFile(tmp_path / "library.json"))


def flow(path: Path, **more: Any) -> Workflow:
    read = {
        "source": uuid_of(path),
        "time": ["day"],
        "columns": ["sold"],
        "by": "shop",
        "entities": ["North"],
        "start": "2024-03-01",
    }
    steps = [
        {"id": "result1", "interface": "read_series", "arguments": read | more},
        {
            "id": "result2",
            "interface": "show_table",
            "arguments": {"data": "result1", "title": "sold"},
        },
    ]
    return Workflow.model_validate({"name": "sales of a shop", "steps": steps})


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rename_column(path: Path) -> None:
    path.write_text(path.read_text("utf-8").replace("day,shop,sold", "day,shop,units"), "utf-8")


def opened(path: Path) -> Sources:
    sources = Sources()
    sources.add_file(path)
    return sources


async def kept(library: Library, path: Path, workflow: Workflow) -> LibraryEntry:
    sources = opened(path)
    return await library.put(
        await validated(entry_of("shop_sales", workflow, sources, "sales?"), sources)
    )


async def test_a_workflow_is_kept_with_parameters_and_run_again(
    library: Library, sales: Path
) -> None:
    named = with_parameters(flow(sales), {"shop": "result1.entities.0", "since": "result1.start"})
    made = await kept(library, sales, named)
    assert (made.version, made.status) == (1, "validated")
    assert [(p.name, p.type, p.default) for p in made.workflow.parameters] == [
        ("shop", "text", "North"),
        ("since", "date", "2024-03-01"),
    ]
    again = library.entry("shop_sales")
    assert again.workflow.steps[1].arguments["title"] == "shop_sales"
    result = await replayed(again, {"shop": "South", "since": "2024-11-01"}, opened(sales))
    assert result.shown[0].rows == [["2024-11-15", "South", 55], ["2024-12-15", "South", 60]]
    with pytest.raises(DeskpilotError, match="no parameter"):
        await replayed(again, {"store": "South"}, opened(sales))


async def test_each_version_is_kept(library: Library, sales: Path, tmp_path: Path) -> None:
    await kept(library, sales, flow(sales))
    made = await kept(library, sales, flow(sales, start="2024-05-01"))
    assert made.version == 2
    assert library.entry("shop_sales").version == 2
    await library.remove("shop_sales")
    with pytest.raises(SourceError, match="has no"):
        library.entry("shop_sales")


async def test_what_fails_is_never_validated(library: Library, sales: Path) -> None:
    made = await kept(library, sales, flow(sales, entities=["Nobody"]))
    assert made.status == "failed"
    assert "No row" in made.reason
    with pytest.raises(DeskpilotError, match="not validated"):
        await replayed(made, {}, opened(sales))


def interface(monkeypatch: pytest.MonkeyPatch, function: Any) -> None:
    """Put another implementation in place of reading a series."""
    worse = StepInterface("read_series", "acquisition", "Worse.", acquisition.ReadSeries, function)
    monkeypatch.setitem(STEPS, "read_series", worse)


async def test_what_gives_something_else_each_time_is_never_validated(
    library: Library, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.SystemRandom()
    interface(monkeypatch, lambda desk, a: desk.build({"day": ("DOUBLE", [chance.random()])}))
    made = await kept(library, sales, flow(sales))
    assert (made.status, made.reason) == ("failed", "It returns a different result each time.")


async def test_what_takes_too_long_is_never_validated(
    sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = "SELECT count(*) AS n FROM range(100000000) a, range(100000000) b"
    interface(monkeypatch, lambda desk, a: desk.make(endless))
    sources = opened(sales)
    made = await validated(entry_of("slow", flow(sales), sources), sources, seconds=0.2)
    assert (made.status, made.reason) == ("failed", "It takes more than 0.2 s.")


async def test_what_changes_a_file_is_never_validated(
    sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def writes(desk: Any, arguments: Any) -> Any:
        with sales.open("a", encoding="utf-8") as file:
            file.write("2025-01-15,North,1\n")
        return desk.build({"day": ("DOUBLE", [1.0])})

    interface(monkeypatch, writes)
    sources = opened(sales)
    made = await validated(entry_of("writes", flow(sales), sources), sources)
    assert (made.status, made.reason) == ("failed", "A file changed while it ran.")


async def test_files_are_as_they_were(library: Library, sales: Path) -> None:
    before = digest_of(sales)
    made = await kept(library, sales, flow(sales))
    await replayed(made, {}, opened(sales))
    assert digest_of(sales) == before


async def test_a_renamed_column_makes_it_stale(library: Library, sales: Path) -> None:
    made = await kept(library, sales, flow(sales))
    rename_column(sales)
    sources = opened(sales)
    assert "columns" in stale(made, sources)
    with pytest.raises(DeskpilotError, match="stale"):
        await replayed(made, {}, sources)
    assert (await validated(made, sources)).status == "stale"


async def test_more_rows_do_not_make_it_stale(library: Library, sales: Path) -> None:
    made = await kept(library, sales, flow(sales))
    with sales.open("a", encoding="utf-8") as file:
        file.write("2025-01-15,North,1\n")
    result = await replayed(made, {}, opened(sales))
    assert result.shown[0].rows[-1] == ["2025-01-15", "North", 1]


@pytest.mark.parametrize(
    "place", ["result9.start", "result1.nope", "result1", "result1.entities.7", "result1.time"]
)
def test_a_parameter_stands_where_a_value_is(sales: Path, place: str) -> None:
    with pytest.raises(SourceError):
        with_parameters(flow(sales), {"x": place})


async def test_what_a_person_says_of_a_table_stands_in_its_parsing_file(
    library: Library, sales: Path
) -> None:
    note = Note(
        path=str(sales),
        about="Sales of two shops.",
        meanings={"sold": "pieces sold"},
        closes="18:00",
    )
    await library.keep_note(uuid_of(sales), note)
    sources = Sources(library.note)
    made = parsing_file(sources.add_file(sales))
    assert made["description"] == "Sales of two shops."
    assert made["closes"] == "18:00"
    sold = next(c for c in made["columns"] if c["name"] == "sold")
    assert (sold["meaning"], sold["type"], sold["range"]) == ("pieces sold", "number", [3, 60])
    assert made["first_row"] == {"day": "2024-01-15", "shop": "North", "sold": 3}
    assert made["last_row"] == {"day": "2024-12-15", "shop": "South", "sold": 60}
    assert made["access_example"]["arguments"]["source"] == uuid_of(sales)


def test_a_name_is_small_letters(sales: Path) -> None:
    with pytest.raises(SourceError, match="cannot be used as a name"):
        entry_of("My Sales", flow(sales), opened(sales))


def test_tables_and_workflows_are_kept_and_run_from_the_shell(
    sales: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_HOME", str(tmp_path / "home"))
    written, out = tmp_path / "flow.json", tmp_path / "out.csv"
    written.write_text(
        with_parameters(flow(sales), {"since": "result1.start"}).model_dump_json(), "utf-8"
    )

    def data(*words: str) -> tuple[int, str]:
        made = CliRunner().invoke(app, ["data", *words])
        return made.exit_code, made.output

    assert data("add", str(sales), "--meaning", "nope=x")[0] == 1
    assert "Sales of two shops" in data("add", str(sales), "--about", "Sales of two shops")[1]
    assert "24 rows" in data("list")[1]
    assert data("save", "shop_sales", "--file", str(written)) == (
        0,
        "Saved shop_sales v1: validated\n",
    )
    assert "since=2024-03-01" in data("library")[1]
    assert "read_series" in data("library", "shop_sales")[1]
    assert "2 rows" in data("run", "shop_sales", "since=2024-11-01", "--csv", str(out))[1]
    assert out.read_text("utf-8").splitlines() == [
        "day,shop,sold",
        "2024-11-15,North,33",
        "2024-12-15,North,36",
    ]
    assert data("run", "shop_sales", "nope=1")[0] == 1
    assert data("test", "shop_sales") == (0, "shop_sales v2: validated\n")
    rename_column(sales)
    assert "stale" in data("library")[1]
    assert data("run", "shop_sales")[0] == 1
    assert data("remove", "shop_sales")[0] == 0


def test_the_shell_names_a_year_that_is_not_whole(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_HOME", str(tmp_path / "home"))
    macro, written = repository / "resources" / "samples" / "us_macro.csv", tmp_path / "flow.json"
    time, columns = ["year", "quarter"], ["realgdp"]
    steps = [
        {"id": "a", "interface": "read_series", "arguments": {"source": uuid_of(macro), "time": time, "columns": columns}},
        {"id": "b", "interface": "summarise", "arguments": {"data": "a", "columns": columns, "every": "year"}},
        {"id": "c", "interface": "growth", "arguments": {"data": "b", "value": "realgdp"}},
        {"id": "d", "interface": "read_value", "arguments": {"data": "c", "column": "growth %"}},
    ]  # fmt: skip
    written.write_text(json.dumps({"steps": steps}), "utf-8")
    command = ["data", "save", "gdp_growth", "--file", str(written), "--widget", str(macro)]
    assert CliRunner().invoke(app, command).output == "Saved gdp_growth v1: validated\n"
    said = CliRunner().invoke(app, ["data", "run", "gdp_growth"]).output
    assert said.splitlines()[-1] == "2009 is not a whole year: it has 3 of 4 quarters."
