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


@pytest.mark.parametrize("name", ["content", "markdown", "text", "report"])
def test_text_in_an_object_is_the_text_of_a_markdown_widget(name: str) -> None:
    assert content("markdown", {name: "# A"}) == "# A"
    assert content("markdown", {"markdown": "# A", "at": 7}) == "# A"
    assert json.loads(content("markdown", {"a": "x", "b": "y"})) == {"a": "x", "b": "y"}
    assert json.loads(content("markdown", {"a": 1})) == {"a": 1}


def test_a_metric_may_name_its_parts_in_other_words() -> None:
    (made,) = content("metric", {"metric": "Portfolio", "value": "$1,245.00", "change": "+2.4%"})
    assert (made["label"], made["value"], made["delta"]) == ("Portfolio", "$1,245.00", "+2.4%")
    (made,) = content("metric", [{"label": "a", "name": "b", "value": 1, "delta": 0, "change": 9}])
    assert (made["label"], made["delta"]) == ("a", 0)


PICKED = {"paramName": "url", "roles": ["fileSelector"], "multiSelect": True, "show": False}


def test_no_file_is_told_as_that() -> None:
    raw = {"name": "Reports", "type": "multi_file_viewer", "endpoint": "w"}
    for params, said in (([PICKED], "no file is selected"), ([], "there are no files")):
        spec = read_spec("w", raw | {"params": params})
        assert spec is not None
        with pytest.raises(BackendError, match=f"Reports: {said}") as caught:
            read_content(spec, Reply("", "application/json", b"[]"))
        assert caught.value.remedy


def test_files_can_be_selected_though_their_backend_hides_the_choice() -> None:
    raw = {"name": "Reports", "type": "multi_file_viewer", "endpoint": "w", "params": [PICKED]}
    spec = read_spec("w", raw)
    assert spec is not None
    assert [param.show for param in spec.params] == [True]
