"""Embedding and reranking on every provider that does it: one contract, with models that know their
texts.
"""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import numpy as np
import pytest

from backends.flexai.entities import ModelType
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeServerUnavailableError,
)
from backends.flexai.registry import load_providers
from backends.workers import Workers
from tests.contract.conftest import LOOPBACK, MODULES, ONNX, REMOTE, registry
from tests.contract.together import begun
from tests.models.retrieval import CONCEPTS, EMBEDDER, ENCODER, documents, questions

OURS = "sentence_transformers"
EMBEDDERS = [
    pytest.param(OURS, {"model": "tiny", "credentials": EMBEDDER}, id=OURS),
    pytest.param("onnxruntime", {"model": "tiny", "credentials": ONNX}, id="onnxruntime"),
    pytest.param(REMOTE, {"model": "tiny-embedder", "credentials": LOOPBACK}, id="loopback"),
]
RERANKERS = [
    pytest.param(OURS, {"model": "tiny", "credentials": ENCODER}, id=OURS),
    pytest.param(REMOTE, {"model": "tiny-cross-encoder", "credentials": LOOPBACK}, id="loopback"),
]
LONG = "unemployment rose " * 5556  # 100,000 characters without a full stop
ODD = ["", " ", "😀🎉", "失业率", LONG, "\x00\u2028", "a"]


def test_the_provider_is_installed_and_described() -> None:
    assert OURS in load_providers().names()
    entity = registry().provider(OURS).entity
    assert entity.supported_model_types == [ModelType.TEXT_EMBEDDING, ModelType.RERANK]
    assert entity.model_credential_schema is not None
    asked = {
        field.variable: field for field in entity.model_credential_schema.credential_form_schemas
    }
    assert [option.value for option in asked["device"].options] == ["auto", "cpu", "cuda", "metal"]


