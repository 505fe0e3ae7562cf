"""How a backend formats the columns of a table: formatters, renderers, colour rules and hover
cards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, SkipValidation

from app.openbb.wire import (
    Number,
    Objects,
    OnlyText,
    Text,
    WireObject,
    Yes,
    as_dict,
    number,
    objects_of,
)

COLOUR = re.compile(r"^(#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,20})$")
YEAR = re.compile(r"\d{4}(?=-\d)")
FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class ColourRule:
    """A colour, and the condition under which it is used."""

    colour: str
    condition: str
    value: Any = None
    low: float | None = None
    high: float | None = None
    fill: bool = False

    def holds(self, value: Any) -> bool:
        """Return whether the colour is used for a value."""
        at, than = number(value), number(self.value)
        if self.condition == "between":
            return (
                at is not None
                and self.low is not None
                and self.high is not None
                and self.low <= at <= self.high
            )
        if self.condition in ("eq", "ne"):
            return (str(value) == str(self.value)) is (self.condition == "eq")
        if at is None or than is None:
            return False
        return {"gt": at > than, "gte": at >= than, "lt": at < than, "lte": at <= than}.get(
            self.condition, False
        )


@dataclass(frozen=True)
class Click:
    """The effect of clicking a cell. does: "groupBy", "sendToAgent" or "openUrl".

    param: the parameter that is set to the value of `field`, or to the cell's value if `field` is
    empty. force: whether the parameter is set even if it already has that value. words: the text
    for the copilot, with the row's fields filled in.
    """

    does: str
    param: str = ""
    field: str = ""
    words: str = ""
    force: bool = False


@dataclass(frozen=True)
class ColumnLook:
    """The appearance of a column. card: the title and text of its hover card.

    width: in pixels; None to fit the content. align: "left", "right" or "center". pinned: whether
    it stays in view on the left. flashes: whether a cell is highlighted briefly when it changes.
    click: the effect of clicking a cell. coloured_by: the column whose value determines the colour;
    empty for this column.
    """

    name: str
    title: str = ""
    formatter: str = ""
    decimals: int | None = None
    prefix: str = ""
    suffix: str = ""
    renders: tuple[str, ...] = ()
    rules: tuple[ColourRule, ...] = ()
    card: tuple[str, str] | None = None
    tip: str = ""
    hidden: bool = False
    spark: str = ""
    width: int | None = None
    align: str = ""
    pinned: bool = False
    flashes: bool = False
    click: Click | None = None
    coloured_by: str = ""

    @property
    def needs_raw(self) -> bool:
        """Return whether the column uses more than a cell's displayed value."""
        return self.card is not None or bool(self.spark)

    def text(self, value: Any) -> str | None:
        """Return a value as it is displayed; None if the value's own text is used."""
        at = number(value)
        if at is None and self.formatter == "dateToYear" and (year := YEAR.match(str(value))):
            return self._dressed(year[0])
        if at is None:
            words = (
                str(value).title()
                if "titleCase" in self.renders and isinstance(value, str)
                else None
            )
            return self._dressed(words) if words is not None else self._dressed_text(value)
        return self._dressed(formatted(at, self.formatter, self.decimals))

    def colour(self, value: Any) -> tuple[str, bool] | None:
        """Return the colour of a value (`up` and `down` stand for the theme's own colours), and
        whether it fills the cell.
        """
        for rule in self.rules:
            if rule.holds(value):
                return rule.colour, rule.fill
        at = number(value)
        if "greenRed" in self.renders and at:
            return ("up" if at > 0 else "down"), False
        return None

    def hover(self, raw: Any) -> str:
        """Return the content of a hover card: its title, and its text with the row's fields filled
        in.
        """
        if self.card is None or raw is None:
            return ""
        fields = raw if isinstance(raw, dict) else {"value": raw}
        title, words = self.card
        filled = (
            FIELD.sub(lambda m: str(fields.get(m[1], "")), words)
            if words
            else str(fields.get("description", ""))
        )
        plain = re.sub(r"[*_`#>]+", "", filled).strip()
        return "\n".join(part for part in (title, plain) if part)[:2000]

    def _dressed(self, text: str) -> str:
        return f"{self.prefix}{text}{self.suffix}"

    def _dressed_text(self, value: Any) -> str | None:
        return (
            self._dressed(str(value))
            if (self.prefix or self.suffix) and value not in (None, "")
            else None
        )


def formatted(value: float, formatter: str, decimals: int | None) -> str:
    """Return a number formatted by the formatter with this name."""
    if formatter == "none":
        return f"{value:.{decimals}f}" if decimals is not None else f"{value:.15g}"
    if formatter == "int":
        return f"{value:,.0f}"
    if formatter in ("percent", "normalizedPercent"):
        shown = value * 100 if formatter == "normalizedPercent" else value
        return f"{shown:,.{2 if decimals is None else decimals}f} %"
    if formatter == "dateToYear":
        return f"{value:.0f}"
    if formatter == "normalized":
        for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
            if abs(value) >= size:
                return f"{value / size:,.{2 if decimals is None else decimals}f} {letter}"
    if decimals is not None:
        return f"{value:,.{decimals}f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4f}".rstrip("0").rstrip(".")


def renders_of(raw: object) -> tuple[str, ...]:
    """Return the names of renderers, given as a list or as a single name."""
    return tuple(str(one) for one in (raw if isinstance(raw, list) else [raw] if raw else []))


class WireRange(WireObject):
    """The range of values for which a colour is used."""

    low: Number = Field(default=None, alias="min")
    high: Number = Field(default=None, alias="max")


