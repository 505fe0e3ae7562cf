"""`deskpilot rerank`: texts on stdout, those first that answer a query best."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.cli.retrieval.texts import asked, gather
from app.cli.screen import printable
from app.cli.words import typed

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Request:
    """What was asked on the command line. top: 0 is no limit."""

    query: str
    texts: list[str]
    file: Path | None
    model: str | None
    top: int
    threshold: float | None
    as_json: bool


async def run_rerank(request: Request) -> int:
    """Print a line for each text that is kept; return the exit status.

    Raises: DeskpilotError.
    """
    texts = gather(request.texts, request.file)
    fixed: dict[str, Any] = {
        "query": typed(request.query),
        "top_n": request.top,
        "return_documents": False,
    }
    fixed |= {"model": request.model} if request.model else {}
    fixed |= {} if request.threshold is None else {"score_threshold": request.threshold}
    scored: list[tuple[float, int]] = []
    async with aclosing(
        asked("/v1/rerank", texts, lambda some: fixed | {"documents": some})
    ) as answers:
        async for start, answer in answers:
            scored += [(row["relevance_score"], start + row["index"]) for row in answer["results"]]
    # each part came in the contract's order, and so does the whole: scores do not depend on other texts
    best = sorted(scored, key=lambda row: (-row[0], row[1]))
    for score, place in best[: request.top or None]:
        print(line(score, place, texts[place], as_json=request.as_json))
    return 0


def line(score: float, place: int, text: str, *, as_json: bool) -> str:
    """Return what is printed of one text."""
    if as_json:
        return json.dumps({"index": place, "score": score, "text": text}, ensure_ascii=False)
    return f"{score:.4f}  {printable(text)}"
