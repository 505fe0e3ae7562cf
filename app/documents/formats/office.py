"""Read Word, PowerPoint and Excel files. Word and PowerPoint files are read as zip archives of
XML."""

from __future__ import annotations

import datetime
import posixpath
import re
import zipfile
import zlib
from contextlib import closing, suppress
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.parsers import expat

from app.documents.passages import DocumentPage, DocumentText
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from xml.etree.ElementTree import Element

PART = 200 * 1024**2  # maximum size of one unpacked part, in bytes
ALL = 2 * PART  # maximum size of all parts unpacked for their text, in bytes
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
SLIDE = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}"
REFERENCE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
# Fallback content for old programs, and the original position of moved text.
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
HIDDEN = (FALLBACK, f"{WORD}moveFrom", f"{WORD}pPr", f"{WORD}txbxContent")
BREAKS = {f"{WORD}tab": "\t", f"{WORD}br": "\n", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "-"}
ROW = 91_440  # EMU, a tenth of an inch: boxes whose tops differ by less are considered side by side
CORE = "docProps/core.xml"
TITLE = "{http://purl.org/dc/elements/1.1/}title"


def read(path: Path, kind: str) -> DocumentText:
    """Read an Office file.

    Raises: DocumentError.
    """
    if kind == "xlsx":
        return DocumentText(kind, sheets(path))
    with closing(open_archive(path)) as archive:
        title = ""
        if CORE in archive.namelist():
            title = (part(archive, CORE, path).findtext(TITLE) or "").strip()
        pages = word_pages(archive, path) if kind == "docx" else slides(archive, path)
        return DocumentText(kind, pages, title)


class Archive(zipfile.ZipFile):
    """A zip archive that counts the bytes it has unpacked."""

    unpacked = 0


def open_archive(path: Path) -> Archive:
    """Open a zip archive.

    Raises: DocumentError.
    """
    try:
        return Archive(path)
    except (zipfile.BadZipFile, EOFError) as error:
        raise DocumentError(
            f"{path.name} is damaged, locked or not the file type its name suggests.",
            "Save it without a password and add that file.",
        ) from error


def unpack(archive: Archive, name: str, path: Path) -> bytes:
    """Return an unpacked part of an archive. At most 200 MB of one part, and 400 MB of all parts
    together, are unpacked.

    Raises: DocumentError, also if a part unpacks to more bytes than its directory entry says.
    """
    try:
        with archive.open(name) as file:
            data = file.read(PART + 1)
    except (
        *(KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError),
        zlib.error,
    ) as error:
        raise DocumentError(
            f"{path.name} is damaged.", "Save it again and add the new file."
        ) from error
    archive.unpacked += len(data)
    for held, most in ((len(data), PART), (archive.unpacked, ALL)):
        if held > most:
            raise DocumentError(
                f"{path.name} unpacks to more than {most // 1024**2} MB.", "It was not read."
            )
    return data


def part(archive: Archive, name: str, path: Path) -> Element:
    """Return a part of an archive as XML. Entity declarations are rejected, because no office
    program writes them.

    Raises: DocumentError.
    """
    data = unpack(archive, name, path)
    if declares_type(data):
        raise DocumentError(f"{path.name} declares XML entities.", "It was not read.")
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise DocumentError(
            f"{path.name} is damaged.", "Save it again and add the new file."
        ) from error


class _Known(Exception):
    """Stops parsing once the answer is known."""


def declares_type(data: bytes) -> bool:
    """Return whether XML in any encoding declares a document type, which can define entities."""
    declared = False

    def on_type(*_: object) -> None:
        nonlocal declared
        declared = True
        raise _Known

    def on_element(*_: object) -> None:
        raise _Known

    reader = expat.ParserCreate()
    reader.StartDoctypeDeclHandler, reader.StartElementHandler = on_type, on_element
    with suppress(_Known, expat.ExpatError):
        reader.Parse(data, True)
    return declared


def word_pages(archive: Archive, path: Path) -> tuple[DocumentPage, ...]:
    """Return the pages of a Word file, split at the page breaks that Word last saved. The text of
    all headers is placed once above the first page, and that of all footers below the last page.
    """
    body = part(archive, "word/document.xml", path).find(f"{WORD}body")
    writer = _PageWriter()
    for block in edges(archive, path, "header"):
        write_block(writer, block)
    for block in body if body is not None else ():
        write_block(writer, block)
    for block in edges(archive, path, "footer"):
        write_block(writer, block)
    for notes in ("word/footnotes.xml", "word/endnotes.xml"):
        if notes in archive.namelist():
            for paragraph in part(archive, notes, path).iter(f"{WORD}p"):
                write_paragraph(writer, paragraph)
    return writer.finish()


