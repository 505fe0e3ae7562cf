"""What a copilot is given of a large table: the rows its question is about, and what was left
out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.data.sources import Sources

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    path = tmp_path / "shops.csv"
    lines = [
        f"shop {i},{'Lisbon' if i % 100 == 7 else 'Paris'},{2000 + i % 50},{i}" for i in range(1000)
    ]
    path.write_text("name,city,year,sales\n" + "\n".join(lines), "utf-8")
    sources = Sources()
    uid = sources.add_file(path).uuid

    def ask(question: str) -> dict[str, Any]:
        return json.loads(sources.as_text(uid, question))

    return ask


def test_rows_that_fit_the_question_are_given_with_their_numbers(asked: Any) -> None:
    told = asked("How did the shops in Lisbon do?")
    assert [row["row"] for row in told["rows"]] == [8, 108, 208, 308, 408, 508, 608, 708, 808, 908]
    assert "10 of 1000 rows" in told["note"]
    assert "lisbon" in told["note"]
    assert "990 are left out" in told["note"]


def test_rarer_words_count_more(asked: Any) -> None:
    rows = asked("shop 507 in Lisbon")["rows"]
    assert 508 in [row["row"] for row in rows]
    assert len(rows) <= 20


@pytest.mark.parametrize("question", ["", "Paris", "what about Atlantis", "?!"])
def test_without_telling_words_the_first_rows_are_given(asked: Any, question: str) -> None:
    told = asked(question)
    assert [row["sales"] for row in told["rows"]] == list(range(20))
    assert "the first; 980 are left out" in told["note"]
