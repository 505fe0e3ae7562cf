"""`deskpilot models`: list, download and find models from the shell."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from backends import offline
from backends.catalog import download, shell
from backends.catalog.catalog import Catalog, InstalledModel
from backends.catalog.download import addresses_of, fetch_file, is_address
from backends.catalog.entries import read_absent, read_packs
from backends.catalog.errors import CatalogError, NotTheFile, NotWritten
from backends.catalog.kit import export_kit, import_kit
from backends.catalog.other_programs import PROGRAMS, all_found, one_found
from backends.catalog.shell import loaded_now, set_for, table_of
from backends.installation import installation

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Manage the models on this machine.",
    epilog=(
        "deskpilot models measure MODEL measures how many tokens a second a language model reads"
        " and writes on this machine."
    ),
)
app.add_typer(shell.app, name="preset")
screen = Console(stderr=True)
WIDE = 120  # the number of columns that a terminal needs to show the purpose of each model


@app.command("list")
def show(
    language: Annotated[
        str | None, typer.Option(help="Only models for a language: en, zh, ja, de, fr, es …")
    ] = None,
) -> None:
    """List the models: what they are for, how large, and whether they are on this machine."""
    catalog = Catalog()
    wanted = language.strip().lower().partition("-")[0] if language else None
    Console().print(table_of(catalog, loaded_now(), wide=Console().width >= WIDE, language=wanted))
    for absent in read_absent():
        if absent.language == wanted:
            Console().print(f"\n{absent.why}", highlight=False, soft_wrap=True)
    linked = {
        file.resolve()
        for found in catalog.all_installed()
        for file in found.folder.iterdir()
        if file.is_symlink()
    }
    others = [model for model in all_found() if not linked & model.files()]
    if others:
        Console().print(
            "\nModels of other programs; to use one in place: deskpilot models import NAME"
        )
        for model in others:
            Console().print(
                f"  {model.name}  {model.bytes / 1e6:.0f} MB", highlight=False, soft_wrap=True
            )


@app.command()
def pull(
    ids: Annotated[list[str] | None, typer.Argument(help="Models or packs to download.")] = None,
    starter: Annotated[
        bool, typer.Option("--starter", help="Download the starter models.")
    ] = False,
) -> None:
    """Download models; those already on this machine are left unchanged."""
    catalog = Catalog()
    packs = {pack.id: pack.members for pack in read_packs()}
    named = [member for name in ids or [] for member in packs.get(name, [name])]
    wanted = named + [e.id for e in catalog.entries() if starter and e.starter]
    if not wanted:
        raise typer.BadParameter("specify a model, or use --starter")
    for model_id in wanted:
        pull_one(catalog, model_id)


def pull_one(catalog: Catalog, model_id: str) -> None:
    """Download one model behind a progress bar."""
    behind_bar(model_id, lambda report: catalog.pull(model_id, report))


@app.command("import")
def import_(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH|NAME|ADDRESS",
            help=(
                "A folder with a Whisper or sentence-transformers model, a Piper voice (.onnx), a"
                " GGUF file or its address; or another program's model, by the name that `list`"
                " shows."
            ),
        ),
    ],
    model_id: Annotated[str | None, typer.Option("--id", help="Its name.")] = None,
    link: Annotated[
        bool, typer.Option("--link", help="Use the files in place, without copying.")
    ] = False,
    sha256: Annotated[str, typer.Option(help="The expected hash of a downloaded file.")] = "",
) -> None:
    """Import a model from this machine or from an address."""
    catalog, place = Catalog(), Path(path)
    program = path.partition(":")[0]
    if is_address(path):
        found = behind_bar(
            place.name, lambda report: from_web(catalog, path, sha256, model_id, report)
        )
    elif program in PROGRAMS and not place.exists():
        known = one_found(path)
        found = behind_bar(
            known.own_name, lambda report: catalog.adopt(known, model_id, report=report)
        )
    else:
        found = behind_bar(
            place.name, lambda report: catalog.add(place, model_id, link=link, report=report)
        )
    screen.print(f"{found.entry.id} can be used.", highlight=False)


def from_web(
    catalog: Catalog, address: str, sha256: str, model_id: str | None, report: download.Report
) -> InstalledModel:
    """Download a file, or every part of a split model, and import it.

    Raises: CatalogError and its subclasses.
    """
    addresses = addresses_of(address)
    if sha256 and len(addresses) > 1:
        raise NotTheFile(
            f"The model has {len(addresses)} parts, and each has a hash of its own.",
            "Omit --sha256, or download the parts yourself and import the first.",
        )
    files = [fetch_file(part, catalog.folder / "downloads", sha256, report) for part in addresses]
    found = catalog.add(files[0], model_id, report=report)
    for file in files:
        file.unlink()
    return found


@app.command("export-kit")
def export(
    folder: Annotated[Path, typer.Argument(help="A folder, for example on a USB stick.")],
    ids: Annotated[
        list[str] | None, typer.Argument(help="Models; by default all on this machine.")
    ] = None,
) -> None:
    """Copy models into a folder, for a machine without a network to import."""
    with told_of_disk(folder), bar("kit") as report:
        done = export_kit(Catalog(), folder, ids or [], report)
    screen.print(
        f"{folder} contains {', '.join(done)}. To import them: deskpilot models import-kit FOLDER",
        highlight=False,
    )


@app.command("import-kit")
def take_kit(
    folder: Annotated[Path, typer.Argument(help="The folder written by export-kit.")],
    ids: Annotated[
        list[str] | None, typer.Argument(help="Models; by default all in the kit.")
    ] = None,
) -> None:
    """Import models from an offline kit and check each file."""
    catalog = Catalog()
    with told_of_disk(catalog.folder), bar("kit") as report:
        done = import_kit(catalog, folder, ids or [], report)
    screen.print(f"{', '.join(found.entry.id for found in done)} can be used.", highlight=False)


@contextmanager
def told_of_disk(folder: Path) -> Generator[None]:
    """Report disk errors as errors of the catalogue."""
    try:
        yield
    except OSError as error:
        what = f"{error.filename or folder} cannot be read or written: {error.strerror or error}."
        raise NotWritten(
            what, "Check that the disk is connected and not full, or specify another folder."
        ) from error


@contextmanager
def bar(name: str) -> Generator[download.Report]:
    """Show a progress bar that is updated through the yielded function."""
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=screen) as bars:
        task = bars.add_task(name, total=None)

        def report(p: download.DownloadProgress) -> None:
            bars.update(
                task, description=f"{name}: {p.what}", completed=p.done_bytes, total=p.total_bytes
            )

        yield report


def behind_bar(name: str, work: Callable[[download.Report], InstalledModel]) -> InstalledModel:
    """Run a long task on a model while showing a progress bar."""
    with bar(name) as report:
        found = work(report)
        report(download.DownloadProgress("here", found.bytes, found.bytes))
    return found


@app.command("set")
def set_(
    name: Annotated[
        str,
        typer.Argument(help="A model, or `all` for memory and idle, which apply to all models."),
    ],
    pairs: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE…", help="device=cuda n_ctx=16384 temperature=0.7"),
    ] = None,
) -> None:
    """Set a model's device, context size, temperature and other options; NAME= resets one. Prints
    the current choices.
    """
    for line in set_for(Catalog(), name, pairs or []):
        print(line)


@app.command()
def where(model_id: Annotated[str | None, typer.Argument(help="A model.")] = None) -> None:
    """Print the folder of the models, or of one model."""
    catalog = Catalog()
    if model_id is None:
        print(catalog.folder)
        return
    found = catalog.installed(model_id)
    if found is None:
        name = catalog.entry(model_id).name
        raise CatalogError(
            f"{name} is not on this machine.", f"Download it with: deskpilot models pull {model_id}"
        )
    print(found.folder)


def main() -> int:
    """Run a command. For one of our own errors, print a sentence and the fix to stderr, and return
    1."""
    offline.begin()
    try:
        app(prog_name="deskpilot models")
    except CatalogError as error:
        told = installation().typed(f"{error.text} {error.remedy}")
        screen.print(told, style="red", highlight=False)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
