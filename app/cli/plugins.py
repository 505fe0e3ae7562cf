"""`deskpilot plugins`: services with an ai-plugin.json as tools for copilots."""

from __future__ import annotations

import json
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.screen import printable, run_safely

if TYPE_CHECKING:
    from app.domain.tool import Tool
    from app.tools.plugins.discovery import FoundPlugin
    from app.tools.plugins.plugin import Plugin

app = typer.Typer(
    help="Plugins: services that copilots can call with your consent.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(help="The name of a plugin, as listed.")]


@app.command("add")
def add(
    url: Annotated[str, typer.Argument(help="Its site, or the address of its ai-plugin.json.")],
    yes: Annotated[bool, typer.Option("--yes", help="Add it without asking.")] = False,
    token: Annotated[
        bool, typer.Option("--token", help="Read a token from stdin; it is stored in the keyring.")
    ] = False,
) -> None:
    """Show a plugin and its requirements, and add it."""
    raise typer.Exit(
        run_safely(add_plugin(url, yes=yes, token=sys.stdin.readline().strip() if token else ""))
    )


@app.command("list")
def list_() -> None:
    """List the plugins with their purpose and requirements."""
    raise typer.Exit(run_safely(list_plugins()))


@app.command("remove")
def remove(name: Name) -> None:
    """Remove a plugin and its secrets."""
    raise typer.Exit(run_safely(remove_plugin(name)))


@app.command("accept")
def accept(name: Name) -> None:
    """Accept the new version of a plugin, if its operations or origins changed."""
    raise typer.Exit(run_safely(accept_plugin(name)))


@app.command("sign-in")
def sign_in(
    name: Name,
    client_id: Annotated[str, typer.Option(help="The OAuth client id.")] = "",
) -> None:
    """Sign in to a plugin: with a token from stdin, or in the browser."""
    raise typer.Exit(run_safely(sign_in_at(name, client_id)))


@app.command("call")
def call(
    name: Name,
    operation: Annotated[str, typer.Argument(help="One of its operations, as listed.")],
    values: Annotated[
        list[str] | None, typer.Argument(help="name=value, once for each parameter.")
    ] = None,
) -> None:
    """Call an operation and print the whole answer; this counts as your consent."""
    raise typer.Exit(run_safely(call_plugin(name, operation, values or [])))


async def add_plugin(url: str, *, yes: bool, token: str) -> None:
    """Take one."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        found = await belt.plugins.look(url)
        say(describe(found))
        if not yes and found.others and not typer.confirm("Add it?"):
            return
        plugin = await belt.plugins.add(found, token)
    say(
        f"Added {plugin.name}. Copilots that call tools may use it; you are asked before it "
        "makes changes."
    )
    if plugin.manifest.auth.way != "none" and not token:
        say(f"It requires you to sign in: deskpilot plugins sign-in {plugin.id}")


async def list_plugins() -> None:
    """Print them."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        for plugin in belt.plugins.all():
            say("\n".join(lines_of(plugin)))
        for problem in belt.plugins.problems:
            say(problem)
        if not belt.plugins.all() and not belt.plugins.problems:
            say("There are no plugins yet. Add one with: deskpilot plugins add URL")


async def remove_plugin(name: str) -> None:
    """Forget one."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        await belt.plugins.remove(name)
    say(f"Removed {name}.")


async def accept_plugin(name: str) -> None:
    """Agree to the changes of one."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        await belt.plugins.accept(name)
    say(f"The new version of {name} is now used.")


async def sign_in_at(name: str, client_id: str) -> None:
    """Sign in to a plugin."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        plugin = belt.plugins.get(name)
        if plugin.manifest.auth.way == "oauth":
            secret = sys.stdin.readline().strip() if not sys.stdin.isatty() else ""
            client = {"client_id": client_id} | ({"client_secret": secret} if secret else {})
            await belt.plugins.sign_in(name, client, webbrowser.open)
        else:
            token = (
                typer.prompt("Token", hide_input=True)
                if sys.stdin.isatty()
                else sys.stdin.readline()
            )
            await belt.plugins.tell(name, token.strip())
    say(f"Signed in to {plugin.name}; the secret is in the keyring.")


async def call_plugin(name: str, operation: str, values: list[str]) -> None:
    """Call an operation and print its answer.

    Raises: ToolError, also if what it answers is an error.
    """
    from app.adapters.builders import build_belt
    from app.domain.errors import ToolError
    from app.tools.validation import fault

    async with build_belt() as belt:
        plugin = belt.plugins.get(name)
        await plugin.refresh()
        _, tool = belt.box.tool(name, operation)
        parameters = given(tool, values)
        if wrong := fault(tool.input_schema, parameters):
            raise ToolError(
                f"{operation} cannot be called with these arguments: {wrong}.",
                "See: deskpilot plugins list.",
            )
        answer = await plugin.call(operation, parameters)
    if answer.content:
        say(answer.content)
    if answer.failed:
        raise ToolError(answer.note, "")
    if answer.note:
        print(printable(answer.note), file=sys.stderr)


def given(tool: Tool, values: list[str]) -> dict[str, Any]:
    """Return name=value arguments by their names; values other than text are written as JSON."""
    properties = tool.input_schema.get("properties", {})
    made: dict[str, Any] = {}
    for one in values:
        name, equals, value = one.partition("=")
        if not equals or name not in properties:
            names = ", ".join(properties) or "none"
            raise typer.BadParameter(
                f"Write name=value; the names are {names}.", param_hint="VALUES"
            )
        kind = properties[name].get("type", "string")
        try:
            made[name] = value if kind == "string" or "string" in kind else json.loads(value)
        except ValueError:
            made[name] = value
    return made


def describe(found: FoundPlugin) -> str:
    """Return what the user should know before adding a plugin."""
    manifest = found.manifest
    lines = [f"{manifest.name}: {manifest.about}", f"  calls to  {', '.join(found.origins)}"]
    for operation in found.specification.operations:
        lines.append(
            f"  {'writes' if operation.writes else 'reads '}    {operation.name}: {operation.title}"
        )
    lines += [f"  contact   {manifest.contact}"] if manifest.contact else []
    lines += [f"  terms     {manifest.legal}"] if manifest.legal else []
    return "\n".join([*lines, *(f"  corrected {warning}" for warning in found.warnings)])


def lines_of(plugin: Plugin) -> list[str]:
    """Return the description and operations of a plugin."""
    manifest, installed = plugin.manifest, plugin.installed
    auth = "" if manifest.auth.way == "none" else f"  ({manifest.auth.way})"
    lines = [f"{plugin.id}  {plugin.name}  {installed.url}{auth}"]
    lines += [f"  {manifest.about}"] if manifest.about else []
    for tool in plugin.tools:
        names = ", ".join(
            f"{name}{'' if name in tool.input_schema.get('required', []) else '?'}"
            for name in tool.input_schema.get("properties", {})
        )
        lines.append(
            f"  {tool.name}({names})  {'writes' if tool.writes else 'reads'}  {tool.title}"
        )
    if installed.waiting is not None:
        lines.append(
            f"  It has changed: {'; '.join(installed.why)}. To accept: deskpilot plugins accept"
            f" {plugin.id}"
        )
    return lines


def say(text: str) -> None:
    """Print untrusted text with control characters escaped."""
    typer.echo(printable(text))
