"""`deskpilot models preset`: sets of parameters by name, for any language model."""

from __future__ import annotations

from typing import Annotated

import typer

from backends.catalog.catalog import Catalog
from backends.catalog.chosen import read_choices, write_choices
from backends.catalog.chosen.parameters import (
    Parameters,
    as_text,
    fitting,
    presets_of,
    with_preset,
    without_preset,
)
from backends.catalog.chosen.tuning import tune, tuning_of
from backends.catalog.errors import NotAChoice
from backends.flexai.registry import load_providers

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Sets of parameters by name.")
Name = Annotated[str, typer.Argument(help="What the preset is called.")]
Model = Annotated[str, typer.Argument(help="A model on this machine.")]


@app.command("list")
def show() -> None:
    """Print the presets: those that ship with Deskpilot, and one's own."""
    for name, parameters in presets_of(read_choices(Catalog().folder)).items():
        print(line_of(name, parameters))


@app.command()
def use(name: Name, model: Model) -> None:
    """Let a model be used with a preset, in the place of the parameters that were chosen for it."""
    catalog, registry = Catalog(), load_providers()
    now, presets = tuning_of(catalog, registry, model), presets_of(read_choices(catalog.folder))
    if name not in presets:
        raise NotAChoice(f"There is no preset {name!r}.", f"There are: {', '.join(presets)}.")
    taken = fitting(now.rules, presets[name])
    if not taken:
        raise NotAChoice(f"{model} has no parameters of this preset.", "Choose a language model.")
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
    """Return a preset as a line."""
    return (
        f"{name}  {' '.join(f'{option}={as_text(value)}' for option, value in parameters.items())}"
    )
