"""`deskpilot serve status`: a service's users, waiting requests, and loaded models."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Annotated, Any

import typer

from backends.paths import endpoint_file, secret_of
from backends.service.endpoint import read_endpoint
from backends.sizes import size


def main(
    url: Annotated[
        str, typer.Option(help="The service's address; by default the service of this data folder.")
    ] = "",
    token_file: Annotated[
        Path | None, typer.Option(help="A file with its token; by default DESKPILOT_TOKEN.")
    ] = None,
) -> None:
    """Print a service's users, waiting requests, and loaded models."""
    token = secret_of(token_file) if url else ""
    if not url:
        known = read_endpoint(endpoint_file())
        if known is None:
            typer.echo(
                "No model service runs for this data folder. Specify one with --url.", err=True
            )
            raise typer.Exit(1)
        url, token = f"http://{known.host}:{known.port}", known.token
    asked = urllib.request.Request(
        f"{url.rstrip('/')}/v1/manage/status", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            told = json.load(answer)
    except (urllib.error.URLError, OSError, ValueError) as error:
        typer.echo(
            f"{url} does not respond: {error}. Check that it is running and that the token is "
            "correct.",
            err=True,
        )
        raise typer.Exit(1) from error
    for line in lines_of(told):
        typer.echo(line)


def lines_of(told: dict[str, Any]) -> list[str]:
    """Return a service's status as lines of text."""
    lines = [f"Deskpilot {told['version']}, process {told['pid']}"]
    lines += [f"user {one['name']}: {one['running']} running" for one in told["users"]]
    lines += [
        f"queue {one['model']}: {one['running']} of {one['slots']} running, "
        f"{one['waiting']} waiting, {one['refused']} refused"
        for one in told["queues"]
    ]
    lines += [
        f"model {one['id']}: {size(one['memory_bytes'])}"
        + (f", {one['device']}" if one["device"] else "")
        for one in told["models"]
    ]
    return lines


if __name__ == "__main__":
    command = typer.Typer(add_completion=False)
    command.command()(main)
    command(prog_name="deskpilot serve status")
