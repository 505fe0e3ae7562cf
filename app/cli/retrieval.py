"""The words and options of `deskpilot embed` and `deskpilot rerank`; what they do is loaded when
one is run.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from app.cli.screen import run_safely

Lines = Annotated[
    Path | None,
    typer.Option(
        "--file", "-f", help="A file with one text a line; - is stdin. Empty lines do not count."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]


def embed(
    texts: Annotated[list[str] | None, typer.Argument(help="The texts.")] = None,
    file: Lines = None,
    model: Annotated[str | None, typer.Option(help="The embedder.")] = None,
    query: Annotated[
        bool, typer.Option("--query", help="Embed texts to find others with, not to be found.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Turn texts into vectors: a line of numbers for each."""
    from app.cli.retrieval_run import EmbedRequest, run_embed

    raise typer.Exit(
        run_safely(run_embed(EmbedRequest(given(texts, file), file, model, query, as_json)))
    )


def rerank(
    query: Annotated[str, typer.Argument(help="What the texts are to answer.")],
    texts: Annotated[list[str] | None, typer.Argument(help="The texts.")] = None,
    file: Lines = None,
    model: Annotated[str | None, typer.Option(help="The reranker.")] = None,
    top: Annotated[int, typer.Option(min=0, help="How many to print; 0 is all.")] = 0,
    threshold: Annotated[float | None, typer.Option(help="Leave out what scores less.")] = None,
    as_json: Json = False,
) -> None:
    """Order texts by how well they answer a query: score and text, best first."""
    from app.cli.retrieval_run import Request, run_rerank

    if not query.strip():
        raise typer.BadParameter("The query is empty.")
    if threshold is not None and math.isnan(threshold):
        raise typer.BadParameter("nan is no score.", param_hint="--threshold")
    asked = Request(query, given(texts, file), file, model, top, threshold, as_json)
    raise typer.Exit(run_safely(run_rerank(asked)))


def given(texts: list[str] | None, file: Path | None) -> list[str]:
    """Return the texts of the command line.

    Raises: BadParameter where there is neither text nor file, or a text without words.
    """
    if not texts and file is None:
        raise typer.BadParameter("There is no text: write some, or name a file with --file.")
    if any(not text.strip() for text in texts or []):
        raise typer.BadParameter("A text is empty.")
    return texts or []
