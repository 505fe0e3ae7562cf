"""`deskpilot documents`: libraries of files and folders for search and citation."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.screen import printable, run_safely
from app.domain.errors import DocumentError
from backends.installation import installation

if TYPE_CHECKING:
    from app.documents.library import Update, UpdateProgress
    from app.domain.dashboard import Widget
    from app.services.deskpilot import Deskpilot
    from app.services.documents import Documents

DEFAULT, OCR_MODEL = "Documents", "pp-ocrv6-small"
MULTILINGUAL = "deskpilot models pull multilingual-e5-small"
READING = 24 * 3600.0  # seconds: who names a folder waits until it is read
app = typer.Typer(
    help="Libraries of documents: PDF, Word, PowerPoint, EPUB, mail, text and more.",
    no_args_is_help=True,
)
Library = Annotated[str, typer.Option("--library", "-l", help="The name of a library.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Paths = Annotated[list[Path], typer.Argument(help="Files or folders.")]


@app.command("add")
def add(paths: Paths, library: Library = DEFAULT) -> None:
    """Add files or folders and read them. Nothing is copied or changed."""
    raise typer.Exit(run_safely(run_add(paths, library)))


@app.command("update")
def update(library: Library = "") -> None:
    """Read new and changed files."""
    raise typer.Exit(run_safely(run_update(library or None)))


@app.command("embed")
def embed() -> None:
    """Compute embeddings, so that passages can also be found by meaning. The window does this
    automatically.
    """
    raise typer.Exit(run_safely(run_embed()))


@app.command("remove")
def remove(paths: Paths, library: Library = DEFAULT) -> None:
    """Remove files or folders from a library; they stay on disk."""
    raise typer.Exit(run_safely(run_remove(paths, library)))


@app.command("list")
def list_files(library: Library = "", as_json: Json = False) -> None:
    """List the documents with their page counts, and the reasons why some can't be read."""
    raise typer.Exit(run_safely(run_list(library or None, as_json=as_json)))


@app.command("status")
def status(as_json: Json = False) -> None:
    """Print how many documents are ready, waiting and failed."""
    raise typer.Exit(run_safely(run_status(as_json=as_json)))


