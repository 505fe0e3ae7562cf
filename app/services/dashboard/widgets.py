"""Open, attach and show widgets, and show the progress of files that are being read.

The description of a widget's table in a request, and the spreadsheet addresses of its cited cells.
"""

from __future__ import annotations

import asyncio
import uuid
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.data.documents import document_kind
from app.data.readers.parts import TableRef, file_name, name_of
from app.data.tables import stamp_of, uuid_of
from app.data.views import numbers, time_columns
from app.domain.copilot import OfferedParam, OfferedWidget
from app.domain.dashboard import ColumnSeries, Widget
from app.domain.errors import DeskpilotError, ReadingStopped, SourceError, UnknownWidget
from app.domain.events import Citations
from app.openbb.content import kind_of
from backends.data.computation import Computation

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from app.data.sources import Sources
    from app.data.tables import OpenTable
    from app.domain.events import CellRef, Event
    from app.services.ports import StorePort
    from backends.data.values import Profile


def with_addresses(item: Event, sources: Sources) -> Event:
    """Return citations with the addresses of cells in an open workbook. Any other item is returned
    unchanged.
    """
    if not isinstance(item, Citations):
        return item
    made = [
        (
            replace(one, cell=located(one.cell, sources.opened(one.widget)))
            if one.cell is not None
            else one
        )
        for one in item.citations
    ]
    return Citations(made)


def located(cell: CellRef, source: OpenTable | None) -> CellRef:
    """Return a cell with its address, if it refers to the version of a sheet that is open."""
    if source is None or source.sheet is None or source.table.hash != cell.source_hash:
        return cell
    names = [column.name for column in source.table.columns]
    if cell.column not in names or not 0 <= cell.row < source.profile.rows:
        return cell
    last = cell.last if cell.last is not None and cell.last < source.profile.rows else None
    return replace(cell, address=source.sheet.address(names.index(cell.column), cell.row, last))


VIEWS = ("chart", "figures")  # views that show data from a table
COLUMNS = 20  # maximum number of columns that are listed in a description


def document_at(path: Path, uid: str, kind: str) -> Widget:
    """Return the widget for a file that is not a table.

    Raises: SourceError.
    """
    path = path.expanduser().absolute()
    stamp_of(path)
    return Widget(uid, name_of(path), str(path), type=kind)


def was_read(widget: Widget) -> bool:
    """Return whether there is data to open. Data that a backend never sent does not count as
    missing.
    """
    return not widget.backend or TableRef.of(Path(widget.path)).file.is_file()


def may_be_read(widget: Widget) -> bool:
    """Return whether a widget's own file is a table, or may contain points or figures like one."""
    return widget.type == "table" or kind_of(widget.type).tabular


def holds_rows(widget: Widget) -> bool:
    """Return whether a widget can be queried as a table, either its own table or the one whose data
    it shows.
    """
    return may_be_read(widget) or widget.type in VIEWS


def as_document(widget: Widget) -> OfferedWidget:
    """Return a widget that is not a table, or whose table is unknown, in the form used in a
    request.
    """
    if widget.type == "library":
        about = (
            widget.description
            or "A library of documents; its data are the passages that fit a query."
        )
        query = OfferedParam("query", "text", "What is looked for.")
        kind = {"kind": widget.type}
        return OfferedWidget(widget.uuid, widget.name, about, params=(query,), metadata=kind)
    about = widget.description or f"A {widget.type} of the dashboard."
    is_searched = kind_of(widget.type).passages and not widget.backend
    kind = {"kind": widget.type} if is_searched else {}
    return OfferedWidget(widget.uuid, widget.name, about, metadata=kind)


