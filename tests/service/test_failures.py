"""A failure inside an answer is told in words, in the generation the caller speaks."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from backends.flexai.entities import AssistantPromptMessage, LLMResultChunk, LLMResultChunkDelta
from backends.flexai.errors import InvokeServerUnavailableError
from backends.protocol.parser import parse_request
from backends.query.propose import Ability
from backends.service.routes.chat import stream
from backends.service.routes.copilot import events
from tests.service.test_service import events as read_events

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from tests.service.conftest import Service

DAY = dt.date(2026, 11, 21)
TODAY: dict[str, Any] = {
    "messages": [{"role": "human", "content": "Hi"}],
    "widgets": {"primary": []},
}
OF_2024: dict[str, Any] = {"messages": [{"role": "human", "content": "Hi"}], "widgets": []}


class Failing:
    """Models that say a word and fail."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def speaks(self, model: str | None, language: str) -> bool:
        return True

    def ability(self, model: str | None) -> Ability:
        return Ability(right=0)

    async def learn(self, model: str | None, *, agreed: bool) -> None: ...

    def has_embedder(self) -> bool:
        return False

    async def chat(self, *_: Any, **__: Any) -> AsyncGenerator[str]:
        yield "Well"
        raise self.error


async def told(error: Exception, body: dict[str, Any]) -> list[tuple[str, Any]]:
    made = events(parse_request(body), Failing(error), DAY)  # type: ignore[arg-type]
    return [(event["event"], json.loads(event["data"])) async for event in made]


async def test_a_typed_failure_is_a_status_today_and_text_in_2024() -> None:
    error = InvokeServerUnavailableError("The engine ended.", "Ask again.")
    *_, (name, data) = await told(error, TODAY)
    assert (name, data["eventType"], data["message"]) == (
        "copilotStatusUpdate",
        "ERROR",
        "The engine ended. Ask again.",
    )
    *_, (name, data) = await told(error, OF_2024)
    assert (name, data["delta"]) == ("copilotMessageChunk", "The engine ended. Ask again.")


@pytest.mark.expects_log("unexpected")
@pytest.mark.parametrize("body", [TODAY, OF_2024], ids=["today", "2024"])
async def test_a_mistake_of_ours_is_told_too_and_logged(body: dict[str, Any]) -> None:
    *_, (_, data) = await told(ZeroDivisionError("oops"), body)
    said = data.get("message") or data["delta"]
    assert "ZeroDivisionError" in said
    assert "log" in said


def until_words(parts: Iterator[str]) -> str:
    """Return what came up to the first words of an answer, which waits for its model before."""
    text = next(parts)
    while "copilotMessageChunk" not in text:
        text += next(parts)
    return text


@pytest.mark.starter
def test_a_worker_killed_under_a_copilots_answer_is_told_and_the_next_question_answered(
    service: Service,
) -> None:
    body = TODAY | {
        "messages": [{"role": "human", "content": "Write a very long story about the sea."}]
    }
    with service.client() as client:
        with client.stream("POST", "/v1/query", json=body) as answer:
            parts = answer.iter_text()
            text = until_words(parts)
            loaded = client.get("/v1/manage/models").json()["loaded"]
            os.kill(next(w["pid"] for w in loaded if w["type"] == "llm"), signal.SIGKILL)
            text += "".join(parts)
        name, data = read_events(text)[-1]
        assert (name, data["eventType"]) == ("copilotStatusUpdate", "ERROR")
        assert "Send the question again" in data["message"]
        with client.stream("POST", "/v1/query", json=TODAY) as answer:
            assert "copilotMessageChunk" in until_words(answer.iter_text())


@pytest.mark.starter
def test_a_hundred_thousand_rows_in_a_request_are_answered_and_hold_nobody_up(
    service: Service,
) -> None:
    uuid = "38181a68-9650-4940-84fb-a3f29c8869f3"
    rows = [{"close": i * 1.5, "name": f"n{i % 50}"} for i in range(100_000)]
    called = json.dumps({"function": "get_widget_data", "input_arguments": {"widget_uuid": uuid}})
    body = {
        "messages": [
            {"role": "human", "content": "What is the mean close?"},
            {"role": "ai", "content": called},
            {"role": "tool", "function": "get_widget_data", "content": json.dumps(rows)},
        ],
        "widgets": [{"uuid": uuid, "name": "Prices", "description": "Prices"}],
    }
    with service.client() as client, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.post, "/v1/query", json=body)
        answered = 0
        while not asked.done():
            assert client.get("/healthz").status_code == 200
            answered += 1
        assert "74,999.25" in asked.result().text
    assert answered > 5  # one or two, if a computation held the others up


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvokeServerUnavailableError("It ended.", "Ask again."), 503),
        (ZeroDivisionError("oops"), 500),
    ],
)
@pytest.mark.expects_log("unexpected")
async def test_a_failure_in_a_streamed_chat_is_an_event_before_its_end(
    error: Exception, code: int
) -> None:
    async def chunks() -> AsyncGenerator[Any]:
        raise error
        yield

    made = stream(
        LLMResultChunk(model="m", prompt_messages=[], delta=delta("Well")),
        [chunks()],
        {"model": "m"},
        usage=True,
    )
    *said, failure, end = [event async for event in made]
    assert "Well" in "".join(said)
    assert (json.loads(failure)["error"]["code"], end) == (code, "[DONE]")


def delta(text: str) -> LLMResultChunkDelta:
    return LLMResultChunkDelta(index=0, message=AssistantPromptMessage(content=text))
