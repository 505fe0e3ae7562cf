"""OpenAI-style routes besides chat: models, embeddings, reranking, moderation."""

from __future__ import annotations

import base64
import uuid
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from backends.copilot import NoModel
from backends.flexai.entities import EmbeddingInputType
from backends.flexai.errors import UnsupportedParameterError
from backends.service.access import CALLER
from backends.service.models import models_of
from backends.service.queue import for_caller
from backends.service.routes.chat_request import WITHOUT_EFFECT, followed

if TYPE_CHECKING:
    from backends.catalog import InstalledModel
    from backends.service.models import Lent, ServiceModels

router = APIRouter()


class EmbeddingRequest(BaseModel):
    """An embeddings request. input_type: an extension; whether the texts are to be found or to find
    with.

    dimensions: the first so many of the model's numbers, at unit length again.
    """

    model_config = ConfigDict(extra="allow")

    model: str | None = None
    input: str | Annotated[list[str] | list[int] | list[list[int]], Field(min_length=1)]
    dimensions: Annotated[int, Field(ge=1)] | None = None
    encoding_format: Literal["float", "base64"] = "float"
    input_type: EmbeddingInputType = EmbeddingInputType.DOCUMENT


class DocumentObject(BaseModel):
    """A document given as an object."""

    text: str


class RerankRequest(BaseModel):
    """A rerank request, as Cohere, Jina and vLLM shape it. top_n: 0 and less is no limit.

    score_threshold: an extension; documents that score less are left out.
    """

    model: str | None = None
    query: str
    documents: list[str | DocumentObject]
    top_n: int | None = None
    score_threshold: float | None = None
    return_documents: bool = True


class OcrRequest(BaseModel):
    """A picture to read. pixels: a byte of grey for each, row by row, in base64."""

    model: str | None = None
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    pixels: str


class TextPart(BaseModel):
    """A text given as an object; images are not checked here."""

    type: Literal["text"]
    text: str


class ModerationRequest(BaseModel):
    """A moderation request."""

    model: str | None = None
    input: str | Annotated[list[str | TextPart], Field(min_length=1)]


@router.get("/v1/models")
def list_models(request: Request) -> dict[str, Any]:
    """List the models on this machine, and those lent to it."""
    return {"object": "list", "data": [shown(f) for f in usable(models_of(request))]}


def usable(models: ServiceModels) -> list[InstalledModel | Lent]:
    """Return the models one can call by name."""
    caller = CALLER.get()
    there = [*models.catalog.all_installed(), *models.lending.all()]
    return [found for found in there if caller.may_use(found.entry.id)]


@router.get("/v1/models/{model_id:path}")
def one_model(request: Request, model_id: str) -> dict[str, Any]:
    """Return one usable model."""
    for found in usable(models_of(request)):
        if found.entry.id == model_id:
            return shown(found)
    raise NoModel(f"There is no model {model_id!r} on this machine.", "See: deskpilot models list")


def shown(found: InstalledModel | Lent) -> dict[str, Any]:
    """Return a model in OpenAI's shape, and its type."""
    entry = found.entry
    owner = {"id": entry.id, "object": "model", "created": 0, "owned_by": entry.provider}
    return owner | {"type": entry.type.value}


@router.post("/v1/embeddings")
async def embeddings(request: Request, body: EmbeddingRequest) -> dict[str, Any]:
    """Embed texts; closing the connection stops the model."""
    texts = texts_of(body)
    result = await for_caller(
        request, models_of(request).embed_result(texts, body.model, body.input_type)
    )
    rows: list[Any] = list(result.embeddings)
    note = result.note
    if body.dimensions is not None:
        rows, cut = shortened(rows, body.dimensions)
        note = f"{note} {cut}".strip()
    if body.encoding_format == "base64":
        rows = [base64.b64encode(np.asarray(row, dtype="<f4").tobytes()).decode() for row in rows]
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    usage = {"prompt_tokens": result.usage.tokens, "total_tokens": result.usage.tokens}
    return {"object": "list", "model": result.model, "data": data, "usage": usage} | noted(note)


