"""Widgets of backends: placed, fetched, fetched again in time, with their parameters, alone or
shared; usable offline after that.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.sources import uuid_of
from app.domain.errors import DeskpilotError
from app.domain.widget import Widget
from app.domain.widget_content import json_of
from app.domain.widget_params import Option, filled, needed, plain, read_options
from app.services.dashboard.fetches import Fetch, Timers, is_old, now, read_widget, wait_for
from app.services.dashboard.links import joined, linked, parted, targets
from app.services.dashboard.snapshots import (
    file_name,
    keep_if_fits,
    remove_others,
    write,
    write_text,
)
from app.services.dashboard.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.column_look import Click
    from app.domain.widget_backend import Spec
    from app.domain.widget_content import Content
    from app.domain.widget_params import Param
    from app.services.dashboard.backends import Backends
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Tasks


class Sharing:
    """What widgets have in common."""

    def __init__(self, widgets: Widgets, live: Live) -> None:
        self._widgets, self._live = widgets, live

    async def click(self, uid: str, click: Click, value: Any, beside: list[str]) -> int:
        """Set a parameter of the widgets a click is meant for, of its group or beside it; return
        how many there are.

        Raises: UnknownWidget.
        """
        having = [one for one in beside if one in self._widgets and self._has(one, click.param)]
        found = targets(self._widgets.all(), self._widgets.get(uid), click.param, having)
        for one in found:
            if click.force or plain(self._live.values(one.uuid).get(click.param)) != plain(value):
                await self._live.set_own(one.uuid, click.param, value)
        return len(found)

    async def link(self, uids: list[str], name: str) -> None:
        """Let widgets share a parameter, with the value it has in the first.

        Raises: UnknownWidget.
        """
        for one in joined([self._widgets.get(uid) for uid in uids], name):
            await self._widgets.change(one)
        param = next(p for p in self._live.spec(uids[0]).params if p.name == name)
        await self._live.set_value(
            uids[0], name, self._widgets.get(uids[0]).values.get(name, param.value)
        )

    async def unlink(self, uid: str, name: str) -> None:
        """Let a widget share a parameter no more.

        Raises: UnknownWidget.
        """
        await self._widgets.change(parted(self._widgets.get(uid), name))

    def possible(self, uid: str, name: str, beside: list[str]) -> list[Widget]:
        """Return which of some widgets could share a parameter with one: those that have it."""
        return [self._widgets.get(one) for one in beside if one != uid and self._has(one, name)]

    def of(self, uid: str, name: str) -> list[Widget]:
        """Return the other widgets that share a parameter with one."""
        return linked(self._widgets.all(), self._widgets.get(uid), name)

    def _has(self, uid: str, name: str) -> bool:
        return self._live.has(self._widgets.get(uid), name)


AT_ONCE = 8  # widgets fetched at a time


class Live:
    """Fetches the widgets of backends. Subscribers are called with the uuid of one that changed.

    folder: where what was fetched last is kept.
    """

    def __init__(self, widgets: Widgets, backends: Backends, tasks: Tasks, folder: Path) -> None:
        self.backends = backends
        self._widgets, self._tasks, self.folder = widgets, tasks, folder
        self._fetches: dict[str, Fetch] = {}
        self._listeners: list[Callable[[str], None]] = []
        self._shown: frozenset[str] = frozenset()
        self.sharing = Sharing(widgets, self)
        self.streams = Streams(backends, tasks, self._take_in)
        self.timers = Timers(self._due)
        self._room = asyncio.Semaphore(AT_ONCE)

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Call `listener` after each change."""
        self._listeners.append(listener)

    def state(self, uid: str) -> Fetch:
        """Return how it stands with a widget."""
        made = self._fetches.get(uid)
        if made is None:
            path = Path(self._widgets.get(uid).path)
            made = self._fetches[uid] = Fetch(path.stat().st_mtime if path.is_file() else None)
        return made

    def spec(self, uid: str) -> Spec:
        """Return what the backend says of a widget.

        Raises: UnknownWidget.
        """
        widget = self._widgets.get(uid)
        return self.backends.spec(widget.backend, widget.widget_id)

    def is_stale(self, uid: str) -> bool:
        """Tell whether a widget's data are older than its backend wants them shown unmarked."""
        at = self.state(uid).at
        return at is not None and is_old(self.spec(uid), at, now())

    def make(self, backend_id: str, widget_id: str, values: dict[str, Any] | None = None) -> Widget:
        """Return a new widget of a backend; `begin` shows it. Parameters it does not have are left
        out.

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
        """Show a widget and begin to fetch it, if no button does that."""
        await self._widgets.add(widget)
        if not self.spec(widget.uuid).run_button:
            self.fetch(widget.uuid)

    async def clean(self) -> None:
        """Remove what was fetched for widgets that are gone; call it once all widgets are known."""
        kept = {Path(w.path).parent.name for w in self._widgets.all()}
        await asyncio.to_thread(remove_others, self.folder, kept)

    def write_outside(self, text: str) -> Path:
        """Write text where another program can open it; return where."""
        return write_text(self.folder / "outside.json", text)

    async def set_value(self, uid: str, name: str, value: Any) -> None:
        """Give a parameter a value, in all widgets that share it; what depended on it is fetched
        anew, and the data, if no button runs them.

        Raises: UnknownWidget.
        """
        widget = self._widgets.get(uid)
        for one in (widget, *linked(self._widgets.all(), widget, name)):
            if one is widget or self.has(one, name):
                await self.set_own(one.uuid, name, value)

    def has(self, widget: Widget, name: str) -> bool:
        """Tell whether a widget has a parameter."""
        spec = self.backends.spec_or_none(widget)
        return spec is not None and any(p.name == name for p in spec.params)

    async def set_own(self, uid: str, name: str, value: Any) -> None:
        """Give a parameter of one widget a value, whatever it shares.

        Raises: UnknownWidget.
        """
        widget, spec = self._widgets.get(uid), self.spec(uid)
        many = any(p.name == name and p.many for p in spec.params) and value is not None
        values = {**widget.values, name: [value] if many and not isinstance(value, list) else value}
        for param in spec.params:
            if name in param.needs:
                self.state(uid).options.pop(param.name, None)
                values.pop(param.name, None)  # it was chosen among others
        await self._widgets.change(replace(widget, values=values))
        self._tell(uid)
        if not spec.run_button:
            self.fetch(uid)

    async def options(self, uid: str, name: str) -> tuple[Option, ...]:
        """Return what a parameter may be, read from the backend if it is not in its description.

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
        """Return what a widget's parameters are now, as they are sent."""
        return filled(self.spec(uid).params, self._widgets.get(uid).values, now())

    async def submit(self, uid: str, form: Param, values: dict[str, Any]) -> None:
        """Send a form; after that the widget is fetched anew.

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
        """Fetch a widget in a task of its own; one that is under way begins anew."""
        self._tasks.start(f"fetch {uid}", self.refresh(uid))

    def show(self, uids: list[str]) -> None:
        """Tell which widgets can be seen: those that are old are fetched, the others wait until
        they are seen.
        """
        again = frozenset(uids) - self._shown
        self._shown = frozenset(uids)
        self.streams.keep(self._shown)
        for uid in self._fetches.keys() - self._shown:
            self.timers.stop(uid)
        for uid in uids:
            if self._widgets.get(uid).backend and uid not in self._fetches:
                self._first(uid)
            elif uid not in self._fetches:  # a file's
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
        """Fetch a widget's data; what goes wrong is kept in its state and told to the listeners."""
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
            if state.run is run:  # else it was begun anew
                state.run = None
            if uid in self._widgets:
                self._schedule(uid)
                self._tell(uid)

    async def read(self, uid: str, values: dict[str, Any]) -> Content:
        """Return what a widget would show with some parameters, without changing what it shows.

        Raises: UnknownWidget, BackendError, SecretsError.
        """
        widget, order = self._widgets.get(uid), self.state(uid).order
        kinds = (
            {c.name: c.kind for c in self._widgets.profile(uid).columns} if order.filters else {}
        )
        return await read_widget(
            self.backends, widget.backend, widget.widget_id, values, now(), order, kinds
        )

    async def read_widget(self, backend: str, widget_id: str, values: dict[str, Any]) -> Content:
        """Return what a widget of a backend shows with some parameters.

        Raises: UnknownWidget, BackendError, SecretsError.
        """
        return await read_widget(self.backends, backend, widget_id, values, now())

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
        """Keep what came as a widget's data."""
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
        else:  # the wait was cut short
            self._schedule(uid)

    def end(self) -> None:
        """Fetch nothing more by itself."""
        self.timers.end()
        self.streams.end()

    def _tell(self, uid: str) -> None:
        for listener in self._listeners:
            listener(uid)
