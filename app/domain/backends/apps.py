"""The dashboards a widget backend publishes: tabs of widgets, and groups of those that share a parameter."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.domain.backends.specs import COLUMNS, as_dict, whole

if TYPE_CHECKING:
    from app.domain.backends.specs import Spec

NAMED = re.compile(r"@\[id:([^\]]+)\]")
STATE = ("chartView", "chartModel", "columnState")
PROMPTS = 12
TABS, PLACED = 12, 60  # of a published dashboard that are opened, and widgets of each


@dataclass(frozen=True)
class Placed:
    """A widget on a published dashboard: its id, its place on 40 columns, its parameters, its groups by name.

    state: how its table was left: `chartView`, `chartModel` and `columnState`, as they came.
    """

    widget_id: str
    x: int
    y: int
    w: int
    h: int
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    groups: tuple[str, ...] = ()
    state: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Group:
    """Widgets that share a parameter: one is set, all are. members: their ids, as the dashboard names them.

    param: without one, it is the parameter for a ticker.
    """

    name: str
    param: str
    members: tuple[str, ...] = ()
    default: Any = None

    def param_of(self, placed: Placed, spec: Spec) -> str | None:
        """Return the parameter a widget shares; None if it is not of this group."""
        if self.name not in placed.groups and placed.widget_id not in self.members:
            return None
        if self.param:
            return self.param if self.param in {p.name for p in spec.params} else None
        return next((p.name for p in spec.params if p.kind == "ticker"), None)


@dataclass(frozen=True)
class App:
    """A dashboard a backend publishes: a name, tabs of widgets, groups across them, questions one may ask of it."""

    name: str
    description: str
    tabs: tuple[tuple[str, tuple[Placed, ...]], ...]
    groups: tuple[Group, ...] = ()
    prompts: tuple[str, ...] = ()


def read_apps(raw: object) -> list[App]:
    """Return the dashboards of apps.json."""
    made: list[App] = []
    for one in raw if isinstance(raw, list) else [raw]:
        about = as_dict(one)
        tabs = [as_dict(tab) for tab in as_dict(about.get("tabs")).values()][:TABS]
        found = tuple((str(tab.get("name") or ""), placed_of(tab.get("layout"))) for tab in tabs)
        kept = tuple(tab for tab in found if tab[1])
        if kept:
            name, words = str(about.get("name") or "Dashboard"), str(about.get("description") or "")
            prompts = texts_of(about.get("prompts"))[:PROMPTS]
            made.append(App(name, words, kept, groups_of(about.get("groups")), prompts))
    return made


def placed_of(raw: object) -> tuple[Placed, ...]:
    """Return the widgets of one tab."""
    made: list[Placed] = []
    for one in raw if isinstance(raw, list) else []:
        if isinstance(one, dict) and isinstance(one.get("i"), str):
            left = as_dict(one.get("state"))
            values = as_dict(left.get("params"))
            state = {key: left[key] for key in STATE if isinstance(left.get(key), dict)}
            x, y = whole(one.get("x"), 0, 0, COLUMNS), whole(one.get("y"), 0, 0, 10_000)
            w, h = whole(one.get("w"), 20, 1, COLUMNS), whole(one.get("h"), 9, 1, 200)
            made.append(Placed(one["i"], x, y, w, h, values, texts_of(one.get("groups")), state))
    return tuple(made[:PLACED])


def groups_of(raw: object) -> tuple[Group, ...]:
    """Return the groups of a dashboard; those without a parameter that are not for tickers are left out."""
    made: list[Group] = []
    for one in raw if isinstance(raw, list) else []:
        told = as_dict(one)
        param = str(told.get("paramName") or "")
        if param or told.get("type") == "ticker":
            members = texts_of(told.get("widgetIds"))
            made.append(
                Group(str(told.get("name") or param), param, members, told.get("defaultValue"))
            )
    return tuple(made[:PLACED])


def texts_of(raw: object) -> tuple[str, ...]:
    """Return the texts of a list."""
    return tuple(one for one in raw if isinstance(one, str)) if isinstance(raw, list) else ()


def prompts_for(apps: list[App], widgets: dict[str, str]) -> list[tuple[str, list[str]]]:
    """Return the questions of published dashboards that stand as a whole on one of ours, each in words and with the
    ids of the widgets it names. widgets: the names of those that stand there, by their ids."""
    found: list[tuple[str, list[str]]] = []
    for app in apps:
        if any({one.widget_id for one in placed} <= widgets.keys() for _, placed in app.tabs):
            for prompt in app.prompts:
                named = [one for one in NAMED.findall(prompt) if one in widgets]
                words = NAMED.sub(lambda m: widgets.get(m[1], m[1]), prompt)
                found.append((words[:500], named))
    return found
