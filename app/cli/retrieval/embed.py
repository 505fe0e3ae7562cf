"""`deskpilot embed`: vectors of texts on stdout."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.cli.retrieval.texts import asked, gather

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Request:
    """What was asked on the command line."""

    texts: list[str]
    file: Path | None
    model: str | None
    query: bool
    as_json: bool


async def run_embed(request: Request) -> int:
    """Print a line for each text, as soon as it is known; return the exit status.

    Raises: DeskpilotError.
    """
    texts = gather(request.texts, request.file)
    fixed: dict[str, Any] = {"input_type": "query" if request.query else "document"}
    fixed |= {"model": request.model} if request.model else {}
    async with aclosing(
        asked("/v1/embeddings", texts, lambda some: fixed | {"input": some})
    ) as answers:
        async for start, answer in answers:
            for row in answer["data"]:
                place = start + row["index"]
                print(line(place, texts[place], row["embedding"], as_json=request.as_json))
    return 0


def line(place: int, text: str, vector: list[float], *, as_json: bool) -> str:
    """Return what is printed of one text."""
    if as_json:
        return json.dumps({"index": place, "text": text, "embedding": vector}, ensure_ascii=False)
    return " ".join(f"{number:.6f}" for number in vector)
