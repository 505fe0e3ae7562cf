"""A plugin in one file: finds passages or key sentences in a PDF or DOCX of up to 10 MB (no scans).

python documents.py --port 7782
"""

import argparse
import base64
import io
import math
import re
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize
from xml.etree import ElementTree

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse
from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

BYTES, WORDS = 10 * 1024 * 1024, 4_000_000  # maximum size of a file, and of its text in characters
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
LOCKED = "The file is locked with a password."
app = FastAPI(title="长文本理解工具", openapi_url=None)


class Unreadable(Exception):
    """A file contains no readable text; the message says why."""


@app.get("/ai-plugin.json")
def manifest(request: Request) -> dict[str, Any]:
    """Describe the plugin and say where its specification is."""
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
def specification() -> FileResponse:
    """Return the specification of the operations."""
    return FileResponse(Path(__file__).with_name("openapi.yaml"), media_type="text/yaml")


@app.post("/run")
def run(asked: dict[str, Any]) -> JSONResponse:
    """Read a document and return passages or a summary, using its own sentences."""
    try:
        text = text_of(file_of(asked))
    except Unreadable as error:
        return JSONResponse({"error": str(error)}, status_code=422)
    parts = [p.strip() for p in re.split(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n{2,}", text) if p.strip()]
    parts, wanted = list(dict.fromkeys(parts)), str(asked.get("query") or "")
    return JSONResponse({"passages" if wanted else "summary": best(parts, wanted, 3 if wanted else 5)})


def file_of(asked: dict[str, Any]) -> bytes:
    """Return the bytes of the requested file, from this machine or from the request itself."""
    try:
        if asked.get("content"):
            body = base64.b64decode(asked["content"], validate=True)
        else:
            path = Path(str(asked.get("path") or "")).expanduser()
            if path.suffix.lower() not in (".pdf", ".docx"):
                raise Unreadable("Name a PDF or DOCX file of up to 10 MB.")
            body = path.read_bytes() if path.stat().st_size <= BYTES else b" " * (BYTES + 1)
    except (OSError, ValueError) as error:
        raise Unreadable("There is no such file, or it cannot be read.") from error
    if len(body) > BYTES:
        raise Unreadable("The file is larger than 10 MB.")
    return body


def text_of(body: bytes) -> str:
    """Return the text of a PDF or DOCX file."""
    if body.startswith(b"\xd0\xcf\x11\xe0"):
        raise Unreadable(f"{LOCKED} Or it is of Word before 2007: save it as DOCX.")
    try:
        text = from_pdf(body) if body.startswith(b"%PDF") else from_docx(body)
    except DependencyError as error:
        raise Unreadable(LOCKED) from error
    except (PyPdfError, zipfile.BadZipFile, KeyError, ElementTree.ParseError, ValueError, TypeError) as error:
        raise Unreadable("This is neither a PDF nor a DOCX file, or it is damaged.") from error
    if not text.strip():
        raise Unreadable("There is no text in it; scans are not read.")
    return text


def from_pdf(body: bytes) -> str:
    """Return the text of a PDF file with broken lines rejoined."""
    reader, text = PdfReader(io.BytesIO(body)), ""
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable(LOCKED)
    for page in reader.pages:
        text += re.sub(r"[^\S\n]+", " ", page.extract_text()).strip() + "\n"
        if len(text) > WORDS:
            break
    text = re.sub(r"(?<=[\u3000-\u9fff\uff00-\uffef])\n(?=[\u3000-\u9fff])|-\n(?=[a-z])", "", text[:WORDS])
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
    return re.sub(
        r"[\u2f00-\u2fdf\ufb00-\ufb06]", lambda one: normalize("NFKC", one[0]), text
    )  # radicals and ligatures to ordinary characters


def from_docx(body: bytes) -> str:
    """Return the paragraphs of a DOCX file. Files that expand to more than a long book are rejected."""
    with zipfile.ZipFile(io.BytesIO(body)) as file, file.open("word/document.xml") as part:
        xml = part.read(8 * WORDS + 1)
    if len(xml) > 8 * WORDS or b"<!DOCTYPE" in xml[:2000]:
        raise ValueError("too large, or with definitions of its own")
    words = {f"{WORD}t": lambda one: one.text or "", f"{WORD}tab": lambda _: " ", f"{WORD}br": lambda _: " "}
    paragraphs = ElementTree.fromstring(xml).iter(f"{WORD}p")
    return "\n\n".join("".join(words[o.tag](o) for o in p.iter() if o.tag in words) for p in paragraphs)


def words_of(text: str) -> list[str]:
    """Return the words of a text; Chinese is split into pairs of characters."""
    latin = re.findall(r"[a-z0-9]{3,}", text.lower())
    return latin + [a + b for run in re.findall(r"[\u4e00-\u9fff]+", text) for a, b in pairwise(run)]


def best(parts: list[str], wanted: str, most: int) -> list[str]:
    """Return the parts that share most words with the query, or with the whole document, in their order."""
    known = Counter(word for part in parts for word in set(words_of(part)))
    rare = {word: math.log((len(parts) + 1) / times) for word, times in known.items()}
    weights = Counter(words_of(wanted)) or known
    scores = {
        n: sum(weights[w] * rare[w] for w in set(words_of(p))) / (len(words_of(p)) + 4) ** 0.5
        for n, p in enumerate(parts)
    }
    chosen = sorted(scores, key=lambda n: -scores[n])[:most]
    least = max(scores.values(), default=0) / 4 * bool(wanted)
    return [parts[n][:1500] for n in sorted(chosen) if scores[n] > least]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=7782)
    uvicorn.run(app, host="127.0.0.1", port=parser.parse_args().port)
