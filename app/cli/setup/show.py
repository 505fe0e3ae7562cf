"""The providers that were added, as tables."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from app.adapters.setup.json_file import JsonFile
from app.cli.screen import printable
from app.domain.providers.added import ENV, Added
from app.services.providers.providers import read_added
from backends.paths import providers_file

PLACES = {"keyring": "in the keyring", "session": "was kept for one session"}


async def run_list(*, models_only: bool = False) -> int:
    """Print the providers with their models; return the exit status.

    models_only: the models alone, and nothing where there are none.
    Raises: SetupError.
    """
    added = read_added(await JsonFile(providers_file()).read())
    if not added:
        if not models_only:
            Console(stderr=True).print("No provider was added. Add one: deskpilot providers add")
        return 0
    Console().print(models_of(added) if models_only else providers_of(added))
    return 0


def models_of(added: tuple[Added, ...]) -> Table:
    """Return the models, as the list of this machine's models shows its own."""
    table = Table("id", "type", "from", "where", box=None)
    for one in added:
        for model in one.models:
            table.add_row(
                printable(one.id_of(model)), model.type, one.provider, one.host or "this machine"
            )
    return table


def providers_of(added: tuple[Added, ...]) -> Table:
    """Return the providers."""
    table = Table("name", "kind", "where", "secrets", "models", box=None)
    for one in added:
        kept = ", ".join(f"{field} {place_of(place)}" for field, place in one.secrets.items())
        names = ", ".join(printable(model.model) for model in one.models)
        table.add_row(one.name, one.provider, one.host or "this machine", kept or "none", names)
    return table


def place_of(place: str) -> str:
    """Say where a secret is."""
    return f"in ${place.removeprefix(ENV)}" if place.startswith(ENV) else PLACES[place]