def edges(archive: Archive, path: Path, kind: str) -> Iterator[Element]:
    """Yield the paragraphs and tables of all headers or footers. Identical text is yielded only
    once.

    kind: header or footer.
    """
    seen = {""}
    for name in sorted(archive.namelist()):
        if re.fullmatch(rf"word/{kind}\d*\.xml", name) is None:
            continue
        root = part(archive, name, path)
        text = " ".join("".join(node.itertext()) for node in root.iter(f"{WORD}p")).strip()
        if text not in seen:
            seen.add(text)
            yield from root


class _PageWriter:
    """Collects text and headings and divides them into pages."""

    def __init__(self) -> None:
        self.pages: list[DocumentPage] = []
        self.lines: list[str] = []
        self.headings: list[tuple[int, str]] = []
        self.length = 0

    def write(self, line: str, *, heading: bool = False) -> None:
        if heading and line.strip():
            self.headings.append((self.length, line.strip()))
        self.lines.append(line)
        self.length += len(line) + 1

    def end_page(self) -> None:
        text = "\n".join(self.lines)
        if text.strip() or self.pages:
            self.pages.append(
                DocumentPage(len(self.pages) + 1, text, headings=tuple(self.headings))
            )
        self.lines, self.headings, self.length = [], [], 0

    def finish(self) -> tuple[DocumentPage, ...]:
        if self.lines or not self.pages:
            self.end_page()
        return tuple(self.pages) or (DocumentPage(1, ""),)


def write_block(writer: _PageWriter, block: Element) -> None:
    """Write a paragraph, the rows of a table, or the content of a content control."""
    if block.tag == f"{WORD}p":
        write_paragraph(writer, block)
    elif block.tag == f"{WORD}tbl":
        for row in outermost(block, f"{WORD}tr"):
            cells = [" ".join(cell_words(cell).split()) for cell in outermost(row, f"{WORD}tc")]
            writer.write("\t".join(cells))
        writer.write("")
    else:
        for inner in block:
            write_block(writer, inner)


def outermost(element: Element, tag: str) -> Iterator[Element]:
    """Yield the elements with a given tag inside another element, except those that are nested
    inside another match.
    """
    for node in element:
        if node.tag == tag:
            yield node
        elif node.tag != FALLBACK:
            yield from outermost(node, tag)


def cell_words(cell: Element) -> str:
    """Return the text of a cell, including any table inside it."""
    return "\n".join(words(paragraph) for paragraph in cell.iter(f"{WORD}p"))


def write_paragraph(writer: _PageWriter, paragraph: Element) -> None:
    """Write a paragraph. If a page break lies within it, the new page starts before the paragraph's
    text.
    """
    style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
    named = (style.get(f"{WORD}val") or "") if style is not None else ""
    ends = any(
        node.tag == f"{WORD}lastRenderedPageBreak"
        or (node.tag == f"{WORD}br" and node.get(f"{WORD}type") == "page")
        for node in paragraph.iter()
    )
    if ends:
        writer.end_page()
    writer.write(words(paragraph), heading=named.lower().startswith(("heading", "title")))
    for box in outermost(paragraph, f"{WORD}txbxContent"):
        for block in box:
            write_block(writer, block)


def words(element: Element) -> str:
    """Return the visible text of a Word element, without the text of the boxes in it. Deleted text
    is not visible.
    """
    found: list[str] = []
    for node in element:
        if node.tag in HIDDEN:
            continue
        found.append((node.text or "") if node.tag == f"{WORD}t" else BREAKS.get(node.tag, ""))
        found.append(words(node))
    return "".join(found)


def slides(archive: Archive, path: Path) -> tuple[DocumentPage, ...]:
    """Return the slides in the order in which they are shown, with the boxes of each from top to
    bottom.
    """
    shown = part(archive, "ppt/presentation.xml", path)
    targets = relations(archive, "ppt/presentation.xml", path)
    listed = shown.iter(f"{SLIDE}sldId")
    names = [targets[ref] for one in listed if (ref := one.get(REFERENCE, "")) in targets]
    return tuple(slide(archive, name, number, path) for number, name in enumerate(names, 1))


