"""The engines this process holds: one for each model file, loaded on first use."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from backends.flexai.schema import read_settings
from backends.gguf import parts_of
from backends.providers.llama_cpp.engine import Engine
from backends.providers.llama_cpp.opening import Credentials, check_is_gguf

_engines: dict[Path, tuple[str, Engine]] = {}
_lock = threading.Lock()


def engine_for(credentials: dict[str, Any]) -> Engine:
    """Return the engine of the credentials.

    Other settings, or another file under the same name, replace the engine: its memory is freed
    when the call that uses it ends.
    Raises: InvokeBadRequestError.
    """
    wanted = read_settings(Credentials, credentials)
    check_is_gguf(wanted.model_path)
    more = [wanted.projector_path] if wanted.projector_path else []
    files = [look_of(path) for path in [*parts_of(wanted.model_path), *more]]
    key = f"{wanted.model_dump_json()} {files}"
    with _lock:
        known = _engines.get(wanted.model_path)
        if known is not None and known[0] == key:
            return known[1]
        if known is not None:
            release(_engines.pop(wanted.model_path)[1])
        engine = Engine(wanted)
        _engines[wanted.model_path] = (key, engine)
        return engine


def release(engine: Engine) -> None:
    """Free an engine now; one that is in use goes with the last reference to it."""
    if engine.lock.acquire(blocking=False):
        engine.close()


def look_of(path: Path) -> tuple[int, int]:
    """Return time and size of a file, by which another one shows; (0, 0) for one that is not
    there.
    """
    try:
        file = path.stat()
    except OSError:
        return 0, 0
    return file.st_mtime_ns, file.st_size
