"""`deskpilot embed` and `deskpilot rerank`."""

from __future__ import annotations

import json
import math
import sys
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.screen import from_stdin, printable, run_safely, typed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from rich.progress import Progress


Lines = Annotated[
    Path | None,
    typer.Option(
        "--file",
        "-f",
        help="A file with one text per line; - reads stdin. Empty lines are ignored.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]


def embed(
    texts: Annotated[list[str] | None, typer.Argument(help="The texts.")] = None,
    file: Lines = None,
    model: Annotated[str | None, typer.Option(help="The embedder.")] = None,
    query: Annotated[
        bool, typer.Option("--query", help="Embed the texts as queries, not as documents.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Turn texts into embedding vectors, and print a line of numbers for each."""
    raise typer.Exit(
        run_safely(run_embed(EmbedRequest(given(texts, file), file, model, query, as_json)))
    )


def rerank(
    query: Annotated[str, typer.Argument(help="The question that the texts should answer.")],
    texts: Annotated[list[str] | None, typer.Argument(help="The texts.")] = None,
    file: Lines = None,
    model: Annotated[str | None, typer.Option(help="The reranker.")] = None,
    top: Annotated[int, typer.Option(min=0, help="How many to print; 0 is all.")] = 0,
    threshold: Annotated[float | None, typer.Option(help="Omit texts with a lower score.")] = None,
    as_json: Json = False,
) -> None:
    """Order texts by how well they answer a query, and print scores and texts, best first."""
    if not query.strip():
        raise typer.BadParameter("The query is empty.")
    if threshold is not None and math.isnan(threshold):
        raise typer.BadParameter("nan is not a score.", param_hint="--threshold")
    asked = RetrievalRequest(query, given(texts, file), file, model, top, threshold, as_json)
    raise typer.Exit(run_safely(run_rerank(asked)))


def given(texts: list[str] | None, file: Path | None) -> list[str]:
    """Return the texts of the command line.

    Raises: BadParameter if there is neither text nor file, or a text without words.
    """
    if not texts and file is None:
        raise typer.BadParameter("There is no text. Write some, or specify a file with --file.")
    if any(not text.strip() for text in texts or []):
        raise typer.BadParameter("A text is empty.")
    return texts or []


AT_ONCE = 64  # texts of one request: often enough for the bar, few enough requests


def gather(texts: list[str], file: Path | None) -> list[str]:
    """Return the texts of the command line, then those of a file, one a line; - is stdin.

    Raises: TextsError.
    """
    from app.domain.errors import TextsError

    if file is None:
        return [typed(text) for text in texts]
    try:
        said = from_stdin() if str(file) == "-" else file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TextsError(f"{file} is not UTF-8 text.", "Save it as UTF-8.") from error
    except OSError as error:
        raise TextsError(f"{file} cannot be read: {error.strerror}.", "Check its name.") from error
    found = [typed(text) for text in texts] + [line for line in said.split("\n") if line.strip()]
    if not found:
        raise TextsError(
            f"{'stdin' if str(file) == '-' else file} contains no text.",
            "Put one text on each line.",
        )
    return [text.removesuffix("\r") for text in found]


async def asked(
    path: str, texts: list[str], body: Callable[[list[str]], dict[str, Any]]
) -> AsyncGenerator[tuple[int, dict[str, Any]]]:
    """Yield the beginning of a part of the texts, and the service's answer for it; its notes go to
    stderr once.

    body: makes the request of a part. Raises: DeskpilotError.
    """
    from app.bootstrap import build_service

    told: set[str] = set()
    with bar(len(texts)) as progress:
        async with build_service() as service:
            for start in range(0, len(texts), AT_ONCE):
                answer = await service.send("POST", path, body(texts[start : start + AT_ONCE]))
                progress.advance(progress.task_ids[0], min(AT_ONCE, len(texts) - start))
                yield start, answer
                if note := str(answer.get("note") or ""):
                    told.add(note)
    for note in sorted(told):
        print(note, file=sys.stderr)


def bar(total: int) -> Progress:
    """Return a progress bar on stderr, in texts; none without a terminal, or for few texts."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    screen = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    made = Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True)
    made.add_task("texts", total=total)
    return made


@dataclass(frozen=True)
class EmbedRequest:
    """The arguments of the command."""

    texts: list[str]
    file: Path | None
    model: str | None
    query: bool
    as_json: bool


async def run_embed(request: EmbedRequest) -> int:
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
                print(vector_line(place, texts[place], row["embedding"], as_json=request.as_json))
    return 0


def vector_line(place: int, text: str, vector: list[float], *, as_json: bool) -> str:
    """Return the output line of one text."""
    if as_json:
        return json.dumps({"index": place, "text": text, "embedding": vector}, ensure_ascii=False)
    return " ".join(f"{number:.6f}" for number in vector)


@dataclass(frozen=True)
class RetrievalRequest:
    """The arguments of the command. top: 0 is no limit."""

    query: str
    texts: list[str]
    file: Path | None
    model: str | None
    top: int
    threshold: float | None
    as_json: bool


async def run_rerank(request: RetrievalRequest) -> int:
    """Print a line for each remaining text; return the exit status.

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
    # each part came in the contract's order, and so does the whole: scores do not depend on other
    # texts
    best = sorted(scored, key=lambda row: (-row[0], row[1]))
    for score, place in best[: request.top or None]:
        print(line(score, place, texts[place], as_json=request.as_json))
    return 0


def line(score: float, place: int, text: str, *, as_json: bool) -> str:
    """Return the output line of one text."""
    if as_json:
        return json.dumps({"index": place, "score": score, "text": text}, ensure_ascii=False)
    return f"{score:.4f}  {printable(text)}"
