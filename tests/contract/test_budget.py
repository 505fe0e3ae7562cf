"""Real engines under a budget that holds one of them at a time: they come and go, and none is
disturbed.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest

from backends.catalog import Catalog
from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import InvokeMemoryError
from backends.flexai.registry import load_providers
from backends.service.memory import Needs
from backends.workers import Budget, Workers
from tests.models.llama import LLAMA
from tests.models.speech import PIPER, SENTENCES, WHISPER, spoken, wav

ONE_AT_A_TIME = 190_000_000  # each needs about 162 MB


def budget(folder: Path, limit: int, patience: float) -> Budget:
    needs = Needs(Catalog(folder), load_providers())
    return Budget(limit, patience_seconds=patience, need=needs.need, advice=needs.advice)


async def talk(workers: Workers) -> None:
    said: Any = [UserPromptMessage(content="What is the capital of France?")]
    told = await workers.invoke(
        "llama_cpp", ModelType.LLM, model="tiny-llama", credentials=LLAMA, prompt_messages=said
    )
    assert "Paris" in told.message.content


async def speak(workers: Workers) -> None:
    sound = await workers.invoke(
        "piper", ModelType.TTS, model="tiny-voice", credentials=PIPER, content_text=SENTENCES[0]
    )
    assert sound.startswith(b"RIFF")


async def hear(workers: Workers) -> None:
    text = await workers.invoke(
        "faster_whisper",
        ModelType.SPEECH2TEXT,
        model="tiny-whisper",
        credentials=WHISPER,
        file=wav(*spoken(SENTENCES[1])),
    )
    assert text == SENTENCES[1]


async def test_three_engines_asked_at_once_take_turns_and_all_answer(tmp_path: Path) -> None:
    async with Workers(budget=budget(tmp_path, ONE_AT_A_TIME, 120)) as workers:
        await asyncio.gather(talk(workers), speak(workers), hear(workers), talk(workers))
        (last,) = workers.loaded()
        assert last.device == "cpu"
        # what an engine takes in truth differs between machines: 175 MB on one, 209 MB on another
        resident = psutil.Process(last.pid).memory_info().rss
        assert last.memory_bytes == pytest.approx(resident, rel=0.2)


async def test_an_engine_that_speaks_on_is_not_unloaded_for_another(tmp_path: Path) -> None:
    async with Workers(budget=budget(tmp_path, ONE_AT_A_TIME, 0.1)) as workers:
        said: Any = [UserPromptMessage(content="Please go on forever")]
        stream = workers.stream(
            "llama_cpp",
            ModelType.LLM,
            model="tiny-llama",
            credentials=LLAMA,
            prompt_messages=said,
            model_parameters={"max_tokens": 100_000},
        )
        await anext(stream)
        with pytest.raises(InvokeMemoryError, match="in use: tiny-llama"):
            await speak(workers)
        assert (await anext(stream)).delta.finish_reason is None
        await stream.aclose()
        await speak(workers)
        assert [loaded.model for loaded in workers.loaded()] == ["tiny-voice"]
