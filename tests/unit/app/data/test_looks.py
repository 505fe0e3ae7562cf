"""A small table stands on the dashboard from what is kept of it, and every answer comes from its
file's content.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.data import tables
from app.data.sources import Sources
from app.data.tables import KeptTable, Looks, OpenTable, own_looks

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[4]
ROWS = 3000
FILES = {
    "prices.csv": "day,close,note\n2024-01-01,2.5,a\n2024-01-02,3,\n2024-01-03,4.25,true\n",
    "rows.json": (
        '[{"n": 1, "x": 0.5, "ok": true, "t": "2024-01"}, {"n": 2, "x": null, "ok": false, "t":'
        ' "2024-02"}]'
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "looks"


def opened(folder: Path, path: Path) -> OpenTable:
    return Sources(looks=Looks(folder)).add_file(path)


def is_read(source: OpenTable) -> bool:
    return not isinstance(source.table, KeptTable) or source.table.is_read


def exact(value: object) -> str:
    """A value with its types: 1, 1.0 and True are told apart."""
    return repr(value)


@pytest.mark.parametrize("name", FILES)
def test_a_kept_table_is_shown_as_one_that_was_read(
    folder: Path, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], "utf-8")
    assert is_read(first := opened(folder, path))
    again = opened(folder, path)
    assert exact(again.profile) == exact(first.profile)
    assert exact(again.table.columns) == exact(first.table.columns)
    assert exact(again.table.rows(0, 400)) == exact(first.table.rows(0, 400))
    assert again.table.count() == first.table.count()
    assert again.table.hash == first.table.hash
    assert not is_read(again)


def test_what_is_asked_is_computed_from_the_content(folder: Path, macro_csv: Path) -> None:
    fresh = opened(folder, macro_csv)
    sources = Sources(looks=Looks(folder))
    again = sources.add_file(macro_csv)
    asked = {"source": again.uuid, "column": "unemp"}
    before = Sources()
    before.add_file(macro_csv)
    assert not is_read(again)
    assert sources.run("mean", asked) == before.run("mean", asked)
    assert is_read(again)
    assert again.table.rows(100, 5) == fresh.table.rows(100, 5)


def test_rows_beyond_those_that_are_kept_are_read(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("a,b,c,d,e\n" + "".join(f"{n},x,y,z,{n / 4}\n" for n in range(ROWS)), "utf-8")
    fresh, again = opened(folder, path), opened(folder, path)
    assert again.table.rows(0, 200) == fresh.table.rows(0, 200)
    assert not is_read(again)
    assert again.table.rows(2800, 200) == fresh.table.rows(2800, 200)
    assert is_read(again)


def test_a_file_that_changed_is_read_anew(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(FILES["prices.csv"], "utf-8")
    opened(folder, path)
    path.write_text(FILES["prices.csv"].replace("2.5", "9.5"), "utf-8")
    again = opened(folder, path)
    assert is_read(again)
    assert again.table.rows(0, 1) == [("2024-01-01", 9.5, "a")]


def test_a_file_that_is_gone_or_changed_answers_as_it_was_opened(
    folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(FILES["prices.csv"], "utf-8")
    opened(folder, path)
    again, other = opened(folder, path), opened(folder, path)
    path.write_text("day,close,note\n2030-01-01,7,z\n", "utf-8")
    assert again.table.one(f"SELECT sum(close), count(*) FROM {again.table.relation}") == (9.75, 3)
    path.unlink()
    assert other.table.one(f"SELECT max(close), count(*) FROM {other.table.relation}") == (4.25, 3)


def test_a_drawing_is_kept_with_its_table(folder: Path, macro_csv: Path) -> None:
    first = Sources(looks=Looks(folder))
    drawn = first.series(first.add_file(macro_csv).uuid, "realgdp")
    again = Sources(looks=Looks(folder))
    source = again.add_file(macro_csv)
    assert exact(again.series(source.uuid, "realgdp")) == exact(drawn)
    assert not is_read(source)
    assert again.series(source.uuid, "infl").name == "infl"
    assert is_read(source)


def test_other_code_does_not_show_what_was_read_by_this(
    folder: Path, macro_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(folder, macro_csv)
    monkeypatch.setattr(tables, "CODE", tables.CODE[1:])
    assert is_read(opened(folder, macro_csv))


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"columns": 5}', "code"])
def test_a_broken_look_is_none(
    folder: Path, macro_csv: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    opened(folder, macro_csv)
    (written,) = folder.iterdir()
    code = json.loads(written.read_text("utf-8"))["code"]
    written.write_text(
        json.dumps({"code": code, "columns": [{}]}) if text == "code" else text, "utf-8"
    )
    with caplog.at_level(logging.CRITICAL, tables.__name__):
        assert is_read(opened(folder, macro_csv))
        assert not is_read(opened(folder, macro_csv))


def test_nothing_stays_of_tables_that_are_not_open(
    folder: Path, tmp_path: Path, macro_csv: Path
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(FILES["prices.csv"], "utf-8")
    opened(folder, path)
    sources = Sources(looks=Looks(folder))
    sources.add_file(macro_csv)
    assert len(list(folder.iterdir())) == 2
    sources.tidy()
    assert len(list(folder.iterdir())) == 1
    assert not is_read(opened(folder, macro_csv))


def test_large_and_living_files_are_read_at_once(
    folder: Path, tmp_path: Path, macro_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    living = tmp_path / "copy.db"
    shutil.copy(REPOSITORY / "resources" / "samples" / "us_macro.csv", living)
    monkeypatch.setattr(tables, "SNAPSHOT_BYTES", 1000)
    source = opened(folder, macro_csv)
    assert source.look is None
    assert not folder.exists()
    assert Looks(folder).find(living, "s", source.table.hash) is None


def test_what_came_along_of_the_sample_is_what_reading_it_gives(tmp_path: Path, home: Path) -> None:
    packaging = module("sample_look")
    told = json.loads(packaging.made(tmp_path).read_text("utf-8"))
    del told["code"]
    (came,) = (packaging.SAMPLES / "looks").iterdir()
    assert json.loads(came.read_text("utf-8")) == told, "run: python packaging/sample_look.py"
    sources = Sources(looks=own_looks())
    source = sources.add_file(packaging.SAMPLES / "us_macro.csv")
    assert sources.series(source.uuid, "realgdp").rows[:2] == (0, 1)
    assert not is_read(source)


def module(name: str) -> ModuleType | Any:
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "packaging" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
