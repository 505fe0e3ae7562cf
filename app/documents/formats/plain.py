"""Text, Markdown, code and mail."""

from __future__ import annotations

import re
from email import policy
from email.parser import BytesParser
from typing import TYPE_CHECKING

from app.documents.text import CHARACTERS, DocumentPage, DocumentText
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from email.message import EmailMessage
    from pathlib import Path

HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
ENCODINGS = ("utf-8-sig", "gb18030", "shift_jis", "euc_jp", "big5", "cp1252")


def read(path: Path, kind: str) -> DocumentText:
    """Read a file of plain text, or a mail.

    Raises: DocumentError for one that is far too long.
    """
    data = read_bytes(path)
    if kind == "mail":
        return mail(data)
    text = decode(data)
    headings = (
        tuple((m.start(), m[1].strip()) for m in HEADING.finditer(text))
        if kind == "markdown"
        else ()
    )
    return DocumentText(
        kind, (DocumentPage(1, text, headings=headings),), headings[0][1] if headings else ""
    )


def read_bytes(path: Path) -> bytes:
    """Return what is in a file; nobody writes more by hand than its text may have.

    Raises: DocumentError for one that is far too long.
    """
    if path.stat().st_size > 4 * CHARACTERS:
        raise DocumentError(f"{path.name} has more text than can be searched.", "Split it.")
    return path.read_bytes()


def decode(data: bytes) -> str:
    """Return bytes as text: by their mark, as UTF-8, or by the encoding that fits them best."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        best = from_bytes(data[:1_000_000], cp_isolation=list(ENCODINGS)).best()
        return data.decode(best.encoding if best else "cp1252", "replace").replace("\r\n", "\n")


def mail(data: bytes) -> DocumentText:
    """Return the text of a mail: sender, date, subject, body, and names of attachments."""
    from app.documents.formats.web import page_text

    message: EmailMessage = BytesParser(policy=policy.default).parsebytes(data)  # type: ignore[assignment]
    found = {name: header(message, name) for name in ("From", "To", "Date", "Subject")}
    lines = [f"{name}: {value}" for name, value in found.items() if value]
    body = message.get_body(preferencelist=("plain", "html"))
    words = ""
    if body is not None:
        payload = body.get_payload(decode=True)
        raw = payload if isinstance(payload, bytes) else b""
        charset = body.get_content_charset() or ""
        try:
            words = raw.decode(charset) if charset else decode(raw)
        except (LookupError, UnicodeDecodeError):
            words = decode(raw)
        if body.get_content_type() == "text/html":
            words = page_text(words, 1)[0].text
    attached = [part.get_filename() for part in message.iter_attachments() if part.get_filename()]
    if attached:
        words += f"\n\nAttachments: {', '.join(str(name) for name in attached)}"
    subject = found["Subject"]
    text = "\n".join(lines) + "\n\n" + words.replace("\r\n", "\n")
    return DocumentText(
        "mail", (DocumentPage(1, text, headings=((0, subject),) if subject else ()),), subject
    )


def header(message: EmailMessage, name: str) -> str:
    """Return a header as text, as it stands where it says nothing sensible; empty without one."""
    try:
        return str(message[name] or "")
    except (AttributeError, IndexError, ValueError):  # of Python's own reader of addresses
        return str(dict(message.raw_items()).get(name) or "").strip()
