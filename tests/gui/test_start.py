"""Opening the window where that cannot go well."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QApplication, QMessageBox

from app.adapters.store.lock import take_lock
from app.bootstrap import build
from app.ui.bridge import run_until_complete
from app.ui.run import live
from app.ui.window import Window
from backends.paths import store_file
from tests.gui.living import until

if TYPE_CHECKING:
    import pytest


def test_a_second_window_says_why_it_cannot_open(qapp: Any, capsys: pytest.CaptureFixture[str]) -> None:
    window, said = Window(), []

    async def both() -> int:
        window.show()
        opening = asyncio.ensure_future(live(qapp, window, build))
        await until(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        said.append(f"{box.text()} {box.informativeText()}")
        assert not opening.done()
        box.done(0)
        return await opening

    with take_lock(store_file()):
        assert run_until_complete(qapp, both()) == 1
    assert said == ["Another Deskpilot has these conversations open. Use that one, or close it."]
    assert said[0] in capsys.readouterr().err
