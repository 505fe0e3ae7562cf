"""Text, Markdown and code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.documents.passages import CHARACTERS, DocumentPage, DocumentText
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from pathlib import Path

HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
ENCODINGS = ("utf-8-sig", "gb18030", "shift_jis", "euc_jp", "big5", "cp1252")


def read(path: Path, kind: str) -> DocumentText:
    """Read a plain text file.

    Raises: DocumentError if the file is far too long.
    """
    text = decode(read_bytes(path))
    headings = (
        tuple((m.start(), m[1].strip()) for m in HEADING.finditer(text))
        if kind == "markdown"
        else ()
    )
    return DocumentText(
        kind, (DocumentPage(1, text, headings=headings),), headings[0][1] if headings else ""
    )


def read_bytes(path: Path) -> bytes:
    """Return the content of a file. The limit is far larger than anything written by hand.

    Raises: DocumentError if the file is far too long.
    """
    if path.stat().st_size > 4 * CHARACTERS:
        raise DocumentError(f"{path.name} has more text than can be searched.", "Split it.")
    return path.read_bytes()


def decode(data: bytes) -> str:
    """Return bytes as text, decoded according to their byte order mark, as UTF-8, or with the
    encoding that fits best.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        best = from_bytes(data[:1_000_000], cp_isolation=list(ENCODINGS)).best()
        return data.decode(best.encoding if best else "cp1252", "replace").replace("\r\n", "\n")
