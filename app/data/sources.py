"""The open tables: each version is read once, profiled and queried. For copilots, a small table is
described by all of its rows, and a large table by the rows that best fit the question.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.documents import text_of
from app.data.library.entry import Note, noted
from app.data.library.library_file import usable
from app.data.tables import (
    OpenTable,
    read_source,
    stamp_of,
    uuid_of,
)
from app.data.views import series
from app.domain.errors import SourceError, UnknownWidget
from backends.data.arguments import read as read_arguments
from backends.data.compiler import QUERY, QueryArguments, query_sources, run_query
from backends.data.computation import part
from backends.data.interfaces import INTERFACES
from backends.data.table import ORDINAL, Table, quote
from backends.data.values import Result, Scalar
from backends.data.workflow.context import RunContext
from backends.data.workflow.report import WorkflowResult, told
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import OutputFrame, OutputSheet
from backends.data.workflow.summary import piece_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from app.data.library.entry import LibraryEntry
    from app.data.library.library_file import Library
    from app.data.tables import Looks
    from app.domain.dashboard import ColumnSeries, Widget
    from app.domain.database import TableCopy
    from backends.data.workflow.step import Workflow


WHOLE_ROWS, WHOLE_CHARACTERS, EXCERPT_ROWS = 200, 20_000, 20
# maximum number of words searched for; words that occur in a larger share of the rows than this are
# ignored
MOST_WORDS, OFTEN = 8, 0.2
WORD = re.compile(r"\d[\d.,-]*\d|\w{3,}|[\u3040-\u30ff\u4e00-\u9fff]{2,}")


def table_in_words(source: OpenTable, question: str = "") -> str:
    """Return a table as JSON. For a large table, add a note about the omitted rows and about how
    the others were chosen.
    """
    table, count = source.table, source.profile.rows
    if count <= WHOLE_ROWS:
        text = json.dumps(named(table, table.rows(0, WHOLE_ROWS)), ensure_ascii=False)
        if len(text) <= WHOLE_CHARACTERS:
            return text
    words, places = fitting(table, count, question)
    if places:
        listed = ", ".join(map(str, places))
        columns = ", ".join(quote(c.name) for c in table.columns)
        found = table.query(
            f"SELECT {columns} FROM {table.relation} WHERE {ORDINAL} IN ({listed}) ORDER BY"
            f" {ORDINAL}"
        )
        rows = [
            {"row": place + 1, **row}
            for place, row in zip(places, named(table, found), strict=True)
        ]
        chosen = f"those that fit these words of the question best: {', '.join(words)}"
    else:
        rows = named(table, table.rows(0, EXCERPT_ROWS))
        chosen = "the first"
    told = {
        "note": (
            f"Only {len(rows)} of {count} rows are here, {chosen}; {count - len(rows)} are left"
            " out. Use the tools of server deskpilot to compute over all of them."
        ),
        "profile": source.profile.model_dump(exclude={"first_row"}),
        "rows": rows,
    }
    return json.dumps(told, ensure_ascii=False)


def fitting(table: Table, count: int, question: str) -> tuple[list[str], list[int]]:
    """Return the words of a question that distinguish rows, and the rows that contain most of them,
    in the table's order.
    """
    words = list(dict.fromkeys(word.lower() for word in WORD.findall(question)))[:MOST_WORDS]
    if not words:
        return [], []
    cells = ", ".join(f"CAST({quote(c.name)} AS VARCHAR)" for c in table.columns)
    lines = f"SELECT {ORDINAL}, lower(concat_ws(' | ', {cells})) AS line FROM {table.relation}"
    counted = ", ".join("count(*) FILTER (contains(line, ?))" for _ in words)
    found = table.one(f"SELECT {counted} FROM ({lines})", words)
    telling = {
        w: int(n) for w, n in zip(words, found, strict=True) if 0 < int(n) <= max(count * OFTEN, 1)
    }
    if not telling:
        return [], []
    weight = " + ".join(
        f"CASE WHEN contains(line, ?) THEN {1 / n:.9f} ELSE 0 END" for n in telling.values()
    )
    best = table.query(
        f"SELECT {ORDINAL} FROM (SELECT {ORDINAL}, {weight} AS fit FROM ({lines})) WHERE fit > 0"
        f" ORDER BY fit DESC, {ORDINAL} LIMIT {EXCERPT_ROWS}",
        list(telling),
    )
    return list(telling), sorted(int(str(row[0])) for row in best)


def named(table: Table, rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return rows as dictionaries, with the column names as keys."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in rows]


class Sources:
    """The open tables by uuid. Thread-safe. The source files are never written to.

    note: returns the user's note on a table, given its uuid. entries: returns the newest versions
    of the library's workflows. looks: snapshots that are shown before tables are read. Without
    them, each table is read immediately.
    """

    def __init__(
        self,
        note: Callable[[str], Note | None] | None = None,
        entries: Callable[[], list[LibraryEntry]] | None = None,
        looks: Looks | None = None,
    ) -> None:
        self._looks = looks
        self._note = note
        self._entries = entries
        self._sources: dict[str, OpenTable] = {}
        self._lock = threading.Lock()
        self._reading: dict[str, threading.Lock] = {}
        self._documents: dict[str, Widget] = {}
        self.runs = Runs(
            lambda uid: self.source(uid).table, lambda uid: self.source(uid).profile.name
        )

    @classmethod
    def of(cls, library: Library, looks: Looks | None = None) -> Sources:
        """Return a collection of open tables that uses a library's notes and workflows."""
        return cls(library.note, library.entries, looks)

    def __contains__(self, uid: object) -> bool:
        """Return whether a table with this uuid is open."""
        return uid in self._sources

    def add_file(self, path: Path) -> OpenTable:
        """Open a file. If it is already open and unchanged, it is not read again.

        Raises: SourceError.
        """
        path = path.expanduser().absolute()
        stamp, uid = stamp_of(path), uuid_of(path)
        with self._lock:
            reading = self._reading.setdefault(uid, threading.Lock())
        with reading:  # a large file must not delay requests about other tables
            known = self._sources.get(uid)
            if known is None or known.stamp != stamp:
                known = read_source(path, uid, stamp, self._looks)
                with self._lock, part(1.0, 1.0):  # do not continue if reading has been stopped
                    if self._note is not None:
                        said = noted(known.profile, self._note(uid))
                        known = replace(known, own=known.profile, profile=said)
                    self._sources[uid] = known
            return known

    def renote(self, uid: str) -> None:
        """Apply a user's new notes to an open table."""
        with self._lock:
            known = self._sources.get(uid)
            if known is not None and self._note is not None:
                profile = noted(known.own or known.profile, self._note(uid))
                self._sources[uid] = replace(known, profile=profile)

    def opened(self, uid: str) -> OpenTable | None:
        """Return a table as it was read, or None if no table with this uuid is open."""
        return self._sources.get(uid)

    def source(self, uid: str) -> OpenTable:
        """Return an open table, after reading it again if its file has changed. If the file is
        gone, the data read earlier is used.

        Raises: UnknownWidget, SourceError.
        """
        known = self._sources.get(uid)
        if known is None:
            raise UnknownWidget("There is no such table here.", "Attach the file again.")
        try:
            stamp = stamp_of(known.path)
        except SourceError:
            return known
        return known if stamp == known.stamp else self.add_file(known.path)

    def is_stale(self, uid: str, source_hash: str) -> bool:
        """Return whether a citation refers to a version of a table other than the open one."""
        known = self._sources.get(uid)
        return known is None or known.table.hash != source_hash

    def has_changed(self, uid: str) -> bool:
        """Return whether the file of an open table has changed or is gone."""
        known = self._sources.get(uid)
        try:
            return known is not None and stamp_of(known.path) != known.stamp
        except SourceError:
            return True

    def series(self, uid: str, column: str) -> ColumnSeries:
        """Return a column in chronological order. See `app.data.views.series`.

        Raises: UnknownWidget, SourceError.
        """
        source = self.source(uid)
        look = source.look
        if look is None or self._looks is None:
            return series(source, column)
        if column not in look.series:
            look.series[column] = series(source, column)
            self._looks.save(source.path, look)
        return look.series[column]

    def tidy(self) -> None:
        """Release the data of tables that are not open."""
        if self._looks is not None:
            self._looks.leave_only({source.table.hash for source in self._sources.values()})

    def close(self, uid: str) -> None:
        """Close an open table."""
        with self._lock:
            self._sources.pop(uid, None)

    def copy_of(self, uid: str) -> TableCopy | None:
        """Return the database table that an open table is a copy of, or None."""
        known = self._sources.get(uid)
        return known.copy if known is not None else None

    def library(self) -> list[LibraryEntry]:
        """Return the validated workflows of the library whose tables are open and unchanged.

        Raises: SourceError, SetupError.
        """
        if self._entries is None or not (entries := self._entries()):
            return []
        read = {uid for entry in entries for uid in entry.origin.schemas if uid in self._sources}
        return usable(entries, {uid: self.source(uid) for uid in read})

    def set_documents(self, widgets: list[Widget]) -> None:
        """Register the widgets that are not tables, so that copilots can read them."""
        self._documents = {w.uuid: w for w in widgets}

    def run(self, interface: str, arguments: dict[str, Any]) -> Result:
        """Compute a data interface.

        Raises: UnknownWidget, KernelError.
        """
        if interface not in INTERFACES:
            raise UnknownWidget(
                f"There is no data interface {interface!r}.", f"Available: {', '.join(INTERFACES)}."
            )
        if interface == QUERY:
            asked = read_arguments(QUERY, QueryArguments, arguments)
            named = query_sources(asked.query)
            return run_query(asked.query, {uid: self.source(uid).table for uid in named})
        return INTERFACES[interface].run(self.source(str(arguments.get("source"))).table, arguments)

    def rows(self, uid: str, offset: int, limit: int) -> list[tuple[Scalar, ...]]:
        """Return rows of a table, in the table's order."""
        return self.source(uid).table.rows(offset, limit)

    def document(self, uid: str) -> Widget | None:
        """Return the non-table widget that has the given uuid, or None."""
        return self._documents.get(uid)

    def as_text(self, uid: str, question: str = "") -> str:
        """Return a widget as text for copilots. A table becomes JSON with only the rows that fit
        the question, and anything else is described in words.

        Raises: UnknownWidget, SourceError.
        """
        if uid in self._documents:
            return text_of(self._documents[uid])
        return table_in_words(self.source(uid), question)


