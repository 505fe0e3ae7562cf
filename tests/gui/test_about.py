"""The page about Deskpilot lists what it is made of, by keyboard."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from tests.gui.living import in_window, until


@pytest.mark.usefixtures("served")
def test_components_are_searched_and_the_chosen_one_shows_its_licence(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        page = session.preferences.open("about").about
        await until(lambda: page.list.topLevelItemCount() > 100)
        assert "run from its sources" in page.version.text()
        assert not page.text.isVisible()  # no empty box before one is chosen
        page.search.setFocus()
        QTest.keyClicks(page.search, "httpx bsd")
        rows = [page.list.topLevelItem(at) for at in range(page.list.topLevelItemCount())]
        found = [row for row in rows if row is not None and not row.isHidden()]
        assert 1 <= len(found) < 5
        row = found[0]
        assert row.text(0) == "httpx"
        page.list.setFocus()
        QTest.keyClick(page.list, Qt.Key.Key_Home)
        page.list.setCurrentItem(row)
        await until(lambda: "Redistribution and use" in page.text.toPlainText())
        assert page.text.isVisible()
        assert page.source.text().startswith("Source code: https://")

    in_window(work)
