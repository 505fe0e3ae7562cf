"""One suite for every provider and type, in this process and through a worker."""

from __future__ import annotations

import io
from typing import Any, ClassVar

import numpy as np
import pytest

from backends.catalog import Catalog
from backends.flexai.entities import LLMResult, ModelType, UserPromptMessage
from backends.flexai.errors import InvokeBadRequestError, InvokeConnectionError
from tests.contract.conftest import registry

STARTER = pytest.mark.starter


def reach(provider: str, model_id: str) -> tuple[str, dict[str, Any]]:
    """Return the provider and what a call of the model needs."""
    if provider == "echo":
        return provider, {"model": "echo", "credentials": {}}
    found = Catalog().installed(model_id)
    assert found is not None, f"the starter model {model_id} is missing: run packaging/dev.py"
    return provider, {"model": found.entry.model, "credentials": found.credentials}


LLMS = [("echo", "echo"), pytest.param("llama_cpp", "smollm2-135m", marks=STARTER)]
EMBEDDERS = [("echo", "echo"), pytest.param("onnxruntime", "minilm-l6", marks=STARTER)]


@pytest.mark.parametrize(("provider", "model_id"), LLMS)
class TestLanguageModels:
    async def test_a_stream_ends_with_usage_and_reason(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        said = [UserPromptMessage(content="Say hello")]
        chunks = [
            c
            async for c in models.stream(
                name, ModelType.LLM, **base, prompt_messages=said, model_parameters={"max_tokens": 8}
            )
        ]
        assert "".join(c.delta.message.text() for c in chunks)
        assert [c.delta.finish_reason for c in chunks[:-1]] == [None] * (len(chunks) - 1)
        assert chunks[-1].delta.finish_reason in ("stop", "length")
        assert chunks[-1].delta.usage.total_tokens > 0

    async def test_a_whole_answer_is_the_stream_joined(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        said = [UserPromptMessage(content="Say hello")]
        greedy = {"max_tokens": 8, "temperature": 0.0}
        whole = await models.invoke(
            name, ModelType.LLM, **base, prompt_messages=said, model_parameters=greedy
        )
        parts = [
            c
            async for c in models.stream(
                name, ModelType.LLM, **base, prompt_messages=said, model_parameters=greedy
            )
        ]
        assert isinstance(whole, LLMResult)
        assert whole.message.text() == "".join(c.delta.message.text() for c in parts)

    async def test_tokens_are_counted(self, models: Any, provider: str, model_id: str) -> None:
        name, base = reach(provider, model_id)
        short, long = ([UserPromptMessage(content=t)] for t in ("one", "one two three four five"))
        counts = [
            await models.call(name, ModelType.LLM, "get_num_tokens", **base, prompt_messages=m)
            for m in (short, long)
        ]
        assert 0 < counts[0] < counts[1]

    async def test_no_message_is_a_bad_request(self, models: Any, provider: str, model_id: str) -> None:
        name, base = reach(provider, model_id)
        with pytest.raises(InvokeBadRequestError) as caught:
            await models.invoke(name, ModelType.LLM, **base, prompt_messages=[])
        assert caught.value.remedy

    async def test_a_parameter_out_of_range_is_a_bad_request(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        said = [UserPromptMessage(content="x")]
        with pytest.raises(InvokeBadRequestError, match="temperature"):
            await models.invoke(
                name, ModelType.LLM, **base, prompt_messages=said, model_parameters={"temperature": 99}
            )


@pytest.mark.parametrize(("provider", "model_id"), EMBEDDERS)
class TestEmbedders:
    async def test_each_text_has_its_vector_in_its_place(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        texts = ["a rather longer text about the rate of unemployment", "b", "unemployment"] * 15
        together = await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=texts)
        alone = await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=texts[1:2])
        assert len(together.embeddings) == len(texts)
        assert np.allclose(together.embeddings[1], alone.embeddings[0], atol=1e-4)
        assert together.usage.tokens > 0

    async def test_no_text_gives_no_vector(self, models: Any, provider: str, model_id: str) -> None:
        name, base = reach(provider, model_id)
        assert (await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=[])).embeddings == []


class TestTheOtherFourTypes:
    BASE: ClassVar[dict[str, Any]] = {"model": "echo", "credentials": {}}

    async def test_documents_come_back_best_first(self, models: Any) -> None:
        docs = ["b", "x", "a b"]
        ranked = await models.invoke("echo", ModelType.RERANK, **self.BASE, query="a b", docs=docs, top_n=2)
        assert [d.index for d in ranked.docs] == [2, 0]

    async def test_a_failed_check_is_never_called_safe(self, models: Any) -> None:
        assert await models.invoke("echo", ModelType.MODERATION, **self.BASE, text="harm") is True
        assert await models.invoke("echo", ModelType.MODERATION, **self.BASE, text=" ") is False
        with pytest.raises(InvokeConnectionError):
            await models.invoke("echo", ModelType.MODERATION, **self.BASE, text="OFFLINE")

    async def test_a_sound_file_is_told_by_its_first_bytes_and_rewound(self, models: Any) -> None:
        file = io.BytesIO(b"fLaC" + bytes(range(256)))
        file.seek(7)
        assert (
            await models.invoke("echo", ModelType.SPEECH2TEXT, **self.BASE, file=file) == "flac of 260 bytes"
        )
        assert file.tell() == 0

    async def test_speech_is_bytes_whole_and_in_pieces(self, models: Any) -> None:
        text = "grüß Gott \x00 \n"
        said = self.BASE | {"content_text": text}
        assert await models.invoke("echo", ModelType.TTS, **said) == text.encode()
        pieces = [piece async for piece in models.stream("echo", ModelType.TTS, **said)]
        assert pieces == [bytes([b]) for b in text.encode()]

    async def test_nothing_to_say_is_a_bad_request(self, models: Any) -> None:
        with pytest.raises(InvokeBadRequestError):
            await models.invoke("echo", ModelType.TTS, **self.BASE, content_text=" ")


@pytest.mark.starter
def test_unit_vectors_are_those_of_the_published_model() -> None:
    """Cosines as the model's own library gives them: 0.6946, 0.9429, 0.2569."""
    _, base = reach("onnxruntime", "minilm-l6")
    texts = [
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ]
    rows = np.array(
        registry().model("onnxruntime", ModelType.TEXT_EMBEDDING).invoke(**base, texts=texts).embeddings
    )
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.allclose((rows @ rows[0])[1:], [0.6946, 0.9429, 0.2569], atol=1e-3)
