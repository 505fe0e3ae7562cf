"""Widgets from backends. They are placed, fetched and refreshed with their own or shared
parameters, and can be used offline.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.tables import uuid_of
from app.domain.dashboard import Widget
from app.domain.errors import DeskpilotError
from app.openbb.content import json_of
from app.openbb.parameters import ParameterOption, filled, needed, plain, read_options
from app.services.dashboard.fetches import THEMED, Fetch, Timers, is_old, now, read_widget, wait_for
from app.services.dashboard.snapshots import (
    file_name,
    keep_if_fits,
    remove_others,
    write,
    write_text,
)
from app.services.dashboard.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.openbb.columns import Click
    from app.openbb.content import Content
    from app.openbb.parameters import Param
    from app.openbb.widgets import Spec
    from app.services.dashboard.backends import Backends
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Tasks


class SharedValues:
    """The parameters that widgets share."""

    def __init__(self, widgets: Widgets, live: Live) -> None:
        self._widgets, self._live = widgets, live

    async def click(self, uid: str, click: Click, value: Any, beside: list[str]) -> int:
        """Set a parameter in the widgets to which a click applies, which are the clicked widget's
        group or the widgets beside it. Return how many there are.

        Raises: UnknownWidget.
        """
        having = [one for one in beside if one in self._widgets and self._has(one, click.param)]
        found = targets(self._widgets.all(), self._widgets.get(uid), click.param, having)
        for one in found:
            if click.force or plain(self._live.values(one.uuid).get(click.param)) != plain(value):
                await self._live.set_own(one.uuid, click.param, value)
        return len(found)

    async def link(self, uids: list[str], name: str) -> None:
        """Share a parameter between widgets, with its value in the first one.

        Raises: UnknownWidget.
        """
        for one in joined([self._widgets.get(uid) for uid in uids], name):
            await self._widgets.change(one)
        param = next(p for p in self._live.spec(uids[0]).params if p.name == name)
        await self._live.set_value(
            uids[0], name, self._widgets.get(uids[0]).values.get(name, param.value)
        )

    async def unlink(self, uid: str, name: str) -> None:
        """Stop sharing a parameter of a widget.

        Raises: UnknownWidget.
        """
        await self._widgets.change(parted(self._widgets.get(uid), name))

    def possible(self, uid: str, name: str, beside: list[str]) -> list[Widget]:
        """Return those of the given widgets that could share a parameter with a certain widget
        because they have it, too.
        """
        return [self._widgets.get(one) for one in beside if one != uid and self._has(one, name)]

    def of(self, uid: str, name: str) -> list[Widget]:
        """Return the other widgets that share a parameter with a widget."""
        return linked(self._widgets.all(), self._widgets.get(uid), name)

    def _has(self, uid: str, name: str) -> bool:
        return self._live.has(self._widgets.get(uid), name)


AT_ONCE = 8  # maximum number of widgets fetched at the same time


class Live:
    """Fetches the widgets of backends. Subscribers are called with the uuid of a widget that
    changed.

    folder: the folder for the last fetched data.
    """

    def __init__(self, widgets: Widgets, backends: Backends, tasks: Tasks, folder: Path) -> None:
        self.backends = backends
        self._widgets, self._tasks, self.folder = widgets, tasks, folder
        self._fetches: dict[str, Fetch] = {}
        self._listeners: list[Callable[[str], None]] = []
        self._shown: frozenset[str] = frozenset()
        self._theme = ""
        self.sharing = SharedValues(widgets, self)
        self.streams = Streams(backends, tasks, self._take_in)
        self.timers = Timers(self._due)
        self._room = asyncio.Semaphore(AT_ONCE)

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Call `listener` after each change."""
        self._listeners.append(listener)

    def wear(self, theme: str) -> None:
        """Set the theme for backends, light or dark. When it changes, visible charts are fetched
        again.
        """
        turned, self._theme = bool(self._theme) and theme != self._theme, theme
        for uid in self._shown if turned else ():
            spec = self.backends.spec_or_none(self._widgets.get(uid))
            if spec is not None and spec.type in THEMED and not spec.run_button:
                self.fetch(uid)

    def state(self, uid: str) -> Fetch:
        """Return the state of a widget's data."""
        made = self._fetches.get(uid)
        if made is None:
            path = Path(self._widgets.get(uid).path)
            made = self._fetches[uid] = Fetch(path.stat().st_mtime if path.is_file() else None)
        return made

    def spec(self, uid: str) -> Spec:
        """Return the backend's description of a widget.

        Raises: UnknownWidget.
        """
        widget = self._widgets.get(uid)
        return self.backends.spec(widget.backend, widget.widget_id)

    def is_stale(self, uid: str) -> bool:
        """Return whether a widget's data is so old that its backend wants it to be marked as
        stale.
        """
        at = self.state(uid).at
        return at is not None and is_old(self.spec(uid), at, now())

    def make(self, backend_id: str, widget_id: str, values: dict[str, Any] | None = None) -> Widget:
        """Return a new widget from a backend, which `begin` then shows. Parameters that it does not
        have are ignored.

        Raises: UnknownWidget.
        """
        spec = self.backends.spec(backend_id, widget_id)
        path = self.folder / uuid.uuid4().hex / f"{file_name(spec.name)}.json"
        known = {p.name for p in spec.params}
        return Widget(
            uuid_of(path),
            spec.name,
            str(path),
            spec.description,
            spec.type,
            backend=backend_id,
            widget_id=widget_id,
            values={k: v for k, v in (values or {}).items() if k in known},
        )

    async def begin(self, widget: Widget) -> None:
        """Show a widget and start to fetch it, unless it is run with a button."""
        await self._widgets.add(widget)
        if not self.spec(widget.uuid).run_button:
            self.fetch(widget.uuid)

    async def clean(self) -> None:
        """Remove the data of widgets that are gone. Call this once all widgets are loaded."""
        kept = {Path(w.path).parent.name for w in self._widgets.all()}
        await asyncio.to_thread(remove_others, self.folder, kept)

    def write_outside(self, text: str) -> Path:
        """Write text to a file that another program can open, and return its path."""
        return write_text(self.folder / "outside.json", text)

    async def set_value(self, uid: str, name: str, value: Any) -> None:
        """Set a parameter in all widgets that share it. Dependent options are read again. The data
        is also read again, unless the widget is run with a button.

        Raises: UnknownWidget.
        """
        widget = self._widgets.get(uid)
        for one in (widget, *linked(self._widgets.all(), widget, name)):
            if one is widget or self.has(one, name):
                await self.set_own(one.uuid, name, value)

    def has(self, widget: Widget, name: str) -> bool:
        """Return whether a widget has a parameter."""
        spec = self.backends.spec_or_none(widget)
        return spec is not None and any(p.name == name for p in spec.params)

    async def set_own(self, uid: str, name: str, value: Any) -> None:
        """Set a parameter of one widget only, even if it is shared.

        Raises: UnknownWidget.
        """
        widget, spec = self._widgets.get(uid), self.spec(uid)
        many = any(p.name == name and p.many for p in spec.params) and value is not None
        values = {**widget.values, name: [value] if many and not isinstance(value, list) else value}
        for param in spec.params:
            if name in param.needs:
                self.state(uid).options.pop(param.name, None)
                values.pop(param.name, None)  # the old value was chosen from other options
        await self._widgets.change(replace(widget, values=values))
        self._tell(uid)
        if not spec.run_button:
            self.fetch(uid)

    async def options(self, uid: str, name: str) -> tuple[ParameterOption, ...]:
        """Return the options of a parameter, read from the backend unless the parameter's
        description lists them.

        Raises: UnknownWidget, BackendError, SecretsError.
        """
        param = next(p for p in self.spec(uid).params if p.name == name)
        known = self.state(uid).options.get(name)
        if known is None and param.endpoint and not param.options:
            widget = self._widgets.get(uid)
            query = needed(param, self.values(uid))
            reply = await self.backends.fetch(widget.backend, param.endpoint, query)
            known = self.state(uid).options[name] = read_options(json_of(reply))
        return known if known is not None else param.options

    def values(self, uid: str) -> dict[str, Any]:
        """Return the current parameters of a widget as they are sent."""
        return filled(self.spec(uid).params, self._widgets.get(uid).values, now())

    async def submit(self, uid: str, form: Param, values: dict[str, Any]) -> None:
        """Send a form, then fetch the widget again.

        Raises: UnknownWidget, BackendError, SecretsError.
        """
        widget = self._widgets.get(uid)
        pressed = {
            p.name: values[p.name] for p in form.inputs if p.kind == "button" and p.name in values
        }
        body = filled(form.inputs, values, now()) | pressed
        await self.backends.fetch(
            widget.backend, form.endpoint, {}, body | {"widget_id": widget.widget_id}
        )
        self.fetch(uid)

    def fetch(self, uid: str) -> None:
        """Fetch a widget in its own task. A fetch that is in progress is restarted."""
        self._tasks.start(f"fetch {uid}", self.refresh(uid))

    def show(self, uids: list[str]) -> None:
        """Set which widgets are visible. Visible ones that are out of date are fetched, and hidden
        ones wait until they are visible.
        """
        again = frozenset(uids) - self._shown
        self._shown = frozenset(uids)
        self.streams.keep(self._shown)
        for uid in self._fetches.keys() - self._shown:
            self.timers.stop(uid)
        for uid in uids:
            if self._widgets.get(uid).backend and uid not in self._fetches:
                self._first(uid)
            elif uid not in self._fetches:  # the widget of a file
                continue
            elif uid in again and self._fetches[uid].run is None and self._has_socket(uid):
                self.fetch(uid)
            elif not self.timers.runs(uid):
                self._schedule(uid)

    def _has_socket(self, uid: str) -> bool:
        spec = self.backends.spec_or_none(self._widgets.get(uid))
        return spec is not None and bool(spec.socket)

    def _first(self, uid: str) -> None:
        state = self.state(uid)
        try:
            spec = self.spec(uid)
        except DeskpilotError as error:
            state.error = error
            return
        if not spec.run_button and (state.at is None or spec.socket or self.is_stale(uid)):
            self.fetch(uid)
        else:
            self._schedule(uid)

    async def refresh(self, uid: str) -> None:
        """Fetch a widget's data. An error is saved in the widget's state and reported to the
        listeners.
        """
        state, run = self.state(uid), object()
        state.run = run
        self._tell(uid)
        try:
            async with self._room:
                await self._refresh(uid)
            state.error = None
        except DeskpilotError as error:
            state.error = error
        finally:
            if state.run is run:  # otherwise it was restarted
                state.run = None
            if uid in self._widgets:
                self._schedule(uid)
                self._tell(uid)

    async def read(self, uid: str, values: dict[str, Any]) -> Content:
        """Return the content of a widget for some parameters, without changing the widget.

        Raises: UnknownWidget, BackendError, SecretsError.
        """
        widget, order = self._widgets.get(uid), self.state(uid).order
        kinds = (
            {c.name: c.kind for c in self._widgets.profile(uid).columns} if order.filters else {}
        )
        return await read_widget(
            self.backends,
            widget.backend,
            widget.widget_id,
            values,
            now(),
            order,
            kinds,
            self._theme,
        )

    async def read_widget(self, backend: str, widget_id: str, values: dict[str, Any]) -> Content:
        """Return the content of a backend's widget for some parameters.

        Raises: UnknownWidget, BackendError, SecretsError.
        """
        return await read_widget(
            self.backends, backend, widget_id, values, now(), theme=self._theme
        )

    async def _refresh(self, uid: str) -> None:
        widget = self._widgets.get(uid)
        path = Path(widget.path)
        try:
            content = await self.read(uid, widget.values)
        except DeskpilotError as error:
            if not await asyncio.to_thread(keep_if_fits, path, self.values(uid)):
                self.state(uid).at = None
                await self._widgets.failed(uid, error)
            raise
        await self._take_in(uid, content)
        self._hear(uid, content)

    async def _take_in(self, uid: str, content: Content) -> None:
        """Save new data of a widget."""
        if uid not in self._widgets:
            return
        await asyncio.to_thread(write, Path(self._widgets.get(uid).path), content, self.values(uid))
        self.state(uid).at, self.state(uid).total = time.time(), content.total
        await self._widgets.fetched(replace(self._widgets.get(uid), type=content.type))
        self._tell(uid)

    def _hear(self, uid: str, content: Content) -> None:
        spec = self.spec(uid)
        if spec.socket and spec.row_id and content.type == "table" and uid in self._shown:
            self.streams.follow(
                uid, self._widgets.get(uid).backend, spec, self.values(uid), content.value
            )

    def _schedule(self, uid: str) -> None:
        spec, state = self.backends.spec_or_none(self._widgets.get(uid)), self.state(uid)
        seen = spec is not None and uid in self._shown
        failed = state.error is not None
        self.timers.start(
            uid, wait_for(spec, state.at, now(), failed=failed) if spec and seen else None
        )

    def _due(self, uid: str) -> None:
        spec = self.backends.spec_or_none(self._widgets.get(uid)) if uid in self._widgets else None
        if spec is None or uid not in self._shown:
            return
        at = self.state(uid).at
        if not spec.cron or at is None or is_old(spec, at, now()):
            self.fetch(uid)
        else:  # the wait was interrupted
            self._schedule(uid)

    def end(self) -> None:
        """Stop fetching automatically."""
        self.timers.end()
        self.streams.end()

    def _tell(self, uid: str) -> None:
        for listener in self._listeners:
            listener(uid)


