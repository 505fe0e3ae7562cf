"""OpenAI-style routes beside chat: which models there are, and embeddings."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from backends.copilot import NoModel
from backends.service.caller import for_caller
from backends.service.models import models_of

if TYPE_CHECKING:
    from backends.catalog import Installed

router = APIRouter()


class EmbeddingRequest(BaseModel):
    """An embeddings request."""

    model: str | None = None
    input: str | Annotated[list[str], Field(min_length=1)]
    encoding_format: Literal["float", "base64"] = "float"


@router.get("/v1/models")
def list_models(request: Request) -> dict[str, Any]:
    """List the models on this machine."""
    return {"object": "list", "data": [shown(f) for f in models_of(request).catalog.all_installed()]}


@router.get("/v1/models/{model_id}")
def one_model(request: Request, model_id: str) -> dict[str, Any]:
    """Tell about one model on this machine."""
    for found in models_of(request).catalog.all_installed():
        if found.entry.id == model_id:
            return shown(found)
    raise NoModel(f"There is no model {model_id!r} on this machine.", "See: deskpilot models list")


def shown(found: Installed) -> dict[str, Any]:
    """Return a model in OpenAI's shape, and its type."""
    entry = found.entry
    owner = {"id": entry.id, "object": "model", "created": 0, "owned_by": entry.provider}
    return owner | {"type": entry.type.value}


@router.post("/v1/embeddings")
async def embeddings(request: Request, body: EmbeddingRequest) -> dict[str, Any]:
    """Embed texts; closing the connection stops the model."""
    texts = [body.input] if isinstance(body.input, str) else body.input
    result = await for_caller(request, models_of(request).embed_result(texts, body.model))
    rows: list[Any] = list(result.embeddings)
    if body.encoding_format == "base64":
        rows = [base64.b64encode(np.asarray(row, dtype="<f4").tobytes()).decode() for row in rows]
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    usage = {"prompt_tokens": result.usage.tokens, "total_tokens": result.usage.tokens}
    return {"object": "list", "model": result.model, "data": data, "usage": usage}
