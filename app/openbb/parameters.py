"""A widget's parameters: reading them, filling them in, and writing them into a request."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from app.openbb.wire import Fields, Number, OnlyText, Text, Texts, WireObject, Yes

Kind = Literal["text", "number", "boolean", "date", "ticker", "choice", "tabs", "form", "button"]
KINDS: dict[str, Kind] = {
    "text": "text",
    "string": "text",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "date": "date",
    "ticker": "ticker",
    "endpoint": "choice",
    "tabs": "tabs",
    "form": "form",
    "button": "button",
}
CURRENT = re.compile(r"^\$currentDate(?:([+-])(\d{1,4})([hdwMy]))?$")
DAYS = {"h": 1 / 24, "d": 1, "w": 7}


@dataclass(frozen=True)
class ParameterOption:
    """A possible value of a parameter. note: text shown beside it."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Param:
    """A parameter of a widget.

    many: whether it takes several values, joined with commas. free: whether values that are not in
    the list may also be typed. endpoint: the endpoint that its options are read from, or to which a
    form is sent. depends: the parameters of that request, each with its value; a value that begins
    with $ refers to another parameter. row: the line of the form that it is on. inputs: the fields
    of a form.
    """

    name: str
    kind: Kind
    label: str
    description: str = ""
    value: Any = None
    show: bool = True
    options: tuple[ParameterOption, ...] = ()
    many: bool = False
    free: bool = False
    endpoint: str = ""
    depends: dict[str, str] = field(default_factory=dict[str, str])
    low: float | None = None
    high: float | None = None
    row: int = 0
    picks_files: bool = False
    inputs: tuple[Param, ...] = ()

    @property
    def is_choice(self) -> bool:
        """Return whether its value is chosen from a list."""
        return bool(self.options or (self.endpoint and self.kind not in ("form", "button")))

    @property
    def needs(self) -> list[str]:
        """The parameters that its options depend on."""
        return [value[1:] for value in self.depends.values() if value.startswith("$")]


def read_params(raw: object) -> tuple[Param, ...]:
    """Return the parameters that a backend publishes; each nested list is a line of the form."""
    made: list[Param] = []
    for row, entry in enumerate(raw if isinstance(raw, list) else []):
        for one in entry if isinstance(entry, list) else [entry]:
            param = read_param(one, row if isinstance(entry, list) else 0)
            if param is not None and param.name not in {p.name for p in made}:
                made.append(param)
    return tuple(made)


class WireParam(WireObject):
    """A parameter as a backend publishes it."""

    name: OnlyText = Field(default="", alias="paramName")
    type: Text = "text"
    label: Text = ""
    description: Text = ""
    value: Any = None
    show: Any = None
    options: Any = None
    many: Yes = Field(default=False, alias="multiSelect")
    multiple: Yes = False
    editable: Yes = False
    endpoint: OnlyText = ""
    options_endpoint: OnlyText = Field(default="", alias="optionsEndpoint")
    depends: Fields = Field(default={}, alias="optionsParams")
    low: Number = Field(default=None, alias="min")
    high: Number = Field(default=None, alias="max")
    roles: Texts = ()
    inputs: Any = Field(default=None, alias="inputParams")


def read_param(raw: object, row: int) -> Param | None:
    """Return one parameter; None if it has no name."""
    told = WireParam.read(raw)
    if not told.name:
        return None
    # a choice of files is hidden by its backend, because OpenBB's own viewer lists the files itself
    picks_files = "fileSelector" in told.roles
    return Param(
        name=told.name,
        kind=KINDS.get(told.type, "text"),
        label=told.label or told.name,
        description=told.description,
        value=told.value,
        show=told.show is not False or picks_files,
        options=read_options(told.options),
        many=told.many,
        free=told.multiple or told.editable,
        endpoint=told.endpoint if told.type == "form" else told.options_endpoint,
        depends={str(name): str(value) for name, value in told.depends.items()},
        low=told.low,
        high=told.high,
        row=row,
        picks_files=picks_files,
        inputs=read_params(told.inputs),
    )


