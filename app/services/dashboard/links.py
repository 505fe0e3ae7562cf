"""Widgets that share a parameter: which others a change or a click is meant for, how groups are
made and left.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.domain.widget import Widget


def linked(widgets: Iterable[Widget], widget: Widget, param: str) -> list[Widget]:
    """Return the other widgets of the group with which one shares a parameter."""
    group = widget.links.get(param)
    if group is None:
        return []
    return [w for w in widgets if w.uuid != widget.uuid and w.links.get(param) == group]


def targets(
    widgets: Iterable[Widget], widget: Widget, param: str, beside: Iterable[str]
) -> list[Widget]:
    """Return which widgets a click in one sets a parameter of.

    Its group; without one, those beside it that share the parameter with any; without any, all
    beside it.
    beside: the uuids of the widgets of its dashboard that have the parameter.
    """
    known = {w.uuid: w for w in widgets}
    group = linked(known.values(), widget, param)
    if group:
        return [widget, *group]
    others = [known[uid] for uid in beside if uid in known and uid != widget.uuid]
    return [w for w in others if param in w.links] or others


def joined(widgets: Iterable[Widget], param: str) -> list[Widget]:
    """Return widgets made to share a parameter; a group some of them have is kept."""
    found = list(widgets)
    group = next((w.links[param] for w in found if param in w.links), uuid.uuid4().hex[:8])
    return [replace(w, links=w.links | {param: group}) for w in found]


def parted(widget: Widget, param: str) -> Widget:
    """Return a widget that shares a parameter no more."""
    return replace(
        widget, links={name: group for name, group in widget.links.items() if name != param}
    )
