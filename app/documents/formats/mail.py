"""E-mail messages."""

from __future__ import annotations

from email import policy
from email.parser import BytesParser
from typing import TYPE_CHECKING, cast

from app.documents.formats.plain import decode, read_bytes
from app.documents.formats.web import page_text
from app.documents.passages import DocumentPage, DocumentText

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import EmailMessage
    from pathlib import Path

MAILS = 5  # the number of levels of nested messages that are read


def read(path: Path, kind: str) -> DocumentText:
    """Read a message: its sender, date, subject and texts, the messages inside it, and the names of
    its attachments.

    Raises: DocumentError if the message is far too long.
    """
    data = read_bytes(path)
    message: EmailMessage = BytesParser(policy=policy.default).parsebytes(data)  # type: ignore[assignment]
    subject = header(message, "Subject")
    return DocumentText(
        kind,
        (DocumentPage(1, text_of(message), headings=((0, subject),) if subject else ()),),
        subject,
    )


def text_of(message: EmailMessage, depth: int = 0) -> str:
    """Return the header and the texts of a message. depth: the number of messages that it is nested
    in."""
    found = {name: header(message, name) for name in ("From", "To", "Date", "Subject")}
    lines = [f"{name}: {value}" for name, value in found.items() if value]
    attached: list[str] = []
    texts = [text for text in part_texts(message, attached, depth) if text.strip()]
    if attached:
        texts.append(f"Attachments: {', '.join(attached)}")
    return "\n".join(lines) + "\n\n" + "\n\n".join(texts)


def part_texts(part: EmailMessage, attached: list[str], depth: int) -> Iterator[str]:
    """Yield the texts in a part of a message and in the messages inside it. If a text exists in
    several versions, only the plain one is used.

    attached: collects the names of attachments. Only text attachments are read.
    """
    kind = part.get_content_type()
    inside = part.get_payload()
    if kind == "message/rfc822" and isinstance(inside, list):
        if depth < MAILS:
            yield from (text_of(cast("EmailMessage", one), depth + 1) for one in inside)
        return
    if part.get_filename():
        attached.append(str(part.get_filename()))
    if kind == "multipart/alternative":
        if (body := part.get_body(preferencelist=("plain", "html"))) is not None:
            yield decoded(cast("EmailMessage", body))
    elif kind.startswith("multipart/") and isinstance(inside, list):
        for one in inside:
            yield from part_texts(cast("EmailMessage", one), attached, depth)
    elif kind in ("text/plain", "text/html"):
        yield decoded(part)


def decoded(part: EmailMessage) -> str:
    """Return the text of a part, without HTML tags."""
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset() or ""
    try:
        words = raw.decode(charset) if charset else decode(raw)
    except (LookupError, UnicodeDecodeError):
        words = decode(raw)
    if part.get_content_type() == "text/html":
        words = page_text(words, 1)[0].text
    return words.replace("\r\n", "\n")


def header(message: EmailMessage, name: str) -> str:
    """Return a header as text. It is unchanged if it cannot be decoded, and empty if it is
    missing."""
    try:
        return str(message[name] or "")
    except (AttributeError, IndexError, ValueError):  # raised by Python's own address parser
        return str(dict(message.raw_items()).get(name) or "").strip()
