"""`deskpilot serve tokens`: manage who else may use the model service, and with what limits."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Annotated, NoReturn

import typer

from backends.paths import tokens_file
from backends.service.access import AccessError, NamedToken, TokenFile

DAY = 86_400
app = typer.Typer(
    no_args_is_help=True,
    help="Tokens for people and programs that use this service, each with its own limits.",
)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Who or what the token is for.")],
    at_once: Annotated[
        int, typer.Option(min=0, help="Maximum number of requests at once; 0 means no limit.")
    ] = 4,
    requests: Annotated[
        int, typer.Option(min=0, help="Maximum number of requests a minute; 0 means no limit.")
    ] = 0,
    tokens: Annotated[
        int,
        typer.Option(
            min=0, help="Maximum number of input and output tokens a minute; 0 means no limit."
        ),
    ] = 0,
    model: Annotated[
        list[str] | None, typer.Option(help="A model that it may use; by default all models.")
    ] = None,
    days: Annotated[
        float | None,
        typer.Option(min=0, help="Days until it expires; by default it never expires."),
    ] = None,
) -> None:
    """Add a token and print it. It is shown only this once; only its hash is stored."""
    expires = None if days is None else time.time() + days * DAY
    limits = {"at_once": at_once, "requests": requests, "tokens": tokens}
    try:
        made = TokenFile(tokens_file()).add(name, **limits, models=model or [], expires=expires)
    except AccessError as error:
        fail(error)
    typer.echo(made)


@app.command("list")
def list_tokens() -> None:
    """List the tokens and their limits."""
    try:
        for one in TokenFile(tokens_file()).read():
            typer.echo(line_of(one))
    except AccessError as error:
        fail(error)


@app.command()
def revoke(name: Annotated[str, typer.Argument(help="The token's name.")]) -> None:
    """Revoke a token; answers in progress end within a second."""
    try:
        TokenFile(tokens_file()).revoke(name)
    except AccessError as error:
        fail(error)
    typer.echo(f"The token {name} was revoked.")


def line_of(one: NamedToken) -> str:
    """Return a line of text that describes a token."""
    parts = [
        f"{one.at_once} at once" if one.at_once else "",
        f"{one.requests} requests a minute" if one.requests else "",
        f"{one.tokens} tokens a minute" if one.tokens else "",
        f"models: {', '.join(one.models)}" if one.models else "all models",
    ]
    if one.expires is not None:
        over = "expired" if one.expires <= time.time() else "expires"
        parts.append(f"{over} {datetime.fromtimestamp(one.expires):%Y-%m-%d %H:%M}")
    return f"{one.name}: {'; '.join(part for part in parts if part)}"


def fail(error: AccessError) -> NoReturn:
    """Print the error and how to fix it, and exit."""
    typer.echo(f"{error.text} {error.remedy}", err=True)
    raise typer.Exit(1)


if __name__ == "__main__":
    app(prog_name="deskpilot serve tokens")
