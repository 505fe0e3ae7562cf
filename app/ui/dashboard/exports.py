"""Save the content of a card or an answer as CSV, PNG or SVG, or pin it to the dashboard."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QWidget

from app.data.export import cells_to_csv, rows_to_csv, table_to_csv
from app.domain.errors import SourceError
from app.openbb.charts import height_of
from app.openbb.content import Content
from app.services.dashboard.placement import pin
from app.ui.controls import message_boxes
from app.ui.dashboard.bodies.lines import LineChart
from app.ui.dashboard.card import SnapshotBody
from app.ui.dashboard.chart_tiles import figure_of
from app.ui.dashboard.table.view import TableBody
from app.ui.theme.i18n import tr
from app.ui.theme.tokens import CHART_HEIGHT, COLUMN

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.events import Artifact
    from app.services.dashboard.live import Live
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Do
    from app.ui.controls.actions import Way
    from app.ui.dashboard.chart_tiles import ChartPainter
    from app.ui.dashboard.pane import DashboardPane


TWICE = 2  # number of picture pixels per screen pixel


def forms_of(body: QWidget) -> list[str]:
    """Return the formats in which a card with this body can be saved."""
    if isinstance(body, TableBody):
        return ["CSV"]
    if isinstance(body, (LineChart, SnapshotBody)):
        return ["PNG", "SVG"]
    return body.property("exports") or ["PNG"]


class Exports(QObject):
    """Offers the export formats available for each card."""

    def __init__(
        self, pane: DashboardPane, widgets: Widgets, live: Live, do: Do, painter: ChartPainter
    ) -> None:
        super().__init__(pane)
        self._pane, self._do, self._painter = pane, do, painter
        self._widgets = widgets
        self._live = live
        pane.export_wanted.connect(self.offer)

    def offer(self, uid: str) -> None:
        """Open the menu of a card's export formats."""
        card = self._pane.cards[uid]
        menu = QMenu(self._pane)
        for kind in forms_of(card.body):
            menu.addAction(tr("Save as {kind} …", kind=kind)).triggered.connect(
                lambda _=False, k=kind: self._ask(uid, k)
            )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(card.bar.export.mapToGlobal(card.bar.export.rect().bottomLeft()))

    def take(self, what: Way, artifact: Artifact) -> None:
        """Pin an artifact of an answer, save it as CSV, or save or copy a chart as a picture.

        what: "pin", "csv", "png", "svg" or "image".
        """
        name = artifact.name or tr("Answer")
        if what == "pin":
            self._do(f"pin {name}", self._pin(artifact, name))
        elif what == "image":
            self._draw(artifact, "png", self._copy)
        elif what in ("png", "svg"):
            message_boxes.choose_place(
                self._pane.window(),
                f"{name}.{what}",
                lambda path: self.save_chart(artifact, what, Path(path)),
            )
        elif isinstance(artifact.content, list):
            message_boxes.choose_place(
                self._pane.window(),
                f"{name}.csv",
                lambda path: self._do(f"save {path}", self._save_rows(artifact, Path(path))),
            )

    def save_chart(self, artifact: Artifact, form: str, path: Path) -> None:
        """Write a chart of an answer to a file. form: "png" or "svg"."""
        self._draw(
            artifact,
            form,
            lambda data: self._do(f"save {path}", self._write(write_bytes, data, path)),
        )

    def _draw(self, artifact: Artifact, form: str, take: Callable[[bytes], None]) -> None:
        """Draw a chart at the size that it has in the conversation; show an error if this fails."""

        def took(data: bytes) -> None:
            if data:
                take(data)
            else:
                message_boxes.tell(self._pane.window(), tr("This chart can't be drawn."))

        size = QSize(COLUMN, height_of(artifact, self._pane.tokens.scale, CHART_HEIGHT))
        self._painter.draw(artifact, self._pane.tokens, size, TWICE, form, took)

    def _copy(self, data: bytes) -> None:
        QGuiApplication.clipboard().setImage(QImage.fromData(data))

    def save_rows(self, rows: list[list[str]]) -> None:
        """Save a table of an answer as CSV. rows: the rows, with the header first."""
        message_boxes.choose_place(
            self._pane.window(),
            tr("Table.csv"),
            lambda path: self._do(f"save {path}", self._write(cells_to_csv, rows, Path(path))),
        )

    def save(self, uid: str, kind: str, path: Path) -> None:
        """Write the content of a card to a file."""
        body = self._pane.cards[uid].body
        if isinstance(body, TableBody):
            table, order = self._widgets.sources.source(uid).table, body.table().order
            self._do(f"save {path}", self._write(table_to_csv, table, order, path))
        elif isinstance(body, SnapshotBody):
            body.take_picture(
                kind.lower(),
                lambda data: self._do(f"save {path}", self._write(write_bytes, data, path)),
            )
        elif kind == "SVG":
            draw_svg(body, path)
        elif not picture_of(body).save(str(path), "PNG"):
            message_boxes.tell(
                self._pane.window(),
                tr("Couldn't write {name}. Choose another place.", name=path.name),
            )

    def _ask(self, uid: str, kind: str) -> None:
        name = f"{self._pane.cards[uid].bar.name.text()}.{kind.lower()}"
        message_boxes.choose_place(
            self._pane.window(), name, lambda path: self.save(uid, kind, Path(path))
        )

    async def _write(self, write: Callable[..., object], *arguments: Any) -> None:
        await asyncio.to_thread(write, *arguments)

    async def _rows(self, artifact: Artifact) -> list[dict[str, Any]]:
        """Return all rows of a table of an answer.

        If the run that produced the table is no longer stored, return only the rows in the answer.
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
        # drop a description that says which rows have been left out
        about = "" if is_whole else artifact.description
        made = await pin(self._widgets, self._live.folder, name, about, content)
        self._pane.show()
        self._pane.show_card(made.uuid)


def picture_of(body: QWidget) -> Any:
    """Return a picture of a body at a resolution suitable for printing."""
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
                "Couldn't write {name}: {strerror}.",
                name=path.name,
                strerror=error.strerror or error,
            ),
            tr("Choose another place."),
        ) from error
