"""`deskpilot`: ask, transcribe, say, embed, rerank, models, serve; without a command, it opens the
window or a text chat.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.assistants import app as assistants_app
from app.cli.chats import app as chats_app
from app.cli.copilots import app as copilots_app
from app.cli.data import app as data_app
from app.cli.documents import app as documents_app
from app.cli.gateway import gateway
from app.cli.mcp import app as mcp_app
from app.cli.plugins import app as plugins_app
from app.cli.providers import app as providers_app
from app.cli.retrieval import embed, rerank
from app.cli.screen import run_safely
from app.cli.settings import app as settings_app
from app.cli.skills import app as skills_app
from app.cli.widgets import app as widgets_app
from app.cli.window import close_ways_out, has_display, open_window
from app.domain.errors import SetupError
from app.services.models.profiles import PROFILE, find_profile
from backends import children
from backends.installation import installation
from backends.paths import profiles_folder

app = typer.Typer(
    add_completion=False,
    help="A terminal for AI copilots, with its own models.",
    pretty_exceptions_enable=False,
)
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


app.command()(embed)
app.command()(gateway)
app.command()(rerank)
app.add_typer(assistants_app, name="assistants")
app.add_typer(chats_app, name="chats")
app.add_typer(copilots_app, name="copilots")
app.add_typer(documents_app, name="documents")
app.add_typer(mcp_app, name="mcp")
app.add_typer(data_app, name="data")
app.add_typer(plugins_app, name="plugins")
app.add_typer(providers_app, name="providers")
app.add_typer(settings_app, name="settings")
app.add_typer(skills_app, name="skills")
app.add_typer(widgets_app, name="widgets")


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    offline: Annotated[
        bool,
        typer.Option("--offline", help="Refuse every connection to another machine for this run."),
    ] = False,
    profile: Annotated[
        str, typer.Option(help="A YAML file in profiles/ that specifies the model.")
    ] = "",
) -> None:
    """Open the window; without a display, a chat in this terminal."""
    close_ways_out(offline)
    if profile:
        use_profile(profile)
    if version:
        from importlib.metadata import version as installed

        print(f"deskpilot {installed('deskpilot')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.Exit(open_window() if has_display() else run_chat())


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question.")] = "",
    widget: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "A table to ask about (CSV, Parquet, Excel, JSON, SQLite, DuckDB, or the name of "
                "one in `data list`), a document (PDF, Word, PowerPoint, EPUB, HTML, mail, "
                "Markdown, text), or the address of a page, which is then downloaded."
            )
        ),
    ] = None,
    documents: Annotated[
        list[str] | None,
        typer.Option(
            "--documents",
            "-d",
            help="A folder, a file or a library of documents; the answer cites file and page.",
        ),
    ] = None,
    copilot: Annotated[
        str | None,
        typer.Option(
            help="The name or address of a copilot; URL#id if the address publishes several."
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The chat model.")] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A host that may receive the question and data.")
    ] = None,
    today: Annotated[
        str | None, typer.Option(help="The date to treat as today, YYYY-MM-DD.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every chunk and step, one JSON object per line.")
    ] = False,
    voice_in: Annotated[
        Path | None, typer.Option(help="A recording that asks the question.")
    ] = None,
    voice_out: Annotated[
        Path | None, typer.Option(help="The WAV file for the spoken answer.")
    ] = None,
) -> None:
    """Ask one question, typed or recorded, and print the answer."""
    from app.cli.ask import AskRequest, run_ask

    if voice_in is None and not question.strip():
        raise typer.BadParameter("The question is empty.")
    if voice_in is not None and question:
        raise typer.BadParameter("Type the question or record it, not both.")
    if today is not None and not is_date(today):
        raise typer.BadParameter(f"{today} is not a date such as 2026-11-21.")
    hosts = frozenset(allow_host or [])
    pages = tuple(one for one in widget or [] if one.startswith(("https://", "http://")))
    files = [Path(one) for one in widget or [] if one not in pages]
    asked = AskRequest(
        question,
        files,
        copilot,
        model,
        hosts,
        today,
        as_json,
        voice_in,
        voice_out,
        pages,
        tuple(documents or []),
    )
    raise typer.Exit(run_safely(run_ask(asked)))


@app.command()
def transcribe(
    file: Annotated[Path, typer.Argument(help="An audio or video file in any common format.")],
    language: Annotated[
        str | None, typer.Option(help="The spoken language: en, zh, de …; detected by default.")
    ] = None,
    form: Annotated[str, typer.Option("--format", "-f", help="text, json, srt or vtt.")] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file instead of stdout.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The speech-to-text model.")] = None,
) -> None:
    """Print the transcript of an audio or video file."""
    from app.cli.speech import FORMATS, TranscribeRequest, run_transcribe

    if form not in FORMATS:
        raise typer.BadParameter(
            f"{form} is not one of {', '.join(FORMATS)}.", param_hint="--format"
        )
    raise typer.Exit(
        run_safely(run_transcribe(TranscribeRequest(file, form, output, language, model)))
    )


@app.command()
def say(
    text: Annotated[str, typer.Argument(help="The text; - reads stdin.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The WAV file to write.")],
    model: Annotated[str | None, typer.Option(help="The voice model.")] = None,
    voice: Annotated[str | None, typer.Option(help="One of its speakers.")] = None,
    speed: Annotated[float, typer.Option(min=0.25, max=4.0, help="1 is normal speed.")] = 1.0,
) -> None:
    """Write a text as speech to a WAV file."""
    from app.cli.speech import SayRequest, run_say

    raise typer.Exit(run_safely(run_say(SayRequest(text, output, model, voice, speed))))


@app.command()
def talk(
    widget: Annotated[
        list[Path] | None,
        typer.Option(help="A table to ask about; by default those attached in the window."),
    ] = None,
    microphone: Annotated[str | None, typer.Option(help="A device from --devices.")] = None,
    loudspeaker: Annotated[str | None, typer.Option(help="A device from --devices.")] = None,
    language: Annotated[
        str | None, typer.Option(help="Your language: en, zh, de …; detected by default.")
    ] = None,
    interrupt: Annotated[
        bool | None, typer.Option(help="Allow your voice to interrupt it.")
    ] = None,
    names: Annotated[bool | None, typer.Option(help="Recognize the names in your tables.")] = None,
    documents: Annotated[
        list[str] | None,
        typer.Option(
            "--documents", "-d", help="A folder, a file or a library of `documents` to ask about."
        ),
    ] = None,
    devices: Annotated[
        bool, typer.Option("--devices", help="List microphones and loudspeakers.")
    ] = False,
) -> None:
    """Ask questions aloud and hear the answers, hands-free, until you press Ctrl+C."""
    from app.cli.speech import TalkRequest, run_devices, run_talk

    if devices:
        raise typer.Exit(run_safely(run_devices()))
    asked = TalkRequest(
        widget or [],
        microphone,
        loudspeaker,
        language,
        interrupt,
        names,
        tuple(documents or []),
    )
    raise typer.Exit(run_safely(run_talk(asked)))


@app.command(context_settings=PASS_ON)
def models(context: typer.Context) -> None:
    """List, download, import, find, configure and measure models."""
    if context.args[:1] == ["measure"]:
        raise typer.Exit(run_safely(run_measure(context.args[1:])))
    status = run_module("backends.catalog", context.args)
    if status == 0 and context.args == ["list"]:
        from app.cli.providers import run_list

        status = run_safely(run_list(models_only=True))
    raise typer.Exit(status)


SHARED = ("--parallel", "4", "--queue-seconds", "300")  # unless the shell says otherwise


@app.command(context_settings=PASS_ON)
def serve(context: typer.Context) -> None:
    """Run only the model service (--host, --port, --token-file, --allow-origin, --cluster).
    `tokens` manages its users, `status` shows its load, and `node` makes this machine part of a
    cluster.
    """
    if context.args[:1] in (["tokens"], ["status"], ["--status"]):
        first, *others = context.args
        raise typer.Exit(run_module(f"backends.service.{first.removeprefix('--')}", others))
    if context.args[:1] == ["node"]:
        command = ("-m", "backends.cluster.node", *context.args[1:])
        raise typer.Exit(children.become(*command, bound="--parent-pipe", handed=""))
    # it becomes the service, so that whoever ends `serve` ends the service and leaves nothing
    # behind
    from app.cli.providers import lines_to_lend

    line = b"" if "--help" in context.args else lines_to_lend()
    command = ("-m", "backends.service", "--beside", *SHARED, *context.args)
    try:
        status = children.become(*command, bound="--parent-pipe", handed="--lent", line=line)
    except KeyboardInterrupt:
        status = 130
    raise typer.Exit(status)


@app.command()
def doctor(
    offline: Annotated[
        bool,
        typer.Option(
            "--offline", help="Test from every process whether other machines can be reached."
        ),
    ] = False,
) -> None:
    """Show what works here and what is missing."""
    if offline:
        from app.cli.doctor import run_check

        raise typer.Exit(run_safely(run_check()))
    from app.cli.doctor import run_doctor

    raise typer.Exit(run_doctor())


def run_module(module: str, arguments: list[str]) -> int:
    """Run a part of the model service as a child, its streams ours."""
    try:
        return children.attend("-m", module, *arguments)
    except KeyboardInterrupt:
        return 130


def run_chat() -> int:
    """Run the text chat."""
    from app.cli.chat import chat

    return run_safely(chat())


def is_date(text: str) -> bool:
    """Return whether a text is an ISO date."""
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def main() -> int:
    """Run the command line and return its exit status."""
    try:
        app()
    except SystemExit as exit_:
        return int(exit_.code or 0)
    return 0


def use_profile(name: str) -> None:
    """Use a profile in this process and those it starts; a faulty one ends the command with a
    message.
    """
    try:
        found = find_profile(name, profiles_folder())
    except SetupError as error:
        print(installation().typed(str(error)), file=sys.stderr)
        raise typer.Exit(1) from error
    if found.left_out:
        print(f"Ignored in the profile: {', '.join(found.left_out)}.", file=sys.stderr)
    os.environ[PROFILE] = name


async def run_measure(arguments: list[str]) -> int:
    """Measure a model in its worker and print the results; return the exit status.

    Raises: DeskpilotError.
    """
    from rich.console import Console

    from app.bootstrap import build_service

    if len(arguments) != 1 or arguments[0].startswith("-"):
        Console(stderr=True).print("Usage: deskpilot models measure MODEL")
        return 0 if arguments == ["--help"] else 2
    screen = Console(stderr=True)
    with screen.status(f"{arguments[0]} reads and writes"):
        async with build_service() as service:
            told = await service.send("POST", "/v1/manage/measure", {"id": arguments[0]})
    where = f", on {told['device']}" if told["device"] else ""
    print(f"prompt {told['prompt']:g} tokens/s, answer {told['answer']:g} tokens/s{where}")
    return 0
