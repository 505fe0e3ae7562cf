"""The grid of tiles and their frames.

It converts between cells and pixels, and lets the user move and resize tiles with the mouse and the
keyboard.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEasingCurve,
    QPoint,
    QPropertyAnimation,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QPainter,
    QPainterPath,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import QStyle, QWidget

from app.domain import dashboard as layout
from app.domain.dashboard import COLUMNS, MIN_W, TilePlace, Tiles, height
from app.ui.theme.i18n import tr
from app.ui.theme.style import scaled, set_mark
from app.ui.theme.tokens import LIGHT, RADIUS_CARD, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent, QMouseEvent, QPaintEvent, QPixmap, QResizeEvent

    from app.ui.dashboard.card import Card


OVERHANG = 10  # in pixels: how far a card's edges reach into the gap between tiles
INSIDE, CORNER = 2, 12


class TileFrame(QWidget):
    """The frame of a tile.

    Signals: stretched(the size in pixels that the card should have) while it is being resized,
    let_go() at the end.
    """

    stretched = Signal(QSize)
    let_go = Signal()

    def __init__(self, card: Card, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card = card
        self._cover: CardPicture | None = None
        card.setParent(self)
        self.grips = [
            Grip(self, right, bottom)
            for right, bottom in ((True, False), (False, True), (True, True))
        ]

    def cover(self) -> bool:
        """Show a picture in place of the card, so that the tile can move without its cells being
        repainted.

        Return whether a picture had to be taken.
        """
        if self._cover is not None or callable(
            getattr(self.card.body, "page", None)
        ):  # because a web view paints itself
            return False
        self._cover = CardPicture(self.card.grab(), self)
        self._cover.setGeometry(self.card.geometry())
        self._cover.stackUnder(self.grips[0])
        self._cover.show()
        return True

    def uncover(self) -> None:
        """Show the card itself again."""
        if self._cover is not None:
            self._cover.hide()
            self._cover.deleteLater()
            self._cover = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the card and its edges."""
        self.uncover()
        w, h = event.size().width() - OVERHANG, event.size().height() - OVERHANG
        self.card.setGeometry(0, 0, w, h)
        side, edge = INSIDE + OVERHANG, CORNER + OVERHANG
        right, bottom, corner = self.grips
        right.setGeometry(w - INSIDE, CORNER, side, h - 2 * CORNER)
        bottom.setGeometry(CORNER, h - INSIDE, w - 2 * CORNER, side)
        corner.setGeometry(w - CORNER, h - CORNER, edge, edge)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        for grip in self.grips:
            grip.tokens = tokens
            grip.update()


class CardPicture(QWidget):
    """A picture of a card, placed over the card."""

    def __init__(self, picture: QPixmap, tile: TileFrame) -> None:
        super().__init__(tile)
        self._picture = picture
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the corners rounded."""
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), RADIUS_CARD, RADIUS_CARD)
        self.setMask(QRegion(shape.toFillPolygon().toPolygon()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture."""
        QPainter(self).drawPixmap(0, 0, self._picture)


