"""`python -m backends.catalog`: list, pull and find models from the shell."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from backends.catalog import download
from backends.catalog.catalog import Catalog
from backends.catalog.errors import CatalogError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The models one can have.")
screen = Console(stderr=True)


@app.command("list")
def show() -> None:
    """List the models: what they are for, how large, and whether they are on this machine."""
    catalog = Catalog()
    table = Table("id", "type", "size", "memory", "licence", "here", "good for", box=None)
    for entry in catalog.entries():
        here = "yes" if catalog.installed(entry.id) else "no"
        sizes = f"{entry.source.bytes / 1e6:.0f} MB", f"{entry.memory_bytes / 1e6:.0f} MB"
        table.add_row(entry.id, entry.type.value, *sizes, entry.licence, here, entry.good_for)
    Console().print(table)


@app.command()
def pull(
    ids: Annotated[list[str] | None, typer.Argument(help="Models to fetch.")] = None,
    starter: Annotated[bool, typer.Option("--starter", help="Fetch the starter models.")] = False,
) -> None:
    """Fetch models; one that is here already is left as it is."""
    catalog = Catalog()
    wanted = list(ids or []) + [e.id for e in catalog.entries() if starter and e.starter]
    if not wanted:
        raise typer.BadParameter("name a model, or give --starter")
    for model_id in wanted:
        pull_one(catalog, model_id)


def pull_one(catalog: Catalog, model_id: str) -> None:
    """Fetch one model behind a progress bar."""
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=screen) as bars:
        task = bars.add_task(model_id, total=None)

        def report(p: download.Progress) -> None:
            bars.update(
                task, description=f"{model_id}: {p.what}", completed=p.done_bytes, total=p.total_bytes
            )

        found = catalog.pull(model_id, report)
        bars.update(task, description=f"{model_id}: here", completed=found.bytes, total=found.bytes)


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
        app()
    except CatalogError as error:
        screen.print(f"{error.text} {error.remedy}", style="red", highlight=False)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
