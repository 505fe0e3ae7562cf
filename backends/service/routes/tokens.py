"""How many tokens messages and an answer to them have, as the model itself counts them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel

from backends.flexai.entities import AssistantPromptMessage, ModelType
from backends.service.caller import for_caller
from backends.service.models import models_of
from backends.service.routes.chat_request import read_messages

if TYPE_CHECKING:
    from backends.flexai.entities import PromptMessage
    from backends.service.models import ServiceModels

router = APIRouter()


class TokensRequest(BaseModel):
    """model: the language model that counts; the one of this machine if absent. messages: in OpenAI's shape."""

    model: str | None = None
    messages: list[dict[str, Any]]
    answer: str = ""


@router.post("/v1/tokens")
async def tokens(request: Request, body: TokensRequest) -> dict[str, Any]:
    """Count, and compute nothing; the model is loaded if it is not."""
    return await for_caller(request, counted(models_of(request), body))


async def counted(models: ServiceModels, body: TokensRequest) -> dict[str, Any]:
    """Return the tokens of the prompt, as the model's template writes it, and those of the answer's words alone.

    Raises: FlexAIError, NoModel.
    """
    found = await asyncio.to_thread(models.installed, ModelType.LLM, body.model)
    entry, said = found.entry, read_messages(body.messages)

    async def count(*answered: PromptMessage) -> int:
        return await models.workers.call(
            entry.provider, entry.type, "get_num_tokens", model=entry.model, credentials=found.credentials,
            prompt_messages=[*said, *answered],
        )  # fmt: skip

    prompt = await count()
    empty = await count(
        AssistantPromptMessage(content="")
    )  # what the template writes around an answer
    answer = await count(AssistantPromptMessage(content=body.answer)) if body.answer else empty
    return {
        "model": entry.id,
        "prompt_tokens": prompt,
        "completion_tokens": answer - empty,
        "total_tokens": prompt + answer - empty,
    }
