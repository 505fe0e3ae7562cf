"""What was done on the dashboards, as copilots are told that look around."""

from __future__ import annotations

from dataclasses import replace

from app.domain.dashboard import Tab, Widget
from app.services.dashboard.tiles import KEPT, Doings

PRICES = Widget("p", "Prices", "/p.csv", values={"symbol": "ORB"})
ONE, TWO = Tab("1", "One"), Tab("2", "Two")


def test_what_changed_is_told_in_order_and_what_stood_there_is_not() -> None:
    shown: list[tuple[tuple[Tab, ...], str]] = [((ONE,), "1")]
    doings = Doings(lambda: shown[0])
    assert doings.latest([PRICES]) == []
    note = Widget("n", "A  note\nof mine", "", type="note")
    doings.look([PRICES, note])
    doings.look([replace(PRICES, attached=True, values={"symbol": "KLM"}), note])
    shown[0] = ((ONE, TWO), "2")
    doings.look([replace(PRICES, values={"symbol": "KLM"})])
    shown[0] = ((replace(ONE, name="First"),), "1")
    assert doings.latest([replace(PRICES, values={"symbol": "KLM"})]) == [
        "Added A note of mine",
        "Added Prices to the context",
        "Set symbol of Prices to KLM",
        "Made the dashboard Two",
        "Removed A note of mine",
        "Removed Prices from the context",
        "Closed the dashboard Two",
        "Renamed the dashboard One to First",
        "Opened the dashboard First",
    ]


def test_only_the_newest_are_kept_and_none_is_long() -> None:
    doings = Doings(lambda: ((ONE,), "1"))
    doings.look([])
    for n in range(3 * KEPT):
        doings.look([replace(PRICES, name="x" * 500, values={"n": n})])
    told = doings.latest([replace(PRICES, name="x" * 500, values={"n": 3 * KEPT - 1})])
    assert len(told) == KEPT
    assert told[-1].endswith(f"to {3 * KEPT - 1}")
    assert max(map(len, told)) < 200
