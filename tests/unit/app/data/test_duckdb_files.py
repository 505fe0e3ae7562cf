"""DuckDB files as tables: the largest one, read-only."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from app.data.readers.parts import hash_of
from app.data.sources import Sources
from app.domain.errors import SourceError


def database(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def test_the_largest_table_of_a_duckdb_file_is_read(tmp_path: Path) -> None:
    path = database(
        tmp_path / "shop.duckdb",
        "CREATE TABLE small AS SELECT 1 AS n",
        "CREATE TABLE sold AS SELECT DATE '2024-01-01' + i::INT AS day, i * 1.5 AS amount, 'No ' ||"
        " i AS name FROM range(5) t(i)",
    )
    before = hash_of(path)
    source = Sources().add_file(path)
    assert [(c.name, c.kind) for c in source.table.columns] == [
        ("day", "date"),
        ("amount", "number"),
        ("name", "text"),
    ]
    assert source.table.rows(4, 1) == [("2024-01-05", 6.0, "No 4")]
    assert source.profile.rows == 5
    assert hash_of(path) == before


def test_a_duckdb_file_without_rows_or_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no table with rows"):
        Sources().add_file(database(tmp_path / "empty.duckdb", "CREATE TABLE t (n INT)"))
    broken = tmp_path / "broken.duckdb"
    broken.write_text("not a database", "utf-8")
    with pytest.raises(SourceError, match="not a readable DuckDB file"):
        Sources().add_file(broken)
