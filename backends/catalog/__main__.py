"""`deskpilot models`: list, pull and find models from the shell."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Column, Table

from backends.catalog import download
from backends.catalog.catalog import Catalog, Installed
from backends.catalog.entries import read_packs
from backends.catalog.errors import CatalogError, NotWritten
from backends.catalog.kit import export_kit, import_kit
from backends.flexai.entities import ModelType

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The models one can have.")
screen = Console(stderr=True)
WIDE = 120  # columns of a shell that has room for what a model is good for
KINDS = {
    ModelType.LLM: "language",
    ModelType.TEXT_EMBEDDING: "embedding",
    ModelType.RERANK: "reranking",
    ModelType.SPEECH2TEXT: "speech to text",
    ModelType.TTS: "text to speech",
    ModelType.MODERATION: "moderation",
}


@app.command("list")
def show() -> None:
    """List the models: what they are for, how large, and whether they are on this machine."""
    catalog = Catalog()
    wide = Console().width >= WIDE
    table = Table(*(Column(head, no_wrap=True) for head in ("id", "type", "size", "memory")), box=None)
    table.add_column("licence", no_wrap=True, max_width=None if wide else 12)
    table.add_column("here", no_wrap=True)
    if wide:
        table.add_column("good for")
    here_now = {found.entry.id: found.entry for found in catalog.all_installed()}
    for entry in ({e.id: e for e in catalog.entries()} | here_now).values():
        here = "yes" if entry.id in here_now else "no"
        memory = f"{entry.memory_bytes / 1e6:.0f} MB" if entry.memory_bytes else ""
        sizes = f"{entry.source.bytes / 1e6:.0f} MB", memory
        about = [entry.good_for] if wide else []
        table.add_row(entry.id, KINDS[entry.type], *sizes, entry.licence, here, *about)
    for pack in read_packs():
        size = sum(catalog.entry(member).source.bytes for member in pack.members)
        here = "yes" if set(pack.members) <= set(here_now) else "no"
        about = [f"{pack.name}: {' and '.join(pack.members)}."] if wide else []
        table.add_row(pack.id, "voice pack", f"{size / 1e6:.0f} MB", "", "", here, *about)
    Console().print(table)


@app.command()
def pull(
    ids: Annotated[list[str] | None, typer.Argument(help="Models or packs to fetch.")] = None,
    starter: Annotated[bool, typer.Option("--starter", help="Fetch the starter models.")] = False,
) -> None:
    """Fetch models; one that is here already is left as it is."""
    catalog = Catalog()
    packs = {pack.id: pack.members for pack in read_packs()}
    named = [member for name in ids or [] for member in packs.get(name, [name])]
    wanted = named + [e.id for e in catalog.entries() if starter and e.starter]
    if not wanted:
        raise typer.BadParameter("name a model, or give --starter")
    for model_id in wanted:
        pull_one(catalog, model_id)


def pull_one(catalog: Catalog, model_id: str) -> None:
    """Fetch one model behind a progress bar."""
    behind_bar(model_id, lambda report: catalog.pull(model_id, report))


@app.command("import")
def import_(
    path: Annotated[
        Path,
        typer.Argument(
            help="A folder of a Whisper or of sentence-transformers, a Piper voice (.onnx), a GGUF file."
        ),
    ],
    model_id: Annotated[str | None, typer.Option("--id", help="What to call it.")] = None,
    link: Annotated[bool, typer.Option("--link", help="Leave the files where they are.")] = False,
) -> None:
    """Take in a model that lies on this machine."""
    catalog = Catalog()
    found = behind_bar(path.name, lambda report: catalog.add(path, model_id, link=link, report=report))
    screen.print(f"{found.entry.id} can be used.", highlight=False)


@app.command("export-kit")
def export(
    folder: Annotated[Path, typer.Argument(help="A folder, on a stick perhaps.")],
    ids: Annotated[
        list[str] | None, typer.Argument(help="Models; all that are here if none is named.")
    ] = None,
) -> None:
    """Copy models into a folder that a machine without a network takes them from."""
    with told_of_disk(folder), bar("kit") as report:
        done = export_kit(Catalog(), folder, ids or [], report)
    screen.print(
        f"{folder} holds {', '.join(done)}. There: deskpilot models import-kit FOLDER", highlight=False
    )


@app.command("import-kit")
def take_kit(
    folder: Annotated[Path, typer.Argument(help="The folder that export-kit filled.")],
    ids: Annotated[list[str] | None, typer.Argument(help="Models; all of the kit if none is named.")] = None,
) -> None:
    """Take models in from such a folder; each file is checked."""
    catalog = Catalog()
    with told_of_disk(catalog.folder), bar("kit") as report:
        done = import_kit(catalog, folder, ids or [], report)
    screen.print(f"{', '.join(found.entry.id for found in done)} can be used.", highlight=False)


@contextmanager
def told_of_disk(folder: Path) -> Generator[None]:
    """Put what a disk does not let us do into the catalogue's words."""
    try:
        yield
    except OSError as error:
        what = f"{error.filename or folder} cannot be read or written: {error.strerror or error}."
        raise NotWritten(what, "Look whether the disk is there and full, or name another folder.") from error


@contextmanager
def bar(name: str) -> Generator[download.Report]:
    """Show a progress bar, which what is yielded moves."""
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=screen) as bars:
        task = bars.add_task(name, total=None)

        def report(p: download.Progress) -> None:
            bars.update(task, description=f"{name}: {p.what}", completed=p.done_bytes, total=p.total_bytes)

        yield report


def behind_bar(name: str, work: Callable[[download.Report], Installed]) -> Installed:
    """Do something long with a model behind a progress bar."""
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=screen) as bars:
        task = bars.add_task(name, total=None)

        def report(p: download.Progress) -> None:
            bars.update(task, description=f"{name}: {p.what}", completed=p.done_bytes, total=p.total_bytes)

        found = work(report)
        bars.update(task, description=f"{name}: here", completed=found.bytes, total=found.bytes)
    return found


@app.command()
def where(model_id: Annotated[str | None, typer.Argument(help="A model.")] = None) -> None:
    """Print the folder of the models, or of one model."""
    catalog = Catalog()
    if model_id is None:
        print(catalog.folder)  # noqa: T201
        return
    found = catalog.installed(model_id)
    if found is None:
        name = catalog.entry(model_id).name
        raise CatalogError(
            f"{name} is not on this machine.", f"Get it with: deskpilot models pull {model_id}"
        )
    print(found.folder)  # noqa: T201


def main() -> int:
    """Run a command; an error of ours is one sentence and its remedy on stderr, exit status 1."""
    try:
        app(prog_name="deskpilot models")
    except CatalogError as error:
        screen.print(f"{error.text} {error.remedy}", style="red", highlight=False)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
