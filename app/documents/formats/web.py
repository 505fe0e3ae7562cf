"""HTML pages and EPUB books."""

from __future__ import annotations

import posixpath
import re
from contextlib import closing
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote

from app.documents.formats.office import open_archive, part, unpack
from app.documents.formats.plain import decode, read_bytes
from app.documents.passages import DocumentPage, DocumentText
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from pathlib import Path

CONTAINER = "META-INF/container.xml"
PACKAGE = "{http://www.idpf.org/2007/opf}"
TITLE = "{http://purl.org/dc/elements/1.1/}title"
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
    ]
)
# `head` is not included because its end tag may be omitted; it contains no other visible text.
HIDDEN = frozenset(("script", "style", "template", "noscript", "svg"))
HEADING = re.compile(r"h[1-6]")


def read(path: Path, kind: str) -> DocumentText:
    """Read an HTML page or an EPUB book.

    Raises: DocumentError.
    """
    if kind == "html":
        page, title = page_text(decode(read_bytes(path)), 1)
        return DocumentText(kind, (page,), title)
    with closing(open_archive(path)) as archive:
        container = part(archive, CONTAINER, path)
        root = next((n.get("full-path") for n in container.iter() if n.get("full-path")), None)
        if root is None:
            raise DocumentError(f"{path.name} is damaged.", "Add the book again.")
        package = part(archive, root, path)
        title = (package.findtext(f".//{TITLE}") or "").strip()
        items = {n.get("id"): n.get("href") or "" for n in package.iter(f"{PACKAGE}item")}
        names = archive.namelist()
        pages: list[DocumentPage] = []
        for reference in package.iter(f"{PACKAGE}itemref"):
            href = unquote(items.get(reference.get("idref"), ""))
            name = posixpath.normpath(posixpath.join(posixpath.dirname(root), href))
            if name in names:
                text = decode(unpack(archive, name, path))
                page, chapter = page_text(text, len(pages) + 1)
                if page.text.strip():
                    label = page.headings[0][1] if page.headings else chapter
                    pages.append(DocumentPage(page.number, page.text, label, page.headings))
        return DocumentText(kind, tuple(pages) or (DocumentPage(1, ""),), title)


def page_text(html: str, number: int) -> tuple[DocumentPage, str]:
    """Return the text of an HTML page, and its title."""
    reader = _PageText()
    reader.feed(html)
    reader.close()
    text, headings = reader.finish()
    return DocumentPage(number, text, headings=headings), reader.title.strip()


class _PageText(HTMLParser):
    """Collects the visible text of a page, its headings and its title."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._pieces: list[str] = []
        self._headings: list[tuple[int, str]] = []
        self._length = 0
        self._hidden = 0
        self._titled = False
        # where the open heading begins, in the text and in the list of its pieces
        self._heading: tuple[int, int] | None = None

    def _write(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)

    def _break(self) -> None:
        if self._pieces and not self._pieces[-1].endswith("\n"):
            self._write("\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a new line at each block element."""
        self._hidden += tag in HIDDEN
        self._titled = tag == "title"
        if tag in BLOCKS:
            self._break()
        if tag in ("td", "th") and self._pieces and not self._pieces[-1].endswith("\n"):
            self._write("\t")
        if HEADING.fullmatch(tag):
            self._heading = (self._length, len(self._pieces))

    def handle_endtag(self, tag: str) -> None:
        """Handle the end of a block."""
        if tag in HIDDEN and self._hidden:
            self._hidden -= 1
        self._titled = False
        if HEADING.fullmatch(tag) and self._heading is not None:
            start, first = self._heading
            text = " ".join("".join(self._pieces[first:]).split())
            if text:
                self._headings.append((start, text))
            self._heading = None
        if tag in BLOCKS:
            self._break()

    def handle_data(self, data: str) -> None:
        """Collect visible text, and reduce white space to a single space."""
        if self._titled:
            self.title += data
        if self._hidden or self._titled:
            return
        text = re.sub(r"\s+", " ", data)
        if text == " " and (not self._pieces or self._pieces[-1].endswith(("\n", " "))):
            return
        self._write(text)

    def finish(self) -> tuple[str, tuple[tuple[int, str], ...]]:
        """Return the text, and the headings with their positions in it."""
        return "".join(self._pieces), tuple(self._headings)