class Grip(QWidget):
    """An edge or corner that is painted while the mouse is over it."""

    def __init__(self, tile: TileFrame, right: bool, bottom: bool) -> None:
        super().__init__(tile)
        self.tokens: Tokens = LIGHT
        self._tile, self._right, self._bottom = tile, right, bottom
        self._start: tuple[QPoint, QSize] | None = None
        self._hot = False
        shapes = Qt.CursorShape
        self.setCursor(
            shapes.SizeFDiagCursor
            if right and bottom
            else shapes.SizeHorCursor
            if right
            else shapes.SizeVerCursor
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start resizing."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._start = (event.globalPosition().toPoint(), self._tile.card.size())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Resize the tile with the mouse."""
        if self._start is not None:
            point, size = self._start
            moved = event.globalPosition().toPoint() - point
            by = QSize(moved.x() if self._right else 0, moved.y() if self._bottom else 0)
            self._tile.stretched.emit(size + by)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stop resizing."""
        if self._start is not None:
            self._start = None
            self._tile.let_go.emit()
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Become visible."""
        self._hot = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Become invisible."""
        self._hot = False
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the edge in the accent colour."""
        if not self._hot and self._start is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.tokens.accent), 2, c=Qt.PenCapStyle.RoundCap))
        w, h = self.width(), self.height()
        if self._right and self._bottom:
            painter.drawArc(
                QRect(-CORNER + 1, -CORNER + 1, 2 * CORNER - 2, 2 * CORNER - 2), 0, -90 * 16
            )
        elif self._right:
            painter.drawLine(1, h // 2 - 16, 1, h // 2 + 16)
        else:
            painter.drawLine(w // 2 - 16, 1, w // 2 + 16, 1)


GLIDE_MS, TICK_MS = 140, 30
GUEST = "\0guest"  # id of the tile that dropping a file would create


class Grid(QWidget):
    """The grid of tiles.

    Signals: arranged(tiles) when the user changes the layout; hovering(global point) while a tile
    is dragged; carried(tile id, global point) when a tile is dropped outside the grid.
    """

    arranged = Signal(object)
    hovering = Signal(QPoint)
    carried = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dashboardBody")
        self.tokens: Tokens = LIGHT
        self.tiles: Tiles = ()
        self.frames: dict[str, TileFrame] = {}
        self._glides: dict[str, QPropertyAnimation] = {}
        self._held: str | None = None
        self._hold, self._hand = QPoint(), QPoint()
        self._preview: Tiles | None = None
        self._gap = QRect()  # where the dragged tile would be placed
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(lambda: self.hovering.emit(self._hand))

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        grown = tokens.scale != self.tokens.scale
        self.tokens = tokens
        for frame in self.frames.values():
            frame.set_tokens(tokens)
        if grown:
            self._place(glide=False)

    def add(self, tile_id: str, card: Card) -> None:
        """Add a card; `show_tiles` places it."""
        frame = self.frames[tile_id] = TileFrame(card, self)
        frame.set_tokens(self.tokens)
        bar = card.bar
        bar.grabbed.connect(lambda point: self._grab(tile_id, point))
        bar.dragged.connect(self._drag)
        bar.dropped.connect(self._drop)
        bar.cancelled.connect(self._cancel)
        bar.nudged.connect(
            lambda dx, dy: self._change(layout.nudge(self.tiles, tile_id, dx, dy), tile_id)
        )
        bar.stretched.connect(lambda dw, dh: self._stretch_by_key(tile_id, dw, dh))
        frame.stretched.connect(lambda size: self._stretch(tile_id, size))
        frame.let_go.connect(self._drop)

    def take(self, tile_id: str) -> None:
        """Remove a card."""
        self._stop_glide(tile_id)
        frame = self.frames.pop(tile_id)
        frame.hide()
        frame.deleteLater()

    def show_tiles(self, tiles: Tiles) -> None:
        """Place the tiles."""
        if self._held is not None and {t.id for t in tiles} != {t.id for t in self.tiles}:
            self._put_down()
        self.tiles = tiles
        here = {tile.id for tile in tiles}
        for tile_id, frame in self.frames.items():
            if tile_id not in here:  # the tile is on another dashboard
                self._stop_glide(tile_id)
                frame.hide()
        order = [part for tile in tiles if tile.id in self.frames for part in self._stops(tile.id)]
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)
        self._place(glide=True)

    def preview_new(self, point: QPoint | None) -> tuple[int, int]:
        """Make room for the tile that a drop at a point would add; return its cell.

        point: a point in the grid; None removes the room that was made.
        """
        if point is None:
            self._preview, self._held = None, None
            cell = (0, 0)
        else:
            self._held = GUEST
            cell = (0, Geometry(self.width()).cell(point.x(), point.y())[1])
            self._preview = layout.add(self.tiles, GUEST, layout.COLUMNS, 6, cell)
        self._place(glide=True)
        return cell

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the tiles again."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._place(glide=False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the place where the dragged tile will be dropped."""
        if not self._gap.isNull():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.tokens.accent_soft))
            painter.drawRoundedRect(self._gap, RADIUS_CARD, RADIUS_CARD)

    def _show_gap(self) -> None:
        """Repaint only the areas of the dragged tile's old and new positions.

        Repainting the whole grid would paint every cell of every table.
        """
        held = next((t for t in self._preview or () if t.id == self._held), None)
        gap = QRect(*Geometry(self.width()).rect(held)) if held is not None else QRect()
        if gap != self._gap:
            before, self._gap = self._gap, gap
            self.update(before)
            self.update(gap)

    def _stops(self, tile_id: str) -> list[QWidget]:
        card = self.frames[tile_id].card
        return [card.bar, *card.bar.buttons(), card.body]

    def _grab(self, tile_id: str, point: QPoint) -> None:
        self._held, self._hand = tile_id, point
        self._hold = self.mapFromGlobal(point) - self.frames[tile_id].pos()
        self._preview = self.tiles
        self._lift(tile_id)
        self.frames[tile_id].cover()
        self._tick.start()

    def _lift(self, tile_id: str) -> None:
        self.frames[tile_id].raise_()
        set_mark(self.frames[tile_id].card, "held", True)

    def _put_down(self) -> None:
        if self._held in self.frames:
            set_mark(self.frames[self._held].card, "held", False)
        self._preview, self._held = None, None
        self._tick.stop()
        QTimer.singleShot(0, self, self._uncover)

    def _drag(self, point: QPoint) -> None:
        if self._held is None:
            return
        self._hand = point
        self._cover_one()
        frame = self.frames[self._held]
        corner = self.mapFromGlobal(point) - self._hold
        corner.setX(min(max(corner.x(), 0), self.width() - frame.width() + OVERHANG))
        corner.setY(max(corner.y(), 0))
        self._stop_glide(self._held)
        frame.move(corner)
        x, y = Geometry(self.width()).cell(corner.x(), corner.y())
        self._show_preview(layout.move(self.tiles, self._held, x, y))

    def _cover_one(self) -> None:
        """Replace one more visible tile with a picture; replacing all of them at once would cause a
        noticeable delay.
        """
        seen = self._seen()
        for frame in self.frames.values():
            if frame.isVisible() and frame.geometry().intersects(seen) and frame.cover():
                return

    def _seen(self) -> QRect:
        """Return the visible part of the grid; Qt's own visible region excludes areas covered by
        pictures.
        """
        view = self.parentWidget()
        return self.rect() & QRect(-self.pos(), view.size()) if view is not None else self.rect()

    def _uncover(self) -> None:
        """Show the tiles themselves once no tile is moving."""
        if not self._glides and self._held is None:
            for frame in self.frames.values():
                frame.uncover()

    def follow_hand(self) -> None:
        """Keep the dragged tile under the mouse after scrolling."""
        self._drag(self._hand)

    def _stretch(self, tile_id: str, size: QSize) -> None:
        if self._held is None:
            self._held = tile_id
            self._lift(tile_id)
        w, h = Geometry(self.width()).span(size.width(), size.height())
        self._show_preview(layout.resize(self.tiles, tile_id, w, h))
        rect = self._target(layout.find(self._preview or self.tiles, tile_id))
        self._stop_glide(tile_id)
        w, h = (
            min(max(size.width(), LEAST), self.width() - rect.x()),
            max(size.height(), rect.height() // 2),
        )
        self.frames[tile_id].setGeometry(rect.x(), rect.y(), w + OVERHANG, h + OVERHANG)

    def _stretch_by_key(self, tile_id: str, dw: int, dh: int) -> None:
        tile, (least, _) = layout.find(self.tiles, tile_id), Geometry(self.width()).span(0, 0)
        w = max(tile.w + dw, min(least, tile.w))
        self._change(layout.resize(self.tiles, tile_id, w, tile.h + dh), tile_id)

    def _change(self, tiles: Tiles, tile_id: str) -> None:
        """Apply a layout changed with the keyboard, and announce the new position of the tile."""
        if tiles == self.tiles:
            return
        self.show_tiles(tiles)
        self.arranged.emit(tiles)
        tile = layout.find(tiles, tile_id)
        said = tr(
            "Column {x}, row {y}, {w} wide, {h} high",
            x=tile.x + 1,
            y=tile.y + 1,
            w=tile.w,
            h=tile.h,
        )
        QAccessible.updateAccessibility(
            QAccessibleAnnouncementEvent(self.frames[tile_id].card.bar, said)
        )

    def _show_preview(self, tiles: Tiles) -> None:
        if tiles != self._preview:
            self._preview = tiles
            self._place(glide=True)

    def _drop(self) -> None:
        tiles, held = self._preview, self._held
        outside = self._tick.isActive() and not self._seen().contains(
            self.mapFromGlobal(self._hand)
        )
        self._put_down()
        if held is not None and outside:
            self._place(glide=True)
            self.carried.emit(held, self._hand)
            return
        if tiles is None or tiles == self.tiles:
            self._place(glide=True)
        else:
            self.show_tiles(tiles)
            self.arranged.emit(tiles)

    def _cancel(self) -> None:
        self._put_down()
        self._place(glide=True)

    def _target(self, tile: layout.TilePlace) -> QRect:
        x, y, w, h = Geometry(self.width()).rect(tile)
        return QRect(x, y, w + OVERHANG, h + OVERHANG)

    def _place(self, *, glide: bool) -> None:
        tiles = self._preview or self.tiles
        self.setMinimumSize(*least_size(tiles))
        for tile in tiles:
            frame = self.frames.get(tile.id)
            if frame is not None and tile.id != self._held:
                self._send(tile.id, frame, self._target(tile), glide=glide and frame.isVisible())
        self._show_gap()

    def _send(self, tile_id: str, frame: TileFrame, target: QRect, *, glide: bool) -> None:
        running = self._glides.get(tile_id)
        if running is not None and running.endValue() == target and glide:
            return
        self._stop_glide(tile_id)
        quick = not self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
        if not glide or quick or frame.geometry() == target:
            frame.setGeometry(target)
            frame.show()
            return
        made = self._glides[tile_id] = QPropertyAnimation(frame, b"geometry", self)
        made.setDuration(GLIDE_MS)
        made.setEasingCurve(QEasingCurve.Type.OutCubic)
        made.setEndValue(target)
        made.finished.connect(lambda: self._stop_glide(tile_id))
        made.start()

    def _stop_glide(self, tile_id: str) -> None:
        running = self._glides.pop(tile_id, None)
        if running is not None:
            running.stop()
            running.deleteLater()
            self._uncover()


GAP, MARGIN, ROW = 12, 12, 28
# in pixels: minimum tile width; two such tiles fit side by side in the pane's initial width
LEAST = 176


def step() -> int:
    """Return the distance in pixels from one row to the next; rows are taller when the text is
    larger.
    """
    return scaled(ROW) + GAP


@dataclass(frozen=True)
class Geometry:
    """Converts between positions in the grid and pixels. width: the grid's width in pixels."""

    width: int

    @property
    def pitch(self) -> float:
        """Return the distance in pixels from one column to the next."""
        return (self.width - 2 * MARGIN + GAP) / COLUMNS

    def rect(self, tile: TilePlace) -> tuple[int, int, int, int]:
        """Return the left edge, top edge, width and height of a tile, in pixels."""
        left, right = self._left(tile.x), self._left(tile.right) - GAP
        return left, MARGIN + tile.y * step(), right - left, tile.h * step() - GAP

    def cell(self, x: int, y: int) -> tuple[int, int]:
        """Return the cell whose corner is nearest to a point."""
        return round((x - MARGIN) / self.pitch), round((y - MARGIN) / step())

    def span(self, width: int, height: int) -> tuple[int, int]:
        """Return the number of columns and rows that best match a size in pixels without making the
        tile too narrow to read.
        """
        least = ceil((LEAST + GAP) / self.pitch)
        return max(round((width + GAP) / self.pitch), min(least, COLUMNS)), round(
            (height + GAP) / step()
        )

    def _left(self, column: int) -> int:
        return MARGIN + round(column * self.pitch)


def least_size(tiles: Iterable[TilePlace]) -> tuple[int, int]:
    """Return the width and height that the grid needs to make its narrowest tile readable."""
    tiles = tuple(tiles)
    narrowest = min((tile.w for tile in tiles), default=COLUMNS)
    pitch = (LEAST + GAP) / max(narrowest, MIN_W)
    return 2 * MARGIN - GAP + ceil(pitch * COLUMNS), 2 * MARGIN + height(tiles) * step() - GAP
