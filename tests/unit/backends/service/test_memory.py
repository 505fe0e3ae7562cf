"""What a model will take, and the smaller one that is offered instead."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path
from typing import Any

import pytest

from backends.catalog import Catalog
from backends.catalog.entries import read_entries
from backends.flexai.entities import ENGINE_BYTES, ModelType
from backends.flexai.registry import load_providers
from backends.gguf import NotGguf, read_gguf
from backends.service.memory import Needs, engine_of, taken
from backends.workers import ModelDemand
from backends.workers.budget import PROCESS_BYTES
from tests.models.llama import LLAMA
from tests.models.speech import PIPER, WHISPER

TINY = Path(LLAMA["model_path"])
PROVIDERS = load_providers()


def wanted(
    provider: str, kind: ModelType, credentials: dict[str, Any], model: str = "mine"
) -> ModelDemand:
    return ModelDemand(provider, kind, model, credentials)


@pytest.fixture
def needs(tmp_path: Path) -> Needs:
    return Needs(Catalog(tmp_path), PROVIDERS)


def test_what_was_measured_counts_for_a_model_of_the_catalogue(
    needs: Needs, tmp_path: Path
) -> None:
    own = {"model_path": str(tmp_path / "model.gguf"), "n_ctx": "8192"}
    assert needs.need(wanted("llama_cpp", ModelType.LLM, own, "smollm2-135m")) == 446_000_000
    (tmp_path / "model.gguf").write_bytes(TINY.read_bytes())
    other = wanted("llama_cpp", ModelType.LLM, own | {"n_ctx": "512"}, "smollm2-135m")
    assert needs.need(other) < 446_000_000


def test_a_longer_context_needs_more(needs: Needs) -> None:
    told = read_gguf(TINY)
    assert told.architecture == "llama"
    assert told.layers > 0
    assert told.cache_bytes > 0
    plain, long, trained = (
        needs.need(wanted("llama_cpp", ModelType.LLM, LLAMA | {"n_ctx": n}))
        for n in ("512", "100512", "0")
    )
    assert plain == TINY.stat().st_size + 512 * told.cache_bytes + ENGINE_BYTES
    assert long - plain == 100_000 * told.cache_bytes
    assert trained == plain + (told.context - 512) * told.cache_bytes


def test_a_whisper_and_a_voice_need_their_files_and_an_engine(needs: Needs) -> None:
    whisper = needs.need(wanted("faster_whisper", ModelType.SPEECH2TEXT, WHISPER))
    assert whisper == (Path(WHISPER["model_path"]) / "model.bin").stat().st_size + ENGINE_BYTES
    voice = needs.need(wanted("piper", ModelType.TTS, PIPER))
    assert voice == Path(PIPER["model_path"]).stat().st_size + ENGINE_BYTES


def test_a_model_on_a_server_or_a_card_takes_little_here(needs: Needs) -> None:
    remote = wanted("openai_compatible", ModelType.LLM, {"endpoint_url": "http://127.0.0.1:1"})
    assert needs.need(remote) == PROCESS_BYTES
    card = wanted("llama_cpp", ModelType.LLM, {"model_path": "/big.gguf", "device": "cuda"})
    assert needs.need(card) == ENGINE_BYTES


def test_a_provider_says_what_its_engine_takes() -> None:
    assert engine_of("sentence_transformers", PROVIDERS) == 600_000_000
    assert engine_of("piper", PROVIDERS) == ENGINE_BYTES
    assert engine_of("of nobody", PROVIDERS) == ENGINE_BYTES


def test_a_file_that_is_gone_is_left_to_its_engine(needs: Needs) -> None:
    assert (
        needs.need(wanted("llama_cpp", ModelType.LLM, {"model_path": "/none.gguf"})) == ENGINE_BYTES
    )


def test_the_largest_smaller_model_of_the_same_type_and_language_is_offered(needs: Needs) -> None:
    known = {entry.id: entry for entry in read_entries()}
    large = wanted("faster_whisper", ModelType.SPEECH2TEXT, {}, "whisper-large-v3-turbo")
    told = needs.advice(large, taken(known["whisper-small"], PROVIDERS) + 1)
    assert told == "Download a smaller one: deskpilot models pull whisper-small (594 MB)."
    assert "whisper-base" in needs.advice(large, taken(known["whisper-small"], PROVIDERS) - 1)
    assert needs.advice(large, 1000) == ""
    french = wanted("piper", ModelType.TTS, {}, "piper-fr-siwis")
    assert needs.advice(french, 10**12) == ""  # no other voice speaks French


def test_a_smaller_model_that_is_here_is_named_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = Catalog(tmp_path)
    monkeypatch.setattr(
        catalog, "installed", lambda name: object() if name == "whisper-tiny" else None
    )
    large = wanted("faster_whisper", ModelType.SPEECH2TEXT, {}, "whisper-small")
    room = next(taken(e, PROVIDERS) for e in read_entries() if e.id == "whisper-tiny")
    assert (
        Needs(catalog, PROVIDERS).advice(large, room)
        == "Use a smaller one from this machine: whisper-tiny (241 MB)."
    )


def test_a_damaged_head_of_a_gguf_is_told_and_never_read_for_ever(tmp_path: Path) -> None:
    whole = TINY.read_bytes()
    broken = tmp_path / "broken.gguf"
    for length in (0, 3, 20, 40, 200, 1000):
        broken.write_bytes(whole[:length])
        with pytest.raises(NotGguf):
            read_gguf(broken)
    for place in range(4, 400, 7):
        broken.write_bytes(whole[:place] + struct.pack("<Q", 2**63) + whole[place + 8 :])
        with contextlib.suppress(NotGguf):
            read_gguf(broken)


def test_each_further_conversation_at_once_needs_its_own_context(
    needs: Needs, tmp_path: Path
) -> None:
    told = read_gguf(TINY)
    one, four = (
        needs.need(wanted("llama_cpp", ModelType.LLM, LLAMA | {"n_parallel": n}))
        for n in ("1", "4")
    )
    assert four - one == 3 * int(LLAMA["n_ctx"]) * told.cache_bytes
    own = {"model_path": str(tmp_path / "model.gguf"), "n_ctx": "8192", "n_parallel": "2"}
    (tmp_path / "model.gguf").write_bytes(TINY.read_bytes())
    measured = needs.need(wanted("llama_cpp", ModelType.LLM, own, "smollm2-135m"))
    assert measured == 446_000_000 + 8192 * told.cache_bytes