@pytest.mark.parametrize(("provider", "base"), EMBEDDERS)
class TestEmbedders:
    async def test_a_question_finds_the_text_that_answers_it(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        asked = await models.invoke(
            provider, ModelType.TEXT_EMBEDDING, **base, texts=questions(), input_type="query"
        )
        told = await models.invoke(provider, ModelType.TEXT_EMBEDDING, **base, texts=documents())
        near = np.array(asked.embeddings) @ np.array(told.embeddings).T
        best = np.argsort(-near, axis=1)
        places = np.arange(len(CONCEPTS))[:, None]
        assert (best[:, :1] == places).mean() > 0.8
        assert (best[:, :10] == places).any(axis=1).mean() > 0.95

    async def test_order_batch_and_length_do_not_change_a_vector(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        texts = [text * times for times in (1, 30, 3) for text in documents()] + ODD
        whole = await models.invoke(provider, ModelType.TEXT_EMBEDDING, **base, texts=texts)
        turned = await models.invoke(provider, ModelType.TEXT_EMBEDDING, **base, texts=texts[::-1])
        assert len(whole.embeddings) == len(texts)
        assert np.allclose(whole.embeddings, turned.embeddings[::-1], atol=1e-5)
        assert np.allclose(np.linalg.norm(whole.embeddings, axis=1), 1, atol=1e-4)

    @pytest.mark.parametrize("text", ODD, ids=repr if len(ODD) < 3 else None)
    async def test_any_text_has_a_vector_of_numbers(
        self, models: Any, provider: str, base: dict[str, Any], text: str
    ) -> None:
        result = await models.invoke(provider, ModelType.TEXT_EMBEDDING, **base, texts=[text])
        assert np.isfinite(result.embeddings).all()
        assert bool(result.note) == (text == LONG)

    async def test_no_text_gives_no_vector_and_costs_nothing(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        result = await models.invoke(provider, ModelType.TEXT_EMBEDDING, **base, texts=[])
        assert (result.embeddings, result.usage.tokens) == ([], 0)

    async def test_usage_counts_what_was_read_and_the_count_what_was_given(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        short = await models.invoke(
            provider, ModelType.TEXT_EMBEDDING, **base, texts=["a b c", "d"]
        )
        assert (
            short.usage.tokens == short.usage.total_tokens == 8
        )  # the marks of beginning and end are two
        assert short.usage.latency > 0
        long = await models.invoke(provider, ModelType.TEXT_EMBEDDING, **base, texts=[LONG])
        assert long.usage.tokens == 64
        assert long.note == "1 of 1 texts is longer than 64 tokens; only the beginning is used."
        counted = await models.call(
            provider, ModelType.TEXT_EMBEDDING, "get_num_tokens", **base, texts=[LONG, "a"]
        )
        assert isinstance(counted, int)
        assert counted > 10_000

    async def test_text_that_is_none_is_a_bad_request(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        with pytest.raises(InvokeBadRequestError):
            await models.invoke(
                provider, ModelType.TEXT_EMBEDDING, **base, texts=["lone \ud800 surrogate"]
            )


@pytest.mark.parametrize(("provider", "base"), RERANKERS)
class TestRerankers:
    async def test_the_text_that_answers_comes_first(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        first, five, docs = 0, 0, documents()
        asked = questions()[::4]
        for place, query in enumerate(asked):
            ranked = await models.invoke(provider, ModelType.RERANK, **base, query=query, docs=docs)
            assert [doc.score for doc in ranked.docs] == sorted(
                (d.score for d in ranked.docs), reverse=True
            )
            assert all(0 <= doc.score <= 1 and doc.text == docs[doc.index] for doc in ranked.docs)
            assert (len(ranked.docs), ranked.note) == (len(docs), "")
            first += ranked.docs[0].index == 4 * place
            five += 4 * place in [doc.index for doc in ranked.docs[:5]]
        assert first / len(asked) > 0.6  # of 72 documents; at random 0.014
        assert five / len(asked) > 0.8

    async def test_threshold_then_number_and_0_is_no_limit(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        query, docs = questions()[0], documents()[:12]

        async def ranked(**limits: Any) -> list[tuple[int, float]]:
            found = await models.invoke(
                provider, ModelType.RERANK, **base, query=query, docs=docs, **limits
            )
            return [(doc.index, doc.score) for doc in found.docs]

        whole = await ranked()
        assert sorted(index for index, _ in whole) == list(range(12))
        for limit in (0, -1, None):
            assert await ranked(top_n=limit) == whole
        assert await ranked(top_n=3) == whole[:3]
        edge = whole[4][1]
        kept = [row for row in whole if row[1] >= edge]
        assert await ranked(score_threshold=edge) == kept
        assert await ranked(score_threshold=edge, top_n=2) == kept[:2]
        assert await ranked(score_threshold=2.0, top_n=5) == []

    async def test_odd_documents_are_scored_and_a_long_one_is_told(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        result = await models.invoke(
            provider, ModelType.RERANK, **base, query="unemployment", docs=ODD
        )
        assert sorted(doc.index for doc in result.docs) == list(range(len(ODD)))
        assert np.isfinite([doc.score for doc in result.docs]).all()
        assert (
            result.note
            == f"1 of {len(ODD)} texts is longer than 64 tokens; only the beginning is used."
        )

    async def test_no_document_is_no_answer_and_no_query_a_bad_request(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        empty = await models.invoke(provider, ModelType.RERANK, **base, query="a", docs=[])
        assert empty.docs == []
        with pytest.raises(InvokeBadRequestError, match="query is empty"):
            await models.invoke(provider, ModelType.RERANK, **base, query=" \n", docs=["a"])

    async def test_documents_alike_keep_their_order(
        self, models: Any, provider: str, base: dict[str, Any]
    ) -> None:
        docs = ["the same words"] * 5
        result = await models.invoke(provider, ModelType.RERANK, **base, query="words", docs=docs)
        assert [doc.index for doc in result.docs] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("provider", "kind", "base"),
    [
        (
            OURS,
            ModelType.TEXT_EMBEDDING,
            {"model": "nowhere", "credentials": {"model_path": "/nowhere"}},
        ),
        (OURS, ModelType.RERANK, {"model": "nowhere", "credentials": {"model_path": "/nowhere"}}),
        (OURS, ModelType.RERANK, {"model": "nowhere", "credentials": {}}),
    ],
)
async def test_settings_that_cannot_work_are_told(
    models: Any, provider: str, kind: ModelType, base: dict[str, Any]
) -> None:
    with pytest.raises(CredentialsValidateFailedError) as caught:
        await models.call(provider, kind, "validate_credentials", **base)
    assert caught.value.remedy


async def test_models_stopped_and_taken_away_in_the_middle_of_a_call_come_back() -> None:
    """Both at once, in processes of their own: torch takes seconds to load each time."""
    embedding: tuple[Any, ...] = (ModelType.TEXT_EMBEDDING, EMBEDDER, {}, "texts", "killed")
    reranking: tuple[Any, ...] = (ModelType.RERANK, ENCODER, {"query": "a"}, "docs", "unloaded")
    async with Workers(MODULES) as workers:
        await asyncio.gather(*(taken_away(workers, *way) for way in (embedding, reranking)))


async def taken_away(
    workers: Workers,
    kind: ModelType,
    credentials: dict[str, Any],
    given: dict[str, Any],
    what: str,
    how: str,
) -> None:
    def call(texts: list[str]) -> asyncio.Future[Any]:
        told: dict[str, Any] = {"model": "tiny", "credentials": credentials, **given, what: texts}
        return asyncio.ensure_future(workers.invoke(OURS, kind, **told))

    def there() -> int:
        return next(found.pid for found in workers.loaded() if found.model_type is kind)

    await call(["a"])
    pid = there()
    stopped = await begun(call(documents() * 300), pid)
    stopped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopped
    await call(["a"])
    assert there() == pid  # it let go by itself
    interrupted = await begun(call(documents() * 300), pid)
    if how == "killed":
        os.kill(pid, signal.SIGKILL)
    else:
        assert await workers.unload(OURS, kind, "tiny")
    with pytest.raises(InvokeServerUnavailableError) as caught:
        await interrupted
    assert caught.value.remedy
    await call(["a"])
    assert there() != pid


@pytest.mark.parametrize("models", ["worker"], indirect=True)
@pytest.mark.parametrize(("provider", "base"), EMBEDDERS[:1])
async def test_a_call_nobody_waits_for_leaves_the_model_ready(
    models: Any, provider: str, base: dict[str, Any]
) -> None:
    kind = ModelType.TEXT_EMBEDDING
    before = [found.pid for found in models.workers.loaded()]
    left = asyncio.create_task(models.invoke(provider, kind, **base, texts=documents() * 2000))
    await asyncio.sleep(0)
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    assert len((await models.invoke(provider, kind, **base, texts=["a"])).embeddings) == 1
    assert [found.pid for found in models.workers.loaded()] == before  # it let go by itself
