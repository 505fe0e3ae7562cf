"""What the contract of embedding and reranking adds to the seed's: input types, notes, order by
nearness.
"""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from backends.flexai.entities import EmbeddingInputType, TextEmbeddingResult
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models import CallClock, TextEmbeddingModel
from backends.flexai.models.text_models import by_nearness
from tests.echo_provider import EchoEmbedding, EchoRerank


class TwoKinds(EchoEmbedding):
    """Tells queries from documents."""

    extensions: ClassVar[frozenset[str]] = frozenset({"input_type"})

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        texts: list[str],
        user: str | None = None,
        input_type: EmbeddingInputType = EmbeddingInputType.DOCUMENT,
    ) -> TextEmbeddingResult:
        rows = [[float(input_type is EmbeddingInputType.QUERY)] for _ in texts]
        usage = self._create_embedding_usage(model, credentials, 0, CallClock())
        return TextEmbeddingResult(model=model, embeddings=rows, usage=usage)


@pytest.mark.parametrize(
    ("given", "seen"), [("query", 1.0), (EmbeddingInputType.DOCUMENT, 0.0), (None, 0.0)]
)
def test_a_model_that_tells_queries_from_documents_is_told(given: Any, seen: float) -> None:
    options = {} if given is None else {"input_type": given}
    assert TwoKinds("two").invoke("m", {}, ["a"], None, **options).embeddings == [[seen]]


@pytest.mark.parametrize("model", [TwoKinds("two"), EchoEmbedding("echo")])
def test_an_input_type_there_is_not_is_a_bad_request(model: TextEmbeddingModel) -> None:
    with pytest.raises(InvokeBadRequestError, match="'passage'") as caught:
        model.invoke("m", {}, ["a"], input_type="passage")
    assert "document or query" in caught.value.remedy


def test_a_model_of_the_seed_embeds_both_alike() -> None:
    model = EchoEmbedding("echo")
    assert (
        model.invoke("m", {}, ["abc"], None, "query").embeddings
        == model.invoke("m", {}, ["abc"]).embeddings
    )


def test_nearness_is_the_cosine_and_no_vector_of_zeros_breaks_it() -> None:
    ranked = by_nearness(
        [1.0, 0.0], [[0.0, 2.0], [3.0, 0.0], [-1.0, 0.0], [0.0, 0.0]], ["a", "b", "c", "d"]
    )
    assert [(doc.index, doc.text) for doc in ranked] == [(0, "a"), (1, "b"), (2, "c"), (3, "d")]
    assert [doc.score for doc in ranked] == pytest.approx([0.0, 1.0, -1.0, 0.0])


def test_an_empty_query_is_a_bad_request() -> None:
    with pytest.raises(InvokeBadRequestError, match="query is empty") as caught:
        EchoRerank("echo").invoke("m", {}, " ", ["a"])
    assert caught.value.remedy
