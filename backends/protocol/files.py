"""The words of files that came in a request, read in a process of their own: they are a stranger's.

`python -m backends.protocol.files KIND`: the file on stdin, a JSON list of texts on stdout. A sheet
of a workbook is a text that holds rows.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import sys
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from backends import children

if TYPE_CHECKING:
    from backends.protocol.query import Part

READABLE = frozenset({"pdf", "docx", "xlsx", "xls"})
SECONDS = 30.0
MOST_BYTES = 50_000_000
MOST_PAGES = 2_000
MOST_ROWS = 100_000
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


async def read(part: Part) -> list[Part]:
    """Return the texts of a file; the part itself where it cannot be read, or holds no words."""
    try:
        body = base64.b64decode(re.sub(r"\s+|^data:[^,]*,", "", part.data), validate=True)
    except ValueError:
        return [part]
    if part.kind not in READABLE or not body or len(body) > MOST_BYTES:
        return [part]
    pipe = asyncio.subprocess.PIPE
    quiet = asyncio.subprocess.DEVNULL
    process = await children.start(
        "-m", "backends.protocol.files", part.kind, stdin=pipe, stdout=pipe, stderr=quiet
    )
    try:
        async with asyncio.timeout(SECONDS):
            told, _ = await process.communicate(body)
    except TimeoutError:
        return [part]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    texts = [text for text in json.loads(told or b"[]") if text.strip()]
    return [replace(part, text=text, data="") for text in texts] or [part]


def texts_in(kind: str, body: bytes) -> list[str]:
    """Return the words of a file. The libraries raise errors of many kinds for damaged ones."""
    if kind == "pdf":
        import pypdfium2 as pdfium

        with pdfium.PdfDocument(body) as document:
            pages = [document[n].get_textpage() for n in range(min(len(document), MOST_PAGES))]
            return ["\n\n".join(page.get_text_bounded() for page in pages)]
    if kind == "docx":
        with zipfile.ZipFile(io.BytesIO(body)) as parts:
            if parts.getinfo("word/document.xml").file_size > MOST_BYTES:
                return []
            root = ElementTree.fromstring(parts.read("word/document.xml"))
        paragraphs = (
            "".join(t.text or "" for t in p.iter(f"{WORD}t")) for p in root.iter(f"{WORD}p")
        )
        return ["\n\n".join(text for text in paragraphs if text)]
    return sheets(body)


def sheets(body: bytes) -> list[str]:
    """Return the sheets of a workbook as rows; the first row names the columns."""
    from python_calamine import CalamineWorkbook

    made: list[str] = []
    with CalamineWorkbook.from_filelike(io.BytesIO(body)) as book:
        for name in book.sheet_names:
            head, *rows = book.get_sheet_by_name(name).to_python(nrows=MOST_ROWS) or [[]]
            columns = [str(cell) or f"column {at}" for at, cell in enumerate(head, 1)]
            if columns and rows:
                listed = [dict(zip(columns, row, strict=False)) for row in rows]
                made.append(json.dumps(listed, ensure_ascii=False, default=str))
    return made


if __name__ == "__main__":
    sys.stdout.write(json.dumps(texts_in(sys.argv[1], sys.stdin.buffer.read())))