def texts_of(body: EmbeddingRequest) -> list[str]:
    """Return the texts to embed.

    Raises: UnsupportedParameterError for tokens in their place, and for fields nothing here
    follows.
    """
    followed(body.model_extra or {}, [*WITHOUT_EFFECT])
    texts = [body.input] if isinstance(body.input, str) else body.input
    if all(isinstance(text, str) for text in texts):
        return cast("list[str]", texts)
    raise UnsupportedParameterError(
        "input holds numbers of tokens, which mean other words to this model.",
        "Send text; in LangChain: check_embedding_ctx_length=False.",
        "input",
    )


def shortened(rows: list[list[float]], dimensions: int) -> tuple[list[Any], str]:
    """Return vectors cut to their first dimensions, at unit length, and a note about the cut.

    Raises: UnsupportedParameterError for more than the model has.
    """
    own = len(rows[0])
    if dimensions > own:
        raise UnsupportedParameterError(
            f"This model makes vectors of {own} dimensions, not of {dimensions}.",
            f"Ask for {own} or fewer.",
            "dimensions",
        )
    if dimensions == own:
        return rows, ""
    cut = np.asarray(rows, dtype=np.float32)[:, :dimensions]
    lengths = np.linalg.norm(cut, axis=1, keepdims=True)
    made = cut / np.where(lengths > 0, lengths, 1)
    return made.tolist(), f"The vectors were cut from {own} to {dimensions} dimensions."


@router.post("/v1/rerank")
async def rerank(request: Request, body: RerankRequest) -> dict[str, Any]:
    """Order documents by how well they answer a query; closing the connection stops the model."""
    docs = [doc if isinstance(doc, str) else doc.text for doc in body.documents]
    work = models_of(request).rerank(
        body.query, docs, body.model, top_n=body.top_n, score_threshold=body.score_threshold
    )
    result = await for_caller(request, work)
    rows: list[dict[str, Any]] = [
        {"index": doc.index, "relevance_score": doc.score} for doc in result.docs
    ]
    if body.return_documents:
        rows = [row | {"document": {"text": docs[row["index"]]}} for row in rows]
    return {"id": f"rerank-{uuid.uuid4().hex}", "model": result.model, "results": rows} | noted(
        result.note
    )


@router.post("/v1/ocr")
async def ocr(request: Request, body: OcrRequest) -> dict[str, Any]:
    """Read the words on a picture; closing the connection stops the model."""
    try:
        pixels = base64.b64decode(body.pixels, validate=True)
    except ValueError as error:
        raise UnsupportedParameterError(
            "pixels is not base64.", "Send a byte of grey for each pixel, in base64.", "pixels"
        ) from error
    work = models_of(request).read_picture(body.width, body.height, pixels, body.model)
    result = await for_caller(request, work)
    return {"object": "list", "model": result.model, "data": [vars(one) for one in result.lines]}


def noted(note: str) -> dict[str, str]:
    """Return the notes on a result, an extension of the API; empty if there are none."""
    return {"note": note} if note else {}


@router.post("/v1/moderations")
async def moderations(request: Request, body: ModerationRequest) -> dict[str, Any]:
    """Return whether texts are harmful, and how; without a model that looks at them, refuse."""
    parts = [body.input] if isinstance(body.input, str) else body.input
    texts = [part if isinstance(part, str) else part.text for part in parts]
    model, verdicts = await for_caller(request, models_of(request).moderate(texts, body.model))
    # no scores: these models give verdicts, and numbers made of them would say nothing more
    results = [v.model_dump() | {"category_scores": {}} for v in verdicts]
    return {"id": f"modr-{uuid.uuid4().hex}", "model": model, "results": results}
