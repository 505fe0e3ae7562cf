"""Possible requests about a table, and the interfaces that answer them. The program lists them, and
a model chooses among them.

A table as the design job sees it, and the columns that can be choices of one interface.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel

from app.data.design.phrases import (
    COLUMN,
    LANGUAGES,
    Language,
    as_name,
    filled,
    language_of,
    wording,
)
from backends.data.values import Scalar
from backends.data.workflow.interface import Class
from backends.data.workflow.step import Parameter, Step, Workflow

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile, Profile


MEASURES, CATEGORIES, LEAST = 8, 3, 2
NAMES = 200  # maximum number of values in a column that can name entities


class DesignView:
    """The columns of a table that interfaces can use. called: the part of an interface's name that
    stands for the table.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.uuid = profile.source
        self.language: Language = language_of(profile)
        self.called = as_name(profile.name)
        self.time = time_of(profile)
        self.measures = [
            c
            for c in profile.columns
            if c.kind == "number"
            and c.role == "measure"
            and c.name not in self.time
            and c.distinct >= LEAST
        ][:MEASURES]
        self.categories = [
            c
            for c in profile.columns
            if c.kind == "text"
            and c.complete
            and LEAST <= c.distinct <= NAMES
            and c.name not in self.time
            and c.distinct < profile.rows
        ][:CATEGORIES]
        self.entity = self.categories[0] if self.categories and self.time else None

    @property
    def days(self) -> tuple[str, str] | None:
        """Return the first and last day, or None if the table has no date column."""
        if not self.time:
            return None
        column = self.profile.column(self.time[0])
        assert column is not None
        low, high = str(column.low)[:10], str(column.high)[:10]
        if column.kind in ("date", "time"):
            return low, high
        return f"{int(float(low)):04}-01-01", f"{int(float(high)):04}-12-31"

    @property
    def label(self) -> str:
        """Return the name of the time column of a series."""
        column = self.profile.column(self.time[0]) if self.time else None
        return column.name if column is not None and column.kind == "date" else "date"

    def entities(self, n: int) -> list[Scalar]:
        """Return the first `n` entities."""
        return self.entity.values[:n] if self.entity else []

    def limits(self) -> dict[str, Any]:
        """Return the arguments that select one entity, if the rows are about several."""
        if self.entity is None:
            return {}
        return {"by": self.entity.name, "entities": [{"parameter": "entity"}]}


def time_of(profile: Profile) -> list[str]:
    """Return the date column, or the columns for the year and the quarter or month. Return an empty
    result if the table has no time column.
    """
    day = next((c.name for c in profile.columns if c.kind in ("date", "time")), None)
    if day is not None:
        return [day]
    year = next((c.name for c in profile.columns if c.role == "year"), None)
    part = next((c.name for c in profile.columns if c.role in ("quarter", "month")), None)
    return [name for name in (year, part) if name] if year else []


def words(column: ColumnProfile) -> str:
    """Return the name of a column as it is written in requests."""
    return column.name.replace("_", " ")


# For each grain, the maximum mean distance between consecutive points in time, in days.
GRAINS = (("day", 4.5), ("week", 10.0), ("month", 45.0), ("quarter", 135.0), ("year", 1000.0))
# how much two tables must have in common, as a share of the smaller set of entities or of the
# shorter time span
ENOUGH = 0.5
RATE = re.compile(
    r"\b(?:yoy|qoq|mom|rates?|pct|percent|growth|chg|change|returns?|ratio|margin|share|yield|infl|inflation|unemp|unemployment|realint)\b"
    r"|tbilrate|率|同比|环比|增速|增幅|涨跌幅|占比|比例|割合|前年比|前月比",
    re.IGNORECASE,
)


class Kin(BaseModel):
    """The properties by which columns are compared. grain: the distance between consecutive points
    in time, or empty if there is no time column.

    first, last: the first and last day. keys: the columns that identify the subject of a row. who:
    the values of the first such column. rate: whether the column holds a share or a change, rather
    than an amount. field: its subject, such as the economy. unit: as stated in the table.
    """

    source: str
    grain: str = ""
    first: str = ""
    last: str = ""
    keys: list[str] = []
    who: list[str] = []
    rate: bool = False
    field: str = ""
    unit: str = ""