HELD = 4  # the number of runs whose results are kept


class Runs:
    """Runs workflows over open tables. Thread-safe. name_of: returns a table's name."""

    def __init__(
        self, table: Callable[[str], Table], name_of: Callable[[str], str] | None = None
    ) -> None:
        self._table, self._name_of = table, name_of
        self._held: OrderedDict[str, tuple[Workflow, RunContext]] = OrderedDict()
        self._lock = threading.Lock()

    def run(
        self, workflow: Workflow, run: str = "", offered: Container[str] | None = None
    ) -> WorkflowResult:
        """Run a workflow whose parameters are filled in. run: an earlier run whose unchanged
        results are reused.

        offered: the tables that it is allowed to read, also in loops. By default, these are all
        open ones. Raises: UnknownWidget; SourceError; KernelError if it cannot be run at all.
        """

        def table(uid: str) -> Table:
            if offered is not None and uid not in offered:
                raise UnknownWidget(
                    f"The widget {uid} was not offered.", "Use a widget from the request."
                )
            return self._table(uid)

        with self._lock:
            before = self._held.pop(run, None)
        desk = self._desk(workflow, before)
        finished = run_workflow(workflow, table, desk)
        name = run if before is not None else uuid.uuid4().hex
        with self._lock:
            self._held[name] = (workflow, finished.desk)
            while len(self._held) > HELD:
                _, (_, old) = self._held.popitem(last=False)
                old.close()
        made = told(finished, name)
        names = (
            {uid: self._name_of(uid) for uid in made.hashes} if self._name_of is not None else {}
        )
        return made.model_copy(update={"names": names})

    def whole(self, uid: str) -> list[dict[str, Any]] | None:
        """Return all rows of a table whose first rows an answer showed, as long as the results of
        its run are kept. Return None for any other table.

        uid: the uid of the piece of the answer, which identifies the steps and the data from which
        the piece was computed.
        """
        with self._lock:
            for workflow, desk in self._held.values():
                for step, output in desk.outputs.items():
                    if (
                        isinstance(output, OutputFrame | OutputSheet)
                        and piece_uid(desk.hashes, workflow, step) == uid
                    ):
                        names = [column.name for column in output.table.columns]
                        rows = output.table.rows(0, output.table.count())
                        return [dict(zip(names, row, strict=True)) for row in rows]
        return None

    def _desk(self, workflow: Workflow, before: tuple[Workflow, RunContext] | None) -> RunContext:
        """Return the context of a run, with the results of unchanged steps and the sources."""
        if before is None:
            return RunContext(self._table)
        old, desk = before
        known = {step.id: step for step in old.steps}
        kept: set[str] = set()
        changed = any(self._table(uid).hash != digest for uid, digest in desk.hashes.items())
        for step in workflow.steps:
            same = step == known.get(step.id) and all(name in kept for name in step.inputs())
            if same and not changed:
                kept.add(step.id)
        desk.outputs = {name: output for name, output in desk.outputs.items() if name in kept}
        return desk