class WireRule(WireObject):
    """A colour rule as a backend publishes it."""

    colour: Text = Field(default="", alias="color")
    condition: Text = ""
    value: Any = None
    range: Annotated[WireRange, BeforeValidator(WireRange.read)] = WireRange()
    fill: Yes = False


class WireCard(WireObject):
    """The text of a hover card or of a click."""

    title: Text = ""
    markdown: Text = ""


Words = Annotated[WireCard, BeforeValidator(WireCard.read)]


class WireGrouping(WireObject):
    """The parameter that a click sets."""

    param: Text = Field(default="", alias="paramName")
    field: Text = Field(default="", alias="valueField")
    force: Yes = Field(default=False, alias="forceUpdate")


class WireRendering(WireObject):
    """The parameters of a column's renderers."""

    card: Annotated[WireCard, BeforeValidator(WireCard.read)] = Field(
        default=WireCard(), alias="hoverCard"
    )
    rules: Objects = Field(default=[], alias="colorRules")
    coloured_by: Text = Field(default="", alias="colorValueKey")
    does: Text = Field(default="", alias="actionType")
    group: Annotated[WireGrouping, BeforeValidator(WireGrouping.read)] = Field(
        default=WireGrouping(), alias="groupBy"
    )
    group_param: Text = Field(default="", alias="groupByParamName")
    message: Words = Field(default=WireCard(), alias="sendToAgent")


class WireColumn(WireObject):
    """A column as a backend publishes it."""

    field: OnlyText = ""
    title: Text = Field(default="", alias="headerName")
    formatter: Text = Field(default="", alias="formatterFn")
    decimals: Number = Field(default=None, alias="decimalPlaces")
    prefix: Text = ""
    suffix: Text = ""
    renders: Annotated[SkipValidation[tuple[str, ...]], BeforeValidator(renders_of)] = Field(
        default=(), alias="renderFn"
    )
    rendering: Annotated[WireRendering, BeforeValidator(WireRendering.read)] = Field(
        default=WireRendering(), alias="renderFnParams"
    )
    tip: Text = Field(default="", alias="headerTooltip")
    hidden: Yes = Field(default=False, alias="hide")
    spark: Any = Field(default=None, alias="sparkline")
    width: Number = None
    least: Number = Field(default=None, alias="minWidth")
    most: Number = Field(default=None, alias="maxWidth")
    align: Text = ""
    pinned: Any = None
    flashes: Yes = Field(default=False, alias="enableCellChangeWs")
    draws: Any = Field(default=None, alias="chartDataType")


def read_columns(table: dict[str, Any]) -> list[WireColumn]:
    """Return the columns that a backend describes."""
    listed = objects_of(table.get("columnsDefs") or table.get("columnDefs"))
    return [WireColumn.read(one) for one in listed]


def read_looks(table: dict[str, Any]) -> dict[str, ColumnLook]:
    """Return the appearance of columns, by the names of their fields."""
    return {one.field: look_of(one) for one in read_columns(table) if one.field}


def look_of(told: WireColumn) -> ColumnLook:
    """Return the appearance of one column."""
    card, decimals = told.rendering.card, told.decimals
    rules = [rule_of(WireRule.read(one)) for one in told.rendering.rules]
    return ColumnLook(
        name=told.field,
        title=told.title,
        formatter=told.formatter,
        decimals=int(min(max(decimals, 0), 10)) if decimals is not None else None,
        prefix=told.prefix,
        suffix=told.suffix,
        renders=told.renders,
        rules=tuple(rule for rule in rules if rule is not None),
        card=(card.title, card.markdown) if "hoverCard" in told.renders else None,
        tip=told.tip,
        hidden=told.hidden,
        spark=spark_of(told.spark),
        width=width_of(told),
        align=told.align,
        pinned=told.pinned == "left",
        flashes="showCellChange" in told.renders or told.flashes,
        click=click_of(told.rendering) if "cellOnClick" in told.renders else None,
        coloured_by=told.rendering.coloured_by,
    )


def rule_of(told: WireRule) -> ColourRule | None:
    """Return a colour rule; None if its colour is invalid."""
    if not COLOUR.match(told.colour):
        return None
    low, high = told.range.low, told.range.high
    return ColourRule(told.colour, told.condition, told.value, low, high, told.fill)


def click_of(told: WireRendering) -> Click | None:
    """Return the action of a click; None if it is not supported."""
    param = told.group.param or told.group_param
    if told.does == "groupBy" and param:
        return Click(told.does, param, told.group.field, force=told.group.force)
    if told.does == "sendToAgent" and told.message.markdown:
        return Click(told.does, words=told.message.markdown)
    return Click(told.does) if told.does == "openUrl" else None


def filled_in(words: str, row: dict[str, Any]) -> str:
    """Return a text with its placeholders replaced by a row's fields."""
    return FIELD.sub(lambda m: "" if row.get(m[1]) is None else str(row[m[1]]), words)


def width_of(told: WireColumn) -> int | None:
    """Return the width of a column, within the column's own limits; None if it does not specify
    one.
    """
    if told.width is None:
        return None
    return int(min(max(told.width, told.least or 40, 40), told.most or 2000, 2000))


def spark_of(raw: Any) -> str:
    """Return how a small chart is drawn: line, area or bar; empty if no chart is drawn."""
    told = as_dict(raw)
    kind = str(told.get("type") or as_dict(told.get("options")).get("type") or "line")
    return (
        ({"column": "bar"}.get(kind, kind) if kind in ("line", "area", "bar", "column") else "line")
        if raw
        else ""
    )
