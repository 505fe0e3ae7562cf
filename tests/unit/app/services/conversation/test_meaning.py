"""Turns found by what they mean: read when nothing else is asked, newest first, kept, forgotten
with their texts.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.adapters.store.store import Store
from app.domain.conversation import TEMPORARY, Turn
from app.domain.errors import ModelServiceError
from app.domain.events import Ended
from app.domain.stream import Chunk, Message
from app.services.conversation import semantic_search as at_once
from app.services.conversation.semantic_search import SemanticSearch
from app.services.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

CONCEPTS = (("dog", "puppy"), ("bread", "loaf"), ("rain", "drizzle"), ("money", "cash"))


class Embedder:
    """Knows some words by what they mean. texts: what it was given; it stops before `stop_at` of
    them.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.name: str | None = "small"
        self.stop_at = 1_000_000

    async def model(self) -> str | None:
        return self.name

    async def languages(self, model: str) -> frozenset[str]:
        return frozenset({"en"})

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        if not asked:
            if len(self.texts) >= self.stop_at:
                raise ModelServiceError("It broke off.", "Again.")
            self.texts += texts
        rows = np.array(
            [[0.01, *(any(w in text.casefold() for w in c) for c in CONCEPTS)] for text in texts]
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def turn_of(uid: str, chat: str, question: str, answer: str = "", state: str = "done") -> Turn:
    items = [Message("assistant", "message", answer), Ended("done")]
    return Turn(uid, chat, None, question, state, 1.0, list(items))  # type: ignore[arg-type]


class Place:
    """A store, an embedder, and the search over both."""

    def __init__(self, store: Store) -> None:
        self.store, self.embedder, self.tasks = store, Embedder(), Tasks()
        self.meaning = SemanticSearch(store.meanings, self.embedder, self.tasks)

    async def say(self, uid: str, question: str, answer: str = "") -> str:
        chat = (await self.store.new_conversation(question)).id
        await self.store.add_turn(turn_of(uid, chat, question, answer))
        return chat

    async def found(self, wanted: str) -> list[str]:
        return [one.turn_id for one in (await self.meaning.search(wanted)).found]


@pytest.fixture
async def place() -> AsyncGenerator[Place, None]:
    made = Place(await Store.open(None))
    yield made
    await made.tasks.aclose()
    await made.store.aclose()


async def test_a_turn_is_found_by_what_its_question_or_answer_means(place: Place) -> None:
    await place.say("t1", "How do I feed a puppy?")
    await place.say("t2", "What is for tea?", "A fresh loaf.")
    await place.say("t3", "Will there be drizzle?")
    await place.meaning.read_new()
    meant = await place.meaning.search("dog")
    assert (meant.model, meant.read, meant.of) == ("small", 3, 3)
    assert meant.found[0].turn_id == "t1"
    assert meant.found[0].by == "meaning"
    assert meant.found[0].excerpt == "How do I feed a puppy?"
    assert (await place.meaning.search("bread")).found[0].excerpt == "A fresh loaf."


async def test_without_an_embedder_nothing_is_read_and_the_search_says_so(place: Place) -> None:
    await place.say("t1", "How do I feed a puppy?")
    place.embedder.name = None
    await place.meaning.read_new()
    meant = await place.meaning.search("dog")
    assert (meant.found, meant.model) == ([], None)
    assert place.embedder.texts == []


async def test_what_was_read_is_not_read_again_and_what_was_stopped_goes_on(place: Place) -> None:
    for number in range(5):
        await place.say(f"t{number}", f"Question {number}, of rain")
    place.embedder.stop_at = 2
    with pytest.raises(ModelServiceError):
        await place.meaning.read_new()
    assert place.embedder.texts == [
        "Question 4, of rain",
        "Question 3, of rain",
    ]  # the newest first
    place.embedder.stop_at = 1_000_000
    await place.meaning.read_new()
    await place.meaning.read_new()
    assert sorted(place.embedder.texts) == [f"Question {number}, of rain" for number in range(5)]


async def test_a_temporary_chat_is_never_read(place: Place) -> None:
    await place.store.add_turn(turn_of(f"{TEMPORARY}1", f"{TEMPORARY}chat", "A secret puppy"))
    await place.meaning.read_new()
    assert place.embedder.texts == []


async def test_what_is_removed_is_forgotten_and_what_is_in_the_trash_is_not_found(
    place: Place,
) -> None:
    first, second = await place.say("t1", "A puppy"), await place.say("t2", "A dog")
    await place.meaning.read_new()
    assert set(await place.found("dog")) == {"t1", "t2"}
    await place.store.change_conversation(first, trashed_at=1.0)
    assert await place.found("dog") == ["t2"]
    await place.store.change_conversation(first, trashed_at=None)
    await place.store.delete_conversation(second)
    assert await place.found("dog") == ["t1"]
    assert await place.store.meanings.count("small") == (1, 1)


async def test_a_turn_that_says_something_else_is_read_anew(place: Place) -> None:
    await place.say("t1", "What is it?", "A puppy.")
    await place.meaning.read_new()
    await place.store.put_items(
        "t1", 0, [Message("assistant", "message", "A loaf."), Ended("done")], "done"
    )
    assert (await place.meaning.search("bread")).read == 0
    await place.meaning.read_new()
    place.meaning.forget()
    assert (await place.meaning.search("bread")).found[0].excerpt == "A loaf."


async def test_another_embedder_reads_all_of_it_for_itself(place: Place) -> None:
    await place.say("t1", "A puppy")
    await place.meaning.read_new()
    place.embedder.name = "other"
    place.meaning.forget()
    meant = await place.meaning.search("dog")
    assert (meant.found, meant.read) == ([], 0)
    await place.meaning.read_new()
    assert await place.found("dog") == ["t1"]
    assert await place.store.meanings.count("small") == (0, 1)


async def test_an_answer_that_comes_is_waited_for_and_read_once_it_ended(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_once, "CALM_SECONDS", 0.0)
    await place.say("t1", "A puppy")
    running = turn_of("t2", "c", "A dog", state="running")
    place.meaning._on_item(running, Chunk("assistant", "message", "A"))  # pyright: ignore[reportPrivateUsage]
    reading = asyncio.create_task(place.meaning.read_new())
    for _ in range(20):
        await place.store.meanings.count("small")  # each waits for the store's thread
    assert place.embedder.texts == []
    place.meaning._on_item(running, Ended("done"))  # pyright: ignore[reportPrivateUsage]
    await reading
    assert place.embedder.texts == ["A puppy"]
    await place.say("t3", "More rain")
    place.meaning._on_item(running, Ended("done"))  # pyright: ignore[reportPrivateUsage]
    async with asyncio.timeout(30):
        while (await place.store.meanings.count("small"))[0] < 2:
            await asyncio.sleep(0)
    assert place.embedder.texts[-1] == "More rain"


async def test_among_many_only_what_is_nearer_than_chance_is_shown(place: Place) -> None:
    for number in range(60):
        await place.say(f"t{number}", f"Remark {number} on {CONCEPTS[1 + number % 3][0]}")
    await place.say("dog", "A dog")
    await place.meaning.read_new()
    assert await place.found("puppy") == ["dog"]


async def test_nothing_is_found_where_nothing_is_nearer_than_chance(place: Place) -> None:
    """The three chats that were the least far from it were listed as close in meaning."""
    await place.say("t1", "How do I feed a puppy?")
    await place.say("t2", "What is for tea?", "A fresh loaf.")
    await place.say("t3", "Will there be drizzle?")
    await place.meaning.read_new()
    assert await place.found("xylophone") == []
    assert await place.found("dog") == ["t1"]


async def test_words_of_a_script_the_model_does_not_know_are_not_compared(place: Place) -> None:
    """To a model of English, all Chinese words are one."""
    await place.say("t1", "A puppy")
    await place.meaning.read_new()
    meant = await place.meaning.search("小狗")
    assert (meant.found, meant.model, meant.is_foreign) == ([], "small", True)
    assert not (await place.meaning.search("dog")).is_foreign
