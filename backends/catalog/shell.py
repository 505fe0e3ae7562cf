"""The output of `deskpilot models`, and its commands for presets, devices and memory."""

from __future__ import annotations

import json
from typing import Annotated, Any

import httpx
import typer
from rich.table import Column, Table

from backends.catalog.catalog import Catalog
from backends.catalog.choices import (
    ModelChoices,
    Parameters,
    as_text,
    checked,
    fitting,
    presets_of,
    read_choices,
    with_preset,
    without_preset,
    write_choices,
)
from backends.catalog.entries import read_packs
from backends.catalog.errors import NotAChoice
from backends.catalog.parameters import lines_of, tune, tuning_of
from backends.flexai.entities import ModelType
from backends.flexai.registry import load_providers
from backends.paths import endpoint_file
from backends.sizes import read_size

KINDS = {
    ModelType.LLM: "language",
    ModelType.TEXT_EMBEDDING: "embedding",
    ModelType.RERANK: "reranking",
    ModelType.SPEECH2TEXT: "speech to text",
    ModelType.TTS: "text to speech",
    ModelType.MODERATION: "moderation",
    ModelType.OCR: "scanned pages",
}
ASK_SECONDS = 2.0
FIGURE, LICENCE = 7, 10  # in characters; numbers are never cut, and a line fits into 80


def table_of(
    catalog: Catalog, loaded: dict[str, dict[str, Any]], *, wide: bool, language: str | None = None
) -> Table:
    """Return the table of models.

    loaded: the state of the service's models, by id. wide: whether there is room for the purpose
    column. language: an ISO 639-1 code, to list only models for this language.
    """
    heads = {"id": 0, "type": 0, "size": FIGURE, "memory": FIGURE, "state": 0}
    columns = [Column(head, no_wrap=True, min_width=least) for head, least in heads.items()]
    table = Table(*columns, box=None, pad_edge=False)
    table.add_column("licence", no_wrap=True, max_width=None if wide else LICENCE)
    if wide:
        table.add_column("good for")
    here = {found.entry.id: found.entry for found in catalog.all_installed()}
    for entry in ({e.id: e for e in catalog.entries()} | here).values():
        if language is not None and not entry.speaks(language):
            continue
        running = loaded.get(entry.id)
        takes = running["memory_bytes"] if running else entry.memory_bytes
        memory = f"{takes / 1e6:.0f} MB" if takes else ""
        state = state_of(running) if running else "here" if entry.id in here else "available"
        about = [entry.good_for] if wide else []
        size = f"{entry.source.bytes / 1e6:.0f} MB"
        table.add_row(entry.id, KINDS[entry.type], size, memory, state, entry.licence, *about)
    for pack in read_packs():
        if language is not None and not all(
            catalog.entry(member).speaks(language) for member in pack.members
        ):
            continue
        size = f"{sum(catalog.entry(member).source.bytes for member in pack.members) / 1e6:.0f} MB"
        state = "here" if set(pack.members) <= set(here) else "available"
        about = [f"{pack.name}: {' and '.join(pack.members)}."] if wide else []
        table.add_row(pack.id, "voice pack", size, "", state, "", *about)
    return table


def state_of(running: dict[str, Any]) -> str:
    """Return the state of a loaded model for the table, with its device if known."""
    device = str(running.get("device") or "").partition(",")[0]
    return f"loaded, {device}" if device else "loaded"


def loaded_now() -> dict[str, dict[str, Any]]:
    """Return the models that the running service has loaded, by id, or an empty result if no
    service is running."""
    try:
        told = json.loads(endpoint_file().read_text("utf-8"))
        address = f"http://{told['host']}:{told['port']}/v1/manage/models"
        answer = httpx.get(
            address,
            headers={"Authorization": f"Bearer {told['token']}"},
            timeout=ASK_SECONDS,
            trust_env=False,
        )
        return {model["id"]: model for model in answer.raise_for_status().json()["loaded"]}
    except (OSError, ValueError, LookupError, TypeError, httpx.HTTPError):
        return {}


FOR_ALL = ("memory", "idle")


