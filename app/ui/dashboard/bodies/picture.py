"""Pictures, fitted to the tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter
from PySide6.QtWidgets import QWidget

from app.domain.errors import BackendError
from app.openbb.content import bytes_of
from app.openbb.kinds import IMAGE
from app.ui.dashboard.bodies import WidgetView
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

MEGABYTES = 256  # maximum size of an uncompressed picture


class PictureBody(QWidget):
    """Shows the whole of the first picture in a list of files.

    Raises: BackendError if that file is not a picture.
    """

    def __init__(
        self, files: list[dict[str, str]], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Picture {name}", name=name))
        self.setMinimumHeight(48)
        self.image = read_image(bytes_of(files[0]), files[0].get("filename", name))

    def sizeHint(self) -> QSize:
        """Return the size of the picture."""
        return self.image.size()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture in the centre, without ever enlarging it."""
        room = self.rect().adjusted(8, 8, -8, -8)
        ratio = self.devicePixelRatioF()
        size = self.image.size() / ratio
        if size.width() > room.width() or size.height() > room.height():
            size = size.scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
        box = QRect(room.topLeft(), size)
        box.moveCenter(room.center())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(box, self.image)


def read_image(held: bytes, name: str) -> QImage:
    """Return a picture. held: the content of the picture's file.

    Raises: BackendError.
    """
    buffer = QBuffer()
    buffer.setData(QByteArray(held))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAllocationLimit(MEGABYTES)
    reader.setAutoTransform(True)
    image = reader.read()
    if image.isNull():
        raise BackendError(
            tr("{name} can't be shown as a picture.", name=name),
            tr("Save it as PNG or JPEG."),
        )
    return image


VIEW = WidgetView(IMAGE, lambda content, name: PictureBody(content.value, name))
