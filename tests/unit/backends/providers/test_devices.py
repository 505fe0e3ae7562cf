"""Devices: what is asked for is used or refused; layers go onto a GPU by figures; real GPUs where
there are any.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from backends.flexai.devices import choose, reported
from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import InvokeBadRequestError, InvokeError, InvokeMemoryError
from backends.flexai.registry import load_providers
from backends.gguf import Gguf
from backends.providers.llama_cpp.hardware import (
    ALL,
    RESERVE_BYTES,
    GraphicsCard,
    cards,
    fitting,
    placement,
    usable,
)
from backends.workers import Workers
from tests.models.llama import LLAMA
from tests.models.retrieval import EMBEDDER
from tests.models.speech import PIPER, SENTENCES, WHISPER, spoken, wav

pytestmark = pytest.mark.slow

GB = 10**9
TINY = Path(LLAMA["model_path"])
SEVEN = Gguf("7B", "llama", layers=32, context=8192, cache_bytes=131_072)
NVIDIA = shutil.which("nvidia-smi") is not None
SAYS = {
    "prompt_messages": [UserPromptMessage(content="What is the capital of France?")],
    "model_parameters": {},
}
CALLS: dict[str, tuple[str, ModelType, dict[str, Any], dict[str, Any]]] = {
    "llama_cpp": ("llama_cpp", ModelType.LLM, LLAMA, SAYS),
    "faster_whisper": ("faster_whisper", ModelType.SPEECH2TEXT, WHISPER, {}),
    "piper": ("piper", ModelType.TTS, PIPER, {"content_text": SENTENCES[0]}),
    "sentence_transformers": (
        "sentence_transformers",
        ModelType.TEXT_EMBEDDING,
        EMBEDDER,
        {"texts": ["a cat"]},
    ),
}


def card(device: str, free: int) -> GraphicsCard:
    return GraphicsCard(device, f"{device}0", free, 24 * GB)


@pytest.mark.parametrize(
    ("free", "layers"),
    [
        (24 * GB, ALL),  # 4.1 GB of weights and 1.1 GB of cache in 33 parts of 156.8 MB
        (RESERVE_BYTES + 5_173_741_825, ALL),
        (RESERVE_BYTES + 5_173_000_000, 32),
        (3 * GB, 15),
        (RESERVE_BYTES + 150_000_000, 0),
        (RESERVE_BYTES, 0),
        (0, 0),
    ],
)
def test_as_many_layers_go_onto_the_gpu_as_its_free_memory_takes(free: int, layers: int) -> None:
    assert fitting(free, SEVEN, 4_100_000_000, 8192) == layers


def test_a_longer_context_leaves_room_for_fewer_layers() -> None:
    short, long = (fitting(3 * GB, SEVEN, 4_100_000_000, context) for context in (512, 65536))
    assert short > long > 0


def test_auto_takes_a_gpu_if_something_fits_and_says_how_much() -> None:
    assert placement("auto", None, TINY, 2048, []).told == "cpu"
    assert placement("auto", None, TINY, 2048, [card("cuda", 8 * GB)]) == ("cuda", ALL, "cuda")
    assert placement("auto", None, TINY, 2048, [card("cuda", 1000)]) == ("cpu", 0, "cpu")
    both = [card("vulkan", 8 * GB), card("cuda", 8 * GB)]
    assert usable(both) == ["cuda", "vulkan", "cpu"]
    assert placement("vulkan", None, TINY, 2048, both).device == "vulkan"
    assert placement("cpu", 5, TINY, 2048, both) == ("cpu", 0, "cpu")
    assert placement("cuda", 5, TINY, 2048, both) == ("cuda", 5, "cuda")
    part = placement("auto", None, TINY, 1_000_000, [card("cuda", RESERVE_BYTES + 500_000_000)])
    assert (part.device, part.told) == ("cuda", f"cuda, {part.layers} of 2 layers")


def test_a_gpu_that_was_asked_for_and_has_no_room_is_told() -> None:
    with pytest.raises(InvokeMemoryError, match="No layer") as caught:
        placement("cuda", None, TINY, 2048, [card("cuda", 1000)])
    assert "auto" in caught.value.remedy


@pytest.mark.parametrize("device", ["cuda", "metal", "vulkan"])
def test_a_device_that_is_not_here_is_refused_with_what_to_install(device: str) -> None:
    with pytest.raises(InvokeBadRequestError) as caught:
        placement(device, None, TINY, 2048, [])
    assert f"packaging/dev.py run --gpu {device}" in caught.value.remedy
    assert "auto, cpu" in caught.value.remedy


def test_a_device_an_engine_never_uses_is_told_as_such() -> None:
    with pytest.raises(
        InvokeBadRequestError, match="does not support a GPU through Vulkan"
    ) as caught:
        choose("vulkan", ["cpu"], "ONNX Runtime", {"cpu": "", "cuda": ""})
    assert "one of: auto, cpu" in caught.value.remedy
    assert choose("auto", ["cuda", "cpu"], "x", {}) == "cuda"


@pytest.mark.parametrize("name", CALLS)
def test_every_engine_says_what_it_can_use_and_refuses_the_rest(name: str) -> None:
    provider, kind, credentials, _ = CALLS[name]
    model = load_providers().model(provider, kind)
    here = model.devices()
    assert here[-1] == "cpu"
    for device in {"cuda", "metal", "vulkan"} - set(here):
        with pytest.raises(ValueError, match=r"(?i)set the device to") as caught:
            model.validate_credentials("m", credentials | {"device": device})
        assert "cpu" in str(caught.value)


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_what_a_model_really_computes_on_is_reported_by_its_process(device: str) -> None:
    credentials = LLAMA | {"device": device}
    model = load_providers().model("llama_cpp", ModelType.LLM)
    model.validate_credentials("tiny", credentials)
    assert reported() == (
        "cpu" if device == "cpu" else placement("auto", None, TINY, 2048, cards()).told
    )


async def test_the_pool_tells_what_its_models_compute_on() -> None:
    async with Workers() as workers:
        assert workers.loaded() == []
        credentials = PIPER | {"device": "cpu"}
        await workers.invoke(
            "piper", ModelType.TTS, model="tiny", credentials=credentials, content_text=SENTENCES[0]
        )
        assert [loaded.device for loaded in workers.loaded()] == ["cpu"]
        with pytest.raises(InvokeError, match="does not support"):
            await workers.invoke(
                "piper",
                ModelType.TTS,
                model="tiny",
                credentials=PIPER | {"device": "metal"},
                content_text="Hello.",
            )


@pytest.mark.skipif(not NVIDIA, reason="no NVIDIA GPU on this machine")
@pytest.mark.parametrize("name", CALLS)
async def test_every_engine_computes_on_the_nvidia_gpu_of_this_machine(name: str) -> None:
    """Runs where the GPU builds are installed: packaging/dev.py test --gpu cuda."""
    provider, kind, credentials, arguments = CALLS[name]
    if kind is ModelType.SPEECH2TEXT:
        arguments = {"file": wav(*spoken(SENTENCES[0]))}
    async with Workers() as workers:
        await workers.invoke(
            provider, kind, model="m", credentials=credentials | {"device": "cuda"}, **arguments
        )
        assert workers.loaded()[0].device.startswith("cuda")


@pytest.mark.skipif(
    not any(c.device == "vulkan" for c in cards()), reason="no build of llama.cpp for Vulkan here"
)
async def test_llama_cpp_computes_through_vulkan() -> None:
    async with Workers() as workers:
        await workers.invoke(
            "llama_cpp", ModelType.LLM, model="m", credentials=LLAMA | {"device": "vulkan"}, **SAYS
        )
        assert workers.loaded()[0].device.startswith("vulkan")