def set_for(catalog: Catalog, name: str, pairs: list[str]) -> list[str]:
    """Change settings, and return all current settings as lines.

    name: a model, or `all` for the settings that all models share. Raises: CatalogError and its
    subclasses.
    """
    choices = read_choices(catalog.folder)
    if name == "all":
        choices = for_all(choices, pairs)
        if pairs:
            write_choices(catalog.folder, choices)
    elif pairs:
        choices = for_one(catalog, name, pairs)
    else:
        catalog.entry(name)
    shared = [
        f"all  {option}={value}"
        for option in FOR_ALL
        if (value := getattr(choices, option)) not in ("", None)
    ]
    return shared + lines_of(choices)


def for_one(catalog: Catalog, name: str, pairs: list[str]) -> ModelChoices:
    """Change settings and parameters of a model, and return all settings.

    Raises: CatalogError and its subclasses.
    """
    registry = load_providers()
    now = tuning_of(catalog, registry, name)
    known = [rule.name for rule in now.rules]
    given = {option: as_text(value) for option, value in now.parameters.items()}
    own = {
        option: value
        for pair in pairs
        for option, _, value in [pair.partition("=")]
        if option in known
    }
    rest = [pair for pair in pairs if pair.partition("=")[0] not in own]
    try:
        settings = read_choices(catalog.folder).models.get(name, {}) | checked(
            now.entry, registry, rest
        )
    except NotAChoice as error:
        raise NotAChoice(error.text, f"{error.remedy} Parameters: {', '.join(known)}.") from error
    return tune(catalog, registry, name, given | own, settings)


def for_all(choices: ModelChoices, pairs: list[str]) -> ModelChoices:
    """Return the settings after changing those that all models share.

    Raises: NotAChoice.
    """
    given: dict[str, str | float | None] = {}
    for pair in pairs:
        option, equals, value = pair.partition("=")
        if not equals or option not in FOR_ALL:
            raise NotAChoice(
                f"{pair!r} is not a setting for all models.",
                "Available: memory=8GB, idle=10.",
            )
        try:
            if option == "memory":
                given[option] = value if not value or read_size(value) else ""
            else:
                given[option] = minutes(value)
        except ValueError as error:
            raise NotAChoice(
                f"{pair!r} cannot be used.", "Write memory=8GB, idle=10 (minutes; 0 is never)."
            ) from error
    return choices.model_copy(update=given)


def minutes(text: str) -> float | None:
    """Return a number of minutes, or None for an empty text.

    Raises: ValueError.
    """
    if text and not 0 <= float(text) < 1e6:
        raise ValueError(text)
    return float(text) if text else None


app = typer.Typer(no_args_is_help=True, add_completion=False, help="Named sets of parameters.")
Name = Annotated[str, typer.Argument(help="The name of the preset.")]
Model = Annotated[str, typer.Argument(help="A model on this machine.")]


@app.command("list")
def show() -> None:
    """Print the shipped presets and the user's own."""
    for name, parameters in presets_of(read_choices(Catalog().folder)).items():
        print(line_of(name, parameters))


@app.command()
def use(name: Name, model: Model) -> None:
    """Use a model with a preset, in place of its chosen parameters."""
    catalog, registry = Catalog(), load_providers()
    now, presets = tuning_of(catalog, registry, model), presets_of(read_choices(catalog.folder))
    if name not in presets:
        raise NotAChoice(f"There is no preset {name!r}.", f"Available: {', '.join(presets)}.")
    taken = fitting(now.rules, presets[name])
    if not taken:
        raise NotAChoice(
            f"{model} has none of this preset's parameters.", "Choose a language model."
        )
    tune(
        catalog,
        registry,
        model,
        {option: as_text(value) for option, value in taken.items()},
        now.settings,
    )
    print(line_of(model, taken))


@app.command()
def save(name: Name, model: Model) -> None:
    """Keep the parameters chosen for a model as a preset."""
    catalog = Catalog()
    choices = read_choices(catalog.folder)
    chosen = choices.parameters.get(catalog.entry(model).id, {})
    write_choices(catalog.folder, with_preset(choices, name, chosen))
    print(line_of(name, chosen))


@app.command()
def remove(name: Name) -> None:
    """Forget a preset of one's own; models that use it keep their parameters."""
    catalog = Catalog()
    write_choices(catalog.folder, without_preset(read_choices(catalog.folder), name))


def line_of(name: str, parameters: Parameters) -> str:
    """Return a preset as one line."""
    return (
        f"{name}  {' '.join(f'{option}={as_text(value)}' for option, value in parameters.items())}"
    )
