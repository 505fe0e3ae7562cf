"""A table is asked for and saved where the person says, to the end: the question, the link, the
dialog, the file.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QFileDialog

from app.ui.chat.artifacts import artifact_at
from app.ui.controls.actions import OpenArtifact
from tests.gui.living import in_window, press_link, until

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    rows = [
        f"2024-{m:02}-{d},{s},{m * n}"
        for m in range(1, 13)
        for d in ("05", "12", "19", "26")
        for s, n in (("North", 3), ("South", 5))
    ]
    path.write_text("\n".join(["day,shop,revenue", *rows]) + "\n", "utf-8")
    return path


async def asked(window: MainWindow, session: WindowSession, sales: Path) -> Any:
    """Ask for a table that is to be saved; return the turn."""
    for widget in session.deskpilot.widgets.attached():
        await session.deskpilot.widgets.attach(widget.uuid, attached=False)
    await session.deskpilot.widgets.add_file(sales)
    session.submit("Forecast the revenue of North for the next 3 weeks and save the table")
    await until(lambda: session.turns and session.turns[-1].state != "running")
    turn = session.turns[-1]
    assert turn.state == "done"
    assert "Press CSV at the table below" in turn.answer()
    return turn


def test_a_table_that_was_asked_for_is_saved_where_one_says(
    qapp: Any, sales: Path, tmp_path: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        turn = await asked(window, session, sales)
        place = next(
            n
            for n in range(9)
            if (a := artifact_at(turn, OpenArtifact(n))) is not None and a.type == "table"
        )
        await until(lambda: any(b.piece.kind == "table" for b in window.view._seen()))
        press_link(window.view, f"csv:{place}")
        await until(lambda: window.findChild(QFileDialog))
        dialog = window.findChild(QFileDialog)
        assert dialog is not None
        assert dialog.selectedFiles()[0].endswith(".csv")
        target = tmp_path / "mine" / "kept.csv"
        target.parent.mkdir()
        dialog.selectFile(str(target))
        dialog.accept()
        await until(lambda: target.exists() and target.read_text("utf-8-sig").count("\n") == 4)
        with target.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        made = artifact_at(turn, OpenArtifact(place))
        assert made is not None
        held = made.content
        assert [row["day"] for row in rows] == [row["day"] for row in held]
        assert [float(row["forecast"]) for row in rows] == [
            row["forecast"] for row in held
        ]  # not what is shown of it

    in_window(work)