def kin_of(view: DesignView, column: ColumnProfile) -> Kin:
    """Return the properties by which columns are compared."""
    first, last = view.days or ("", "")
    said = f"{column.name} {column.meaning}".replace("_", " ")
    return Kin(
        source=view.uuid,
        grain=grain_of(view),
        first=first,
        last=last,
        keys=sorted(c.name.lower() for c in view.categories),
        who=[str(v) for v in view.categories[0].values] if view.categories else [],
        rate=column.unit == "%" or bool(RATE.search(said)),
        field=field_of(said),
        unit=column.unit or "",
    )


def grain_of(view: DesignView) -> str:
    """Return the distance between the points in time of a table, or an empty string if it has no
    time column."""
    if view.days is None:
        return ""
    parts = [c for name in view.time if (c := view.profile.column(name)) is not None]
    if len(parts) > 1 or parts[0].role == "year":
        return parts[-1].role
    apart = days_between(*view.days) / max(parts[0].distinct - 1, 1)
    return next((name for name, most in GRAINS if apart <= most), "years")


def days_between(first: str, last: str) -> int:
    """Return the number of days between two days."""
    return (dt.date.fromisoformat(last) - dt.date.fromisoformat(first)).days


@cache
def fields() -> list[tuple[str, re.Pattern[str]]]:
    """Return the fields that columns of different tables can share, each with a pattern for the
    names of its columns.
    """
    raw: dict[str, list[Any]] = yaml.safe_load(
        (files("resources.design") / "fields.yaml").read_text("utf-8")
    )
    return [
        (name, re.compile("|".join(as_pattern(str(said)) for said in known), re.IGNORECASE))
        for name, known in raw.items()
    ]


def as_pattern(said: str) -> str:
    """Return a pattern for a name. In scripts that use spaces, it matches whole words only."""
    return rf"(?<![a-z0-9]){re.escape(said)}(?![a-z])" if said.isascii() else re.escape(said)


def field_of(said: str) -> str:
    """Return the field that a column belongs to, or an empty string if it is unknown."""
    return next((name for name, called in fields() if called.search(said)), "")


def akin(one: Kin, other: Kin) -> bool:
    """Return whether two columns can be choices of one interface.

    Their points in time must be equally far apart and mostly in the same years. They must be mostly
    about the same entities, or else have the same key columns, if any, and measure the same kind of
    thing.
    """
    if one.grain != other.grain or not overlap(one, other):
        return False
    if same_entities(one, other):
        return True
    told = bool(one.grain or one.keys) or one.source == other.source
    return told and one.keys == other.keys and same_measure(one, other)


def overlap(one: Kin, other: Kin) -> bool:
    """Return whether two time spans mostly cover the same years. Return True as well if neither
    table has a time column.
    """
    if not one.grain or one.source == other.source:
        return True
    shared = days_between(max(one.first, other.first), min(one.last, other.last))
    shorter = min(days_between(k.first, k.last) for k in (one, other))
    return shared >= ENOUGH * shorter


def same_entities(one: Kin, other: Kin) -> bool:
    """Return whether the rows are mostly about the same entities."""
    fewer = min(len(set(k.who)) for k in (one, other))
    return fewer > 0 and len(set(one.who) & set(other.who)) >= ENOUGH * fewer


def same_measure(one: Kin, other: Kin) -> bool:
    """Return whether two columns measure the same kind of thing: both must be amounts, or both must
    be rates. In two tables, they must also belong to the same field.
    """
    if one.rate != other.rate:
        return False
    return (
        one.unit == other.unit
        if one.source == other.source
        else bool(one.field) and one.field == other.field
    )