def as_table(widget: Widget, profile: Profile) -> OfferedWidget:
    """Return a widget with the description of its table, in the form used in a request."""
    columns = ", ".join(c.name for c in profile.columns[:COLUMNS])
    what = "table" if widget.type in ("table", *VIEWS) else f"{widget.type} drawn from a table"
    about = widget.description or f"A {what} of {profile.rows:,} rows: {columns}"
    metadata = {"rows": profile.rows, "profile": profile.model_dump(mode="json")}
    return OfferedWidget(widget.uuid, widget.name, about, metadata=metadata)


SHOWN_AFTER = 0.15  # seconds


def bytes_of(widget: Widget) -> int:
    """Return the size of a widget's file, or 0 if the file is missing, which is reported soon
    afterwards."""
    path = TableRef.of(Path(widget.path)).file
    return path.stat().st_size if path.is_file() else 0


@dataclass(eq=False)
class Arrival:
    """A file that the user attached and that is still being read. attach: whether its tables are
    sent with questions. It is False once another chat is open.
    """

    file: Path
    attach: bool = True


class Widgets:
    """The widgets of the dashboards, in order. Subscribers are called when they change.

    errors: why some widgets cannot be read. opening: the widgets whose files are being read.
    arriving: the attached files whose tables are not all open yet.
    """

    def __init__(self, sources: Sources, store: StorePort) -> None:
        self.sources = sources
        self._store = store
        self._widgets: dict[str, Widget] = {}
        self._listeners: list[Callable[[], None]] = []
        self.errors: dict[str, DeskpilotError] = {}
        self.opening: set[str] = set()
        self.arriving: list[Arrival] = []
        self.readings = Readings(sources.add_file)
        self._idle = asyncio.Event()
        self._placed: dict[str, Widget] = {}  # from the last session, not read yet
        self._restored = (
            False  # nothing is saved until then, because shell commands have no dashboard
        )

    def all(self) -> list[Widget]:
        """Return the widgets in order."""
        return list(self._widgets.values())

    def get(self, uid: str) -> Widget:
        """Return a widget.

        Raises: UnknownWidget.
        """
        if uid not in self._widgets:
            raise UnknownWidget("There is no such widget.", "Attach the file again.")
        return self._widgets[uid]

    def __contains__(self, uid: object) -> bool:
        """Return whether there is a widget with this uuid."""
        return uid in self._widgets

    def uuid_of_file(self, path: Path) -> str:
        """Return the uuid of the widget for a file, even if it was opened through another path. If
        there is no such widget, return a new uuid.
        """
        uid, whole = uuid_of(path), path.resolve()
        if uid in self._widgets:
            return uid
        files = [widget for widget in self.all() if widget.path]
        return next((w.uuid for w in files if Path(w.path).resolve() == whole), uid)

    def is_open(self, uid: str) -> bool:
        """Return whether a widget is a table that has been read, or shows data from one."""
        table = self.get(uid).table
        return table in self.sources and table not in self.errors and table not in self.opening

    def attached(self) -> list[Widget]:
        """Return the widgets that are sent with questions."""
        return [w for w in self._widgets.values() if w.attached]

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change."""
        self._listeners.append(listener)

    async def restore(self) -> None:
        """Open the widgets from the last session. Those whose files are missing keep their place
        and show why they are empty.
        """
        await self.place()
        await self.read_placed()

    async def place(self) -> None:
        """Place the widgets from the last session. `read_placed` reads their files."""
        added, stored = dict(self._widgets), await self._store.widgets()
        self._restored = True
        self._widgets = {w.uuid: w for w in stored} | self._widgets
        tables = [w for w in stored if may_be_read(w) and w.uuid not in added and was_read(w)]
        self._placed = {w.uuid: w for w in tables}
        self.opening.update(w.uuid for w in tables if w.type == "table")
        self._changed()
        if added:
            await self._save()

    async def read_placed(self) -> None:
        """Read the files from the last session. Those sent with questions come first, and smaller
        files come before larger ones.
        """
        sizes = await asyncio.to_thread(lambda: {u: bytes_of(w) for u, w in self._placed.items()})
        while self._placed:
            uid = min(self._placed, key=lambda u: (not self._is_attached(u), sizes[u]))
            widget = self._placed.pop(uid)
            if uid not in self._widgets:
                self._opened(uid)
                continue
            try:
                await self._open(widget)
            except DeskpilotError as error:
                if uid in self._widgets:
                    self.errors[uid] = error
            finally:
                self._opened(uid)
            self._changed()
        await asyncio.to_thread(self.sources.tidy)

    def _is_attached(self, uid: str) -> bool:
        return uid in self._widgets and self._widgets[uid].attached

    async def add_file(self, path: Path, *, attach: bool = True) -> Widget:
        """Open a file as a widget. A file that is already open is read again if it has changed.

        If this takes a long time, the widget is shown as being opened in the meantime. Raises:
        SourceError.
        """
        uid = uuid_of(path)
        if (kind := await asyncio.to_thread(document_kind, path)) is not None:
            return await self._add_document(path, uid, kind, attach=attach)
        try:
            source = await self._read(path, uid, attach=attach)
        except ReadingStopped:
            await self._save()  # it may already have been saved with its place
            raise
        self._opened(uid)
        widget = self._widgets.get(uid) or Widget(uid, source.profile.name, str(source.path))
        name = (
            source.profile.name if source.copy else widget.name
        )  # the description says how much of a table was copied
        made = replace(widget, name=name, attached=attach or widget.attached)
        self._widgets[uid] = made
        self.errors.pop(uid, None)
        await self._save()  # it may have been removed in the meantime
        return made

    async def add_library(self, name: str, path: str = "", *, attach: bool = True) -> Widget:
        """Attach a document library by name, or a folder by path."""
        uid = str(uuid.uuid5(uuid.NAMESPACE_URL, f"deskpilot:library:{path or name}"))
        widget = self._widgets.get(uid) or Widget(uid, name, path, type="library", text=name)
        made = self._widgets[uid] = replace(widget, attached=attach or widget.attached)
        await self._save()
        return made

    async def _add_document(self, path: Path, uid: str, kind: str, *, attach: bool) -> Widget:
        widget = self._widgets.get(uid) or await asyncio.to_thread(document_at, path, uid, kind)
        made = self._widgets[uid] = replace(widget, attached=attach or widget.attached)
        await self._save()
        return made

    async def _read(self, path: Path, uid: str, *, attach: bool) -> OpenTable:
        reading = asyncio.ensure_future(self.readings.read(path, uid))
        with ExitStack() as failed:
            failed.callback(self._never_opened, uid)
            failed.callback(reading.cancel)
            done, _ = await asyncio.wait({reading}, timeout=SHOWN_AFTER)
            if not done and uid not in self._widgets:
                self._widgets[uid] = Widget(uid, name_of(path), str(path), attached=attach)
                self.opening.add(uid)
                self._changed()
            source = await reading
            failed.pop_all()
            return source

    def _never_opened(self, uid: str) -> None:
        if uid in self.opening:
            self._widgets.pop(uid, None)
            self._opened(uid)
            self._changed()

    @contextmanager
    def arrivals(self, files: Iterable[Path]) -> Generator[dict[Path, Arrival]]:
        """Announce files before they are read, so that questions wait for all their tables. Files
        that have not `arrived` by the end of the block are no longer waited for.
        """
        made = {file: Arrival(file) for file in files}
        self.arriving += made.values()
        self._changed()
        try:
            yield made
        finally:
            for arrival in made.values():
                self.arrived(arrival)

    def arrived(self, arrival: Arrival) -> None:
        """Report that all tables in a file are open, or that the file is no longer being read."""
        if arrival in self.arriving:
            self.arriving.remove(arrival)
            self._idle.set()
            self._changed()

    def stop_arrival(self, arrival: Arrival) -> None:
        """Stop reading a file. Its tables that are already open stay open."""
        self.arrived(arrival)
        for uid in list(self.opening):
            if uid in self and TableRef.of(Path(self.get(uid).path)).file == arrival.file:
                self.readings.stop(uid)

    def reading(self) -> list[str]:
        """Return the names of the files that are sent with questions and are still being read."""
        files = [arrival.file for arrival in self.arriving if arrival.attach]
        placed = [uid for uid in self.opening if self._is_attached(uid)]
        files += [TableRef.of(Path(self._widgets[uid].path)).file for uid in placed]
        return list(dict.fromkeys(file.name for file in files))

    async def opened(self) -> None:
        """Wait until no file is being opened."""
        while self.opening:
            self._idle.clear()
            await self._idle.wait()

    async def attached_opened(self) -> None:
        """Wait until no file that is sent with questions is being read."""
        while self.reading():
            self._idle.clear()
            await self._idle.wait()

    async def _open(self, widget: Widget) -> None:
        """Read a widget's table. A chart or key figures may have none."""
        try:
            await self.readings.read(Path(widget.path), widget.uuid)
        except SourceError:
            if widget.type == "table":
                raise
            self.sources.close(widget.uuid)

    async def reread(self, uids: list[str]) -> None:
        """Read the tables of these widgets again if their files have changed.

        Raises: SourceError if one is no longer a table.
        """
        for table in dict.fromkeys(self.get(uid).table for uid in uids if self.is_open(uid)):
            await asyncio.to_thread(self.sources.source, table)

    def _opened(self, uid: str) -> None:
        self.opening.discard(uid)
        self._idle.set()

    async def add_view(self, view: Widget) -> Widget:
        """Plot columns of a table in their own tile, as specified by the view's fields. The view
        gets a uuid and the table's path.
        """
        view = replace(view, uuid=uuid.uuid4().hex, path=self.get(view.of).path)
        self._widgets[view.uuid] = view
        await self._save()
        return view

    async def add(self, widget: Widget) -> None:
        """Add a complete widget, which keeps its uuid."""
        self._widgets[widget.uuid] = widget
        await self._save()

    async def change(self, widget: Widget) -> None:
        """Replace a widget with another version."""
        self._widgets[self.get(widget.uuid).uuid] = widget
        await self._save()

    async def describe(self, uid: str, about: str) -> Widget:
        """Set the description of a widget, and return the widget."""
        await self.change(replace(self.get(uid), description=about))
        return self.get(uid)

    async def fetched(self, widget: Widget) -> None:
        """Load the content that was fetched for a widget.

        Raises: SourceError, which the widget also shows.
        """
        self._widgets[self.get(widget.uuid).uuid] = widget
        self.errors.pop(widget.uuid, None)
        try:
            if may_be_read(widget):
                await self._open(widget)
        except DeskpilotError as error:
            self.errors[widget.uuid] = error
            raise
        finally:
            await self._save()

    async def failed(self, uid: str, error: DeskpilotError) -> None:
        """Show in a widget why it has no data, and do not send it with questions until it has
        some.
        """
        self.errors[uid] = error
        self._changed()

    def drawable(self, uid: str) -> list[str]:
        """Return the columns of a table that can be plotted over time."""
        profile = self.profile(uid)
        return numbers(profile) if time_columns(profile) else []

    async def series(self, uid: str) -> list[ColumnSeries]:
        """Return the data of a chart or of key figures.

        Raises: UnknownWidget, SourceError.
        """
        widget = self.get(uid)
        if (error := self.errors.get(widget.table)) is not None:
            raise error

        def read() -> list[ColumnSeries]:
            return [self.sources.series(widget.table, column) for column in widget.columns]

        return await asyncio.to_thread(read)

    def profile(self, uid: str) -> Profile:
        """Return the profile of a widget's table.

        Raises: UnknownWidget, SourceError.
        """
        return self.sources.source(self.get(uid).table).profile

    async def attach(self, uid: str, *, attached: bool) -> None:
        """Attach a table to questions, or detach it. If the widget is a chart, this applies to its
        table.
        """
        table = self.get(self.get(uid).table)
        self._widgets[table.uuid] = replace(table, attached=attached)
        await self._save()

    async def attach_some(self, chosen: dict[str, bool]) -> None:
        """Attach or detach tables by uuid. The others are unchanged."""
        here = {w.uuid for w in self.attached()}
        wanted = {uid for uid, attached in chosen.items() if attached}
        await self.attach_only((here - chosen.keys()) | wanted)

    async def attach_only(self, uids: set[str]) -> None:
        """Attach these widgets and no others."""
        changed = [w for w in self.all() if w.attached != (w.uuid in uids)]
        self._widgets |= {w.uuid: replace(w, attached=w.uuid in uids) for w in changed}
        if changed:
            await self._save()

    async def remove(self, uid: str) -> list[Widget]:
        """Remove a widget and the widgets that show its data. Its file stays. Return the removed
        widgets.

        If its file is still being read, that is cancelled.
        """
        taken = [w for w in self.all() if uid in (w.uuid, w.of)]
        self._widgets = {w.uuid: w for w in self.all() if uid not in (w.uuid, w.of)}
        for widget in taken:
            self.readings.stop(widget.uuid)
            self._opened(widget.uuid)
        self.errors.pop(uid, None)
        await self._save()
        return taken

    async def put_back(self, widgets: list[Widget]) -> None:
        """Restore widgets that were removed."""
        self._widgets |= {w.uuid: w for w in widgets if w.uuid not in self._widgets}
        for widget in widgets:
            if may_be_read(widget):
                try:
                    await self._open(widget)
                except DeskpilotError as error:
                    self.errors[widget.uuid] = error
        await self._save()

    def offered(self, uids: list[str]) -> list[OfferedWidget]:
        """Return widgets in the form used in a request, with the profile in the metadata."""
        made: list[OfferedWidget] = []
        for widget in map(self.get, uids):
            if holds_rows(widget) and self.is_open(widget.uuid):
                made.append(as_table(widget, self.sources.source(widget.table).profile))
            elif widget.type not in VIEWS and widget.type != "table":
                made.append(as_document(widget))
        return made

    def tell(self) -> None:
        """Notify the listeners that the places of widgets have changed."""
        self._changed()

    async def _save(self) -> None:
        if self._restored:
            await self._store.save_widgets(self.all())
        self._changed()

    def _changed(self) -> None:
        self.sources.set_documents([w for w in self.all() if w.type not in ("table", *VIEWS)])
        for listener in self._listeners:
            listener()


