"""What is known of a table, read and said from its card, by keyboard: kept where the shell keeps
it, used, taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu

from app.bootstrap import library
from app.ui.dashboard.table_notes import MEANING, KnownWindow
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")


@pytest.fixture
def wells(tmp_path: Path) -> Path:
    path = tmp_path / "wells.csv"
    rows = [f"2024-{m:02}-15,{m * 3},{m * 5}" for m in range(1, 13)]
    path.write_text("\n".join(["day,q1x,q2x", *rows]) + "\n", "utf-8")
    return path


async def opened(window: MainWindow, uid: str) -> KnownWindow:
    """Open what is known of a table by the menu of its card, as the keyboard does."""
    bar = window.dashboard.cards[uid].bar
    bar.setFocus()
    bar.more.setFocus()
    QTest.keyClick(bar.more, Qt.Key.Key_Space)
    await until(lambda: window.dashboard.findChildren(QMenu))
    menu = window.dashboard.findChildren(QMenu)[-1]
    words = [action.text() for action in menu.actions()]
    assert words == [
        "About this table …",
        "",
        "Plot a column",
        "Open larger",
        "Save",
        "Remove",
    ]
    menu.actions()[0].trigger()
    await until(lambda: window.findChild(KnownWindow))
    return window.findChild(KnownWindow)


def write(known: KnownWindow, row: int, text: str) -> None:
    """Write the meaning of a column, as one types."""
    known.columns.setFocus()
    known.columns.setCurrentCell(row, MEANING)
    QTest.keyClick(known.columns, Qt.Key.Key_F2)
    line = known.columns.findChild(QLineEdit)
    line.setText(text)
    QTest.keyClick(line, Qt.Key.Key_Return)


async def asked(session: WindowSession, question: str) -> str:
    """Ask in the window, and return the answer's words."""
    before = len(session.turns)
    session.submit(question)
    await until(lambda: len(session.turns) > before and session.running is None)
    return session.turns[-1].answer()


def test_a_meaning_is_said_used_by_the_next_question_and_taken_back(
    qapp: Any, wells: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        QMenu, "popup", lambda *_: None
    )  # the offscreen platform has no menus of its own

    async def work(window: MainWindow, session: WindowSession) -> None:
        widgets = session.deskpilot.widgets
        uid = (await widgets.add_file(wells)).uuid
        await until(lambda: uid in window.dashboard.cards)
        for other in widgets.attached():
            if other.uuid != uid:
                await widgets.attach(other.uuid, attached=False)
        question = "What is the mean groundwater discharge?"
        known = await opened(window, uid)
        assert "12 rows × 3 columns" in known.facts.text()
        told = [known.columns.item(1, n).text() for n in range(4)]  # type: ignore[union-attr]
        assert told == ["q1x", "", "number", "3 – 36"]
        assert known.rows.text().startswith("First row: day: 2024-01-15 · q1x: 3 · q2x: 5")
        write(known, 1, "groundwater discharge")
        known.closes.setText("25:00")
        known.save.click()
        await until(
            lambda: (
                known.news.text()
                == "25:00 is not a time. Write it like 15:00, or 15:00 Asia/Shanghai."
            )
        )
        assert library().note(uid) is None
        known.closes.setText("15:00 Asia/Shanghai")
        known.save.setFocus()
        QTest.keyClick(known.save, Qt.Key.Key_Space)
        await until(lambda: known.news.text() == "Saved. The next question uses it.")
        note = library().note(uid)  # where `deskpilot data add` keeps it
        assert note is not None
        assert (note.about, note.meanings, note.closes) == (
            "",
            {"q1x": "groundwater discharge"},
            "15:00 Asia/Shanghai",
        )
        assert widgets.profile(uid).closes == "15:00 Asia/Shanghai"
        assert "19.5" in await asked(session, question)
        known.undo.click()
        await until(lambda: known.news.text() == "Restored.")
        assert library().note(uid) is None
        assert widgets.profile(uid).closes == ""
        assert known.columns.item(1, MEANING).text() == ""  # type: ignore[union-attr]
        assert not known.undo.isVisible()
        known.close()

    in_window(work)