class InterfaceDraft(BaseModel):
    """An interface for one column of one table. key: a key that equal interfaces share. shape: what
    it does. told: the shape whose wording describes it. called: the part of a name that stands for
    the shape. names: its possible names. label: what distinguishes it from others with the same
    shape. kin: the properties of its column. meanings: its description in each language, with the
    placeholder `{column}`.
    """

    key: str
    shape: str
    told: str
    slots: dict[str, str]
    called: str
    kind: Class
    names: list[str]
    label: str
    kin: Kin
    language: Language
    meanings: dict[str, str]
    workflow: Workflow

    @property
    def description(self) -> str:
        """Return its description in the language of its table."""
        return self.meanings[self.language].replace(COLUMN, self.label)


class Idea(BaseModel):
    """A new request in several wordings and languages, with the parameter values with which its
    draft answers it.
    """

    draft: InterfaceDraft
    wordings: list[str]
    others: dict[str, list[str]] = {}
    values: dict[str, Scalar] = {}


def drafted(
    view: DesignView,
    shape: str,
    kind: Class,
    column: ColumnProfile,
    steps: list[dict[str, Any]],
    *given: Parameter,
    told: str = "",
    slots: dict[str, str] | None = None,
) -> InterfaceDraft:
    """Return a draft for one column. told: the shape whose wording describes it, if this is a
    different one.
    """
    told, slots = told or shape, slots or {}
    own, label = wording(view.language), words(column)
    called = own.called(told, slots)
    parts = {"column": as_name(column.name), "shape": called, "table": view.called}
    meanings = {one: wording(one).means(told, slots) for one in LANGUAGES}
    about = meanings[view.language].replace(COLUMN, label)
    return InterfaceDraft(
        key=f"{shape}:{view.uuid}:{column.name}",
        shape=shape,
        told=told,
        slots=slots,
        called=called,
        kind=kind,
        names=[name.format_map(parts)[:60] for name in own.names],
        label=label,
        kin=kin_of(view, column),
        language=view.language,
        meanings=meanings,
        workflow=Workflow(
            name=about[:120],
            description=about,
            parameters=list(given),
            steps=[Step.model_validate(step) for step in steps],
        ),
    )


def asked(draft: InterfaceDraft, view: DesignView, values: dict[str, Scalar]) -> Idea:
    """Return, in every language, a request that a draft answers with the given values."""
    said: dict[Language, list[str]] = {}
    for language in LANGUAGES:
        what = wording(language).what(draft.label, values.get("entity"))
        said[language] = wording(language).asks(draft.told, draft.slots | values | {"what": what})
    others = {language: texts for language, texts in said.items() if language != view.language}
    return Idea(draft=draft, wordings=said[view.language], others=others, values=values)


def parameter(
    view: DesignView,
    name: str,
    kind: str,
    default: Scalar,
    said: str = "",
    choices: list[Scalar] | None = None,
    **slots: str,
) -> Parameter:
    """Return a parameter with its default. said: the key of its description, if this differs from
    its name.
    """
    about = filled(wording(view.language).parameters[said or name], slots)
    return Parameter.model_validate(
        {
            "name": name,
            "type": kind,
            "default": default,
            "choices": choices or [],
            "description": about,
        }
    )


def taken(name: str) -> dict[str, str]:
    """Return the placeholder that stands for a parameter in a step's arguments."""
    return {"parameter": name}


def entity(view: DesignView) -> list[Parameter]:
    """Return the parameter that names the entity, if the rows are about several entities."""
    if view.entity is None:
        return []
    values = [str(v) for v in view.entity.values]
    return [
        parameter(view, "entity", "text", values[0], "", [*values], category=words(view.entity))
    ]


def days(view: DesignView) -> list[Parameter]:
    """Return the parameters for a date range."""
    assert view.days is not None
    first, last = view.days
    return [parameter(view, "start", "date", first), parameter(view, "end", "date", last)]


def of_whom(view: DesignView, n: int) -> list[dict[str, Scalar]]:
    """Return the parameter values that select each of the first `n` entities, or one empty
    dictionary if the rows are about a single thing.
    """
    return [{"entity": str(value)} for value in view.entities(n)] if view.entity else [{}]