@app.command("search")
def search(
    question: Annotated[str, typer.Argument(help="The search text.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=50)] = 5,
    within: Annotated[
        list[Path] | None, typer.Option(help="Only in these files or folders.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the passages that match best, with file and page."""
    raise typer.Exit(run_safely(run_search(question, limit, within, as_json=as_json)))


async def run_add(paths: list[Path], library: str) -> int:
    """Add and read; return the exit status.

    Raises: DocumentError.
    """
    from app.bootstrap import build_documents

    async with build_documents() as documents:
        for path in paths:
            await documents.add(path, library)
        report(await documents.update(library, tell))
        await read_scans(documents)
        return 0


async def run_update(library: str | None) -> int:
    """Read new files; return the exit status.

    Raises: DocumentError.
    """
    from app.bootstrap import build_documents

    async with build_documents() as documents:
        report(await documents.update(library, tell))
        await read_scans(documents)
        return 0


async def read_scans(documents: Documents) -> None:
    """Read scanned pages by OCR; without it, print how many stay unread and which model reads them.

    Raises: DeskpilotError.
    """
    files = await documents.files_of()
    unread = sum(file.unread for file in files)
    if not unread:
        return
    done = await documents.read_scans(tell_scans)
    clear_line()
    if done:
        print(f"{done} scanned pages read")
    elif (await documents.coverage()).ocr is None:
        told = (
            f"{unread} scanned pages are not read. Read them with: deskpilot models pull"
            f" {OCR_MODEL}, then deskpilot documents update"
        )
        print(installation().typed(told), file=sys.stderr)


async def run_embed() -> int:
    """Embed passages without an embedding; return the exit status.

    Raises: DeskpilotError.
    """
    from app.bootstrap import build_documents

    async with build_documents() as documents:
        if (await documents.coverage()).embedder is None:
            raise DocumentError(
                "There is no embedder on this machine.",
                "Download one with: deskpilot models pull minilm-l6. For documents in Chinese,"
                f" Japanese and other languages: {MULTILINGUAL}",
            )
        done = await documents.embed_new(tell_embedded)
        clear_line()
        print(f"{done} passages embedded")
        return 0


async def run_remove(paths: list[Path], library: str) -> int:
    """Remove from a library; return the exit status.

    Raises: DocumentError.
    """
    from app.bootstrap import build_documents

    async with build_documents() as documents:
        for path in paths:
            await documents.remove(path, library)
        return 0


async def run_list(library: str | None, *, as_json: bool) -> int:
    """Print a line for each file; return the exit status.

    Raises: DocumentError.
    """
    from app.bootstrap import build_documents

    async with build_documents() as documents:
        for file in await documents.files_of(library):
            if as_json:
                print(json.dumps(vars(file), ensure_ascii=False))
                continue
            unread = f", {file.unread} unread (scanned)" if file.unread else ""
            told = f"{file.pages} pages{unread}" if file.state == "ready" else file.state
            why = f": {file.error} {file.remedy}".rstrip() if file.error else ""
            print(printable(f"{file.path}  {told}{why}"))
        return 0


async def run_status(*, as_json: bool) -> int:
    """Print the counts; return the exit status.

    Raises: DocumentError.
    """
    from app.bootstrap import build_documents

    async with build_documents() as documents:
        files, found = await documents.files_of(), await documents.coverage()
        counts = {
            state: sum(file.state == state for file in files)
            for state in ("ready", "waiting", "failed")
        }
        unread = sum(file.unread for file in files)
        if as_json:
            told = counts | {"passages": found.passages, "embedded": found.embedded}
            told |= {"unread_pages": unread, "bytes": found.size, "unsupported": found.unsupported}
            print(json.dumps(told | {"embedder": found.embedder, "reranker": found.reranker}))
            return 0
        print(f"{counts['ready']} ready, {counts['waiting']} waiting, {counts['failed']} failed")
        by_meaning = found.embedded - found.unsupported
        print(f"{found.passages} passages, {by_meaning} also found by meaning")
        if found.unsupported:
            print(
                f"{found.unsupported} passages are in a language that the embedder does not know."
                f" Download one that knows it: {MULTILINGUAL}"
            )
        if unread:
            print(f"{unread} scanned pages are not read.")
        return 0


async def run_search(question: str, limit: int, within: list[Path] | None, *, as_json: bool) -> int:
    """Print passages; return the exit status: 0 with an answer among them.

    Raises: DocumentError.
    """
    from app.bootstrap import build_documents

    async with build_documents() as documents:
        paths = [str(path.expanduser().resolve()) for path in within] if within else None
        found = await documents.find(question, limit, paths)
        if as_json:
            for hit in found.hits:
                line = vars(hit.passage) | {"score": round(hit.score, 5)}
                print(json.dumps(line, ensure_ascii=False))
            return 0
        if not found.answered:
            missing = ", ".join(found.missing)
            told = f" Nothing mentions: {missing}." if missing else ""
            print(f"Not in your documents.{told}", file=sys.stderr)
        for number, hit in enumerate(found.hits, 1):
            one = hit.passage
            label = f" ({one.label})" if one.label else ""
            heading = f" · {one.heading}" if one.heading else ""
            print(printable(f"[{number}] {one.path}, page {one.page}{label}{heading}"))
            print(printable(f"    {' '.join(one.text.split())}"))
            for what, paths in (
                ("The same text", [other.path for other in hit.same]),
                ("Similar, with differences", hit.differing),
            ):
                for path in paths:
                    print(printable(f"    {what}: {path}"))
            print()
        return 0


async def documents_meant(deskpilot: Deskpilot, named: str) -> Widget:
    """Return the attachment of a library, a folder or a file, once all of it has been read.

    Raises: DocumentError if it is neither.
    """
    path = Path(named)
    if await asyncio.to_thread(lambda: path.expanduser().exists()):
        paths = [await deskpilot.documents.attach(path)]
        widget = await deskpilot.widgets.add_library(Path(paths[0]).name, paths[0])
    else:
        paths = await deskpilot.documents.roots(named)
        widget = await deskpilot.widgets.add_library(named)
    await deskpilot.documents.refresh(paths, READING, tell)
    clear_line()
    return widget


def tell(progress: UpdateProgress) -> None:
    """Print the progress of reading, on a terminal."""
    if sys.stderr.isatty():
        left = f", about {progress.left:.0f} s left" if progress.left is not None else ""
        line = f"{progress.done + 1} of {progress.total}{left}: {Path(progress.path).name}"
        print(f"\r\x1b[K{printable(line)[:100]}", end="", file=sys.stderr, flush=True)


def tell_scans(done: int, total: int) -> None:
    """Print how many scanned pages are read, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{done} of {total} scanned pages", end="", file=sys.stderr, flush=True)


def tell_embedded(done: int, total: int) -> None:
    """Print how far embedding is, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{done} of {total} passages", end="", file=sys.stderr, flush=True)


def report(update: Update) -> None:
    """Print the results of an update."""
    clear_line()
    print(
        f"{update.read} read, {update.unchanged} unchanged, {update.removed} removed,"
        f" {update.failed} failed"
    )
    for root in update.unreachable:
        print(printable(f"{root} can't be reached; its documents are kept."), file=sys.stderr)
    if update.failed:
        print("`deskpilot documents list` shows why.", file=sys.stderr)


def clear_line() -> None:
    """Leave no line of progress on a terminal."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
