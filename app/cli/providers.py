"""`deskpilot providers`: list, add and remove those who offer models."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Who offers models beside this machine."
)


@app.command("list")
def list_() -> None:
    """List the providers that were added, and their models."""
    from app.cli.providers_run import run_list
    from app.cli.screen import run_safely

    raise typer.Exit(run_safely(run_list()))


@app.command()
def add(
    provider: Annotated[
        str, typer.Argument(help="Its kind, such as openai_compatible; asked if absent.")
    ] = "",
    name: Annotated[str, typer.Option(help="What to call it here; models are NAME/MODEL.")] = "",
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="FIELD=VALUE; nothing is asked then. A value of - is read from stdin."
        ),
    ] = None,
    environment: Annotated[
        list[str] | None,
        typer.Option(
            "--env", help="FIELD=VARIABLE: the secret stays in the environment and is not kept."
        ),
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model to use, MODEL or MODEL=TYPE (llm, tts …).")
    ] = None,
) -> None:
    """Add a provider: its fields are asked, tried out, and kept; secrets in the system's
    keyring.
    """
    from app.cli.providers_run import Request, run_add
    from app.cli.screen import run_safely

    asked = Request(
        provider, name, pairs(values, "--set"), pairs(environment, "--env"), tuple(model or ())
    )
    raise typer.Exit(run_safely(run_add(asked)))


@app.command()
def remove(name: Annotated[str, typer.Argument(help="What it is called here.")]) -> None:
    """Remove a provider, and its secrets from the keyring."""
    from app.cli.providers_run import run_remove
    from app.cli.screen import run_safely

    raise typer.Exit(run_safely(run_remove(name)))


def pairs(given: list[str] | None, option: str) -> dict[str, str]:
    """Return FIELD=VALUE options by field."""
    made: dict[str, str] = {}
    for one in given or ():
        field, equals, value = one.partition("=")
        if not equals or not field:
            raise typer.BadParameter("Write FIELD=VALUE.", param_hint=option)
        made[field] = value
    return made
