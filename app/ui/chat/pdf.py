"""Write a page of HTML as PDF."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMarginsF, QUrl
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageSize,
    QPdfWriter,
    QTextDocument,
)

from app.domain.errors import ExchangeError
from app.ui.markdown.document import BlockDocument
from app.ui.theme.i18n import tr
from app.ui.theme.style import text_font

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QFont

DPI, TEXT_PX = 96, 14
PICTURE = re.compile(r'src="(data:image/png;base64,[A-Za-z0-9+/=]+)"')


class PrintedDocument(BlockDocument):
    """A document that has some named pictures, and loads nothing else.

    The copy that Qt prints asks this document for them, as pictures added as resources are not
    copied.
    """

    def __init__(self, font: QFont) -> None:
        super().__init__(font)
        self.pictures: dict[str, QImage] = {}

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return one of the document's pictures."""
        return self.pictures.get(name if isinstance(name, str) else name.toString())


def write_pdf_without_window(page: str, path: Path) -> None:
    """Write a page in a process that shows no window; fonts are needed, a display is not.

    Raises: ExchangeError.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    drawing = QGuiApplication.instance() or QGuiApplication([])
    write_pdf(page, path)
    del drawing


def write_pdf(page: str, path: Path) -> None:
    """Write a page on A4; only pictures that it holds are shown. Needs an application.

    Raises: ExchangeError.
    """
    try:
        path.write_bytes(b"")  # Qt does not say why it cannot write
    except OSError as error:
        raise ExchangeError(
            tr("Couldn't write {path}: {strerror}.", path=path, strerror=error.strerror or error),
            tr("Choose a writable folder with free space."),
        ) from error
    writer = QPdfWriter(str(path))
    writer.setCreator("Deskpilot")
    writer.setResolution(DPI)
    margins = QMarginsF(0, 0, 0, 0)  # those of 2 cm are added when a document is printed
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            QPageLayout.Orientation.Portrait,
            margins,
            QPageLayout.Unit.Millimeter,
        )
    )
    document = PrintedDocument(text_font(TEXT_PX))
    for number, picture in enumerate(dict.fromkeys(PICTURE.findall(page))):
        name = f"picture-{number}"  # Qt does not take pictures from addresses that hold them
        document.pictures[name] = QImage.fromData(b64decode(picture.partition(",")[2]))
        page = page.replace(picture, name)
    document.setMetaInformation(QTextDocument.MetaInformation.CssMedia, "print")
    document.setHtml(page)
    document.print_(writer)
