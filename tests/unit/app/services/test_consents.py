"""What a copilot wants to do waits for a yes; a spoken one counts only where nothing is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.domain.dashboard import Widget
from app.services.consents import Consent, Consents
from app.services.functions.dashboards import can_be_added_again
from app.services.voice.talk import asked_aloud, meant

SAFE, GRAVE = Consent("Close it?", safe=True), Consent("Send it?", safe=False)


async def test_where_nobody_can_be_asked_nothing_is_allowed() -> None:
    assert await Consents().ask(SAFE) is False


async def test_a_spoken_yes_counts_only_where_nothing_is_lost_and_a_no_always() -> None:
    consents, told = Consents(), list[Consent | None]()
    leave = consents.subscribe(told.append)
    for consent, allowed, spoken, counts in (
        (SAFE, True, True, True),
        (SAFE, False, True, True),
        (GRAVE, True, True, False),
        (GRAVE, False, True, True),
        (GRAVE, True, False, True),
    ):
        asking = asyncio.create_task(consents.ask(consent))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert consents.now is consent
        assert consents.answer(allowed, spoken=spoken) is counts
        if not counts:
            assert not asking.done()
            assert consents.answer(False)
        assert await asking is (allowed and counts)
        assert consents.now is None
        assert not consents.answer(True)
    assert told == [SAFE, None, SAFE, None, GRAVE, None, GRAVE, None, GRAVE, None]
    leave()
    assert await consents.ask(SAFE) is False


async def test_who_stops_asking_leaves_no_question_behind() -> None:
    consents = Consents()
    consents.subscribe(lambda _: None)
    asking = asyncio.create_task(consents.ask(SAFE))
    while consents.now is None:
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert consents.now is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes.", True),
        ("Yes, please!", True),
        ("OK", True),
        ("No.", False),
        ("Don't!", False),
        ("Yes or no?", None),
        ("Yes, but only the first one.", None),
        ("What was the closing price?", None),
        ("", None),
        ("好的。", True),
        ("不要！", False),
        ("はい。", True),
        ("いいえ。", False),
    ],
)
def test_only_a_plain_yes_or_no_is_an_answer(text: str, answer: bool | None) -> None:
    assert meant(text) is answer


def test_it_says_how_it_may_be_answered() -> None:
    assert asked_aloud(SAFE) == "Close it? Say yes or no."
    assert asked_aloud(GRAVE) == "Send it? A yes needs your hand, in the window; to refuse, say no."


def test_notes_and_what_copilots_made_cannot_be_added_again() -> None:
    made = Path("/data/widgets")
    assert can_be_added_again(Widget("1", "Prices", "/home/me/prices.csv"), made)
    assert can_be_added_again(
        Widget("2", "Rates", "/data/widgets/2.json", backend="https://x"), made
    )
    assert can_be_added_again(Widget("3", "Chart", "", type="chart", of="1"), made)
    assert not can_be_added_again(Widget("4", "Note", "", type="note", text="Mine"), made)
    assert not can_be_added_again(Widget("5", "Page", "/data/widgets/5.html", type="html"), made)
