"""With the check on, nothing harmful and nothing unchecked goes out or is seen."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from app.domain.conversation import Turn
from app.domain.copilot import Copilot, RequestOffer
from app.domain.errors import (
    BrokenOff,
    DeskpilotError,
    ModelServiceError,
    ModerationFailed,
    Withheld,
)
from app.domain.events import (
    Artifact,
    CallResult,
    Citation,
    Citations,
    CopilotCall,
    QuoteBox,
    Status,
)
from app.domain.settings import CHECK, MODERATION_MODEL, PASS
from app.domain.stream import Chunk
from app.services.conversation.filters import AnswerFilter, Guardian, words_of
from app.services.settings import Settings
from tests.unit.app.services.models.scripted import MemoryFile

COPILOT = Copilot("c", "C", "http://127.0.0.1:1/query", "today")


class Guard:
    """A guard model's route: whatever says "knife" is violent, "vote" an election."""

    def __init__(self) -> None:
        self.checked: list[str] = []
        self.models: list[str | None] = []
        self.failure: DeskpilotError | None = None
        self.answer: Any = None

    async def get(self, path: str) -> dict[str, Any]:
        raise AssertionError(path)

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        assert (method, path) == ("POST", "/v1/moderations")
        assert body is not None
        self.checked.append(body["input"])
        self.models.append(body.get("model"))
        if self.failure is not None:
            raise self.failure
        kinds = {"Violence": "knife" in body["input"], "Elections": "vote" in body["input"]}
        return self.answer or {"results": [{"flagged": any(kinds.values()), "categories": kinds}]}


class Says:
    """A copilot that says what it is given, an error included."""

    def __init__(self, *items: Any) -> None:
        self.items = items
        self.asked = 0

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Any, None]:
        self.asked += 1
        for item in self.items:
            if isinstance(item, Exception):
                raise item
            yield item


class Parts:
    def __init__(self, *items: Any) -> None:
        self.settings, self.guard, self.copilot = Settings(MemoryFile()), Guard(), Says(*items)
        self.moderated = AnswerFilter(self.copilot, guardian=Guardian(self.settings, self.guard))

    async def on(self) -> Parts:
        await self.settings.put(CHECK, True)
        return self

    async def ask(self, question: str, seen: list[Any] | None = None, *before: Any) -> list[Any]:
        turn = Turn("t", "c", None, question, "running", 0.0)
        turn.items.extend(before)
        seen = [] if seen is None else seen
        async for item in self.moderated.ask(COPILOT, [turn], RequestOffer()):
            seen.append(item)
        return seen


def words(*texts: str) -> list[Chunk]:
    return [Chunk("assistant", "message", text) for text in texts]


LONG = "All is calm in the harbour tonight. " * 10


async def test_nothing_is_checked_unless_somebody_asks_for_it() -> None:
    parts = Parts(*words("a knife"))
    assert await parts.ask("a knife?") == words("a knife")
    assert parts.guard.checked == []


async def test_a_harmful_question_is_not_sent() -> None:
    parts = await Parts(*words("x")).on()
    with pytest.raises(Withheld, match=r"question was not sent.*harmful.*Violence"):
        await parts.ask("how do I use a knife on him?")
    assert parts.copilot.asked == 0


async def test_an_answer_is_seen_piece_by_piece_up_to_what_is_harmful() -> None:
    parts = await Parts(*words(LONG, "Take the kni", "fe. ", LONG, "Never seen.")).on()
    seen: list[Any] = []
    with pytest.raises(Withheld, match="answer was withheld"):
        await parts.ask("what now?", seen)
    assert seen == words(LONG)
    assert parts.guard.checked[-1].startswith(LONG)  # read together with what was said before


async def test_steps_tables_and_calls_are_read_too_and_keep_their_order() -> None:
    items = [
        Status("INFO", "looking"),
        *words("Here: "),
        Artifact("table", "t", [{"n": 1, "s": "calm"}]),
    ]
    parts = await Parts(*items).on()
    assert await parts.ask("show it") == items
    assert "looking" in parts.guard.checked[-1]
    assert "calm" in parts.guard.checked[-1]
    for bad in (
        Status("INFO", "a knife"),
        CopilotCall("f", {"q": ["knife"]}, "{}"),
        Artifact("table", "knife", []),
    ):
        parts = await Parts(bad).on()
        seen: list[Any] = []
        with pytest.raises(Withheld):
            await parts.ask("show it", seen)
        assert seen == []


async def test_what_may_pass_passes_and_nothing_beside_it() -> None:
    parts = await Parts(*words("who wins the vote")).on()
    await parts.settings.put(PASS, ["elections"])
    await parts.settings.put(MODERATION_MODEL, "work/guard")
    assert await parts.ask("the vote?") == words("who wins the vote")
    assert set(parts.guard.models) == {"work/guard"}
    with pytest.raises(Withheld, match="Violence, Elections"):
        await parts.ask("a knife in the vote?")


async def test_harm_without_a_name_never_passes() -> None:
    parts = await Parts(*words("x")).on()
    await parts.settings.put(PASS, ["elections"])
    parts.guard.answer = {"results": [{"flagged": True, "categories": {}}]}
    with pytest.raises(Withheld, match=r"harmful\."):
        await parts.ask("hm?")


@pytest.mark.parametrize("answer", [{}, {"results": []}, {"results": [{"flagged": None}]}])
async def test_no_verdict_is_not_taken_for_safe(answer: dict[str, Any]) -> None:
    parts = await Parts(*words("x")).on()
    parts.guard.answer = answer or {"nothing": 1}
    with pytest.raises(
        ModerationFailed, match="The question was not sent because it could not be checked"
    ):
        await parts.ask("hm?")


async def test_without_a_guard_model_it_says_unchecked_and_refuses() -> None:
    parts = await Parts(*words("x")).on()
    parts.guard.failure = ModelServiceError(
        "There is no guard model on this machine. Nothing was checked.", "Get one."
    )
    with pytest.raises(ModerationFailed) as caught:
        await parts.ask("hello")
    assert caught.value.text.startswith(
        "The question was not sent because it could not be checked: There is no guard model"
    )
    assert caught.value.remedy.startswith("Get one. Or turn the check off")
    assert parts.copilot.asked == 0


async def test_words_before_an_answer_broke_off_are_kept_once_checked() -> None:
    parts = await Parts(*words("so far"), BrokenOff("It broke off.")).on()
    seen: list[Any] = []
    with pytest.raises(BrokenOff):
        await parts.ask("go on", seen)
    assert seen == words("so far")


async def test_the_question_is_checked_once_in_a_turn_of_several_rounds() -> None:
    parts = await Parts(*words("done")).on()
    await parts.ask("go on", None, CallResult("f", "{}", False, 0.1))
    assert parts.guard.checked == ["done"]


@pytest.mark.parametrize(
    "item",
    [
        Status("INFO", "x", [], [Artifact("table", "n", [{"a": "knife"}])]),
        Artifact(
            "chart", "n", [], {"chartType": "plotly", "data": [{"text": ["knife"]}], "layout": {}}
        ),
        Artifact("table", "n", [], description="knife"),
        Citations([Citation("", "n", None, details=[{"a": ["knife"]}])]),
        Citations([Citation("", "n", None, quotes=[[QuoteBox(1, 0, 0, 0, 0, "knife")]])]),
        Chunk("assistant", "code", "knife", "python"),
    ],
)
def test_whatever_can_be_seen_of_an_item_is_checked(item: Any) -> None:
    assert "knife" in words_of(item)