def slide(archive: Archive, name: str, number: int, path: Path) -> DocumentPage:
    """Return one slide with the speaker's notes below it."""
    tree = part(archive, name, path)
    shapes = (f"{SLIDE}sp", f"{SLIDE}graphicFrame")
    boxes = in_rows([box for box in tree.iter() if box.tag in shapes])
    texts: list[str] = []
    title = ""
    for box in boxes:
        text = paragraphs(box)
        if not text.strip():
            continue
        holder = box.find(f".//{SLIDE}nvPr/{SLIDE}ph")
        if not title and holder is not None and holder.get("type") in ("title", "ctrTitle"):
            title = " ".join(text.split())
            texts.insert(0, text)
        else:
            texts.append(text)
    notes = [n for n in relations(archive, name, path).values() if "/notesSlide" in n]
    for one in notes:
        spoken = "\n".join(
            paragraphs(box)
            for box in part(archive, one, path).iter(f"{SLIDE}sp")
            if (ph := box.find(f".//{SLIDE}nvPr/{SLIDE}ph")) is not None
            and ph.get("type") == "body"
        )
        if spoken.strip():
            texts.append(spoken)
    return DocumentPage(number, "\n\n".join(texts), headings=((0, title),) if title else ())


def in_rows(boxes: list[Element]) -> list[Element]:
    """Return boxes in order from top to bottom, with those that are side by side from left to
    right."""
    rows: list[list[Element]] = []
    for box in sorted(boxes, key=place):
        if rows and place(box)[0] - place(rows[-1][0])[0] < ROW:
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row, key=lambda one: place(one)[1])]


def place(box: Element) -> tuple[int, int]:
    """Return the position of a box on its slide: vertical, then horizontal, in EMU."""
    offset = box.find(f".//{DRAWING}off")
    if offset is None:
        return (0, 0)  # mostly titles, placed by the layout
    return int(offset.get("y") or 0), int(offset.get("x") or 0)


def paragraphs(box: Element) -> str:
    """Return the text of a box, with a line for each paragraph and tabs between the cells of a
    table row.
    """
    rows = list(box.iter(f"{DRAWING}tr"))
    if rows:
        return "\n".join(
            "\t".join(" ".join(paragraph_texts(cell)) for cell in row.iter(f"{DRAWING}tc"))
            for row in rows
        )
    return "\n".join(paragraph_texts(box))


def paragraph_texts(element: Element) -> list[str]:
    """Return the text of each paragraph."""
    return [
        "".join(node.text or "" for node in paragraph.iter(f"{DRAWING}t"))
        for paragraph in element.iter(f"{DRAWING}p")
    ]


def relations(archive: Archive, name: str, path: Path) -> dict[str, str]:
    """Return the references from a part to other parts in the archive, by id."""
    folder, file = posixpath.split(name)
    listed = f"{folder}/_rels/{file}.rels"
    if listed not in archive.namelist():
        return {}
    found: dict[str, str] = {}
    for one in part(archive, listed, path).iter(f"{RELATION}Relationship"):
        if one.get("TargetMode") != "External":
            target = one.get("Target") or ""
            full = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
            found[one.get("Id") or ""] = posixpath.normpath(full)
    return {ref: full for ref, full in found.items() if full in archive.namelist()}


def sheets(path: Path) -> tuple[DocumentPage, ...]:
    """Return the sheets of a workbook, with a line for each row. The column names become part of
    the sheet's heading, so that they help to find every passage of the sheet.

    Raises: DocumentError.
    """
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        with closing(CalamineWorkbook.from_path(path)) as workbook:
            pages: list[DocumentPage] = []
            for number, name in enumerate(workbook.sheet_names, 1):
                rows = workbook.get_sheet_by_name(name).to_python()
                lines = ("\t".join(map(cell_text, row)).rstrip() for row in rows)
                text = "\n".join(line for line in lines if line)
                heading = ": ".join(filter(None, (name, column_names(rows))))
                pages.append(DocumentPage(number, text, label=name, headings=((0, heading),)))
            return tuple(pages)
    except CalamineError as error:
        raise DocumentError(
            f"{path.name} is damaged or locked.", "Save it without a password and add that file."
        ) from error


def cell_text(cell: object) -> str:
    """Return a cell in readable form, such as 4711 instead of 4711.0, or a date without a time."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.datetime):
        midnight = cell.time() == datetime.time()
        return cell.date().isoformat() if midnight else cell.isoformat(" ", "minutes")
    return str(cell)


def column_names(rows: Sequence[Sequence[object]]) -> str:
    """Return the first row of a sheet if it contains column names, that is, if it contains only
    texts and has rows below it.
    """
    first = [cell for cell in rows[0] if cell != ""] if len(rows) > 1 else []
    if len(first) < 2 or not all(isinstance(cell, str) for cell in first):
        return ""
    return ", ".join(map(str, first))
