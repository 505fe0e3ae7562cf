"""Parameters a terminal may set for one question: how free the model is, and how long its
answer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backends.protocol.query import Query

OPTION = "deskpilot-llm"


def parameters_of(query: Query, **ours: Any) -> dict[str, Any]:
    """Return our parameters, those of the question in their place."""
    raw = query.options.get(OPTION)
    try:
        told: Any = json.loads(raw) if isinstance(raw, str) else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return ours
    kinds = {"temperature": (int, float), "max_tokens": (int,)}
    given = {name: told[name] for name, kind in kinds.items() if isinstance(told.get(name), kind)}
    return ours | {name: value for name, value in given.items() if not isinstance(value, bool)}
