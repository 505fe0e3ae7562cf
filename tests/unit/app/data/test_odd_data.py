"""Data as it comes: types of DuckDB and Parquet, numbers without end, headings on two lines, zones,
views that are gone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from app.data.library.library_file import parsing_file
from app.data.readers import tables_of
from app.data.sources import Sources
from app.data.tables import Looks
from app.domain.errors import SourceError
from tests.workbooks import Sheet, write_xlsx

if TYPE_CHECKING:
    from pathlib import Path

KINDS = """
SELECT [1, 2] AS list, {'a': 1, 'b': '北'} AS struct, MAP {'k': 1} AS map, 1.5::DECIMAL(30, 10) AS dec, 7::HUGEINT AS sum,
  170141183460469231731687303715884105727::HUGEINT AS huge, 18446744073709551615::UBIGINT AS wide, 12::DECIMAL(20, 0) AS id_no,
  TIME '09:30:00' AS clock, INTERVAL '1 day 2 hours' AS lasts, 'sad'::ENUM('sad', 'ok') AS mood, 0.1::FLOAT AS part,
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID AS who, TIMESTAMPTZ '2024-03-01 09:30:00+08' AS at, 'abc'::BLOB AS raw,
  'inf'::DOUBLE AS endless, 'NaN'::DOUBLE AS none, DATE 'infinity' AS never, NULL AS nothing, true AS yes, 1 AS "we""ird 😀"
UNION ALL
SELECT [3], {'a': 2, 'b': NULL}, MAP {}, 2, 5, 6, 4, 3, TIME '10:00:00', INTERVAL '3 months', 'ok', 0.2,
  'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', TIMESTAMPTZ '2024-03-02 00:00:00+00', 'd'::BLOB, -2, 3, DATE '2024-02-29', NULL, NULL, 2
"""
FIRST = {
    "list": "[1,2]", "struct": '{"a":1,"b":"北"}', "map": '{"k":1}', "dec": 1.5, "sum": 7, "huge": 1.7014118346046923e38,
    "wide": 1.8446744073709552e19, "id_no": 12, "clock": "09:30:00", "lasts": "1 day 02:00:00", "mood": "sad", "part": 0.1,
    "who": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "at": "2024-03-01 01:30:00", "raw": "3 bytes", "endless": "inf",
    "none": None, "never": None, "nothing": None, "yes": True, 'we"ird 😀': 1,
}  # fmt: skip


def strict(told: dict[str, Any]) -> dict[str, Any]:
    """Return a parsing file as whoever reads it gets it: JSON has no Infinity and no NaN."""
    return json.loads(json.dumps(told, allow_nan=False))


@pytest.mark.parametrize("ending", ["duckdb", "parquet"])
def test_each_type_is_read_as_what_it_is(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"kinds.{ending}"
    if ending == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute("SET TimeZone = 'Asia/Tokyo'")
            connection.execute(f"CREATE TABLE kinds AS {KINDS}")
    else:
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({KINDS}) TO '{path}' (FORMAT parquet)")
    looks = Looks(tmp_path / "looks")
    told = strict(parsing_file(Sources(looks=looks).add_file(path)))
    assert told["first_row"] == FIRST
    columns = {one["name"]: one for one in told["columns"]}
    assert columns["at"]["meaning"] == "time in UTC"
    assert (columns["dec"]["source_type"], columns["list"]["source_type"]) == (
        "DECIMAL(30,10)",
        "INTEGER[]",
    )
    assert (
        columns["sum"]["range"],
        columns["endless"]["missing"],
        columns["endless"]["range"],
    ) == (
        [5, 7],
        0,
        [-2.0, -2.0],
    )
    assert [columns[name]["type"] for name in ("dec", "clock", "at", "never", "yes", "list")] == [
        "number",
        "text",
        "time",
        "date",
        "yes or no",
        "text",
    ]
    assert told["access_example"]["arguments"]["columns"] == ["list", "struct", "map"]
    assert strict(parsing_file(Sources(looks=looks).add_file(path))) == told


def test_numbers_without_end_have_no_part_in_a_range(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "n,share\n1,0.5\n2,inf\n3,-inf\n4,NaN\n5,1.5\n6,2\n7,#DIV/0!\n8,1\n9,1\n", "utf-8"
    )
    (tmp_path / "t.json").write_text('[{"n": 1, "share": Infinity}, {"n": 2, "share": 3}]', "utf-8")
    told = strict(parsing_file(Sources().add_file(tmp_path / "t.csv")))
    share = told["columns"][1]
    assert (share["type"], share["range"], share["missing"]) == ("number", [0.5, 2.0], 4)
    share = strict(parsing_file(Sources().add_file(tmp_path / "t.json")))["columns"][1]
    assert (share["range"], share["missing"]) == ([3.0, 3.0], 0)


def test_a_heading_on_two_lines_is_one_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('"Sales\n(EUR)","say ""hi""",😀\n1,2,3\n4,5,6\n', "utf-8")
    names = [c.name for c in Sources().add_file(tmp_path / "t.csv").table.columns]
    assert names == ["Sales (EUR)", 'say "hi"', "😀"]
    book = write_xlsx(tmp_path / "t.xlsx", Sheet("S", [["Sales\n(EUR)", "day"], [1, 2]]))
    source = Sources().add_file(book)
    assert [c.name for c in source.table.columns] == ["Sales (EUR)", "day"]
    assert source.profile.columns[0].unit == "EUR"


def test_what_is_nested_in_json_stays_json(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(
        '[{"n": 1, "tags": ["北", null], "more": {"a": true}}]', "utf-8"
    )
    row = Sources().add_file(tmp_path / "t.json").table.rows(0, 1)[0]
    assert [json.loads(str(cell)) for cell in row[1:]] == [["北", None], {"a": True}]


def test_a_view_that_is_broken_or_reads_other_files_is_told(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE sold AS SELECT 1 AS n")
        connection.execute("CREATE TABLE gone AS SELECT 1 AS n")
        connection.execute("CREATE VIEW broken AS SELECT * FROM gone")
        connection.execute(f"CREATE VIEW thief AS SELECT * FROM read_csv('{tmp_path}/secret.csv')")
        connection.execute("DROP TABLE gone")
    assert [one.name for one in tables_of(path)] == ["sold", "thief", "broken"]
    for name in ("thief", "broken"):
        with pytest.raises(SourceError, match=r"A view of shop\.duckdb cannot be read"):
            Sources().add_file(path / name)
    assert Sources().add_file(path / "sold").profile.rows == 1


def test_an_empty_table_has_columns_and_no_rows(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT 1 AS a, 'x' AS b WHERE false) TO '{tmp_path}/t.parquet' (FORMAT parquet)"
        )
    told = strict(parsing_file(Sources().add_file(tmp_path / "t.parquet")))
    assert (told["rows"], told["first_row"], told["last_row"]) == (0, {}, {})
    assert [one["name"] for one in told["columns"]] == ["a", "b"]
