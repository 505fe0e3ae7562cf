"""Save what a card or an answer shows: a table as CSV, a drawing as PNG or SVG; or pin it to the
dashboard.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QWidget

from app.data.export import cells_to_csv, rows_to_csv, table_to_csv
from app.domain.errors import SourceError
from app.domain.widget_content import Content
from app.services.dashboard.placement import pin
from app.ui.dashboard.bodies.candles import CandleBody
from app.ui.dashboard.bodies.lines import LineChart
from app.ui.dashboard.card import Pictured, TableBody
from app.ui.dashboard.figure import figure_of
from app.ui.main import boxes
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.events import Artifact
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane


TWICE = 2  # pixels of a picture for one on screen


class Exports(QObject):
    """Offers what can be saved of each card."""

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(pane)
        self._pane, self._do = pane, do
        self._widgets, self._live = deskpilot.widgets, deskpilot.live
        pane.export_wanted.connect(self.offer)

    def offer(self, uid: str) -> None:
        """Open the menu of what a card can be saved as."""
        card = self._pane.cards[uid]
        menu = QMenu(self._pane)
        for kind in self.kinds(card.body):
            menu.addAction(tr("Save as {kind} …", kind=kind)).triggered.connect(
                lambda _=False, k=kind: self._ask(uid, k)
            )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(card.bar.export.mapToGlobal(card.bar.export.rect().bottomLeft()))

    def kinds(self, body: QWidget) -> list[str]:
        """Return what a body can be saved as."""
        if isinstance(body, TableBody):
            return ["CSV"]
        return ["PNG", "SVG"] if isinstance(body, (LineChart, CandleBody, Pictured)) else ["PNG"]

    def take(self, what: str, artifact: Artifact) -> None:
        """Pin an artifact of an answer, or save it as CSV."""
        name = artifact.name or tr("Answer")
        if what == "pin":
            self._do(f"pin {name}", self._pin(artifact, name))
        elif isinstance(artifact.content, list):
            boxes.choose_place(
                self._pane.window(),
                f"{name}.csv",
                lambda path: self._do(f"save {path}", self._save_rows(artifact, Path(path))),
            )

    def save_rows(self, rows: list[list[str]]) -> None:
        """Save a table of an answer as CSV, its first row the head."""
        boxes.choose_place(
            self._pane.window(),
            tr("Table.csv"),
            lambda path: self._do(f"save {path}", self._write(cells_to_csv, rows, Path(path))),
        )

    def save(self, uid: str, kind: str, path: Path) -> None:
        """Write what a card shows to a file."""
        body = self._pane.cards[uid].body
        if isinstance(body, TableBody):
            table, order = self._widgets.sources.source(uid).table, body.table().order
            self._do(f"save {path}", self._write(table_to_csv, table, order, path))
        elif isinstance(body, Pictured):
            body.take_picture(
                kind.lower(),
                lambda data: self._do(f"save {path}", self._write(write_bytes, data, path)),
            )
        elif kind == "SVG":
            draw_svg(body, path)
        elif not picture_of(body).save(str(path), "PNG"):
            boxes.tell(
                self._pane.window(),
                tr("{name} cannot be written. Choose another place.", name=path.name),
            )

    def _ask(self, uid: str, kind: str) -> None:
        name = f"{self._pane.cards[uid].bar.name.text()}.{kind.lower()}"
        boxes.choose_place(self._pane.window(), name, lambda path: self.save(uid, kind, Path(path)))

    async def _write(self, write: Callable[..., object], *arguments: Any) -> None:
        await asyncio.to_thread(write, *arguments)

    async def _rows(self, artifact: Artifact) -> list[dict[str, Any]]:
        """Return all rows of a table of an answer; those it came with, once its run is no longer
        held.
        """
        whole = await asyncio.to_thread(self._widgets.sources.runs.whole, artifact.uuid)
        held = artifact.content if isinstance(artifact.content, list) else []
        return whole if whole is not None else [row for row in held if isinstance(row, dict)]

    async def _save_rows(self, artifact: Artifact, path: Path) -> None:
        await self._write(rows_to_csv, await self._rows(artifact), path)

    async def _pin(self, artifact: Artifact, name: str) -> None:
        figure = figure_of(artifact, self._pane.tokens)
        if figure is not None:
            content = Content("plotly", figure)
        elif isinstance(artifact.content, list):
            content = Content("table", await self._rows(artifact))
        else:
            content = Content("markdown", str(artifact.content))
        is_whole = content.type == "table" and len(content.value) > len(artifact.content)
        about = "" if is_whole else artifact.description  # which says what is left out
        made = await pin(self._widgets, self._live.folder, name, about, content)
        self._pane.show()
        self._pane.show_card(made.uuid)


def picture_of(body: QWidget) -> Any:
    """Return a body as a picture, sharp on paper."""
    from PySide6.QtGui import QPixmap

    made = QPixmap(body.size() * TWICE)
    made.setDevicePixelRatio(TWICE)
    made.fill(body.palette().base().color())
    body.render(made)
    return made


def draw_svg(body: QWidget, path: Path) -> None:
    """Draw a body into an SVG file."""
    made = QSvgGenerator()
    made.setFileName(str(path))
    made.setSize(QSize(body.width(), body.height()))
    made.setViewBox(QRect(0, 0, body.width(), body.height()))
    painter = QPainter(made)
    body.render(painter, QPoint())
    painter.end()


def write_bytes(data: bytes, path: Path) -> None:
    """Write a file.

    Raises: SourceError.
    """
    try:
        path.write_bytes(data)
    except OSError as error:
        raise SourceError(
            tr(
                "{name} cannot be written: {strerror}.",
                name=path.name,
                strerror=error.strerror or error,
            ),
            tr("Choose another place."),
        ) from error
