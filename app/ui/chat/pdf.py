"""Write an HTML page as a PDF."""

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
    """A document that has named pictures and loads nothing else.

    Qt prints a copy, and the copy asks this document for the pictures, because pictures added as
    resources are not copied.
    """

    def __init__(self, font: QFont) -> None:
        super().__init__(font)
        self.pictures: dict[str, QImage] = {}

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return one of the document's pictures."""
        return self.pictures.get(name if isinstance(name, str) else name.toString())


def write_pdf_without_window(page: str, path: Path) -> None:
    """Write a page in a process that shows no window; this requires fonts but no display.

    Raises: ExchangeError.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    drawing = QGuiApplication.instance() or QGuiApplication([])
    write_pdf(page, path)
    del drawing


def write_pdf(page: str, path: Path) -> None:
    """Write an HTML page as an A4 PDF; only pictures contained in the page are shown.

    An application must exist. Raises: ExchangeError.
    """
    try:
        path.write_bytes(b"")  # Qt does not report why it cannot write
    except OSError as error:
        raise ExchangeError(
            tr("Couldn't write {path}: {strerror}.", path=path, strerror=error.strerror or error),
            tr("Choose a writable folder with free space."),
        ) from error
    writer = QPdfWriter(str(path))
    writer.setCreator("Deskpilot")
    writer.setResolution(DPI)
    margins = QMarginsF(0, 0, 0, 0)  # Qt adds margins of 2 cm when it prints a document
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            QPageLayout.Orientation.Portrait,
            margins,
            QPageLayout.Unit.Millimeter,
        )
    )
    font = text_font(TEXT_PX)
    font.setPixelSize(TEXT_PX)  # the size on paper does not depend on the text size in the window
    document = PrintedDocument(font)
    for number, picture in enumerate(dict.fromkeys(PICTURE.findall(page))):
        name = f"picture-{number}"  # Qt does not load pictures from data URLs
        document.pictures[name] = QImage.fromData(b64decode(picture.partition(",")[2]))
        page = page.replace(picture, name)
    document.setMetaInformation(QTextDocument.MetaInformation.CssMedia, "print")
    document.setHtml(page)
    keep_together(document, writer)
    document.print_(writer)


def keep_together(document: QTextDocument, writer: QPdfWriter) -> None:
    """Start a new page before each question or title that would otherwise be the last thing on its
    page.
    """
    laid = document.clone()
    laid.documentLayout().setPaintDevice(writer)
    laid.setPageSize(QSizeF(writer.width(), writer.height()))
    frame = laid.rootFrame().frameFormat()
    margin = MARGIN_CM / 2.54 * writer.logicalDpiY()  # the margin Qt uses for printing
    frame.setMargin(margin)
    laid.rootFrame().setFrameFormat(frame)
    layout, height = laid.documentLayout(), float(writer.height())
    block = laid.begin()
    while block.isValid():
        following = block.next()
        if following.isValid() and is_head(block):
            here = layout.blockBoundingRect(block).top()
            there = layout.blockBoundingRect(following)
            # the bottom of the next block; Qt fits slightly less on a printed page than in this
            # layout
            crosses = int((there.bottom() + margin + SLACK) // height) > int(here // height)
            if crosses and there.height() < height / 2:
                for one in (laid, document):
                    cursor = QTextCursor(one.findBlockByNumber(block.blockNumber()))
                    form = cursor.blockFormat()
                    form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                    cursor.setBlockFormat(form)
        block = following


def is_head(block: QTextBlock) -> bool:
    """Return whether a block is a question or a title; all text in such a block is bold."""
    pieces = [piece.fragment() for piece in cast("Any", block)]
    told = [piece for piece in pieces if piece.text().strip()]
    weights = {piece.charFormat().fontWeight() for piece in told}
    return bool(weights) and min(weights) >= QFont.Weight.DemiBold
