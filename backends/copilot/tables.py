"""The tables for a question. They are either profiled by the terminal or sent as rows."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from backends.data.compiler import QUERY
from backends.data.errors import KernelError
from backends.data.profile import profile
from backends.data.table import Table, table_from_rows
from backends.data.values import Profile
from backends.data.workflow.library_interface import Designed
from backends.planning.library import narrowed

if TYPE_CHECKING:
    from backends.copilot.turn import OpenTurn
    from backends.protocol.request import CopilotRequest, RequestWidget

SERVER = "deskpilot"  # the protocol's name for the server of the terminal's own tools


@dataclass(frozen=True)
class TableSource:
    """A table: its profile, the widget to which it belongs, and its rows, if they were sent."""

    profile: Profile
    widget: RequestWidget | None
    table: Table | None = None


def offers_tools(query: CopilotRequest) -> bool:
    """Return whether the terminal itself computes our data interfaces."""
    return any(tool.server_id == SERVER and tool.name == QUERY for tool in query.tools)


def find_sources(query: CopilotRequest, turn: OpenTurn) -> list[TableSource]:
    """Return the tables for a query: the profiles of attached widgets or, if none are attached, of
    those on the dashboard; without profiles, the tables that were sent as rows.
    """
    found: list[TableSource] = []
    if offers_tools(query):
        for widget in query.primary or query.secondary:
            raw = widget.metadata.get("profile")
            if isinstance(raw, dict):
                try:
                    found.append(TableSource(Profile.model_validate(raw), widget))
                except ValidationError:
                    # this is another program's "profile"; the widget can still be asked for its
                    # rows
                    continue
    if found:
        return found
    for call, result in turn.pairs:
        if call.function in ("get_widget_data", "get_extra_widget_data") and not result.failed:
            widgets = called_widgets(query, call.arguments)
            for part in result.parts:
                at = part.entry if len(widgets) > 1 else 0
                widget = widgets[at] if at < len(widgets) else None
                made = source_of(part.text, widget, query, part.name) if part.is_text else None
                found += [made] if made is not None else []
    for context in query.context:
        for at, text in enumerate(context.texts):
            name = context.uuid or context.name or "context"
            key = name if not at else f"{name} {at + 1}"
            made = source_of(text, None, query, context.name, key)
            found += [made] if made is not None else []
    return found


def designed(sources: list[TableSource]) -> list[Designed]:
    """Return the interfaces in the terminal's library, reduced to the choices whose tables are
    available.
    """
    here = {s.profile.source for s in sources}
    found: dict[str, Designed] = {}
    for widget in (s.widget for s in sources if s.widget is not None):
        raw = widget.metadata.get("interfaces")
        for one in cast("list[Any]", raw) if isinstance(raw, list) else []:
            try:
                made = Designed.model_validate(one)
            except ValidationError:
                continue  # these are another program's "interfaces"
            if (usable := narrowed(made, here)) is not None:
                found[made.name] = usable
    return list(found.values())


def called_widgets(query: CopilotRequest, arguments: dict[str, Any]) -> list[RequestWidget | None]:
    """Return the widgets that a get_widget_data call requested, in the order of the call. If the
    call names none, return the only widget.
    """
    asked: list[Any] = [arguments["widget_uuid"]] if "widget_uuid" in arguments else []
    for key in ("widget_uuids", "data_sources"):
        listed = arguments.get(key)
        asked += cast("list[Any]", listed) if isinstance(listed, list) else []
    widgets = [*query.primary, *query.secondary, *query.extra]
    named = [find_widget(widgets, one) for one in asked]
    return named if any(named) else [widgets[0]] if len(widgets) == 1 else []


def find_widget(widgets: list[RequestWidget], asked: Any) -> RequestWidget | None:
    """Return the widget to which a uuid or a data source refers, found by its uuid, or else by its
    id.
    """
    source: dict[str, Any] = (
        cast("dict[str, Any]", asked) if isinstance(asked, dict) else {"widget_uuid": asked}
    )
    by_uuid = [w for w in widgets if w.uuid == source.get("widget_uuid")]
    by_id = [w for w in widgets if w.widget_id and w.widget_id == source.get("id")]
    return next(iter(by_uuid + by_id), None)


def source_of(
    text: str,
    widget: RequestWidget | None,
    query: CopilotRequest,
    name: str = "",
    key: str = "context",
) -> TableSource | None:
    """Return a table from a text that contains rows as JSON or CSV, or None for any other text.

    key: the id of the table if it belongs to no widget; it must differ from those of other tables.
    """
    rows = read_rows(text)
    if not rows:
        return None
    uuid = widget.uuid if widget else key
    try:
        table = table_from_rows(rows, source=uuid)
    except KernelError:
        return None
    called = widget.name if widget else name or "the data"
    symbols = [str(v) for v in (widget.metadata if widget else {}).values() if isinstance(v, str)]
    description = widget.description if widget else ""
    return TableSource(profile(table, called, description, symbols), widget, table)


def read_rows(text: str) -> list[dict[str, Any]]:
    """Return the rows in a text; empty if the text contains no table."""
    try:
        value: Any = json.loads(text)
        if isinstance(value, str):
            value = json.loads(value)
    except (ValueError, RecursionError):
        return read_csv(text)
    if holds_nothing(value):
        return []
    if is_partial(value):
        return []  # a number that is computed from part of a table would be wrong
    if isinstance(value, dict):
        lists = [v for v in cast("dict[str, Any]", value).values() if is_table(v)]
        value = lists[0] if len(lists) == 1 else [value]
    return cast("list[dict[str, Any]]", value) if is_table(value) else []


def is_partial(value: Any) -> bool:
    """Return whether JSON contains only the first rows of a longer table, with a note that says
    this.
    """
    if not isinstance(value, dict):
        return False
    held = cast("dict[str, Any]", value)
    return (
        set(held) == {"note", "rows"} and isinstance(held["note"], str) and is_table(held["rows"])
    )


def sent_in_part(turn: OpenTurn) -> bool:
    """Return whether only a part of a table was sent for the open question."""
    for call, result in turn.pairs:
        if call.function in ("get_widget_data", "get_extra_widget_data") and not result.failed:
            for text in result.texts:
                with suppress(ValueError, RecursionError):
                    if is_partial(json.loads(text)):
                        return True
    return False


def is_empty(text: str) -> bool:
    """Return whether a text is empty: it has no characters except spaces, or it is JSON that
    contains only empty values.
    """
    if not text.strip():
        return True
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return holds_nothing(value)


def holds_nothing(value: Any) -> bool:
    """Return whether a JSON value contains only empty values."""
    if isinstance(value, str):
        return not value.strip() or (value.strip()[:1] in ("[", "{") and is_empty(value))
    if isinstance(value, list):
        return all(holds_nothing(one) for one in cast("list[Any]", value))
    if isinstance(value, dict):
        return all(holds_nothing(one) for one in cast("dict[str, Any]", value).values())
    return value is None


def read_csv(text: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV text; empty if its lines do not all have the same number of
    fields.
    """
    lines = text.strip().splitlines()
    if len(lines) < 2 or "," not in lines[0]:
        return []
    try:
        rows = list(csv.reader(io.StringIO(text.strip())))
    except csv.Error:  # an unclosed quotation mark, or a NUL character
        return []
    if any(len(row) != len(rows[0]) for row in rows):
        return []
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def is_table(value: Any) -> bool:
    """Return whether a value is a list of objects."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, dict) for row in cast("list[Any]", value))
    )
