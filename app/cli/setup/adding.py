"""`deskpilot providers add` and `remove`: asked or named, tried out, then kept."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from app.bootstrap import build_providers
from app.cli.screen import printable
from app.cli.setup import asking
from app.domain.errors import DeskpilotError, ProviderError
from app.domain.providers.added import Added, Choice, Filled
from app.domain.providers.form import Field, Provider
from app.services.providers.providers import Wanted
from backends.paths import providers_file

if TYPE_CHECKING:
    from app.services.providers.providers import Providers

STDIN = "-"
USES = {
    "llm": "deskpilot ask QUESTION --model {id}",
    "speech2text": "deskpilot transcribe FILE --model {id}",
    "tts": "deskpilot say TEXT -o out.wav --model {id}",
}


@dataclass(frozen=True)
class Request:
    """What was named on the command line; with values or variables nothing is asked."""

    provider: str
    name: str
    values: dict[str, str]
    environment: dict[str, str]
    models: tuple[str, ...]

    @property
    def silent(self) -> bool:
        """Whether everything needed is on the command line."""
        return bool(self.values or self.environment)


async def run_add(request: Request) -> int:
    """Add a provider; return the exit status.

    Raises: DeskpilotError: nothing was kept then.
    """
    async with build_providers() as providers:
        kinds = await providers.kinds()
        kind = kind_of(request, kinds)
        name = request.name or await providers.free_name(kind)
        if not request.silent and not request.name:
            name = click.prompt("What to call it here", default=name, err=True).strip()
        await providers.check_name(name)
        if request.silent:
            added = await add_named(providers, kind, name, request)
        else:
            added = await add_asked(providers, kind, name)
    tell(added)
    return 0


def lines_to_lend() -> bytes:
    """Return the models of the providers that were added, with their credentials, as a service takes them when it starts.

    What cannot be read is said, and the service starts without it.
    """

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
    async with build_providers() as providers:
        removed = await providers.remove(name)
    said(f"{removed.name} is removed" + (", its secrets too." if removed.secrets else "."))
    return 0


def kind_of(request: Request, kinds: list[Provider]) -> Provider:
    """Return the provider that is named, or asked for.

    Raises: ProviderError.
    """
    if not request.provider:
        return kinds[0] if request.silent else asking.ask_kind(kinds)
    for kind in kinds:
        if kind.id == request.provider:
            return kind
    names = ", ".join(kind.id for kind in kinds)
    raise ProviderError(
        f"There is no provider {request.provider!r} to add.", f"There are: {names}."
    )


async def add_named(providers: Providers, kind: Provider, name: str, request: Request) -> Added:
    """Add what the command line says.

    Raises: DeskpilotError.
    """
    filled = filled_of(kind.fields, request)
    of_models = filled_of(kind.model_fields, request)
    known = {field.variable for field in (*kind.fields, *kind.model_fields)}
    for field in (*request.values, *request.environment):
        if field not in known:
            raise ProviderError(
                f"{kind.label} has no field {field!r}.", f"It has: {', '.join(sorted(known))}."
            )
    tried = await providers.try_out(kind.id, filled)
    models = asking.named(kind, request.models, tried.models)
    wanted = [Wanted(m.model, m.type, of_models) for m in models]
    return await providers.add(name, kind.id, filled, wanted, tried=tried)


def filled_of(fields: tuple[Field, ...], request: Request) -> Filled:
    """Return what the command line fills into a form; a value of - is a line of stdin."""
    values: dict[str, str] = {}
    secrets: dict[str, str] = {}
    for field in fields:
        if (value := request.values.get(field.variable)) is not None:
            told = sys.stdin.readline().rstrip("\n") if value == STDIN else value
            (secrets if field.secret else values)[field.variable] = told
    known = {field.variable for field in fields}
    return Filled(values, secrets, {k: v for k, v in request.environment.items() if k in known})


async def add_asked(providers: Providers, kind: Provider, name: str) -> Added:
    """Ask field by field, until what was filled in works.

    Raises: DeskpilotError.
    """
    why = await providers.keyring_trouble()
    has_secret = any(field.secret for field in (*kind.fields, *kind.model_fields))
    if why and has_secret:
        said(f"{why}. A secret can stay in an environment variable instead.")
    filled, keyring = Filled(), not why
    while True:
        filled = asking.ask_form(kind.fields, filled, keyring=keyring)
        said("Trying it out …")
        try:
            tried = await providers.try_out(kind.id, filled)
            break
        except ProviderError as error:
            said(str(error))
    if tried.host:
        said(f"What you send to its models goes to {tried.host}.")
    wanted: list[Wanted] = []
    while not wanted:
        for choice in asking.ask_models(kind, tried.models):
            if (
                one := await tried_model(providers, kind, filled, choice, keyring=keyring)
            ) is not None:
                wanted.append(one)
    return await providers.add(name, kind.id, filled, wanted, tried=tried)


async def tried_model(
    providers: Providers, kind: Provider, filled: Filled, choice: Choice, *, keyring: bool
) -> Wanted | None:
    """Return a model that works; None for one that does not, which is said."""
    fields = tuple(field for field in kind.model_fields if field.required)
    if kind.model_fields and click.confirm(
        printable(f"Change the details of {choice.model}?"), default=False, err=True
    ):
        fields = kind.model_fields
    wanted = Wanted(
        choice.model,
        choice.type,
        asking.ask_form(fields, Filled(), keyring=keyring, model_type=choice.type),
    )
    said(f"Trying {choice.model} …")
    try:
        await providers.try_model(kind.id, filled, wanted)
    except ProviderError as error:
        said(f"{choice.model} is left out: {error}")
        return None
    return replace(wanted, tried=True)


def tell(added: Added) -> None:
    """Say what can be used now, and how."""
    for model in added.models:
        name = added.id_of(model)
        use = USES.get(model.type, "")
        said(f"{name} can be used" + (f": {use.format(id=name)}" if use else "."))


def said(text: str) -> None:
    """Say something beside the answers of other commands."""
    click.echo(printable(text), err=True)
