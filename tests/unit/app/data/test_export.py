"""Tables as CSV files: whole or not at all, through links and pipes, and never over a table that is
read.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.commands import app
from app.cli.data import check_place
from app.data.export import cells_to_csv, replacing, rows_to_csv
from app.data.library.entry import LibraryEntry, Origin
from app.data.tables import uuid_of
from app.domain.errors import SourceError
from backends.data.workflow.step import Workflow

FLOW = '{{"steps": [{{"id": "r1", "interface": "read_rows", "arguments": {{"source": "{}"}}}}]}}'


def test_what_stood_there_stays_where_the_writing_breaks_off(tmp_path: Path) -> None:
    place = tmp_path / "kept.csv"
    place.write_text("precious")
    with pytest.raises(SourceError, match="No space left"), replacing(place) as file:
        file.write("half")
        raise OSError(28, "No space left on device")
    assert place.read_text() == "precious"
    assert not list(tmp_path.glob(".*"))


def test_a_link_goes_on_leading_where_it_led_and_rights_stay(tmp_path: Path) -> None:
    place, link = tmp_path / "real.csv", tmp_path / "link.csv"
    place.write_text("before")
    place.chmod(0o640)
    link.symlink_to(place)
    assert rows_to_csv([{"a": 1}], link) == 1
    assert link.is_symlink()
    assert place.read_text() == "a\n1\n"
    assert place.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_straight(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=cells_to_csv, args=([["a"], [1]], pipe))
    writer.start()
    assert pipe.read_text() == "a\n1\n"
    writer.join()


def test_half_a_surrogate_pair_is_written_as_a_question_mark(tmp_path: Path) -> None:
    rows_to_csv([{"a": "\ud800"}], tmp_path / "odd.csv")
    assert (tmp_path / "odd.csv").read_text() == "a\n?\n"


@pytest.fixture
def sales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DESKPILOT_HOME", str(tmp_path / "home"))
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(["n,sold", *(f"{n},{n * 3}" for n in range(450))]) + "\n")
    flow = tmp_path / "flow.json"
    flow.write_text(FLOW.format(uuid_of(path)))
    Workflow.model_validate_json(flow.read_text())
    assert data("save", "all_sales", "--file", str(flow), "--widget", str(path)) == 0
    return path


def data(*words: str) -> int:
    return CliRunner().invoke(app, ["data", *words]).exit_code


def test_a_table_that_is_run_again_is_saved_with_all_its_rows(sales: Path, tmp_path: Path) -> None:
    place = tmp_path / "out.csv"
    assert data("run", "all_sales", "--csv", str(place)) == 0
    assert place.read_text() == sales.read_text()


def test_the_file_of_a_sheet_that_is_read_is_never_written_over(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    book.write_bytes(b"sheets")
    origin = Origin(paths={"u": str(book / "Orders")})
    entry = LibraryEntry.model_construct(
        name="orders", origin=origin, workflow=Workflow.model_construct(steps=[])
    )
    with pytest.raises(SourceError, match="a table that orders reads"):
        check_place(book, entry)
    check_place(tmp_path / "other.csv", entry)


def test_a_table_that_is_read_is_never_written_over(sales: Path, tmp_path: Path) -> None:
    before, link = sales.read_bytes(), tmp_path / "link.csv"
    link.symlink_to(sales)
    hard = tmp_path / "hard.csv"
    hard.hardlink_to(sales)
    for place in (sales, link, hard, tmp_path / "home" / ".." / "sales.csv"):
        assert data("run", "all_sales", "--csv", str(place)) == 1
    assert sales.read_bytes() == before