def linked(widgets: Iterable[Widget], widget: Widget, param: str) -> list[Widget]:
    """Return the other widgets of the group with which a widget shares a parameter."""
    group = widget.links.get(param)
    if group is None:
        return []
    return [w for w in widgets if w.uuid != widget.uuid and w.links.get(param) == group]


def targets(
    widgets: Iterable[Widget], widget: Widget, param: str, beside: Iterable[str]
) -> list[Widget]:
    """Return the widgets in which a click in one widget sets a parameter.

    These are the widgets in its group. Without a group, they are the widgets beside it that share
    the parameter with any other widget or, if there are none, all widgets beside it. beside: the
    uuids of the widgets on its dashboard that have the parameter.
    """
    known = {w.uuid: w for w in widgets}
    group = linked(known.values(), widget, param)
    if group:
        return [widget, *group]
    others = [known[uid] for uid in beside if uid in known and uid != widget.uuid]
    return [w for w in others if param in w.links] or others


def joined(widgets: Iterable[Widget], param: str) -> list[Widget]:
    """Return widgets changed so that they share a parameter. If some of them already belong to a
    group, it is kept.
    """
    found = list(widgets)
    group = next((w.links[param] for w in found if param in w.links), uuid.uuid4().hex[:8])
    return [replace(w, links=w.links | {param: group}) for w in found]


def parted(widget: Widget, param: str) -> Widget:
    """Return a widget that no longer shares a parameter."""
    return replace(
        widget, links={name: group for name, group in widget.links.items() if name != param}
    )
