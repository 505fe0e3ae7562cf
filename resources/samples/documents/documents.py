"""A plugin in one file: a passage, or the sentences that say most, of a PDF or DOCX of up to 10 MB; no scans.

    python documents.py --port 7782

Add it: `deskpilot plugins add http://127.0.0.1:7782`.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import io
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pypdf import PdfReader
from pypdf.errors import PyPdfError

BYTES, WORDS = 10 * 1024 * 1024, 4_000_000  # of a file, and of the text in it
SPEC = Path(__file__).with_name("openapi.yaml")
PARAGRAPH = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}p"
TEXT = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"
app = FastAPI(title="长文本理解工具", openapi_url=None)


class Unreadable(Exception):
    """A file holds no text we can read; its text says why."""


@app.get("/ai-plugin.json")
def manifest(request: Request) -> dict[str, Any]:
    """Tell who we are, and where the specification lies."""
    return {
        "schema_version": "v1",
        "name_for_human": "长文本理解工具",
        "name_for_model": "LongtextSummary",
        "description_for_human": "基于PDF/Docx格式文档(不支持扫描件),可检索知识点、对文档进行摘要等,支持10MB以内文件",
        "description_for_model": "Finds a passage in a PDF or DOCX document, or summarises it. Files up to 10 MB, no scans.",
        "auth": {"type": "none"},
        "api": {"type": "openapi", "url": f"{request.base_url}openapi.yaml"},
    }


@app.get("/openapi.yaml")
def specification() -> Response:
    """Tell what we do."""
    return Response(SPEC.read_text("utf-8"), media_type="text/yaml")


@app.post("/run")
async def run(request: Request) -> JSONResponse:
    """Read a document and return a passage or a summary, in its own sentences."""
    asked = await request.json()
    try:
        text = text_of(file_of(asked))
    except Unreadable as error:
        return JSONResponse({"error": str(error)}, status_code=422)
    parts = [part.strip() for part in re.split(r"(?<=[.!?。！？])\s*|\n{2,}", text) if part.strip()]
    wanted = str(asked.get("query") or "")
    return JSONResponse({"passages" if wanted else "summary": best(parts, wanted, 3 if wanted else 5)})


def file_of(asked: dict[str, Any]) -> bytes:
    """Return the bytes of the file a request names: on this machine, or in the request itself."""
    try:
        if asked.get("content"):
            body = base64.b64decode(asked["content"], validate=True)
        else:
            path = Path(str(asked.get("path") or ""))
            if path.suffix.lower() not in (".pdf", ".docx") or path.stat().st_size > BYTES:
                raise Unreadable("Name a PDF or DOCX file of up to 10 MB.")
            body = path.read_bytes()
    except (OSError, ValueError, binascii.Error) as error:
        raise Unreadable("There is no such file, or it cannot be read.") from error
    if len(body) > BYTES:
        raise Unreadable("The file is larger than 10 MB.")
    return body


def text_of(body: bytes) -> str:
    """Return the text of a PDF or DOCX file."""
    try:
        text = from_pdf(body) if body.startswith(b"%PDF") else from_docx(body)
    except (PyPdfError, zipfile.BadZipFile, KeyError, ElementTree.ParseError, ValueError) as error:
        raise Unreadable("This is neither a PDF nor a DOCX file, or it is damaged.") from error
    if not text.strip():
        raise Unreadable("There is no text in it; scans are not read.")
    return text


def from_pdf(body: bytes) -> str:
    """Return the text of a PDF file."""
    return "\n\n".join(page.extract_text() for page in PdfReader(io.BytesIO(body)).pages)[:WORDS]


def from_docx(body: bytes) -> str:
    """Return the text of a DOCX file, a paragraph each; one that unfolds to more than a book is not read."""
    with zipfile.ZipFile(io.BytesIO(body)) as file, file.open("word/document.xml") as part:
        xml = part.read(8 * WORDS + 1)
    if len(xml) > 8 * WORDS or b"<!DOCTYPE" in xml[:2000]:
        raise ValueError("too large, or with definitions of its own")
    root = ElementTree.fromstring(xml)
    return "\n\n".join("".join(t.text or "" for t in p.iter(TEXT)) for p in root.iter(PARAGRAPH))


def words_of(text: str) -> list[str]:
    """Return the words of a text; of Chinese, pairs of characters."""
    latin = re.findall(r"[a-z0-9]{3,}", text.lower())
    return latin + [
        a + b for run in re.findall(r"[\u4e00-\u9fff]+", text) for a, b in zip(run, run[1:], strict=False)
    ]


def best(parts: list[str], wanted: str, most: int) -> list[str]:
    """Return the parts that share most words with what is wanted, else with the whole document, in their order."""
    weights = Counter(words_of(wanted)) or Counter(word for part in parts for word in set(words_of(part)))
    scores = {
        n: sum(weights[w] for w in set(words_of(p))) / (len(words_of(p)) + 4) ** 0.5
        for n, p in enumerate(parts)
    }
    chosen = sorted(scores, key=lambda n: -scores[n])[:most]
    return [parts[n][:1500] for n in sorted(chosen) if scores[n] > 0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=7782)
    uvicorn.run(app, host="127.0.0.1", port=parser.parse_args().port)
