"""Mail."""

from __future__ import annotations

from email import policy
from email.parser import BytesParser
from typing import TYPE_CHECKING

from app.documents.formats.plain import decode, read_bytes
from app.documents.formats.web import page_text
from app.documents.text import DocumentPage, DocumentText

if TYPE_CHECKING:
    from email.message import EmailMessage
    from pathlib import Path


def read(path: Path, kind: str) -> DocumentText:
    """Read a mail: sender, date, subject, body, and names of attachments.

    Raises: DocumentError for one that is far too long.
    """
    data = read_bytes(path)
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
        kind, (DocumentPage(1, text, headings=((0, subject),) if subject else ()),), subject
    )


def header(message: EmailMessage, name: str) -> str:
    """Return a header as text, unchanged if it cannot be decoded; empty without one."""
    try:
        return str(message[name] or "")
    except (AttributeError, IndexError, ValueError):  # of Python's own reader of addresses
        return str(dict(message.raw_items()).get(name) or "").strip()
