"""Write a page of HTML as PDF."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QMarginsF, QSizeF, QUrl
from PySide6.QtGui import (
    QFont,
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageSize,
    QPdfWriter,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from app.domain.errors import ExchangeError
from app.ui.markdown.document import BlockDocument
from app.ui.theme.i18n import tr
from app.ui.theme.style import text_font

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QTextBlock

DPI, TEXT_PX, MARGIN_CM, SLACK = 96, 14, 2.0, 24.0
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
    font = text_font(TEXT_PX)
    font.setPixelSize(TEXT_PX)  # on paper, whatever size the window has
    document = PrintedDocument(font)
    for number, picture in enumerate(dict.fromkeys(PICTURE.findall(page))):
        name = f"picture-{number}"  # Qt does not take pictures from addresses that hold them
        document.pictures[name] = QImage.fromData(b64decode(picture.partition(",")[2]))
        page = page.replace(picture, name)
    document.setMetaInformation(QTextDocument.MetaInformation.CssMedia, "print")
    document.setHtml(page)
    keep_together(document, writer)
    document.print_(writer)


def keep_together(document: QTextDocument, writer: QPdfWriter) -> None:
    """Begin a new page before each question and title that would be the last on its page."""
    laid = document.clone()
    laid.documentLayout().setPaintDevice(writer)
    laid.setPageSize(QSizeF(writer.width(), writer.height()))
    frame = laid.rootFrame().frameFormat()
    margin = MARGIN_CM / 2.54 * writer.logicalDpiY()  # as Qt prints
    frame.setMargin(margin)
    laid.rootFrame().setFrameFormat(frame)
    layout, height = laid.documentLayout(), float(writer.height())
    block = laid.begin()
    while block.isValid():
        following = block.next()
        if following.isValid() and is_head(block):
            here = layout.blockBoundingRect(block).top()
            there = layout.blockBoundingRect(following)
            # where the next one ends; Qt prints a little less on a page than is laid out here
            crosses = int((there.bottom() + margin + SLACK) // height) > int(here // height)
            if crosses and there.height() < height / 2:
                for one in (laid, document):
                    cursor = QTextCursor(one.findBlockByNumber(block.blockNumber()))
                    form = cursor.blockFormat()
                    form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                    cursor.setBlockFormat(form)
        block = following


def is_head(block: QTextBlock) -> bool:
    """Return whether a block is the question or the title of what follows: all of it is bold."""
    pieces = [piece.fragment() for piece in cast("Any", block)]
    told = [piece for piece in pieces if piece.text().strip()]
    weights = {piece.charFormat().fontWeight() for piece in told}
    return bool(weights) and min(weights) >= QFont.Weight.DemiBold
