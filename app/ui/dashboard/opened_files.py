"""Opens files as widgets and watches them for changes."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QFileSystemWatcher, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.data.readers.parts import TableRef
from app.data.tables import uuid_of
from app.domain.errors import DeskpilotError, ReadingStopped
from app.services.dashboard.table_notes import MOST, paths_in
from app.ui.controls.keys import keeps_escape
from app.ui.dashboard.card import ReadingNotice
from app.ui.dashboard.tabs import shown
from app.ui.theme.i18n import told, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.domain.dashboard import Widget
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Arrival, Widgets
    from app.services.tasks import Do as OpenedFilesDo
    from app.ui.dashboard.pane import DashboardPane
    from app.ui.dashboard.switch import DashboardSwitch


if TYPE_CHECKING:
    Do = Callable[[str, Coroutine[Any, Any, None]], None]


class FileWatch(QObject):
    """Checks files for changes when the system reports one, and when the window becomes active."""

    def __init__(self, pane: DashboardPane, widgets: Widgets, do: Do) -> None:
        super().__init__(pane)
        self._pane = pane
        self._widgets = widgets
        self._do = do
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self.look)
        pane.seen.connect(self.look)

    def follow(self, widgets: list[Widget]) -> None:
        """Also watch the files of these widgets, and check all files now."""
        readable = [
            w for w in widgets if w.path and not w.backend and w.uuid not in self._widgets.errors
        ]
        files = {str(TableRef.of(Path(w.path)).file) for w in readable}
        if new := files - set(self._watcher.files()):
            self._watcher.addPaths(sorted(new))
        self.look()

    def look(self) -> None:
        """Check whether files have changed."""
        self._do("changes", self._mark_changed())

    async def _mark_changed(self) -> None:
        tables = [uid for uid in self._pane.cards if self._pane.table(uid)]
        changed = self._widgets.sources.has_changed
        found = await asyncio.to_thread(lambda: {uid: changed(uid) for uid in tables})
        for uid, is_changed in found.items():
            if (
                uid in self._pane.cards
                and uid in self._widgets
                and not self._widgets.get(uid).backend
            ):
                self._pane.cards[uid].bar.stale.setVisible(is_changed)


class SeveralDialog(QDialog):
    """A list from which tables are selected. Signals: chosen(rows) with the indexes of the selected
    tables.
    """

    chosen = Signal(list)

    def __init__(self, name: str, tables: list[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("larger")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(name)
        self.setAccessibleName(name)
        self.resize(420, 480)
        told = QLabel(
            tr("{name} holds %n tables. Which do you need?", "", len(tables), name=name), self
        )
        told.setTextFormat(Qt.TextFormat.PlainText)
        told.setWordWrap(True)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Tables"))
        for table in tables:
            item = QListWidgetItem(table)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.itemChanged.connect(self._tell)
        self.list.itemActivated.connect(self._turn)
        self.every, self.none = (
            QPushButton(tr("Select all"), self),
            QPushButton(tr("Clear all"), self),
        )
        states = (Qt.CheckState.Checked, Qt.CheckState.Unchecked)
        ticks = QHBoxLayout()
        for button, state in zip((self.every, self.none), states, strict=True):
            button.setObjectName("link")
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, wanted=state: self._set_all(wanted))
            ticks.addWidget(button)
        ticks.addStretch(1)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Cancel, self)
        self.add = self.buttons.addButton(tr("Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.add.setEnabled(False)
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.addWidget(told)
        column.addLayout(ticks)
        column.addWidget(self.list, 1)
        column.addWidget(self.buttons)
        self.list.setFocus()

    def rows(self) -> list[int]:
        """Return the indexes of the selected tables."""
        items = [self.list.item(row) for row in range(self.list.count())]
        return [row for row, item in enumerate(items) if item.checkState() == Qt.CheckState.Checked]

    def _set_all(self, state: Qt.CheckState) -> None:
        for row in range(self.list.count()):
            self.list.item(row).setCheckState(state)

    def event(self, event: QEvent) -> bool:
        """Handle Escape here; otherwise it would stop the answer."""
        return keeps_escape(event) or super().event(event)

    def _turn(self, item: QListWidgetItem) -> None:
        ticked = item.checkState() == Qt.CheckState.Checked
        item.setCheckState(Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked)

    def _tell(self) -> None:
        self.add.setEnabled(bool(self.rows()))

    def _choose(self) -> None:
        self.chosen.emit(self.rows())
        self.accept()


EVERY = 200  # in milliseconds


class ReadProgress(QObject):
    """Shows the progress of files that are being read."""

    def __init__(self, pane: DashboardPane, widgets: Widgets) -> None:
        super().__init__(pane)
        self._pane = pane
        self._widgets = widgets
        self._timer = QTimer(self, interval=EVERY)
        self._timer.timeout.connect(self._look)
        self._widgets.subscribe(self._begin)

    def _begin(self) -> None:
        if self._widgets.opening and not self._timer.isActive():
            self._timer.start()

    def _look(self) -> None:
        for uid in self._widgets.opening:
            card, far = self._pane.cards.get(uid), self._widgets.readings.far(uid)
            if card is None or far is None or not isinstance(card.body, ReadingNotice):
                continue
            if card.body.stop.isHidden():
                card.body.stop.clicked.connect(
                    lambda _=False, one=uid: self._widgets.readings.stop(one)
                )
            card.body.tell(far)
        if not self._widgets.opening:
            self._timer.stop()


Cell = tuple[int, int]


class FileController(QObject):
    """Opens dropped or chosen files as widgets.

    Signals: failed() when a file cannot be read, before the questions that are waiting for it are
    asked.
    """

    failed = Signal()

    def __init__(
        self,
        pane: DashboardPane,
        widgets: Widgets,
        dashboard: Dashboard,
        do: OpenedFilesDo,
        tabs: DashboardSwitch,
    ) -> None:
        super().__init__(pane)
        self._pane, self._do, self._tabs = pane, do, tabs
        self._widgets = widgets
        self._dashboard = dashboard

    async def add(self, paths: list[str], cell: Cell | None = None, *, here: bool = False) -> None:
        """Open files as widgets, at a given cell or where there is space; if a file has very many
        tables, the user chooses among them.

        here: whether widgets on other dashboards move to the open dashboard. They also move if a
        cell is given.

        Raises: DeskpilotError if some files cannot be read; the other files are opened.
        """
        given = [Path(path) for path in paths]
        with self._widgets.arrivals(map(file_of, given)) as arrivals:
            errors = await self._add(given, arrivals, cell, here=here)
        if errors:
            raise DeskpilotError("\n".join(told(error) for error in errors))

    async def _add(
        self, paths: list[Path], arrivals: dict[Path, Arrival], cell: Cell | None, *, here: bool
    ) -> list[DeskpilotError]:
        """Open files; return the reasons why some cannot be read."""
        errors: list[DeskpilotError] = []
        wanted: list[Path] = []
        for path in paths:
            try:
                found = await paths_in(self._widgets, path)
            except DeskpilotError as error:
                errors.append(error)
                self.failed.emit()
                continue
            if arrivals[file_of(path)] not in self._widgets.arriving:
                continue  # reading was stopped
            if len(found) > MOST:
                self._offer(path, found, cell, here=here)
            else:
                wanted += found
        for file in arrivals.keys() - set(map(file_of, wanted)):
            self._widgets.arrived(arrivals[file])
        if wanted:
            await self._dashboard.detach_sample()
        tab, made = self._dashboard.current, list[str]()
        for number, path in enumerate(wanted):
            arrival = arrivals[file_of(path)]
            if self._was_closed(tab, made):
                break
            if arrival not in self._widgets.arriving:
                continue  # reading was stopped
            if (uid := uuid_of(path)) not in self._widgets:
                self._dashboard.send_to(uid, tab)
            elif here or cell is not None:
                self._bring(uid, None if made else cell)
            try:
                made.append(await self._open(path, None if made else cell, arrival))
            except ReadingStopped:
                # Reading the rest of the file is stopped, too. Its card disappears, so no message
                # is needed.
                self._widgets.arrived(arrival)
            except DeskpilotError as error:
                errors.append(error)
                self.failed.emit()
            if arrival.file not in map(file_of, wanted[number + 1 :]):
                self._widgets.arrived(arrival)
        if made and made[0] in self._widgets:
            self._tabs.open_with(made[0])
            self._pane.show_card(made[0])
        return errors

    def _bring(self, uid: str, cell: Cell | None) -> None:
        """Move a widget here from another dashboard, and tell the user."""
        before = self._dashboard.bring(uid, cell)
        if before is not None:
            name = self._widgets.get(uid).name
            text = tr("Moved {name} here from {dashboard}", name=name, dashboard=shown(before.name))
            self._pane.notice.tell(text, undoable=False)

    def _was_closed(self, tab: str, made: list[str]) -> bool:
        """Return whether the dashboard on which files are being opened has been closed or emptied
        in the meantime.
        """
        gone = tab not in {one.id for one in self._dashboard.tabs}
        return gone or (bool(made) and not any(uid in self._widgets for uid in made))

    async def _open(self, path: Path, cell: Cell | None, arrival: Arrival) -> str:
        if cell is None:
            widget = await self._widgets.add_file(path, attach=False)
        else:
            widget = await self._dashboard.add_file(path, cell, attach=False)
        if arrival.attach and widget.uuid in self._widgets:
            await self._widgets.attach(widget.uuid, attached=True)
        return widget.uuid

    def _offer(self, file: Path, paths: list[Path], cell: Cell | None, *, here: bool) -> None:
        """Ask the user which of a file's tables to open."""
        dialog = SeveralDialog(
            file.name, [TableRef.of(path).part for path in paths], self._pane.window()
        )
        dialog.chosen.connect(partial(self._choose, paths, cell, here))
        dialog.open()

    def _choose(
        self,
        paths: list[Path],
        cell: Cell | None,
        here: bool,
        rows: list[int],
    ) -> None:
        chosen = [str(paths[row]) for row in rows]
        self._do(f"open {rows} of {paths[0].parent}", self.add(chosen, cell, here=here))


def file_of(path: Path) -> Path:
    """Return the file that contains a table."""
    return TableRef.of(path).file
