"""Opens files as widgets, the sheets of a workbook and the tables of a database each as one. Not a widget, so it may
await."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.data.readers.parts import apart
from app.data.sources import uuid_of
from app.domain.errors import DeskpilotError, ReadingStopped
from app.services.dashboard.table_notes import MOST, paths_in
from app.ui.dashboard.adding.several import SeveralDialog
from app.ui.words import told

if TYPE_CHECKING:
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.dashboard.living.switching import Switching
    from app.ui.dashboard.pane import DashboardPane

Cell = tuple[int, int]


class Opening(QObject):
    """Joins files that are dropped or chosen to the widgets."""

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot, do: Do, tabs: Switching) -> None:
        super().__init__(pane)
        self._pane, self._do, self._tabs = pane, do, tabs
        self._widgets, self._dashboard = deskpilot.widgets, deskpilot.dashboard

    async def add(self, paths: list[str], cell: Cell | None = None) -> None:
        """Open files as widgets, at a cell or where there is room; of one with very many tables the person chooses.

        Raises: DeskpilotError for those that cannot be read, when the others are there.
        """
        errors: list[DeskpilotError] = []
        wanted: list[Path] = []
        for path in map(Path, paths):
            try:
                found = await paths_in(self._widgets, path)
            except DeskpilotError as error:
                errors.append(error)
                continue
            if len(found) > MOST:
                self._offer(path, found, cell)
            else:
                wanted += found
        tab, made = self._dashboard.current, list[str]()
        for path in wanted:
            if self._was_closed(tab, made):
                break
            if uuid_of(path) not in self._widgets:
                self._dashboard.send_to(uuid_of(path), tab)
            try:
                made.append(await self._open(path, None if made else cell))
            except ReadingStopped:
                break  # of a file with several tables the rest as well: its card is gone, which says it
            except DeskpilotError as error:
                errors.append(error)
        if made and made[0] in self._widgets:
            self._tabs.open_with(made[0])
            self._pane.show_card(made[0])
        if errors:
            raise DeskpilotError("\n".join(told(error) for error in errors))

    def _was_closed(self, tab: str, made: list[str]) -> bool:
        """Tell whether the dashboard that files were opened on was closed, or emptied, meanwhile."""
        gone = tab not in {one.id for one in self._dashboard.tabs}
        return gone or (bool(made) and not any(uid in self._widgets for uid in made))

    async def _open(self, path: Path, cell: Cell | None) -> str:
        if cell is None:
            return (await self._widgets.add_file(path)).uuid
        return (await self._dashboard.add_file(path, cell)).uuid

    def _offer(self, file: Path, paths: list[Path], cell: Cell | None) -> None:
        """Let the person choose among the tables of a file."""
        dialog = SeveralDialog(file.name, [apart(path)[1] for path in paths], self._pane.window())
        dialog.chosen.connect(partial(self._choose, paths, cell))
        dialog.open()

    def _choose(self, paths: list[Path], cell: Cell | None, rows: list[int]) -> None:
        self._do(
            f"open {rows} of {paths[0].parent}", self.add([str(paths[row]) for row in rows], cell)
        )
