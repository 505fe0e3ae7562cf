"""`deskpilot models set`: choose device, context and the like of a model, or the memory of all of them."""

from __future__ import annotations

from backends.catalog.catalog import Catalog
from backends.catalog.chosen import Choices, read_choices, write_choices
from backends.catalog.chosen.choices import checked
from backends.catalog.errors import NotAChoice
from backends.flexai.registry import load_providers
from backends.sizes import read_size

FOR_ALL = ("memory", "idle")


def set_for(catalog: Catalog, name: str, pairs: list[str]) -> list[str]:
    """Choose, and return all that is chosen now as lines.

    name: a model, or `all` for what all of them share.
    Raises: CatalogError and its kinds.
    """
    choices = read_choices(catalog.folder)
    if name == "all":
        choices = for_all(choices, pairs)
    else:
        entry = catalog.entry(name)
        given = choices.models.get(name, {}) | checked(entry, load_providers(), pairs)
        kept = {option: value for option, value in given.items() if value}
        models = (
            choices.models | {name: kept} if kept else {k: v for k, v in choices.models.items() if k != name}
        )
        choices = choices.model_copy(update={"models": models})
    if pairs:
        write_choices(catalog.folder, choices)
    shared = [
        f"all  {option}={value}"
        for option in FOR_ALL
        if (value := getattr(choices, option)) not in ("", None)
    ]
    return shared + [
        f"{model}  {' '.join(f'{option}={value}' for option, value in chosen.items())}"
        for model, chosen in choices.models.items()
    ]


def for_all(choices: Choices, pairs: list[str]) -> Choices:
    """Return the choices with those that all models share.

    Raises: NotAChoice.
    """
    given: dict[str, str | float | None] = {}
    for pair in pairs:
        option, equals, value = pair.partition("=")
        if not equals or option not in FOR_ALL:
            raise NotAChoice(
                f"{pair!r} is nothing one can set for all models.", "There are: memory=8GB, idle=10."
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
    """Return minutes, None for an empty text.

    Raises: ValueError.
    """
    if text and not 0 <= float(text) < 1e6:
        raise ValueError(text)
    return float(text) if text else None
