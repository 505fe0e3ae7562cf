"""Marks tables whose files have changed since they were read. Not a widget, so it may await."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QFileSystemWatcher, QObject

from app.data.readers.parts import apart

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.domain.widget import Widget
    from app.services.deskpilot import Deskpilot
    from app.ui.dashboard.pane import DashboardPane

    Do = Callable[[str, Coroutine[Any, Any, None]], None]


class Watching(QObject):
    """Looks when the system tells of a change, and when the window is looked at again."""

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(pane)
        self._pane, self._widgets, self._do = pane, deskpilot.widgets, do
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self.look)
        pane.seen.connect(self.look)

    def follow(self, widgets: list[Widget]) -> None:
        """Watch the files of widgets, too, and look at all of them now."""
        readable = [
            w for w in widgets if w.path and not w.backend and w.uuid not in self._widgets.errors
        ]
        files = {str(apart(Path(w.path))[0]) for w in readable}
        if new := files - set(self._watcher.files()):
            self._watcher.addPaths(sorted(new))
        self.look()

    def look(self) -> None:
        """Look whether files have changed."""
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
