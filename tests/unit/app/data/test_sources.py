"""Files as tables, good and bad, and numbers traced."""

from __future__ import annotations

import os
import sqlite3
import time
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from app.data.sources import Sources
from app.domain.errors import SourceError
from backends.data.number_check import untraced
from backends.data.values import Cell, Result

if TYPE_CHECKING:
    from pathlib import Path

CSV = "city,sold\nBerlin,10\nParis,20\n"
GOOD: dict[str, bytes] = {
    "plain.csv": CSV.encode(),
    "bom.csv": b"\xef\xbb\xbf" + CSV.encode(),
    "semicolon.csv": CSV.replace(",", ";").encode(),
    "tabs.tsv": CSV.replace(",", "\t").encode(),
    "windows.csv": CSV.replace("\n", "\r\n").encode(),
    "utf16.csv": CSV.encode("utf-16"),
    "rows.json": b'[{"city": "Berlin", "sold": 10}, {"city": "Paris", "sold": 20}]',
    "nested.json": b'{"data": [{"city": "Berlin", "sold": 10}, {"city": "Paris", "sold": 20}]}',
    "lines.jsonl": b'{"city": "Berlin", "sold": 10}\n{"city": "Paris", "sold": 20}\n',
}
BAD: dict[str, bytes] = {
    "empty.csv": b"",
    "header.csv": b"a,b\n",
    "ragged.csv": b"a,b\n1,2\n3\n4,5,6\n",
    "picture.csv": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "wide.csv": (
        ",".join(f"c{i}" for i in range(5000)) + "\n" + ",".join("1" * 5000) + "\n"
    ).encode(),
    "broken.json": b'{"a":',
    "deep.json": b"[" * 100_000,
    "endless.csv": b"a,b\n" + b"x" * 11_000_000 + b",1\n",
    "norows.json": b"[1, 2]",
    "broken.xlsx": b"nope",
    "broken.parquet": b"nope",
    "broken.db": b"nope" * 100,
    "unknown.xyz": b"x",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_table_is_read_from_any_of_its_forms(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(GOOD[name])
    source = Sources().add_file(path)
    assert source.table.rows(0, 9) == [("Berlin", 10), ("Paris", 20)]
    assert path.read_bytes() == GOOD[name]


def test_a_cell_as_long_as_a_chapter_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("city;note\nBerlin;" + "x" * 200_000 + "\nParis;y\n")
    assert [len(str(row[1])) for row in Sources().add_file(path).table.rows(0, 9)] == [200_000, 1]


def test_parquet_and_sqlite_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"city": ["Berlin", "Paris"], "sold": [10, 20]})
    frame.to_parquet(tmp_path / "t.parquet")
    connection = sqlite3.connect(tmp_path / "t.db")
    frame.to_sql("t", connection, index=False)
    connection.close()
    for name in ("t.parquet", "t.db"):
        assert Sources().add_file(tmp_path / name).table.rows(0, 9) == [
            ("Berlin", 10),
            ("Paris", 20),
        ]


def test_chinese_files_are_read_in_their_old_encoding(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_bytes("城市,销售额\n北京,100\n".encode("gb18030"))
    assert Sources().add_file(tmp_path / "g.csv").table.rows(0, 1) == [("北京", 100)]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-8", "utf-16"])
def test_letters_with_accents_are_read_in_their_old_encoding(tmp_path: Path, encoding: str) -> None:
    """A few of them must not pass for Chinese: in its encoding "ø" and the "b" after it are one
    character.
    """
    (tmp_path / "g.csv").write_bytes("city,größe\nKøbenhavn,1\nMünchen,2\n".encode(encoding))
    source = Sources().add_file(tmp_path / "g.csv")
    assert [c.name for c in source.table.columns] == ["city", "größe"]
    assert source.table.rows(0, 9) == [("København", 1), ("München", 2)]


def test_the_euro_sign_of_windows_is_one(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_bytes("was,preis\nTür,€5\nKäse,€7\n".encode("cp1252"))
    source = Sources().add_file(tmp_path / "g.csv")
    assert source.table.rows(0, 9) == [("Tür", 5), ("Käse", 7)]
    assert source.profile.columns[1].unit == "€"


@pytest.mark.parametrize("good", [1, 40_000])
def test_a_file_in_two_encodings_is_told_with_its_line(tmp_path: Path, good: int) -> None:
    text = "city,sold\n" + "København,1\n" * good
    (tmp_path / "two.csv").write_bytes(text.encode() + "München,2\n".encode("cp1252"))
    with pytest.raises(SourceError, match=f"two.csv .* line {good + 2:,} is not UTF-8") as caught:
        Sources().add_file(tmp_path / "two.csv")
    assert caught.value.remedy == "Save it as UTF-8."


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_sentence_with_a_remedy(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(BAD[name])
    with pytest.raises(SourceError) as caught:
        Sources().add_file(tmp_path / name)
    assert name in caught.value.text
    assert caught.value.remedy


def test_a_sparse_file_of_ten_gigabytes_is_refused_at_once(tmp_path: Path) -> None:
    with (tmp_path / "huge.csv").open("wb") as file:
        file.truncate(10 * 1024**3)
    begun = time.monotonic()
    with pytest.raises(SourceError, match="GB"):
        Sources().add_file(tmp_path / "huge.csv")
    assert time.monotonic() - begun < 1


def test_a_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "gone.csv"):
        with pytest.raises(SourceError):
            Sources().add_file(path)


def test_a_changed_source_makes_old_citations_stale_and_a_removed_one_still_answers(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(CSV)
    sources = Sources()
    first = sources.add_file(path)
    assert not sources.is_stale(first.uuid, first.table.hash)
    path.write_text(CSV + "Rome,30\n")
    os.utime(path, (1, 1))
    assert sources.run("sum", {"source": first.uuid, "column": "sold"}).value == 60
    assert sources.is_stale(first.uuid, first.table.hash)
    path.unlink()
    assert sources.run("sum", {"source": first.uuid, "column": "sold"}).value == 60


def test_a_small_table_goes_whole_a_large_one_says_what_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(CSV)
    (tmp_path / "l.csv").write_text("n\n" + "\n".join(map(str, range(5000))))
    sources = Sources()
    assert "left out" not in sources.as_text(sources.add_file(tmp_path / "s.csv").uuid)
    text = sources.as_text(sources.add_file(tmp_path / "l.csv").uuid)
    assert "4980 are left out" in text
    assert len(text) < 5000


RESULT = Result(
    interface="mean",
    source="s",
    source_hash="h",
    value=1234.5678,
    label="2009-07-01",
    matched=203,
    rows=[[2009, 9.6]],
    columns=["year", "unemp"],
    cells=[Cell(row=202, column="unemp", value=9.6)],
)


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("It was 9.6 [1].", []),
        ("The mean is 1,234.57 over 203 rows.", []),
        ("About 1,235 in 2009, on 2009-07-01.", []),
        ("It was 150.75.", ["150.75"]),
        ("It was 9.7, or 12 %.", ["9.7", "12"]),
        ("In Q3 2008?", ["2008"]),
        ("You asked for 42.", []),
    ],
)
def test_a_number_that_stands_in_no_result_is_found(answer: str, missing: list[str]) -> None:
    assert untraced(answer, [RESULT], "what of 42?") == missing
