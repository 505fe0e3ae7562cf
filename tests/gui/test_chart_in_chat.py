"""Charts stand in the message they belong to, as pictures that change nothing when they come."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize
from PySide6.QtGui import QColor, QImage

from app.domain.conversation import Turn
from app.domain.events import Artifact, Ended
from app.domain.stream import Message
from app.ui.chat import charts as module
from app.ui.chat.charts import SEEN, ChartPictures, chart_of_table, is_drawable
from app.ui.controls.actions import TakeTable
from app.ui.theme.tokens import CHART_HEIGHT, COLUMN
from tests.gui.conftest import make_turn
from tests.gui.living import press_link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.ui.chat.view import ConversationView

ROWS = [{"name": name, "sold": n} for n, name in enumerate("abc")]
CHART = Artifact("chart", "Sold", ROWS, {"chartType": "bar", "xKey": "name", "yKey": ["sold"]})
RED = "#ff0000"


def png(size: QSize) -> bytes:
    """Return a red picture."""
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(RED))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # pyright: ignore[reportCallIssue, reportArgumentType]
    return data.data()


class Painter:
    """Draws when it is told to."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Artifact, QSize, Callable[[bytes], None]]] = []

    def draw(self, artifact: Artifact, _t: Any, size: QSize, _s: float, _f: str, take: Any) -> None:
        self.jobs.append((artifact, size, take))


@pytest.fixture
def painter(qapp: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Painter]:
    made, pictures = Painter(), ChartPictures()
    pictures.draw = made.draw
    monkeypatch.setattr(module, "charts", lambda: pictures)
    monkeypatch.setattr("app.ui.chat.view.charts", lambda: pictures)
    yield made
    pictures.end()


def chart_turn(number: int) -> Turn:
    items: list[Any] = [
        Message("assistant", "message", "Before."),
        Artifact("chart", f"Sold {number}", ROWS, CHART.chart),
        Message("assistant", "message", "After."),
        Ended("done"),
    ]
    return Turn(f"t{number}", "c", None, "Plot it", "done", 0.0, items)


def colour_in(view: ConversationView, row: int) -> str:
    """Return the colour in the middle of the chart of a turn."""
    (box,) = [b for b in view._boxes(row) if b.piece.is_chart]
    return view.viewport().grab().toImage().pixelColor(box.rect.center()).name()


def test_a_chart_is_drawn_in_its_message_and_nothing_moves_when_it_comes(
    painter: Painter, view: ConversationView, qtbot: Any
) -> None:
    view.set_turns([chart_turn(1)])
    kinds = [piece.kind for piece in view.flow.entry(0).pieces]
    assert kinds.index("chart") == kinds.index("text") + 2  # its line is between them
    qtbot.waitUntil(lambda: bool(painter.jobs))
    height, layouts = view.flow.heights.total, view.flow.layouts
    ((artifact, size, take),) = painter.jobs
    assert (artifact.name, artifact.content) == ("Sold 1", ROWS)
    assert size.height() == CHART_HEIGHT
    assert size.width() <= COLUMN
    take(png(size))
    assert view.flow.heights.total == height
    assert view.flow.layouts == layouts + 1  # the chart, and nothing else
    assert colour_in(view, 0) == RED


def test_of_a_hundred_charts_only_those_that_are_seen_are_drawn(
    painter: Painter, view: ConversationView, qtbot: Any
) -> None:
    view.set_turns([chart_turn(n) for n in range(100)])
    bar = view.verticalScrollBar()
    for value in range(bar.maximum(), 0, -400):  # without a rest
        bar.setValue(value)
    assert not painter.jobs
    qtbot.waitUntil(lambda: bool(painter.jobs))
    seen = {f"Sold {row}" for row in view.visible()}
    assert painter.jobs[0][0].name in seen
    assert seen <= {artifact.name for artifact, _, _ in painter.jobs}
    assert len(painter.jobs) <= 12
    for _, size, take in list(painter.jobs):
        take(png(size))
    assert colour_in(view, view.visible()[0]) == RED
    view.to_end()  # these were scrolled past
    qtbot.waitUntil(lambda: painter.jobs[-1][0].name == "Sold 99" or len(painter.jobs) > SEEN)
    for _, size, take in list(painter.jobs):
        take(png(size))
    assert colour_in(view, 99) == RED


