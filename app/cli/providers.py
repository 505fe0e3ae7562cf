"""`deskpilot providers`: add, test, list and remove models on other servers."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.screen import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from app.domain.provider import AddedProvider, FilledForm, FormField, OfferedModel, Provider
    from app.services.models.providers import Providers, WantedModel


app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Providers of models on other servers."
)


@app.command("list")
def list_() -> None:
    """List the added providers and their models."""
    from app.cli.screen import run_safely

    raise typer.Exit(run_safely(run_list()))


@app.command()
def add(
    provider: Annotated[
        str, typer.Argument(help="Its kind, such as openai_compatible; if omitted, you are asked.")
    ] = "",
    name: Annotated[str, typer.Option(help="Its name here; its models are NAME/MODEL.")] = "",
    values: Annotated[
        list[str] | None,
        typer.Option("--set", help="FIELD=VALUE; suppresses questions. The value - reads stdin."),
    ] = None,
    environment: Annotated[
        list[str] | None,
        typer.Option(
            "--env", help="FIELD=VARIABLE: the secret is read from the environment and not saved."
        ),
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model to use, MODEL or MODEL=TYPE (llm, tts …).")
    ] = None,
) -> None:
    """Add a provider: fill in its fields, test it, and save it; secrets go to the
    system's keyring.
    """
    from app.cli.screen import run_safely

    asked = ProviderRequest(
        provider, name, pairs(values, "--set"), pairs(environment, "--env"), tuple(model or ())
    )
    raise typer.Exit(run_safely(run_add(asked)))


@app.command()
def remove(name: Annotated[str, typer.Argument(help="Its name here.")]) -> None:
    """Remove a provider, and its secrets from the keyring."""
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


PLACES = {"keyring": "in the keyring", "session": "kept for one session"}


async def run_list(*, models_only: bool = False) -> int:
    """Print the providers with their models; return the exit status.

    models_only: print only models, and nothing if there are none. Raises: SetupError.
    """
    from rich.console import Console

    from app.adapters.system.json_file import JsonFile
    from app.services.models.providers import read_added
    from backends.paths import providers_file

    added = read_added(await JsonFile(providers_file()).read())
    if not added:
        if not models_only:
            Console(stderr=True).print(
                "No providers have been added. Add one with: deskpilot providers add"
            )
        return 0
    Console().print(models_of(added) if models_only else providers_of(added))
    return 0


def models_of(added: tuple[AddedProvider, ...]) -> Table:
    """Return the models, as the list of this machine's models shows its own."""
    from rich.table import Table

    table = Table("id", "type", "from", "where", box=None)
    for one in added:
        for model in one.models:
            table.add_row(
                printable(one.id_of(model)), model.type, one.provider, one.host or "this machine"
            )
    return table


def providers_of(added: tuple[AddedProvider, ...]) -> Table:
    """Return the providers."""
    from rich.table import Table

    table = Table("name", "kind", "where", "secrets", "models", box=None)
    for one in added:
        kept = ", ".join(f"{field} {place_of(place)}" for field, place in one.secrets.items())
        names = ", ".join(printable(model.model) for model in one.models)
        table.add_row(one.name, one.provider, one.host or "this machine", kept or "none", names)
    return table


def place_of(place: str) -> str:
    """Return the place of a secret in words."""
    from app.domain.provider import ENV

    return f"in ${place.removeprefix(ENV)}" if place.startswith(ENV) else PLACES[place]


