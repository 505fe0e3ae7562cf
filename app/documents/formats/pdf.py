"""PDF files, read with PDFium. Scripts in a PDF are never run: PDFium is built without them."""

from __future__ import annotations

import re
import unicodedata
from contextlib import closing
from typing import TYPE_CHECKING, Any

from app.documents.passages import PAGES, DocumentPage, DocumentText
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from pathlib import Path

FEW = 25  # a page with fewer characters is treated as an image
HIGHEST = 4000  # maximum height of a page image, in pixels
SCAN_DPI = 150  # resolution of the page image for OCR
PICTURE = 3  # PDFium's type number for images among the objects on a page
# Signs of a broken text layer: private-use, replacement and control characters.
DAMAGE = re.compile(r"[\ue000-\uf8ff\ufffd\x00-\x08\x0e-\x1f]")
# If a font draws a radical and a character with the same glyph, the radical ends up in the text.
# These are the radicals that Unicode does not map to characters but that are characters in their
# own right. PDFium returns U+FFFE for a hyphen at the end of a line. Each character is replaced by
# exactly one character, so positions in the text stay valid.
RADICALS = {n: unicodedata.normalize("NFKC", chr(n)) for n in range(0x2E80, 0x2FE0)}
PLAIN = RADICALS | {
    0xFFFE: "-",
    **dict(
        zip(
            map(ord, "⺟⺠⻁⻄⻅⻆⻋⻓⻔⻘⻚⻛⻜⻝⻢⻣⻤⻥⻦⻩⻬⻮⻰⻳"),
            "母民虎西见角车长门青页风飞食马骨鬼鱼鸟黄齐齿龙龟",
            strict=True,
        )
    ),
}


def read(path: Path, kind: str) -> DocumentText:
    """Read the text of each page.

    Raises: DocumentError if the file is locked, damaged or too long.
    """
    with closing(open_pdf(path)) as document:
        if len(document) > PAGES:
            raise DocumentError(f"{path.name} has more than {PAGES:,} pages.", "Split it.")
        pages = tuple(read_page(document, number) for number in range(1, len(document) + 1))
        title = str(document.get_metadata_value("Title") or "").strip()
        return DocumentText(kind, pages, title)


def open_pdf(path: Path) -> Any:
    """Open a PDF file, which the caller must close.

    Raises: DocumentError.
    """
    import pypdfium2 as pdfium

    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise DocumentError(
                f"{path.name} is protected by a password.",
                "Save a copy without a password and add the copy.",
            ) from error
        raise DocumentError(
            f"{path.name} is damaged or is not a PDF.",
            "Open it in another program to check it, or add it again.",
        ) from error


def read_page(document: Any, number: int) -> DocumentPage:
    """Return one page. A page that PDFium cannot load is reported as unread."""
    import pypdfium2 as pdfium

    label = str(document.get_page_label(number - 1) or "")
    label = "" if label == str(number) else label
    try:
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as layer:
            text = layer.get_text_range().translate(PLAIN).replace("\r\n", "\n").replace("\r", "\n")
            pictured = any(o.type == PICTURE for o in page.get_objects(max_depth=2))
    except pdfium.PdfiumError:
        return DocumentPage(number, "", label, scanned=True)
    visible = re.sub(r"\s", "", text)
    damaged = len(DAMAGE.findall(visible)) > 0.05 * len(visible)
    if damaged or (len(visible) < FEW and pictured):
        return DocumentPage(number, "" if damaged else text, label, scanned=True)
    return DocumentPage(number, text, label)


def quote_boxes(path: Path, number: int, quote: str) -> list[tuple[float, float, float, float]]:
    """Return the position of a quote on a page as a box for each of its lines.

    Each box consists of its left, top, right and bottom edges, in points from the upper left corner
    of the page. A quote that is not on the page has no boxes. Raises: DocumentError.
    """
    with closing(open_pdf(path)) as document:
        if not 1 <= number <= len(document):
            return []
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as layer:
            text = layer.get_text_range().translate(PLAIN)
            found = find_quote(text, quote)
            if found is None:
                return []
            start, end = found
            height = page.get_height()
            boxes = [layer.get_rect(i) for i in range(layer.count_rects(start, end - start))]
            return lines_of(
                [(left, height - top, right, height - low) for left, low, right, top in boxes]
            )


def render_page(path: Path, number: int, width: int) -> tuple[int, int, bytes, float]:
    """Return a page as an image: its width and height in pixels, its pixels (four bytes each: blue,
    green, red and one unused), and the number of pixels per point.

    width: the maximum width in pixels. A very tall page becomes narrower. 0 returns a greyscale
    image with one byte per pixel, in the size that OCR needs. Raises: DocumentError, also if the
    page does not exist.
    """
    each = 4 if width else 1
    with closing(open_pdf(path)) as document:
        if not 1 <= number <= len(document):
            raise DocumentError(f"{path.name} has no page {number}.", "Search again.")
        with closing(document[number - 1]) as page:
            wide, high = page.get_size()
            scale = width / max(wide, 1) if width else SCAN_DPI / 72
            scale = min(scale, HIGHEST / max(high, wide, 1))
            with closing(
                page.render(scale=scale, prefer_bgrx=bool(width), grayscale=not width)
            ) as bitmap:
                line = each * bitmap.width
                raw = bytes(bitmap.buffer)
                rows = [raw[at : at + line] for at in range(0, len(raw), bitmap.stride)]
                return bitmap.width, bitmap.height, b"".join(rows[: bitmap.height]), scale


def lines_of(
    boxes: list[tuple[float, float, float, float]],
) -> list[tuple[float, float, float, float]]:
    """Join the boxes of each line, in reading order. PDFium returns one box for each run of
    letters."""
    lines: list[tuple[float, float, float, float]] = []
    for left, top, right, bottom in boxes:
        if lines:
            first, high, last, low = lines[-1]
            overlap = min(low, bottom) - max(high, top)
            # A box that begins to the left of the line's end belongs to another column or to the
            # next line.
            if overlap > 0.3 * min(low - high, bottom - top) and right >= first and left >= first:
                lines[-1] = (first, min(high, top), max(last, right), max(low, bottom))
                continue
        lines.append((left, top, right, bottom))
    return lines


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return the start and end of a quote in a text, regardless of the white space between its
    words.
    """
    words = quote.split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return found.span() if found else None
