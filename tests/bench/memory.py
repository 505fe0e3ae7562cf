"""Memory of each engine: `python -m tests.bench.memory`.

One model after another is loaded in a worker process, as the service does it, and used once: a
prompt of some 600 tokens and 64 of an answer, 60 texts, 20 documents, five seconds of speech, a
paragraph to speak. Printed are what its process held afterwards and, on Linux, the most it ever
held. The tiny models show the engines alone; every model that is installed follows.
"""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path
from typing import Any

import psutil

from backends.catalog import Catalog
from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import FlexAIError
from backends.sizes import size
from backends.workers import Budget, Workers
from tests.models.llama import GUARD, LLAMA, SEEING
from tests.models.retrieval import EMBEDDER, ENCODER
from tests.models.speech import ESPEAK, PIPER, SENTENCES, SYSTEM_VOICE, WHISPER, spoken, wav

TEXT = (
    "The unemployment rate is the share of the labour force that is without work and looks for it. "
)
TINY: list[tuple[str, str, ModelType, dict[str, Any]]] = [
    ("tiny-llama", "llama_cpp", ModelType.LLM, LLAMA),
    ("tiny-llama that sees", "llama_cpp", ModelType.LLM, SEEING),
    ("tiny-llama as guard", "llama_cpp", ModelType.MODERATION, GUARD),
    ("tiny-embedder", "sentence_transformers", ModelType.TEXT_EMBEDDING, EMBEDDER),
    ("tiny-cross-encoder", "sentence_transformers", ModelType.RERANK, ENCODER),
    ("tiny-whisper", "faster_whisper", ModelType.SPEECH2TEXT, WHISPER),
    ("tiny-piper", "piper", ModelType.TTS, PIPER),
    *([("espeak-ng", "espeak", ModelType.TTS, ESPEAK)] if SYSTEM_VOICE else []),
]


def work(kind: ModelType) -> dict[str, Any]:
    """What each type is given to do."""
    return {
        ModelType.LLM: {
            "prompt_messages": [UserPromptMessage(content=TEXT * 30)],
            "model_parameters": {"max_tokens": 64},
        },
        ModelType.TEXT_EMBEDDING: {"texts": [f"{n}. {TEXT * (1 + n % 5)}" for n in range(60)]},
        ModelType.RERANK: {
            "query": "Who is without work?",
            "docs": [f"{n}. {TEXT}" for n in range(20)],
        },
        ModelType.SPEECH2TEXT: {"file": speech()},
        ModelType.TTS: {"content_text": TEXT * 3},
        ModelType.MODERATION: {"text": TEXT},
    }[kind]


def speech() -> io.BytesIO:
    """About five seconds of it."""
    return wav(*spoken(" ".join(SENTENCES[:3])))


def peak(pid: int) -> int:
    """The most bytes a process ever held; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


async def measure(
    name: str, provider: str, kind: ModelType, model: str, credentials: dict[str, Any]
) -> str:
    """Return the line of one model."""
    async with Workers(budget=Budget(limit=1 << 50)) as workers:
        try:
            await workers.invoke(provider, kind, model=model, credentials=credentials, **work(kind))
        except FlexAIError as error:
            return f"{name:24} {provider:22} {error}"
        (loaded,) = workers.loaded()
        held = psutil.Process(loaded.pid).memory_info().rss
        most = peak(loaded.pid)
        told = f"{size(held):>10} {size(most) if most else '':>10}"
        return f"{name:24} {provider:22} {kind.value:15} {told}  {loaded.device}"


async def main() -> None:
    """Print a line for each model."""
    print(f"{'model':24} {'engine':22} {'type':15} {'after use':>10} {'at most':>10}  computes on")
    models = [
        (name, provider, kind, "tiny", credentials) for name, provider, kind, credentials in TINY
    ]
    for found in Catalog().all_installed():
        entry = found.entry
        models.append((entry.id, entry.provider, entry.type, entry.model, found.credentials))
    for model in models:
        print(await measure(*model))
    me = size(psutil.Process().memory_info().rss)
    print(
        f"A worker before it has loaded anything is part of each figure. This bench itself: {me}.",
        file=sys.stderr,
    )


if __name__ == "__main__":
    asyncio.run(main())
