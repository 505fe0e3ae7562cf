"""Each error of a model as an HTTP answer and as an event of a stream: OpenAI's shape, text and
remedy.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from backends.flexai.entities import AssistantPromptMessage, LLMResultChunk, LLMResultChunkDelta
from backends.flexai.errors import BY_NAME
from backends.service import errors
from backends.service.routes.chat import stream

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

ROWS = {
    "InvokeBadRequestError": 400,
    "InvokeAuthorizationError": 401,
    "CredentialsValidateFailedError": 422,
    "InvokeRateLimitError": 429,
    "ContextLengthError": 400,
    "UnsupportedParameterError": 400,
    "InvokeCancelledError": 499,
    "InvokeError": 500,
    "FlexAIError": 500,
    "InvokeConnectionError": 502,
    "InvokeServerUnavailableError": 503,
    "InvokeMemoryError": 507,
}


CODES = {  # those by which OpenAI's clients tell what they can mend themselves
    "ContextLengthError": "context_length_exceeded",
    "UnsupportedParameterError": "unsupported_parameter",
}


# said before the sentence: clients know an overflow by OpenAI's own words
BEFORE = {"ContextLengthError": "This model's maximum context length is exceeded. "}


@pytest.mark.parametrize("name", ROWS)
def test_an_error_of_a_model_has_its_status_and_says_what_to_do(name: str) -> None:
    app = FastAPI()
    errors.install(app)

    @app.get("/")
    def fail() -> None:
        raise BY_NAME[name]("It broke.", "Mend it.")

    told = TestClient(app, raise_server_exceptions=False).get("/")
    assert told.status_code == ROWS[name]
    assert told.json()["error"] == {
        "message": f"{BEFORE.get(name, '')}It broke. Mend it.",
        "type": name,
        "param": None,
        "code": CODES.get(name, ROWS[name]),
        "remedy": "Mend it.",
    }


@pytest.mark.parametrize("name", ROWS)
async def test_an_error_in_mid_stream_is_an_event_of_the_same_shape(name: str) -> None:
    async def failing() -> AsyncGenerator[Any]:
        raise BY_NAME[name]("It broke.", "Mend it.")
        yield

    delta = LLMResultChunkDelta(index=0, message=AssistantPromptMessage(content="Well"))
    first = LLMResultChunk(model="m", prompt_messages=[], delta=delta)
    told = [event async for event in stream(first, [failing()], {}, usage=False)]
    assert told[-1] == "[DONE]"
    assert json.loads(told[-2])["error"] == {
        "message": f"{BEFORE.get(name, '')}It broke. Mend it.",
        "type": name,
        "param": None,
        "code": CODES.get(name, ROWS[name]),
        "remedy": "Mend it.",
    }
