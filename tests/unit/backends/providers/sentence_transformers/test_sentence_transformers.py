"""The provider of sentence-transformers in this process: damage, threads, stops, and no network
ever.
"""

from __future__ import annotations

import builtins
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from backends.flexai.entities import AIModelEntity, I18nObject, ModelType, PriceConfig
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeCancelledError,
    InvokeServerUnavailableError,
)
from backends.flexai.models.ai_model import cancellable
from backends.flexai.models.text_models import TEXTS, TOKENS, batches
from backends.flexai.schema import read_settings
from backends.installation import installation
from backends.providers.sentence_transformers import engines
from backends.providers.sentence_transformers.engines import SentenceCredentials, engine_for
from backends.providers.sentence_transformers.retrieval import SentenceEmbedding, SentenceRerank
from tests.models.retrieval import EMBEDDER, ENCODER, documents, questions

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

EMBED, RERANK = SentenceEmbedding("st"), SentenceRerank("st")


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Return how to get a folder of a model that may be damaged."""

    def copy(model: dict[str, Any]) -> Path:
        return Path(shutil.copytree(model["model_path"], tmp_path / "model"))

    return copy


def test_batches_hold_every_text_once_and_little_padding() -> None:
    lengths = [int(n) for n in np.random.default_rng(3).integers(2, 900, 700)]
    made = list(batches(lengths, 256))
    assert sorted(place for batch in made for place in batch) == list(range(700))
    for batch in made:
        assert len(batch) <= TEXTS
        assert (
            len(batch) == 1
            or len(batch) * min(256, max(lengths[place] for place in batch)) <= TOKENS
        )
    padded = sum(len(batch) * min(256, max(lengths[p] for p in batch)) for batch in made)
    assert padded < 1.1 * sum(min(256, length) for length in lengths)


def test_an_embedder_reranks_and_says_that_it_is_none() -> None:
    ranked = RERANK.invoke("m", EMBEDDER, questions()[0], documents(), top_n=3)
    assert ranked.docs[0].index == 0
    assert "an embedder, not a reranker" in ranked.note
    assert -1 <= ranked.docs[-1].score <= ranked.docs[0].score <= 1


def test_a_reranker_makes_no_vectors() -> None:
    with pytest.raises(InvokeBadRequestError, match="is a reranker") as caught:
        EMBED.invoke("m", ENCODER, ["a"])
    assert caught.value.remedy
    with pytest.raises(CredentialsValidateFailedError, match="is a reranker"):
        EMBED.validate_credentials("m", ENCODER)


def test_raw_scores_are_the_logits_of_the_others() -> None:
    docs = documents()[:8]
    given, raw = (
        {
            d.index: d.score
            for d in RERANK.invoke("m", ENCODER | {"scores": kind}, questions()[2], docs).docs
        }
        for kind in ("probability", "raw")
    )
    assert given == pytest.approx(
        {i: 1 / (1 + np.exp(-score)) for i, score in raw.items()}, abs=1e-6
    )


def test_scores_and_vectors_are_those_of_the_library() -> None:
    from sentence_transformers import CrossEncoder, SentenceTransformer

    docs, query = documents(), questions()[5]
    theirs = CrossEncoder(ENCODER["model_path"], device="cpu").predict(
        [(query, doc) for doc in docs]
    )
    ours = {doc.index: doc.score for doc in RERANK.invoke("m", ENCODER, query, docs).docs}
    assert np.allclose([ours[i] for i in range(len(docs))], theirs, atol=1e-6)
    rows = SentenceTransformer(EMBEDDER["model_path"], device="cpu").encode(docs)
    assert np.allclose(EMBED.invoke("m", EMBEDDER, docs).embeddings, rows, atol=1e-5)


def test_what_is_put_before_texts_is_the_settings_choice_then_the_folders(
    copied: Callable[[dict[str, Any]], Path],
) -> None:
    folder = copied(EMBEDDER)
    told = folder / "config_sentence_transformers.json"
    told.write_text(
        json.dumps(
            json.loads(told.read_text()) | {"prompts": {"query": "ask ", "passage": "tell "}}
        )
    )
    credentials = EMBEDDER | {"model_path": str(folder)}

    def vector(text: str, kind: str, **more: str) -> list[float]:
        return EMBED.invoke("m", credentials | more, [text], None, kind).embeddings[0]

    plain = {"query_prefix": "ask ", "document_prefix": "tell "}
    assert vector("dogs", "query") == vector("dogs", "query", **plain)
    assert vector("dogs", "document") == vector("dogs", "document", **plain)
    assert not np.allclose(vector("dogs", "query"), vector("dogs", "document"), atol=1e-3)
    assert np.allclose(
        vector("dogs", "query"), EMBED.invoke("m", EMBEDDER, ["ask dogs"]).embeddings[0], atol=1e-6
    )


def test_texts_are_cut_where_the_settings_say() -> None:
    result = EMBED.invoke(
        "m", EMBEDDER | {"max_tokens": "8"}, ["one two three four five six seven", "a"]
    )
    assert result.usage.tokens == 8 + 3
    assert "8 tokens" in result.note
    long = EMBED.invoke("m", EMBEDDER | {"max_tokens": "100000"}, ["word " * 1000])
    assert long.usage.tokens == 64  # never more than the model has places for


def test_prices_are_those_of_the_models_file() -> None:
    priced = AIModelEntity(
        model="m",
        label=I18nObject(en_US="m"),
        model_type=ModelType.TEXT_EMBEDDING,
        pricing=PriceConfig(input=Decimal(2), unit=Decimal("0.001"), currency="EUR"),
    )
    usage = SentenceEmbedding("st", [priced]).invoke("m", EMBEDDER, ["a b"]).usage
    assert (usage.tokens, usage.total_price, usage.currency) == (4, Decimal("0.008"), "EUR")
    schema = EMBED.get_customizable_model_schema("other", EMBEDDER)
    assert schema is not None
    assert schema.model_properties["context_size"] == 64


WEIGHTS = "model.safetensors"


@pytest.mark.parametrize("model", [EMBEDDER, ENCODER], ids=["embedder", "cross-encoder"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        (WEIGHTS, None),
        (WEIGHTS, b""),
        (WEIGHTS, 20_000),
        (WEIGHTS, b"\x89PNG" * 999),
        ("tokenizer.json", None),
        ("tokenizer.json", b"{"),
        ("tokenizer.json", b'{"version": "1.0"}'),
        ("config.json", None),
        ("config.json", b"[]"),
        ("config.json", b"\xff"),
        ("config.json", b'{"model_type": "nobody knows"}'),
    ],
)
def test_a_damaged_folder_is_one_sentence_and_no_network(
    copied: Callable[[dict[str, Any]], Path],
    monkeypatch: pytest.MonkeyPatch,
    model: dict[str, Any],
    name: str,
    content: bytes | int | None,
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", never)
    folder = copied(model)
    damage(folder / name, content)
    of = EMBED if model is EMBEDDER else RERANK
    with pytest.raises(CredentialsValidateFailedError) as caught:
        of.validate_credentials("m", model | {"model_path": str(folder)})
    assert caught.value.remedy
    assert "\n" not in caught.value.text


def never(*_: object, **__: object) -> None:
    raise AssertionError("the network was asked")


def damage(file: Path, content: bytes | int | None) -> None:
    """Remove a file, replace it, or cut it to so many bytes."""
    if content is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:content] if isinstance(content, int) else content)


@pytest.mark.expects_log("LOAD REPORT")
@pytest.mark.parametrize("model", [EMBEDDER, ENCODER], ids=["embedder", "cross-encoder"])
def test_weights_that_are_missing_are_told_not_made_up(
    copied: Callable[[dict[str, Any]], Path], model: dict[str, Any]
) -> None:
    from safetensors.numpy import load_file, save_file

    folder = copied(model)
    weights = load_file(folder / WEIGHTS)
    kept = {k: v for k, v in weights.items() if "layer.1.output" not in k}
    save_file(kept, folder / WEIGHTS, {"format": "pt"})
    with pytest.raises(CredentialsValidateFailedError, match="lacks 4 of the weights") as caught:
        (EMBED if model is EMBEDDER else RERANK).validate_credentials(
            "m", {"model_path": str(folder)}
        )
    assert "download it again" in caught.value.remedy


def test_weights_that_are_no_numbers_are_told(copied: Callable[[dict[str, Any]], Path]) -> None:
    from safetensors.numpy import load_file, save_file

    folder = copied(EMBEDDER)
    weights = load_file(folder / WEIGHTS)
    save_file(
        {k: v * np.float32("nan") for k, v in weights.items()}, folder / WEIGHTS, {"format": "pt"}
    )
    with pytest.raises(Exception, match="not numbers") as caught:
        EMBED.invoke("m", {"model_path": str(folder)}, ["a"])
    assert "download the model again" in str(caught.value)


def test_a_folder_that_brings_code_is_not_run(
    copied: Callable[[dict[str, Any]], Path], tmp_path: Path
) -> None:
    folder, trace = copied(EMBEDDER), tmp_path / "it ran"
    (folder / "own.py").write_text(f"open({str(trace)!r}, 'w').close()\nclass Own:\n    pass\n")
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "own.Own"
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(InvokeBadRequestError, match="cannot be loaded"):
        EMBED.invoke("m", {"model_path": str(folder)}, ["a"])
    assert not trace.exists()


def test_a_model_of_classes_gives_no_score(copied: Callable[[dict[str, Any]], Path]) -> None:
    from safetensors.numpy import load_file, save_file

    folder = copied(ENCODER)
    weights = load_file(folder / WEIGHTS)
    three = {k: np.repeat(v, 3, axis=0) for k, v in weights.items() if k.startswith("classifier")}
    save_file(weights | three, folder / WEIGHTS, {"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    classes = {"id2label": {"0": "a", "1": "b", "2": "c"}, "label2id": {"a": 0, "b": 1, "c": 2}}
    (folder / "config.json").write_text(json.dumps(config | classes))
    with pytest.raises(InvokeBadRequestError, match="3 classes"):
        RERANK.invoke("m", {"model_path": str(folder)}, "q", ["a"])


def test_a_gpu_that_is_not_here_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InvokeBadRequestError, match="NVIDIA GPU") as caught:
        EMBED.invoke("m", EMBEDDER | {"device": "cuda"}, ["a"])
    assert "auto, cpu" in caught.value.remedy


def test_a_library_that_is_missing_is_told_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "sentence_transformers":
            raise ModuleNotFoundError("No module named 'sentence_transformers'")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InvokeServerUnavailableError, match="not installed") as caught:
        engines.libraries()
    assert installation().add(*engines.PACKAGES) in caught.value.remedy
    assert "torch==2.13.0" in caught.value.remedy


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (RuntimeError("CUDA out of memory"), InvokeServerUnavailableError),
        (MemoryError(), InvokeServerUnavailableError),
        (ValueError("odd"), InvokeBadRequestError),
        (TypeError("odd"), InvokeBadRequestError),
    ],
)
def test_what_the_library_raises_has_a_kind_of_ours(
    monkeypatch: pytest.MonkeyPatch, error: Exception, ours: type[Exception]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    for of, given, method in ((EMBED, (["a"],), "encode"), (RERANK, ("q", ["a"]), "predict")):
        credentials = EMBEDDER if of is EMBED else ENCODER
        engine = engine_for(read_settings(SentenceCredentials, credentials))
        monkeypatch.setattr(engine.model, method, fail)
        with pytest.raises(ours) as caught:
            of.invoke("m", credentials, *given)
        assert type(caught.value) is ours


def test_two_threads_on_one_model_get_their_own_vectors() -> None:
    texts = [documents()[i::4] * (i + 1) for i in range(4)]
    alone = [EMBED.invoke("m", EMBEDDER, some).embeddings for some in texts]
    ranked = RERANK.invoke("m", ENCODER, questions()[1], texts[1])
    with ThreadPoolExecutor(8) as threads:
        made = [threads.submit(EMBED.invoke, "m", EMBEDDER, texts[i % 4]) for i in range(24)]
        scored = [
            threads.submit(RERANK.invoke, "m", ENCODER, questions()[1], texts[1]) for _ in range(8)
        ]
        for i, work in enumerate(made):
            assert np.allclose(work.result().embeddings, alone[i % 4], atol=1e-6)
        assert all(work.result() == ranked for work in scored)


def test_a_stop_ends_the_call_before_the_next_layer() -> None:
    engine = engine_for(read_settings(SentenceCredentials, EMBEDDER))
    flag, ran = threading.Event(), list[int]()
    layers = next(part for part in engine.model.modules() if type(part).__name__ == "ModuleList")

    def hook(number: int) -> Any:
        def passed(*_: object) -> None:
            ran.append(number)
            flag.set()

        return passed

    hooks = [layer.register_forward_hook(hook(i)) for i, layer in enumerate(layers)]
    try:
        with cancellable(flag), pytest.raises(InvokeCancelledError):
            EMBED.invoke("m", EMBEDDER, documents())
    finally:
        for one in hooks:
            one.remove()
    assert ran == [0]
    assert len(EMBED.invoke("m", EMBEDDER, ["after it"]).embeddings) == 1


def test_describing_the_provider_imports_no_torch() -> None:
    code = (
        "import sys; from backends.flexai.registry import Registry; from backends.flexai.entities"
        " import ModelType\nr = Registry({'st':"
        " 'backends.providers.sentence_transformers'})\nr.model('st', ModelType.RERANK);"
        " r.model('st', ModelType.TEXT_EMBEDDING)\nprint([m for m in ('torch',"
        " 'sentence_transformers', 'transformers') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "[]"
