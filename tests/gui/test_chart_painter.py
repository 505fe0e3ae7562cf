"""Charts are drawn as pictures, also where the machine is too busy to do so at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, QSize, Signal

from app.domain.events import Artifact
from app.ui.dashboard import chart_tiles as module
from app.ui.dashboard.chart_tiles import ChartPainter
from app.ui.theme.tokens import LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from pytestqt.qtbot import QtBot

    from app.ui.dashboard.pane import DashboardPane

ROWS = [{"name": name, "sold": n} for n, name in enumerate("abc")]
SIZE = QSize(640, 230)
BRIEF = 30  # milliseconds


class Canvas(QObject):
    """A web view that does what it is told to."""

    titleChanged = Signal(str)
    loadFinished = Signal(bool)
    renderProcessTerminated = Signal(int, int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.drawn = self.ended = 0

    def resize(self, size: QSize) -> None:
        pass

    def draw(self, figure: dict[str, Any], tokens: Any) -> None:
        self.drawn += 1

    def take_picture(self, form: str, take: Callable[[bytes], None], size: Any, scale: Any) -> None:
        take(b"picture")

    def end(self) -> None:
        self.ended += 1


class Drawing:
    """A painter, its canvases and what it came to."""

    def __init__(self) -> None:
        self.canvases: list[Canvas] = []
        self.pictures: list[bytes] = []
        self.painter = ChartPainter(cast("DashboardPane", None))
        self.painter.new_canvas = cast("Any", self._canvas)

    def _canvas(self, _parent: object) -> Canvas:
        self.canvases.append(Canvas(self.painter))
        return self.canvases[-1]

    def begin(self) -> None:
        chart = {"chartType": "bar", "xKey": "name", "yKey": ["sold"]}
        self.painter.draw(
            Artifact("chart", "Sold", ROWS, chart), LIGHT, SIZE, 1.0, "png", self.pictures.append
        )


def test_a_web_engine_that_starts_slowly_does_not_cost_the_chart(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LIMIT_MS", BRIEF)
    drawing = Drawing()
    drawing.begin()
    qtbot.wait(3 * BRIEF)  # the page is not even loaded
    (canvas,) = drawing.canvases
    canvas.loadFinished.emit(True)
    canvas.titleChanged.emit("drawn")
    assert drawing.pictures == [b"picture"]


def test_a_chart_that_took_too_long_is_tried_once_more(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LIMIT_MS", BRIEF)
    drawing = Drawing()
    drawing.begin()
    drawing.canvases[0].loadFinished.emit(True)
    qtbot.waitUntil(lambda: len(drawing.canvases) == 2)
    assert drawing.canvases[0].ended == 1
    assert drawing.pictures == []
    drawing.canvases[1].titleChanged.emit("drawn")
    assert drawing.pictures == [b"picture"]


def test_a_chart_that_takes_too_long_twice_cannot_be_drawn(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "START_MS", BRIEF)
    drawing = Drawing()
    drawing.begin()
    qtbot.waitUntil(lambda: drawing.pictures == [b""])
    assert len(drawing.canvases) == 2


def test_a_chart_whose_process_ends_is_tried_once_more(qtbot: QtBot) -> None:
    drawing = Drawing()
    drawing.begin()
    drawing.canvases[0].renderProcessTerminated.emit(2, 9)
    qtbot.waitUntil(lambda: len(drawing.canvases) == 2)
    drawing.canvases[1].titleChanged.emit("failed")
    assert drawing.pictures == [b""]  # its own fault: a third try would end the same way