def test_a_narrower_column_has_its_chart_drawn_once_it_rests(
    painter: Painter, view: ConversationView, qtbot: Any
) -> None:
    view.set_turns([chart_turn(1)])
    qtbot.waitUntil(lambda: bool(painter.jobs))
    painter.jobs[0][2](png(painter.jobs[0][1]))
    for width in range(640, 400, -20):
        view.resize(width, 600)
        assert colour_in(view, 0) == RED  # as it was drawn, until it is drawn anew
    qtbot.waitUntil(lambda: len(painter.jobs) > 1)
    qtbot.wait(300)
    assert len(painter.jobs) == 2
    assert painter.jobs[1][1].width() < painter.jobs[0][1].width()


def test_a_chart_that_cannot_be_drawn_is_not_asked_for_again(
    painter: Painter, view: ConversationView, qtbot: Any
) -> None:
    view.set_turns([chart_turn(1)])
    qtbot.waitUntil(lambda: bool(painter.jobs))
    painter.jobs[0][2](b"")
    view._place()
    qtbot.wait(300)
    assert len(painter.jobs) == 1
    assert not view.flow.take_up()


TABLE = """Here:

| day | close | volume | code |
|---|---|---|---|
| 2024-10-10 | 229.04 [1] | 28,200,000 | 007 |
| 2024-10-11 | **231** | 32,600,000 | 008 |
| 2024-10-14 | 231.3 | 39,900,000 | 009 |
"""


def test_a_table_is_turned_into_a_chart_and_back_by_key(
    painter: Painter, view: ConversationView, qtbot: Any
) -> None:
    view.set_turns([make_turn(1, TABLE)])
    number = [piece.kind for piece in view.flow.entry(0).pieces].index("table")
    before = view.flow.heights.total
    press_link(view, f"chart:{number}")
    view.flush()
    qtbot.waitUntil(lambda: bool(painter.jobs))
    artifact, size, take = painter.jobs[0]
    assert artifact.name == "close"  # a volume would flatten it, a code is no quantity
    (trace,) = artifact.chart["data"]  # type: ignore[index]
    assert trace["type"] == "scatter"  # along time
    assert trace["y"] == [229.04, 231.0, 231.3]
    take(png(size))
    assert colour_in(view, 0) == RED
    with qtbot.waitSignal(view.pressed) as linked:
        press_link(view, f"pin-table:{number}")
    assert linked.args[1] == TakeTable("pin", number)
    press_link(view, f"chart:{number}")
    view.flush()
    assert view.flow.heights.total == before


def test_words_and_single_rows_are_no_chart() -> None:
    assert not is_drawable("| a | b |\n|---|---|\n| x | 1 |\n")
    assert not is_drawable("| a | b |\n|---|---|\n| x | y |\n| z | w |\n")
    assert chart_of_table("| a | b |\n|---|---|\n| x | y |\n| z | w |\n", 0) is None
    source = "| region | units |\n|---|---|\n| North | 1,204 |\n| South | 980 |\n"
    assert is_drawable(source)
    made = chart_of_table(source, 0)
    assert made is not None
    assert made.chart is not None
    assert made.chart["chartType"] == "bar"


def test_a_kept_chat_shows_its_charts_which_are_pinned_copied_and_saved(
    repository: Path, tmp_path: Path
) -> None:
    environment = os.environ | {"QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox --disable-gpu"}
    environment["DESKPILOT_HOME"] = str(tmp_path / "home")
    command = [sys.executable, "-m", "tests.gui.chart_in_chat", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=repository, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.strip().split("\n")[-1])
    assert min(told.pop("line"), told.pop("bars"), told.pop("dark")) > 300  # pixels of the accent
    assert told == {
        "moved": 0,
        "dashboard": False,
        "pinned": "Sales",
        "copied": 2 * COLUMN,
        "saved": "<svg",
    }
