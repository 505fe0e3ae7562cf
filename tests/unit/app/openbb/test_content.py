"""What a backend says instead of data is told in its own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.domain.errors import BackendError
from app.openbb.content import Reply, read_content
from app.openbb.widgets import read_spec


def content(kind: str, value: Any) -> Any:
    spec = read_spec("w", {"name": "Prices", "type": kind, "endpoint": "w"})
    assert spec is not None
    return read_content(spec, Reply("", "application/json", json.dumps(value).encode())).value


@pytest.mark.parametrize("kind", ["table", "chart", "metric"])
@pytest.mark.parametrize(
    "answer",
    [
        {"error": "No data\n available"},
        [{"error": "No data available"}],
        {"error": "No data available", "rising": False, "status": 404},
        {"detail": "No data available"},
        "No data available",
    ],
)
def test_a_sentence_instead_of_data_is_told(kind: str, answer: Any) -> None:
    with pytest.raises(BackendError) as caught:
        content(kind, answer)
    assert caught.value.text == "Prices: No data available."
    assert caught.value.remedy


@pytest.mark.parametrize(
    "rows",
    [
        [{"error": "disk full", "count": 3}],
        [{"error": 0.2}],
        [{"error": "a b"}, {"error": "c d"}],
        [{"message": "hello"}],
    ],
)
def test_rows_that_have_such_a_column_are_rows(rows: list[dict[str, Any]]) -> None:
    assert content("table", rows) == rows
