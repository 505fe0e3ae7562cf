"""What `ask` prints, and where."""

from __future__ import annotations

import pytest

from app.cli.ask import PlainPrinter
from app.domain.events import CallResult, Ended, Item, Reading, Status
from app.domain.stream import Chunk

TALK = [
    Status("INFO", "Not answered from your data"),
    Chunk("assistant", "message", "It is 7."),
]
ASKED = [
    Status("INFO", "mean", reading=Reading()),
    Chunk("assistant", "message", "Which one?"),
]
COMPUTED = [CallResult("mean", "{}", False, 0.1), Chunk("assistant", "message", "It is 9.6.")]


@pytest.mark.parametrize(
    ("items", "with_table", "warned"),
    [(TALK, True, True), (TALK, False, False), (ASKED, True, False), (COMPUTED, True, False)],
)
def test_words_that_stand_on_no_table_are_told_on_stderr(
    items: list[Item], with_table: bool, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    printer = PlainPrinter(with_table=with_table)
    for item in [*items, Ended("done")]:
        printer.item(item)
    out, err = capsys.readouterr()
    assert "Not answered" not in out
    assert ("Not answered from your data" in err) == warned