class Readings:
    """Reads files in threads. read: the function that reads one file."""

    def __init__(self, read: Callable[[Path], OpenTable]) -> None:
        self._read = read
        self._running: dict[str, tuple[Computation, asyncio.Future[OpenTable]]] = {}

    def far(self, uid: str) -> float | None:
        """Return the share of a file that has been read, from 0 to 1, or None if it is not being
        read."""
        running = self._running.get(uid)
        return running[0].progress() if running is not None else None

    def stop(self, uid: str) -> bool:
        """Stop reading a file, and return whether it was being read."""
        running = self._running.get(uid)
        if running is None:
            return False
        running[0].stop()
        running[1].cancel()
        return True

    async def read(self, path: Path, uid: str) -> OpenTable:
        """Read a file. If this is cancelled or stopped, the reading thread ends soon and its result
        is discarded.

        Raises: ReadingStopped, SourceError.
        """
        work = Computation()
        reading = asyncio.ensure_future(asyncio.to_thread(work.run, self._read, path))
        self._running[uid] = mine = (work, reading)
        try:
            return await reading
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not work.is_stopped or (task is not None and task.cancelling()):
                work.stop()
                raise
            raise ReadingStopped(
                f"Stopped reading {file_name(path)}; nothing was saved.",
                "Attach it again to read it.",
            ) from None
        finally:
            if self._running.get(uid) is mine:
                del self._running[uid]
