"""PDF files, read with PDFium. Scripts in a PDF are never run: PDFium is built without them."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

from app.documents.text import PAGES, DocumentText, Page
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from pathlib import Path

FEW = 25  # characters of a page below which its picture is what counts
PICTURE = 3  # PDFium's number for a picture among a page's objects
# What a broken text layer leaves: characters of private use, replacement and control characters.
DAMAGE = re.compile(r"[\ue000-\uf8ff\ufffd\x00-\x08\x0e-\x1f]")


def read(path: Path, kind: str) -> DocumentText:
    """Read the text of each page.

    Raises: DocumentError for a locked, damaged or too long file.
    """
    with closing(open_pdf(path)) as document:
        if len(document) > PAGES:
            raise DocumentError(f"{path.name} has more than {PAGES:,} pages.", "Split it.")
        pages = tuple(read_page(document, number) for number in range(1, len(document) + 1))
        title = str(document.get_metadata_value("Title") or "").strip()
        return DocumentText(kind, pages, title)


def open_pdf(path: Path) -> Any:
    """Open a PDF file; whoever opens it closes it.

    Raises: DocumentError.
    """
    import pypdfium2 as pdfium

    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise DocumentError(
                f"{path.name} is locked with a password.",
                "Save a copy without a password and add that.",
            ) from error
        raise DocumentError(
            f"{path.name} is damaged or is not a PDF.",
            "Open it elsewhere to check, or add it anew.",
        ) from error


def read_page(document: Any, number: int) -> Page:
    """Return one page; a page that PDFium cannot load is reported as unread."""
    import pypdfium2 as pdfium

    label = str(document.get_page_label(number - 1) or "")
    label = "" if label == str(number) else label
    try:
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as layer:
            text = layer.get_text_range().replace("\r\n", "\n").replace("\r", "\n")
            pictured = any(o.type == PICTURE for o in page.get_objects(max_depth=2))
    except pdfium.PdfiumError:
        return Page(number, "", label, scanned=True)
    visible = re.sub(r"\s", "", text)
    damaged = len(DAMAGE.findall(visible)) > 0.05 * len(visible)
    if damaged or (len(visible) < FEW and pictured):
        return Page(number, "" if damaged else text, label, scanned=True)
    return Page(number, text, label)


def quote_boxes(path: Path, number: int, quote: str) -> list[tuple[float, float, float, float]]:
    """Return where a quote stands on a page: a box for each line it runs over.

    Each box is left, top, right, bottom in points from the upper left corner of the page. A quote
    that is not on the page has no boxes.
    Raises: DocumentError.
    """
    with closing(open_pdf(path)) as document:
        if not 1 <= number <= len(document):
            return []
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as layer:
            text = layer.get_text_range()
            found = find_quote(text, quote)
            if found is None:
                return []
            start, end = found
            height = page.get_height()
            boxes = [layer.get_rect(i) for i in range(layer.count_rects(start, end - start))]
            return lines_of(
                [(left, height - top, right, height - low) for left, low, right, top in boxes]
            )


def lines_of(
    boxes: list[tuple[float, float, float, float]],
) -> list[tuple[float, float, float, float]]:
    """Join the boxes of each line, in reading order; PDFium gives one for each run of letters."""
    lines: list[tuple[float, float, float, float]] = []
    for left, top, right, bottom in boxes:
        if lines:
            first, high, last, low = lines[-1]
            overlap = min(low, bottom) - max(high, top)
            # What begins left of the line's end is another column, or the next line.
            if overlap > 0.3 * min(low - high, bottom - top) and right >= first and left >= first:
                lines[-1] = (first, min(high, top), max(last, right), max(low, bottom))
                continue
        lines.append((left, top, right, bottom))
    return lines


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return the start and end of a quote in a text, whatever white space separates its words."""
    words = quote.split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return found.span() if found else None
