"""`python -m tests.contract.loopback FOLDER`: our own service with the models of the tests.

FOLDER: where the marks of installed models are written. Prints one line of JSON with the address
and ends when its standard input closes.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import uvicorn

from backends.catalog import Catalog
from backends.catalog.entries import CatalogEntry, LocalFile, LocalSource, write_mark
from backends.flexai.entities import ModelType
from backends.service.__main__ import end_with_parent, listen, names_of
from backends.service.app import create_app
from tests.contract.conftest import MODULES, SIX
from tests.models.llama import GUARD, LLAMA, SEEING
from tests.models.retrieval import EMBEDDER, ENCODER
from tests.models.speech import ESPEAK, PIPER, WHISPER

TOKEN = "the token of the tests"
LOCAL = {
    "tiny-llama": ("llama_cpp", ModelType.LLM, LLAMA),
    "tiny-eyes": ("llama_cpp", ModelType.LLM, SEEING),
    "tiny-guard": ("llama_cpp", ModelType.MODERATION, GUARD),
    "tiny-faster_whisper": ("faster_whisper", ModelType.SPEECH2TEXT, WHISPER),
    "tiny-piper": ("piper", ModelType.TTS, PIPER),
    "system-voice": ("espeak", ModelType.TTS, ESPEAK),
    "tiny-embedder": ("sentence_transformers", ModelType.TEXT_EMBEDDING, EMBEDDER),
    "tiny-cross-encoder": ("sentence_transformers", ModelType.RERANK, ENCODER),
}


def entry(
    folder: Path, name: str, provider: str, kind: ModelType, credentials: dict[str, str]
) -> CatalogEntry:
    """Return a model that counts as installed: its folder holds a file and the mark."""
    home = folder / name
    home.mkdir(exist_ok=True)
    (home / "there").write_text("x")
    made = CatalogEntry(
        id=name,
        name=name,
        type=kind,
        provider=provider,
        model=name,
        licence="none",
        languages=[],
        good_for="tests",
        source=LocalSource(kind="local", files=[LocalFile(name="there", bytes=1)]),
        credentials={"model_path": "there"} | credentials,
    )
    write_mark(home, made)
    return made


def catalog(folder: Path) -> Catalog:
    """Return the echo provider's six models, the tiny models, and the starters that are here."""
    entries = [entry(folder, "echo", "echo", kind, {}) for kind in SIX]
    for name, (provider, kind, credentials) in LOCAL.items():
        entries.append(entry(folder, name, provider, kind, credentials))
    for found in Catalog().all_installed():
        if found.entry.starter:
            told = found.entry
            entries.append(entry(folder, told.id, told.provider, told.type, found.credentials))
    return Catalog(folder, entries)


def main() -> None:
    """Serve until standard input closes."""
    listener = listen("127.0.0.1", 0)
    app = create_app(
        TOKEN,
        names_of("127.0.0.1", []),
        "0",
        warm=False,
        catalog=catalog(Path(sys.argv[1])),
        origins=frozenset({"http://localhost:3000"}),
        modules={name: module for name, module in MODULES.items() if name != "openai_compatible"},
    )
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    threading.Thread(target=end_with_parent, args=(server,), daemon=True).start()
    port = listener.getsockname()[1]
    print(json.dumps({"base_url": f"http://127.0.0.1:{port}/v1", "api_key": TOKEN}), flush=True)  # noqa: T201
    server.run(sockets=[listener])


if __name__ == "__main__":
    main()
