"""The sample that reads documents, with documents as people have them: laid out over pages, locked,
scanned, damaged.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from pypdf import PdfReader, PdfWriter
from PySide6.QtCore import QMarginsF
from PySide6.QtGui import (
    QColor,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextDocument,
)
from typer.testing import CliRunner

from app.cli.commands import app
from tests.end2end.test_samples import SAMPLES, started

if TYPE_CHECKING:
    from collections.abc import Iterator

FACTS = (
    "The turbines cost 3.5 million euros and are delivered to Bergen in March 2027, which is later"
    " than planned."
)
FILLING = (
    "The committee met again and talked about the minutes of the meeting before, to which nobody"
    " objected. "
)
CHINESE = "涡轮机将于三月在卑尔根交付。"


@pytest.fixture(scope="module")
def report(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a PDF of several pages, its sentences broken into lines."""
    path = tmp_path_factory.mktemp("documents") / "report.pdf"
    writer = QPdfWriter(str(path))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A5))
    writer.setPageMargins(QMarginsF(20, 20, 20, 20), QPageLayout.Unit.Millimeter)
    text = QTextDocument()
    font = text.defaultFont()
    font.setPointSize(
        12
    )  # a window's theme may have set pixels, which are next to nothing on paper
    text.setDefaultFont(font)
    text.setPlainText("\n\n".join([FILLING * 12, FILLING * 12 + FACTS, CHINESE, FILLING * 12]))
    text.print_(writer)
    return path


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with started(SAMPLES / "documents" / "documents.py") as url:
        yield url


def word_file(body: str) -> bytes:
    """Return a DOCX file as Word writes one: with its parts, and what holds them together."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        )
        file.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>',
        )
    return made.getvalue()


def asked(address: str, **what: str) -> tuple[int, dict[str, Any]]:
    answer = httpx.post(f"{address}/run", json=what, timeout=60)
    return answer.status_code, answer.json()


def test_a_passage_of_a_pdf_is_found_over_lines_and_pages(address: str, report: Path) -> None:
    assert len(PdfReader(report).pages) > 2
    _, told = asked(address, path=str(report), query="When are the turbines delivered?")
    assert FACTS in told["passages"]
    _, told = asked(address, path=str(report), query="卑尔根")
    assert CHINESE in told["passages"]


def test_a_pdf_is_summarised_in_its_own_sentences(address: str, report: Path) -> None:
    status, told = asked(address, path=str(report))
    assert status == 200
    assert 1 <= len(told["summary"]) <= 5
    assert FACTS in told["summary"]
    assert all("The committee met" in one or one in (FACTS, CHINESE) for one in told["summary"])


def test_a_word_file_is_read_with_its_tables_tabs_and_line_breaks(address: str) -> None:
    def run(text: str) -> str:
        return f"<w:r><w:t>{text}</w:t></w:r>"

    cell = f"<w:tc><w:p>{run('Delivery in Bergen.')}</w:p></w:tc>"
    body = f"<w:p>{run('Costs')}<w:r><w:tab/></w:r>{run('rise')}<w:r><w:br/></w:r>{run('again.')}</w:p><w:tbl><w:tr>{cell}</w:tr></w:tbl>"
    file = base64.b64encode(word_file(body)).decode()
    _, told = asked(address, content=file)
    assert told["summary"] == ["Costs rise again.", "Delivery in Bergen."]
    _, told = asked(address, content=file, query="Where is the delivery?")
    assert told["passages"] == ["Delivery in Bergen."]


def locked(report: Path, **how: str) -> bytes:
    writer, made = PdfWriter(clone_from=report), io.BytesIO()
    writer.encrypt("sesame", **how)
    writer.write(made)
    return made.getvalue()


def scan() -> bytes:
    """Return a PDF of a picture, as a scanner makes it."""
    from PySide6.QtCore import QBuffer, QIODevice

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    painter = QPainter(writer)
    picture = QImage(200, 200, QImage.Format.Format_RGB32)
    picture.fill(QColor("grey"))
    painter.drawImage(0, 0, picture)
    painter.end()
    del painter, writer  # in this order: one draws on the other
    return bytes(buffer.data().data())


def test_what_cannot_be_read_is_said_in_a_sentence(
    address: str, report: Path, tmp_path: Path
) -> None:
    whole = report.read_bytes()
    for name, body, said in (
        ("locked.pdf", locked(report), "password"),
        ("scan.pdf", scan(), "scans are not read"),
        ("scan.docx", word_file("<w:p/>"), "scans are not read"),
        ("damaged.pdf", b"%PDF-1.7\n" + whole[500:900], "damaged"),
        ("damaged.docx", word_file("<w:p/>")[:200], "damaged"),
        ("other.docx", b"hello", "damaged"),
        ("locked.docx", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "password"),
        ("large.pdf", whole + b" " * (10 * 1024 * 1024), "larger than 10 MB"),
        ("bomb.docx", word_file("<w:p/>" + " " * 40_000_000), "damaged"),
    ):
        file = tmp_path / name
        file.write_bytes(body)
        status, told = asked(address, path=str(file))
        assert (name, status, said in told["error"]) == (name, 422, True), told
    assert asked(address, content="no base64!")[0] == 422
    assert asked(address, path=str(tmp_path / "missing.pdf"))[0] == 422
    assert asked(address, path="/etc/passwd")[0] == 422


def test_it_is_used_through_the_shell(address: str, report: Path) -> None:
    def said(*words: str) -> str:
        done = CliRunner().invoke(app, ["plugins", *words])
        assert done.exit_code == 0, done.output
        return done.output

    said("add", address)
    call = ("call", "longtextsummary", "read_document", f"path={report}")
    assert (
        "March 2027"
        in json.loads(said(*call, "query=when are the turbines delivered"))["passages"][0]
    )
