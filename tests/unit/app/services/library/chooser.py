"""A service that chooses as a model would: bound to what it is offered."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from app.services.library.designer import Designer
from app.services.tasks import Tasks

if TYPE_CHECKING:
    from app.adapters.system.json_file import JsonFile
    from app.data.library.library_file import Library


class Chooser:
    """Answers chat requests with a number of their schema. stop_at: the request it is cancelled in,
    never answered.
    """

    def __init__(self, stop_at: int = -1) -> None:
        self.asked: list[dict[str, Any]] = []
        self.stop_at = stop_at
        self.cancelled = False

    async def get(self, path: str) -> dict[str, Any]:
        raise AssertionError(path)

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        assert (method, path) == ("POST", "/v1/chat/completions")
        assert body is not None
        self.asked.append(body)
        if len(self.asked) == self.stop_at:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        return told(body)


def told(body: dict[str, Any]) -> dict[str, Any]:
    """Return a choice as the service answers it: the same for the same request."""
    numbers = body["response_format"]["json_schema"]["schema"]["enum"]
    number = random.Random(json.dumps(body, sort_keys=True)).choice(numbers)
    return {"model": "chooser", "choices": [{"message": {"content": str(number)}}]}


def designer(
    file: JsonFile, library: Library, chooser: Chooser, tasks: Tasks | None = None
) -> Designer:
    """Return the job with a model that chooses."""
    return Designer(file, library, chooser, tasks or Tasks(), nullcontext)
