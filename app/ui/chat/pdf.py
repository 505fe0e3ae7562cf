"""Write a page of HTML as PDF."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QMarginsF
from PySide6.QtGui import QGuiApplication, QPageLayout, QPageSize, QPdfWriter

from app.domain.errors import ExchangeError
from app.ui.markdown.document import BlockDocument
from app.ui.theme.i18n import tr
from app.ui.theme.style import text_font

if TYPE_CHECKING:
    from pathlib import Path

DPI, MARGIN_MM, TEXT_PX = 96, 18, 14


def write_pdf_without_window(page: str, path: Path) -> None:
    """Write a page in a process that shows no window; fonts are needed, a display is not.

    Raises: ExchangeError.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    drawing = QGuiApplication.instance() or QGuiApplication([])
    write_pdf(page, path)
    del drawing


def write_pdf(page: str, path: Path) -> None:
    """Write a page on A4; nothing it names is loaded. Needs an application.

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
    margins = QMarginsF(MARGIN_MM, MARGIN_MM, MARGIN_MM, MARGIN_MM)
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            QPageLayout.Orientation.Portrait,
            margins,
            QPageLayout.Unit.Millimeter,
        )
    )
    document = BlockDocument(text_font(TEXT_PX))
    document.setHtml(page)
    document.print_(writer)
