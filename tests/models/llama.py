"""The tiny language model, which is a guard model too: where it is, and a flag that is set while it computes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LLAMA: dict[str, Any] = {
    "model_path": str(HERE / "tiny-llama" / "tiny-llama.gguf"),
    "n_ctx": "2048",
    "n_threads": "1",
}

GUARD = LLAMA | {"guard": "llama-guard"}


class SetAfter(threading.Event):
    """A flag that sets itself when it was looked at so many times: a stop at the same place in every run."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def is_set(self) -> bool:
        """Count a look."""
        self.looks -= 1
        if self.looks < 0:
            self.set()
        return super().is_set()
