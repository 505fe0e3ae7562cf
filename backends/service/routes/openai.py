"""OpenAI-style routes other than chat: models, embeddings, reranking, OCR and moderation."""

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
    """An embeddings request.

    input_type: whether the texts are to be found or are used for searching, which is an extension
    of the API. dimensions: how many of each vector's first numbers to return, rescaled to unit
    length.
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
    """A rerank request in the format that Cohere, Jina and vLLM use. top_n: the most results, or 0
    or less for no limit.

    score_threshold: the score below which documents are left out, which is an extension of the API.
    """

    model: str | None = None
    query: str
    documents: list[str | DocumentObject]
    top_n: int | None = None
    score_threshold: float | None = None
    return_documents: bool = True


class OcrRequest(BaseModel):
    """An image to read. pixels: one greyscale byte per pixel, row by row, in base64."""

    model: str | None = None
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    pixels: str


class TextPart(BaseModel):
    """A text given as an object. Images are not checked here."""

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
    """Return the models that can be called by name."""
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
    """Return a model in OpenAI's format, with its type."""
    entry = found.entry
    owner = {"id": entry.id, "object": "model", "created": 0, "owned_by": entry.provider}
    return owner | {"type": entry.type.value}


@router.post("/v1/embeddings")
async def embeddings(request: Request, body: EmbeddingRequest) -> dict[str, Any]:
    """Embed texts. Closing the connection stops the model."""
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

    Raises: UnsupportedParameterError for tokens instead of texts, and for fields that nothing here
    supports.
    """
    followed(body.model_extra or {}, [*WITHOUT_EFFECT])
    texts = [body.input] if isinstance(body.input, str) else body.input
    if all(isinstance(text, str) for text in texts):
        return cast("list[str]", texts)
    raise UnsupportedParameterError(
        "input contains token ids, which stand for other words in this model.",
        "Send text; in LangChain: check_embedding_ctx_length=False.",
        "input",
    )


def shortened(rows: list[list[float]], dimensions: int) -> tuple[list[Any], str]:
    """Return vectors reduced to their first dimensions and rescaled to unit length, and a note
    about this.

    Raises: UnsupportedParameterError if more dimensions are requested than the model has.
    """
    own = len(rows[0])
    if dimensions > own:
        raise UnsupportedParameterError(
            f"This model produces vectors with {own} dimensions, not {dimensions}.",
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
    """Sort documents by how well they answer a query. Closing the connection stops the model."""
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
    """Read the text in an image. Closing the connection stops the model."""
    try:
        pixels = base64.b64decode(body.pixels, validate=True)
    except ValueError as error:
        raise UnsupportedParameterError(
            "pixels is not base64.", "Send one grey byte for each pixel, in base64.", "pixels"
        ) from error
    work = models_of(request).read_picture(body.width, body.height, pixels, body.model)
    result = await for_caller(request, work)
    return {"object": "list", "model": result.model, "data": [vars(one) for one in result.lines]}


def noted(note: str) -> dict[str, str]:
    """Return the notes on a result, which are an extension of the API. Empty if there are none."""
    return {"note": note} if note else {}


@router.post("/v1/moderations")
async def moderations(request: Request, body: ModerationRequest) -> dict[str, Any]:
    """Return whether and how texts are harmful. Without a model that can check them, the request is
    refused.
    """
    parts = [body.input] if isinstance(body.input, str) else body.input
    texts = [part if isinstance(part, str) else part.text for part in parts]
    model, verdicts = await for_caller(request, models_of(request).moderate(texts, body.model))
    # no scores, because these models return verdicts, and numbers derived from these would add
    # nothing
    results = [v.model_dump() | {"category_scores": {}} for v in verdicts]
    return {"id": f"modr-{uuid.uuid4().hex}", "model": model, "results": results}