def read_options(raw: object) -> tuple[ParameterOption, ...]:
    """Return the options in a list, which contains either objects with a label and a value, or bare
    values.
    """
    made: dict[str, ParameterOption] = {}
    for one in raw if isinstance(raw, list) else []:
        if isinstance(one, dict) and "value" in one:
            extra = one.get("extraInfo")
            note = str(extra.get("description") or "") if isinstance(extra, dict) else ""
            made.setdefault(
                plain(one["value"]),
                ParameterOption(str(one.get("label") or one["value"]), plain(one["value"]), note),
            )
        elif isinstance(one, dict) and isinstance(
            one.get("symbol"), str
        ):  # these are found by searching for tradable symbols
            made.setdefault(
                one["symbol"],
                ParameterOption(
                    one["symbol"], one["symbol"], str(one.get("description") or "")[:60]
                ),
            )
        elif isinstance(one, str | int | float):
            made.setdefault(plain(one), ParameterOption(str(one), plain(one)))
    return tuple(made.values())


def resolve(param: Param, value: Any, today: dt.datetime) -> Any:
    """Return a value as it is sent, with dates written out and lists joined; None if it is
    not set.
    """
    if value is None or value == "" or value == []:
        return None
    if isinstance(value, list):
        return ",".join(plain(one) for one in value)
    if isinstance(value, str) and (found := CURRENT.match(value)):
        return moved(today, found).date().isoformat()
    if param.kind == "boolean" and isinstance(value, str):
        return value.lower() in ("true", "1", "yes")
    return value


def filled(params: tuple[Param, ...], values: dict[str, Any], today: dt.datetime) -> dict[str, Any]:
    """Return the values of all parameters that are set or have a default."""
    made = {
        p.name: resolve(p, values.get(p.name, p.value), today)
        for p in params
        if p.kind not in ("form", "button")
    }
    return {name: value for name, value in made.items() if value is not None}


def query_of(values: dict[str, Any]) -> dict[str, str]:
    """Return values as they are written in a query string."""
    return {name: plain(value) for name, value in values.items()}


def needed(param: Param, values: dict[str, Any]) -> dict[str, str]:
    """Return the request parameters needed to read a parameter's options, given the other
    values.
    """
    made = {
        name: plain(values.get(value[1:], "")) if value.startswith("$") else value
        for name, value in param.depends.items()
    }
    return {name: value for name, value in made.items() if value}


def moved(today: dt.datetime, found: re.Match[str]) -> dt.datetime:
    """Return the day that an expression such as `$currentDate-1w` stands for; the units are h, d,
    w, M and y.
    """
    sign, count, unit = found.groups()
    if sign is None:
        return today
    steps = int(count) * (1 if sign == "+" else -1)
    if unit in DAYS:
        return today + dt.timedelta(days=steps * DAYS[unit])
    months = today.year * 12 + today.month - 1 + steps * (12 if unit == "y" else 1)
    year, month = min(max(months // 12, 1), 9999), months % 12 + 1
    last = (
        (dt.date(year + month // 12, month % 12 + 1, 1) - dt.timedelta(days=1)).day
        if year < 9999
        else 28
    )
    return today.replace(year=year, month=month, day=min(today.day, last))


def plain(value: Any) -> str:
    """Return a value as text, with true and false written as in JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)


SECONDS = {"S": 1, "D": 86_400, "W": 7 * 86_400, "M": 31 * 86_400}
BARS, FEWEST, MOST = 250, 20, 5000
RESOLUTIONS = ("1", "5", "15", "60", "1D", "1W", "1M")


def params_of(endpoint: str, default: str) -> tuple[Param, ...]:
    """Return the parameters of a price chart: symbol, interval and number of bars."""
    base = endpoint.rstrip("/")
    search = f"{base}/search?query=&type=&exchange=&limit=50"
    bars = tuple(ParameterOption(label_of(one), one) for one in RESOLUTIONS)
    return (
        Param("symbol", "ticker", "Symbol", "What is traded", default, free=True, endpoint=search),
        Param("resolution", "choice", "Bar", "How long a bar lasts", "1D", options=bars, free=True),
        Param("bars", "number", "Bars", "How many bars at most", BARS, low=FEWEST, high=MOST),
    )


def seconds_of(resolution: str) -> int:
    """Return the duration of a bar in seconds. A plain number means minutes; a number with a letter
    means days, weeks, months or seconds.
    """
    letter = resolution[-1:].upper()
    count = resolution[:-1] if letter in SECONDS else resolution
    each = SECONDS.get(letter, 60)
    return (int(count) if count.isdecimal() and int(count) else 1) * each


def label_of(resolution: str) -> str:
    """Return the duration of a bar in words."""
    minutes = seconds_of(resolution) // 60
    if resolution.isdecimal():
        return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h"
    names = {"D": "day", "W": "week", "M": "month", "S": "second"}
    return f"{resolution[:-1] or '1'} {names.get(resolution[-1:], resolution)}"
