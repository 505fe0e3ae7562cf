"""No provider and no type of model is left out of the contract suite."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.registry import load_providers
from tests.contract import test_models, test_ocr, test_retrieval, test_sound, test_tiny_llama
from tests.contract.conftest import PROVIDERS

SUITES: list[tuple[type, ModelType]] = [
    (test_models.TestLanguageModels, ModelType.LLM),
    (test_models.TestEmbedders, ModelType.TEXT_EMBEDDING),
    (test_retrieval.TestEmbedders, ModelType.TEXT_EMBEDDING),
    (test_retrieval.TestRerankers, ModelType.RERANK),
    (test_sound.TestListeners, ModelType.SPEECH2TEXT),
    (test_sound.TestSpeakers, ModelType.TTS),
    (test_ocr.TestReaders, ModelType.OCR),
    (test_tiny_llama.TestGuards, ModelType.MODERATION),
]


def providers_of(suite: type) -> set[str]:
    """Return the providers a class of tests runs on: its first parameter."""
    (mark,) = suite.pytestmark  # type: ignore[attr-defined]
    values: list[Any] = [getattr(row, "values", row) for row in mark.args[1]]
    return {row if isinstance(row, str) else str(row[0]) for row in values}


def test_the_contract_runs_on_every_type_of_every_provider_that_is_installed() -> None:
    registry = load_providers()
    assert set(registry.names()) == set(PROVIDERS)
    offered = {
        (n, kind) for n in PROVIDERS for kind in registry.provider(n).entity.supported_model_types
    }
    run = {(name, kind) for suite, kind in SUITES for name in providers_of(suite)}
    assert offered - run == set()
