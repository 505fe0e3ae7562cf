"""A file that takes long to read: its card says how far that is, and a press ends it and leaves
nothing.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

from app.data import tables
from app.ui.dashboard.card import ReadingNotice
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow


def test_reading_says_how_far_it_is_and_stopped_leaves_nothing(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "big.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    go, work = threading.Event(), tables.profile

    def held(*arguments: Any, **more: Any) -> Any:
        assert arguments[1] != "big" or go.wait(60)
        return work(*arguments, **more)

    monkeypatch.setattr(tables, "profile", held)

    async def work_in(window: MainWindow, session: WindowSession) -> None:
        widgets = session.deskpilot.widgets
        session.attach_files([str(path)])
        await until(lambda: [w for w in widgets.all() if w.name == "big"])
        uid = next(w.uuid for w in widgets.all() if w.name == "big")
        await until(lambda: uid in window.dashboard.cards)
        body = window.dashboard.cards[uid].body
        assert isinstance(body, ReadingNotice)
        await until(lambda: not body.stop.isHidden())
        assert re.fullmatch(r"Reading big\.csv: \d+ %", body.text())
        body.stop.click()
        await until(lambda: uid not in window.dashboard.cards)
        go.set()
        assert uid not in widgets
        assert not [told for told in window.findChildren(ReadingNotice) if told.isVisible()]
        store = await session.deskpilot.history.files()
        assert str(path) not in store
        session.attach_files([str(path)])
        await until(lambda: window.dashboard.table(uid) is not None)

    try:
        in_window(work_in)
    finally:
        go.set()
