"""What `deskpilot data` does."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from pydantic import ValidationError

from app.bootstrap import build_history, library
from app.cli.screen import printable
from app.data.export import rows_to_csv
from app.data.library.entry import Entry, with_parameters
from app.data.library.shelf import entry_of
from app.data.library.validator import replayed, stale, titled, validated
from app.data.readers.parts import apart, tables_of
from app.data.sources import Sources, uuid_of
from app.domain.errors import DeskpilotError, SourceError
from app.domain.events import Call
from backends.data.workflow.step import Parameter, Workflow
from backends.data.workflow.summary import not_whole, piece_uid
from backends.data.workflow.told import TOOL

if TYPE_CHECKING:
    from backends.data.values import Scalar
    from backends.data.workflow.told import Shown, WorkflowResult

CLOCK = re.compile(r"^([01]\d|2[0-3]):[0-5]\d$")
ROWS = 20


async def opened(entry: Entry | None = None) -> Sources:
    """Return the tables that were added, or those a workflow reads, open.

    Raises: SourceError.
    """
    kept = library()
    sources = Sources(kept.note)
    for path in entry.origin.paths.values() if entry else []:
        await asyncio.to_thread(sources.add_file, Path(path))
    return sources


async def list_library(as_json: bool) -> None:
    """Print the workflows of the library; those whose tables changed are told as stale."""
    entries = library().entries()
    if not entries and not as_json:
        typer.echo("The library is empty: deskpilot data save NAME keeps a workflow that ran.")
    for entry in entries:
        entry = await as_it_is(entry)
        if as_json:
            typer.echo(entry.model_dump_json())
            continue
        given = ", ".join(f"{p.name}={p.default}" for p in entry.workflow.parameters)
        why = f" ({entry.reason})" if entry.reason else ""
        typer.echo(
            printable(
                f"{entry.name} v{entry.version} {entry.status}{why}: {entry.description} [{given}]"
            )
        )


async def as_it_is(entry: Entry) -> Entry:
    """Return an entry, stale if its tables are not as they were."""
    try:
        reason = stale(entry, await opened(entry))
    except DeskpilotError as error:
        reason = error.text
    return entry.model_copy(update={"status": "stale", "reason": reason}) if reason else entry


async def show(name: str, as_json: bool) -> None:
    """Print a workflow: its steps, where it comes from.

    Raises: SourceError.
    """
    entry = await as_it_is(library().entry(name))
    if as_json:
        typer.echo(entry.model_dump_json(indent=1))
        return
    lines = [
        f"{entry.name} v{entry.version}, {entry.status} {entry.reason}".strip(),
        entry.description,
    ]
    lines += [f"asked: {entry.origin.question}"] if entry.origin.question else []
    lines += [f"reads: {path}" for path in entry.origin.paths.values()]
    for step in entry.workflow.steps:
        lines.append(
            f"{step.id}: {step.interface} {json.dumps(step.arguments, ensure_ascii=False)}"
        )
    typer.echo(printable("\n".join(lines)))


async def keep_workflow(
    name: str, chat: str, named: dict[str, str], more: tuple[str, Path | None, list[Path]]
) -> None:
    """Keep a workflow as a new version of its name, once it was tried out.

    named: where its parameters stand. more: what it is for, a file it stands in, tables it reads.
    Raises: SourceError, DeskpilotError.
    """
    description, file, widgets = more
    workflow, question, paths = from_file(file) if file else await ran_in(chat)
    for path in widgets:
        paths += [
            str(path.expanduser().absolute()),
            *map(str, await asyncio.to_thread(tables_of, path)),
        ]
    sources = Sources(library().note)
    known = {uuid_of(Path(path)): path for path in paths}
    for uid in workflow.sources():
        if uid not in known:
            raise SourceError(
                "The workflow reads a table whose file is not known.",
                "Add it: deskpilot data add FILE.",
            )
        await asyncio.to_thread(sources.add_file, Path(known[uid]))
    made = entry_of(name, with_parameters(workflow, named), sources, question, description)
    made = await library().put(await validated(made, sources))
    typer.echo(printable(f"Kept {made.name} v{made.version}: {made.status} {made.reason}".strip()))
    if made.status != "validated":
        raise typer.Exit(1)


def from_file(file: Path) -> tuple[Workflow, str, list[str]]:
    """Return a workflow of a file, and the tables that were added.

    Raises: SourceError.
    """
    try:
        made = Workflow.model_validate_json(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise SourceError(
            f"{file.name} holds no workflow.", "It needs steps with id, interface and arguments."
        ) from error
    return made, "", [note.path for note in library().notes().values()]


async def ran_in(chat: str) -> tuple[Workflow, str, list[str]]:
    """Return the workflow that ran last in a chat, what was asked, and the tables one knows.

    Raises: SourceError if none ran; NoConversation.
    """
    async with build_history(reading=True) as history:
        found = [await history.named(chat)] if chat else await history.conversations()
        for conversation in found[:20]:
            turns = await history.open(conversation.id)
            await history.read(turns)
            for turn in reversed(turns):
                for item in reversed(turn.items):
                    parameters = (
                        item.arguments.get("parameters") if isinstance(item, Call) else None
                    )
                    if (
                        isinstance(item, Call)
                        and item.arguments.get("tool_name") == TOOL
                        and isinstance(parameters, dict)
                    ):
                        made = Workflow.model_validate(parameters["workflow"])
                        widgets = await history.files()
                        paths = [*widgets, *(note.path for note in library().notes().values())]
                        return made, turn.question, paths
    raise SourceError("No workflow ran there yet.", "Ask something that takes several steps first.")


async def replay(name: str, given: dict[str, str], csv: Path | None, as_json: bool) -> None:
    """Run a workflow again and print what it shows.

    Raises: DeskpilotError, KernelError.
    """
    entry = library().entry(name)
    known = {p.name: p for p in entry.workflow.parameters}
    values = {
        key: cast_to(known[key], text) if key in known else text for key, text in given.items()
    }
    sources = await opened(entry)
    if csv is not None:
        await asyncio.to_thread(check_place, csv, entry)
    result = await replayed(entry, values, sources)
    if as_json:
        typer.echo(result.model_dump_json())
    else:
        print_result(result)
    tables = [one for one in result.shown if one.kind == "table"] or result.shown
    if csv is not None and tables and not result.failed:
        one = tables[-1]
        whole = sources.runs.whole(piece_uid(result.hashes, titled(entry, values), one.step))
        count = await asyncio.to_thread(rows_to_csv, as_rows(one) if whole is None else whole, csv)
        typer.echo(f"{csv}: {count:,} rows.", err=as_json)


def check_place(csv: Path, entry: Entry) -> None:
    """Check that no table is written over, and ask before any other file is, where somebody can be
    asked.

    Raises: SourceError.
    """
    place = csv.expanduser().resolve()
    read = [apart(Path(path))[0].resolve() for path in entry.origin.paths.values()]
    if place in read or (
        place.exists() and any(one.exists() and place.samefile(one) for one in read)
    ):
        raise SourceError(
            f"{csv.name} is a table that {entry.name} reads.", "Choose another place."
        )
    if place.is_file() and sys.stdin.isatty() and not typer.confirm(f"Write over {csv}?", err=True):
        raise SourceError(f"{csv.name} is there already.", "Choose another place.")


def cast_to(parameter: Parameter, text: str) -> Scalar:
    """Return what was typed as a parameter's type.

    Raises: SourceError.
    """
    if parameter.type != "number":
        return text
    try:
        return float(text) if "." in text else int(text)
    except ValueError as error:
        raise SourceError(
            f"{parameter.name} takes a number, {text!r} is none.", "Give a number."
        ) from error


def print_result(result: WorkflowResult) -> None:
    """Print values and the first rows of tables and charts."""
    for step in result.failed:
        raise SourceError(f"{step.id}: {step.error}", step.remedy)
    for one in result.shown:
        if one.kind == "value":
            typer.echo(printable(f"{one.title}: {one.value} {one.unit or ''}".strip()))
            continue
        rows = as_rows(one)
        typer.echo(printable(f"{one.title} ({one.kind}, {max(one.rows_in_all, len(rows)):,} rows)"))
        if rows:
            typer.echo(printable("  " + " · ".join(rows[0])))
        for row in rows[:ROWS]:
            typer.echo(printable("  " + " · ".join(str(value) for value in row.values())))
    for part in result.parts:
        typer.echo(not_whole(part))


def as_rows(one: Shown) -> list[dict[str, Any]]:
    """Return what a value, table or chart shows, as rows."""
    if one.kind == "value":
        return [{one.title: one.value}]
    if one.kind == "table":
        return [dict(zip(one.columns, row, strict=True)) for row in one.rows]
    made: list[dict[str, Any]] = []
    for trace in one.figure.get("data", []):
        label, cells = (
            trace.get("x") or trace.get("labels"),
            trace.get("y") or trace.get("close") or trace.get("values"),
        )
        made += [
            {"series": trace.get("name", ""), "at": x, "value": y}
            for x, y in zip(label, cells, strict=True)
        ]
    return made


async def try_out(name: str) -> None:
    """Validate a workflow again and keep what comes of it.

    Raises: SourceError.
    """
    entry = library().entry(name)
    made = await library().put(await validated(entry, await opened(entry)))
    typer.echo(printable(f"{made.name} v{made.version}: {made.status} {made.reason}".strip()))


async def forget(name: str) -> None:
    """Remove a workflow.

    Raises: SourceError.
    """
    await library().remove(name)
    typer.echo(printable(f"Removed {name}."))
