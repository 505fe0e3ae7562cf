"""A provider's form in the shell: a question for each field that is shown."""

from __future__ import annotations

import click

from app.cli.screen import printable
from app.domain.errors import ProviderError
from app.domain.providers.added import Choice, Filled
from app.domain.providers.form import Field, Provider, choices, shown


def ask_form(
    fields: tuple[Field, ...], before: Filled, *, keyring: bool, model_type: str = ""
) -> Filled:
    """Ask each field that is shown. before: what was answered the last time, offered again.

    keyring: whether typed secrets can be kept; without one, the name of a variable is asked.
    """
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
    return Filled(values, secrets, environment)


def ask_into(into: dict[str, str], field: Field, label: str, *, hidden: bool = False) -> None:
    """Ask for a text; empty means none, or the default."""
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


def ask_choice(field: Field, values: dict[str, str]) -> str:
    """Ask for one of a field's options, by number or value."""
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
    for number, kind in enumerate(kinds, 1):
        click.echo(f"  {number:2}  {kind.label}: {kind.description}", err=True)
    return kinds[
        click.prompt("Which one", default=1, type=click.IntRange(1, len(kinds)), err=True) - 1
    ]


def ask_models(kind: Provider, offered: tuple[Choice, ...]) -> list[Choice]:
    """Ask which models to use, by number or name; the type of each where nobody tells it."""
    for number, choice in enumerate(offered, 1):
        click.echo(printable(f"  {number:3}  {choice.model}  {choice.type}"), err=True)
    label = "Models to use, with commas between" + (" (numbers or names)" if offered else "")
    told: str = click.prompt(label, default="1" if offered else None, err=True)
    return [typed(kind, chosen(part.strip(), offered)) for part in told.split(",") if part.strip()]


def chosen(part: str, offered: tuple[Choice, ...]) -> Choice:
    """Return the model of a number or a name; a name nobody listed is taken as it is."""
    if part.isdecimal() and 1 <= int(part) <= len(offered):
        return offered[int(part) - 1]
    return next((one for one in offered if one.model == part), Choice(part))


def typed(kind: Provider, choice: Choice) -> Choice:
    """Return a model with its type, asked where it is not told."""
    if choice.type:
        return choice
    if len(kind.types) == 1:
        return Choice(choice.model, kind.types[0])
    told = click.prompt(
        f"What {printable(choice.model)} is",
        default=kind.types[0],
        type=click.Choice(kind.types),
        err=True,
    )
    return Choice(choice.model, told)


def named(kind: Provider, given: tuple[str, ...], offered: tuple[Choice, ...]) -> list[Choice]:
    """Return the models of the command line, MODEL or MODEL=TYPE.

    Raises: ProviderError if none is named.
    """
    if not given:
        names = ", ".join(dict.fromkeys(one.model for one in offered[:12]))
        raise ProviderError(
            "No model is named.",
            f"Add --model NAME. It offers: {printable(names)}." if names else "Add --model NAME.",
        )
    made: list[Choice] = []
    for one in given:
        name, _, kind_named = one.rpartition("=")
        if name and kind_named in kind.types:
            made.append(Choice(name, kind_named))
            continue
        found = next((o for o in offered if o.model == one and o.type), None)
        made.append(found or Choice(one, kind.types[0]))
    return made
