"""The terminal: keeps the conversation, owns the data, performs all side effects."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.api import Interpreter

__all__ = ["Interpreter"]

# httpx's own command line is not used here; it would load rich, click and Pygments: 6 MB and a
# hundred modules.
sys.modules.setdefault("httpx._main", None)  # pyright: ignore[reportArgumentType]


def __getattr__(name: str) -> Any:
    """Return `Interpreter`, loaded on first use."""
    if name == "Interpreter":
        from app.api import Interpreter

        return Interpreter
    raise AttributeError(f"module 'app' has no attribute {name!r}")
