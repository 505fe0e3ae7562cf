"""Steps of an answer in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from app.ui.chat.blocks.steps import restriction


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"column": "close", "op": ">", "value": 5}, "close > 5"),
        ({"column": "year", "op": "between", "value": [2000, 2009]}, "year between 2000 – 2009"),
        ({"column": "returned_on", "op": "empty", "value": None}, "returned_on empty"),
        ({"column": "paid", "op": "<", "value": None, "other": "owed"}, "paid < owed"),
        ({"column": "price", "op": "=", "value": 0}, "price = 0"),
    ],
)
def test_a_condition_is_shown_as_it_holds(condition: dict[str, Any], words: str) -> None:
    assert restriction(condition) == words