def ask_form(
    fields: tuple[FormField, ...], before: FilledForm, *, keyring: bool, model_type: str = ""
) -> FilledForm:
    """Ask for each visible field. before: the last answers, offered again.

    keyring: whether typed secrets can be stored; without one, the name of a variable is asked for.
    """
    import click

    from app.domain.provider import FilledForm, shown

    values, secrets, environment = dict(before.values), dict[str, str](), dict(before.environment)
    for field in fields:
        if field not in shown(fields, values, model_type):
            values.pop(field.variable, None)
        elif field.secret and not keyring:
            ask_into(
                environment, field, f"Environment variable that holds the {field.label.lower()}"
            )
        elif field.secret:
            ask_into(secrets, field, field.label, hidden=True)
        elif field.options:
            values[field.variable] = ask_choice(field, values)
        elif field.kind == "switch":
            held = values.get(field.variable, field.default) == "true"
            values[field.variable] = str(click.confirm(field.label, default=held, err=True)).lower()
        else:
            ask_into(values, field, field.label)
    return FilledForm(values, secrets, environment)


def ask_into(into: dict[str, str], field: FormField, label: str, *, hidden: bool = False) -> None:
    """Ask for a text; empty means none, or the default."""
    import click

    held = into.get(field.variable) or (field.default if not hidden else None) or ""
    hint = (
        f" ({field.placeholder})" if field.placeholder else " (empty for none)" if not held else ""
    )
    while True:
        told: str = click.prompt(
            label + ("" if field.required and not field.placeholder else hint),
            default=held,
            hide_input=hidden,
            show_default=bool(held) and not hidden,
            err=True,
        ).strip()
        if told or not field.required:
            break
        click.echo(f"{field.label} is required.", err=True)
    into.pop(field.variable, None)
    if told:
        into[field.variable] = told


def ask_choice(field: FormField, values: dict[str, str]) -> str:
    """Ask for one of a field's options, by number or value."""
    import click

    from app.domain.provider import choices

    options = choices(field, values)
    click.echo(f"{field.label}:", err=True)
    for number, option in enumerate(options, 1):
        click.echo(f"  {number:2}  {option.label}", err=True)
    known = {str(number): option.value for number, option in enumerate(options, 1)}
    known |= {option.value: option.value for option in options}
    held = values.get(field.variable) or field.default or ""
    at = next((n for n, value in known.items() if value == held), "1")
    return known[
        click.prompt(
            "Number", default=at, type=click.Choice(list(known)), show_choices=False, err=True
        )
    ]


def ask_kind(kinds: list[Provider]) -> Provider:
    """Ask which provider to add."""
    import click

    for number, kind in enumerate(kinds, 1):
        click.echo(f"  {number:2}  {kind.label}: {kind.description}", err=True)
    return kinds[
        click.prompt("Which one", default=1, type=click.IntRange(1, len(kinds)), err=True) - 1
    ]


def ask_models(kind: Provider, offered: tuple[OfferedModel, ...]) -> list[OfferedModel]:
    """Ask which models to use, by number or name, and their type if it is unknown."""
    import click

    for number, choice in enumerate(offered, 1):
        click.echo(printable(f"  {number:3}  {choice.model}  {choice.type}"), err=True)
    label = "Models to use, separated by commas" + (" (numbers or names)" if offered else "")
    told: str = click.prompt(label, default="1" if offered else None, err=True)
    return [typed(kind, chosen(part.strip(), offered)) for part in told.split(",") if part.strip()]


def chosen(part: str, offered: tuple[OfferedModel, ...]) -> OfferedModel:
    """Return the model of a number or a name; an unlisted name is accepted."""
    from app.domain.provider import OfferedModel

    if part.isdecimal() and 1 <= int(part) <= len(offered):
        return offered[int(part) - 1]
    return next((one for one in offered if one.model == part), OfferedModel(part))


def typed(kind: Provider, choice: OfferedModel) -> OfferedModel:
    """Return a model with its type, which is asked for if unknown."""
    import click

    from app.domain.provider import OfferedModel

    if choice.type:
        return choice
    if len(kind.types) == 1:
        return OfferedModel(choice.model, kind.types[0])
    told = click.prompt(
        f"Type of {printable(choice.model)}",
        default=kind.types[0],
        type=click.Choice(kind.types),
        err=True,
    )
    return OfferedModel(choice.model, told)


