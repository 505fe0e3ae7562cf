"""How a backend formats the columns of a table: formatters, renderers, colour rules,
hover cards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from app.openbb.parameters import number
from app.openbb.widgets import as_dict

COLOUR = re.compile(r"^(#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,20})$")
YEAR = re.compile(r"\d{4}(?=-\d)")
FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class ColourRule:
    """One colour, and when it is used."""

    colour: str
    condition: str
    value: Any = None
    low: float | None = None
    high: float | None = None
    fill: bool = False

    def holds(self, value: Any) -> bool:
        """Return whether it is used for a value."""
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
    """What a click on a cell does. does: groupBy, sendToAgent or openUrl.

    param: that is set to the value of `field`, which is the cell itself if it is empty; force: even
    to what it is.
    words: for the copilot, with the row's fields in them.
    """

    does: str
    param: str = ""
    field: str = ""
    words: str = ""
    force: bool = False


@dataclass(frozen=True)
class ColumnLook:
    """How one column looks. card: title and words of its hover card.

    width: in pixels, None to fit. align: left, right or center. pinned: it stays in view at the
    left.
    flashes: a cell that changes is lit for a moment. click: what pressing a cell does. coloured_by:
    the column whose value decides on the colour, its own if empty.
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
        """Return whether it shows more than a cell of the table holds."""
        return self.card is not None or bool(self.spark)

    def text(self, value: Any) -> str | None:
        """Return a value as it is shown; None if the value's own text does."""
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
        """Return a colour for a value, `up` and `down` for those of the theme, and whether it fills
        the cell.
        """
        for rule in self.rules:
            if rule.holds(value):
                return rule.colour, rule.fill
        at = number(value)
        if "greenRed" in self.renders and at:
            return ("up" if at > 0 else "down"), False
        return None

    def hover(self, raw: Any) -> str:
        """Return the words of a hover card: its title, and its text with the cell's fields filled
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
    """Return a number by the name of a formatter."""
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


def read_looks(table: dict[str, Any]) -> dict[str, ColumnLook]:
    """Return how columns look, by the names of their fields."""
    defs = table.get("columnsDefs") or table.get("columnDefs")
    found = [as_dict(one) for one in defs] if isinstance(defs, list) else []
    return {str(one["field"]): read_look(one) for one in found if isinstance(one.get("field"), str)}


def read_look(raw: dict[str, Any]) -> ColumnLook:
    """Return how one column looks."""
    told = raw.get("renderFn")
    renders = tuple(str(r) for r in (told if isinstance(told, list) else [told] if told else []))
    given = as_dict(raw.get("renderFnParams"))
    card = as_dict(given.get("hoverCard"))
    decimals = number(raw.get("decimalPlaces"))
    rules = given.get("colorRules")
    return ColumnLook(
        name=str(raw["field"]),
        title=str(raw.get("headerName") or ""),
        formatter=str(raw.get("formatterFn") or ""),
        decimals=int(min(max(decimals, 0), 10)) if decimals is not None else None,
        prefix=str(raw.get("prefix") or ""),
        suffix=str(raw.get("suffix") or ""),
        renders=renders,
        rules=tuple(
            r for r in map(read_rule, rules if isinstance(rules, list) else []) if r is not None
        ),
        card=(str(card.get("title") or ""), str(card.get("markdown") or ""))
        if "hoverCard" in renders
        else None,
        tip=str(raw.get("headerTooltip") or ""),
        hidden=raw.get("hide") is True,
        spark=spark_of(raw.get("sparkline")),
        width=width_of(raw),
        align=str(raw.get("align") or ""),
        pinned=raw.get("pinned") == "left",
        flashes="showCellChange" in renders or raw.get("enableCellChangeWs") is True,
        click=read_click(given) if "cellOnClick" in renders else None,
        coloured_by=str(given.get("colorValueKey") or ""),
    )


def read_rule(raw: Any) -> ColourRule | None:
    """Return a colour rule; None if its colour is invalid."""
    told, span = as_dict(raw), as_dict(as_dict(raw).get("range"))
    colour = str(told.get("color") or "")
    if not COLOUR.match(colour):
        return None
    low, high = number(span.get("min")), number(span.get("max"))
    return ColourRule(
        colour,
        str(told.get("condition") or ""),
        told.get("value"),
        low,
        high,
        told.get("fill") is True,
    )


def read_click(raw: dict[str, Any]) -> Click | None:
    """Return the action of a click; None for an unsupported one."""
    does, group = str(raw.get("actionType") or ""), as_dict(raw.get("groupBy"))
    param = str(group.get("paramName") or raw.get("groupByParamName") or "")
    if does == "groupBy" and param:
        return Click(
            does, param, str(group.get("valueField") or ""), force=group.get("forceUpdate") is True
        )
    words = str(as_dict(raw.get("sendToAgent")).get("markdown") or "")
    if does == "sendToAgent" and words:
        return Click(does, words=words)
    return Click(does) if does == "openUrl" else None


def filled_in(words: str, row: dict[str, Any]) -> str:
    """Return words with a row's fields in the places that name them."""
    return FIELD.sub(lambda m: "" if row.get(m[1]) is None else str(row[m[1]]), words)


def width_of(raw: dict[str, Any]) -> int | None:
    """Return how wide a column is to be, within its own limits; None if it does not say."""
    low, high = number(raw.get("minWidth")), number(raw.get("maxWidth"))
    wanted = number(raw.get("width"))
    if wanted is None:
        return None
    return int(min(max(wanted, low or 40, 40), high or 2000, 2000))


def spark_of(raw: Any) -> str:
    """Return how a small chart is drawn: line, area, bar; nothing for none."""
    told = as_dict(raw)
    kind = str(told.get("type") or as_dict(told.get("options")).get("type") or "line")
    return (
        ({"column": "bar"}.get(kind, kind) if kind in ("line", "area", "bar", "column") else "line")
        if raw
        else ""
    )
