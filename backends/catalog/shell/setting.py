"""`deskpilot models set`: choose device, context and parameters of a model, or the memory of all of them."""

from __future__ import annotations

from backends.catalog.catalog import Catalog
from backends.catalog.chosen import Choices, read_choices, write_choices
from backends.catalog.chosen.choices import checked
from backends.catalog.chosen.parameters import as_text
from backends.catalog.chosen.tuning import lines_of, tune, tuning_of
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


def for_one(catalog: Catalog, name: str, pairs: list[str]) -> Choices:
    """Choose settings and parameters of a model and return all choices.

    Raises: CatalogError and its kinds.
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


def for_all(choices: Choices, pairs: list[str]) -> Choices:
    """Return the choices with those that all models share.

    Raises: NotAChoice.
    """
    given: dict[str, str | float | None] = {}
    for pair in pairs:
        option, equals, value = pair.partition("=")
        if not equals or option not in FOR_ALL:
            raise NotAChoice(
                f"{pair!r} is nothing one can set for all models.",
                "There are: memory=8GB, idle=10.",
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