def named(
    kind: Provider, given: tuple[str, ...], offered: tuple[OfferedModel, ...]
) -> list[OfferedModel]:
    """Return the models of the command line, MODEL or MODEL=TYPE.

    Raises: ProviderError if none is named.
    """
    from app.domain.errors import ProviderError
    from app.domain.provider import OfferedModel

    if not given:
        names = ", ".join(dict.fromkeys(one.model for one in offered[:12]))
        raise ProviderError(
            "No model is specified.",
            f"Add --model NAME. It offers: {printable(names)}." if names else "Add --model NAME.",
        )
    made: list[OfferedModel] = []
    for one in given:
        name, _, kind_named = one.rpartition("=")
        if name and kind_named in kind.types:
            made.append(OfferedModel(name, kind_named))
            continue
        found = next((o for o in offered if o.model == one and o.type), None)
        made.append(found or OfferedModel(one, kind.types[0]))
    return made


STDIN = "-"
USES = {
    "llm": "deskpilot ask QUESTION --model {id}",
    "speech2text": "deskpilot transcribe FILE --model {id}",
    "tts": "deskpilot say TEXT -o out.wav --model {id}",
}


@dataclass(frozen=True)
class ProviderRequest:
    """The arguments of the command; with values or variables nothing is asked."""

    provider: str
    name: str
    values: dict[str, str]
    environment: dict[str, str]
    models: tuple[str, ...]

    @property
    def silent(self) -> bool:
        """Return whether everything needed is on the command line."""
        return bool(self.values or self.environment)


async def run_add(request: ProviderRequest) -> int:
    """Add a provider; return the exit status.

    Raises: DeskpilotError: nothing was kept then.
    """
    import click

    from app.bootstrap import build_providers

    async with build_providers() as providers:
        kind = kind_of(request, await providers.kinds(), await providers.broken())
        name = request.name or await providers.free_name(kind)
        if not request.silent and not request.name:
            name = click.prompt("Its name here", default=name, err=True).strip()
        await providers.check_name(name)
        if request.silent:
            added = await add_named(providers, kind, name, request)
        else:
            added = await add_asked(providers, kind, name)
    tell(added)
    return 0


def lines_to_lend() -> bytes:
    """Return the models of the added providers, with their credentials, in the form a service reads
    at its start.

    Unreadable ones are reported, and the service starts without them.
    """
    from app.bootstrap import build_providers
    from app.domain.errors import DeskpilotError
    from backends.paths import providers_file

    async def loans() -> dict[str, Any]:
        async with build_providers() as providers:
            return await providers.loans()

    if not providers_file().is_file():
        return b""
    try:
        told = asyncio.run(loans())
    except DeskpilotError as error:
        said(printable(f"{error.text} {error.remedy}"))
        return b""
    return json.dumps(told).encode() + b"\n" if told else b""


async def run_remove(name: str) -> int:
    """Remove a provider; return the exit status.

    Raises: DeskpilotError.
    """
    from app.bootstrap import build_providers

    async with build_providers() as providers:
        removed = await providers.remove(name)
    said(f"{removed.name} was removed" + (", along with its secrets." if removed.secrets else "."))
    return 0


def kind_of(request: ProviderRequest, kinds: list[Provider], broken: Mapping[str, str]) -> Provider:
    """Return the provider that is named, or asked for.

    broken: why installed providers cannot be loaded, by id.

    Raises: ProviderError.
    """
    from app.domain.errors import ProviderError

    if not request.provider:
        return kinds[0] if request.silent else ask_kind(kinds)
    for kind in kinds:
        if kind.id == request.provider:
            return kind
    if request.provider in broken:
        raise ProviderError(broken[request.provider])
    names = ", ".join(kind.id for kind in kinds)
    raise ProviderError(
        f"There is no provider {request.provider!r} to add.", f"Available: {names}."
    )


