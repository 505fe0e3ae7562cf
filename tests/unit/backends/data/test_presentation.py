"""Numbers as they are written in answers."""

from __future__ import annotations

from backends.data.number_check import untraced
from backends.data.presentation import show
from backends.data.values import Result


def test_whole_numbers_have_no_fraction_where_they_are_large() -> None:
    assert [show(v) for v in (24_500_549.0, 0.0, 4.0, 10_000.5)] == [
        "24,500,549",
        "0",
        "4.0",
        "10,000.5",
    ]


def test_a_number_that_is_nearly_whole_is_written_as_rounded_and_stays_traceable() -> None:
    value = 36.99667694518458
    found = Result(interface="x", source="s", source_hash="h", columns=["y"], rows=[[value]])
    assert show(value, "%") == "37.0 %"
    assert untraced(show(value, "%"), [found], "") == []