async def add_named(
    providers: Providers, kind: Provider, name: str, request: ProviderRequest
) -> AddedProvider:
    """Apply the command-line options.

    Raises: DeskpilotError.
    """
    from app.domain.errors import ProviderError
    from app.services.models.providers import WantedModel

    filled = filled_of(kind.fields, request)
    of_models = filled_of(kind.model_fields, request)
    known = {field.variable for field in (*kind.fields, *kind.model_fields)}
    for field in (*request.values, *request.environment):
        if field not in known:
            raise ProviderError(
                f"{kind.label} has no field {field!r}.", f"It has: {', '.join(sorted(known))}."
            )
    tried = await providers.try_out(kind.id, filled)
    models = named(kind, request.models, tried.models)
    wanted = [WantedModel(m.model, m.type, of_models) for m in models]
    return await providers.add(name, kind.id, filled, wanted, tried=tried)


def filled_of(fields: tuple[FormField, ...], request: ProviderRequest) -> FilledForm:
    """Return the form values given on the command line; the value - reads a line of stdin."""
    from app.domain.provider import FilledForm

    values: dict[str, str] = {}
    secrets: dict[str, str] = {}
    for field in fields:
        if (value := request.values.get(field.variable)) is not None:
            told = sys.stdin.readline().rstrip("\n") if value == STDIN else value
            (secrets if field.secret else values)[field.variable] = told
    known = {field.variable for field in fields}
    return FilledForm(values, secrets, {k: v for k, v in request.environment.items() if k in known})


async def add_asked(providers: Providers, kind: Provider, name: str) -> AddedProvider:
    """Ask field by field, until the values work.

    Raises: DeskpilotError.
    """
    from app.domain.errors import ProviderError
    from app.domain.provider import FilledForm

    why = await providers.keyring_trouble()
    has_secret = any(field.secret for field in (*kind.fields, *kind.model_fields))
    if why and has_secret:
        said(f"{why} You can keep a secret in an environment variable instead.")
    filled, keyring = FilledForm(), not why
    while True:
        filled = ask_form(kind.fields, filled, keyring=keyring)
        said("Testing …")
        try:
            tried = await providers.try_out(kind.id, filled)
            break
        except ProviderError as error:
            said(str(error))
    if tried.host:
        said(f"What you send to its models goes to {tried.host}.")
    wanted: list[WantedModel] = []
    while not wanted:
        for choice in ask_models(kind, tried.models):
            if (
                one := await tried_model(providers, kind, filled, choice, keyring=keyring)
            ) is not None:
                wanted.append(one)
    return await providers.add(name, kind.id, filled, wanted, tried=tried)


async def tried_model(
    providers: Providers, kind: Provider, filled: FilledForm, choice: OfferedModel, *, keyring: bool
) -> WantedModel | None:
    """Return a model that works; None, with a message, for one that does not."""
    import click

    from app.domain.errors import ProviderError
    from app.domain.provider import FilledForm
    from app.services.models.providers import WantedModel

    fields = tuple(field for field in kind.model_fields if field.required)
    if kind.model_fields and click.confirm(
        printable(f"Change the details of {choice.model}?"), default=False, err=True
    ):
        fields = kind.model_fields
    wanted = WantedModel(
        choice.model,
        choice.type,
        ask_form(fields, FilledForm(), keyring=keyring, model_type=choice.type),
    )
    said(f"Trying {choice.model} …")
    try:
        await providers.try_model(kind.id, filled, wanted)
    except ProviderError as error:
        said(f"{choice.model} is not added: {error}")
        return None
    return replace(wanted, tried=True)


def tell(added: AddedProvider) -> None:
    """Report the usable models, and how to use them."""
    for model in added.models:
        name = added.id_of(model)
        use = USES.get(model.type, "")
        said(f"{name} can be used" + (f": {use.format(id=name)}" if use else "."))


def said(text: str) -> None:
    """Print a text apart from the answers of other commands."""
    import click

    click.echo(printable(text), err=True)
