"""`deskpilot ask --documents`: a folder is asked, and the answer names its file and page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from PySide6.QtGui import QPdfWriter, QTextDocument

from tests.unit.app.documents.files import write_docx, write_pptx

ROOT = Path(__file__).parents[2]
FACT = "The turbines cost 3.5 million euros and are delivered to Bergen in March 2027."
FILLING = "The committee met again and talked about the minutes, to which nobody objected. "


@pytest.fixture
def folder(qapp: object, tmp_path: Path) -> Path:
    """Return a folder with a PDF of several pages, the fact on the second, and a text."""
    made = tmp_path / "papers"
    made.mkdir()
    text = QTextDocument()
    text.setPlainText("\n\n".join([FILLING * 60, FACT, FILLING * 60]))
    writer = QPdfWriter(str(made / "turbines.pdf"))
    text.print_(writer)
    del writer
    (made / "合同.txt").write_text("本合同的通知期限为三个月，逾期视为同意续约。", "utf-8")
    return made


def ask(tmp_path: Path, question: str, *more: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "app", "ask", question, *more],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"DESKPILOT_HOME": str(tmp_path / "home")},
        cwd=os.environ.get("PWD"),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_answer_names_file_and_page_and_marks_its_lines(folder: Path, tmp_path: Path) -> None:
    question = "When are the turbines delivered?"
    said = ask(tmp_path, question, "--documents", str(folder))
    assert "March 2027. [1]" in " ".join(said.split())
    assert f"[1] {folder / 'turbines.pdf'}, page " in said
    steps = map(json.loads, ask(tmp_path, question, "-d", str(folder), "--json").splitlines())
    (cited,) = next(s["citations"] for s in steps if s.get("event") == "citations")
    place, boxes = cited["passage"], cited["quotes"][0]
    assert " ".join(place["quote"].split()) == FACT
    assert {box["page"] for box in boxes} == {place["page"]}
    assert all(0 < box["x0"] < box["x1"] and 0 < box["top"] < box["bottom"] for box in boxes)


def test_what_is_not_there_is_said_and_chinese_is_found(folder: Path, tmp_path: Path) -> None:
    assert "Not in your documents" in ask(tmp_path, "Who is Obama?", "-d", str(folder))
    assert "三个月" in ask(tmp_path, "通知期限是多久？", "-d", str(folder))


def test_a_word_file_and_slides_go_along_as_a_pdf_does(tmp_path: Path) -> None:
    lease = write_docx(
        tmp_path / "lease.docx",
        [("Heading1", "Notice"), ("", "The tenant gives notice three months before the end.")],
    )
    slides = write_pptx(
        tmp_path / "plan.pptx", [("Start", ["Hello"]), ("Roof", ["Repaired in 2031"])]
    )
    question = "When must the tenant give notice?"
    said = ask(tmp_path, question, "--widget", str(lease), "--widget", str(slides))
    assert "three months before the end. [1]" in said
    assert f"[1] {lease}, page 1" in said
    said = ask(
        tmp_path, "When is the roof repaired?", "--widget", str(lease), "--widget", str(slides)
    )
    assert f"[1] {slides}, page 2" in said


def test_a_damaged_document_is_told_with_its_remedy(tmp_path: Path) -> None:
    broken = tmp_path / "broken.docx"
    broken.write_bytes(b"PK no more")
    said = ask(tmp_path, "When must notice be given?", "--widget", str(broken))
    assert "broken.docx" in said
    assert "damaged" in said


async def test_an_mcp_client_searches_what_it_was_given_and_nothing_else(
    tmp_path: Path, home: Path
) -> None:
    shown, hidden = tmp_path / "shown", tmp_path / "hidden"
    for folder, words in ((shown, "The roof is repaired in 2031."), (hidden, "The code is 4711.")):
        folder.mkdir()
        (folder / "note.txt").write_text(words)
    served = ["-P", "-m", "app", "gateway", "--mcp", "--stdio"]
    env = {"DESKPILOT_HOME": str(home), "PYTHONPATH": str(ROOT)}

    async def tools(*arguments: str) -> tuple[list[str], str]:
        told = StdioServerParameters(
            command=sys.executable, args=[*served, *arguments], env=env, cwd=tmp_path
        )
        with (home / "log").open("w") as log:
            async with Client(stdio_client(told, errlog=log)) as client:
                names = [tool.name for tool in (await client.list_tools()).tools]
                asked = {"query": "When is the roof repaired, and what is the code?"}
                made = await client.call_tool("search_documents", asked)
                return names, "".join(part.text for part in made.content)  # type: ignore[union-attr]

    names, found = await tools("--documents", str(hidden))
    assert "4711" in found  # it is in the index from now on
    names, found = await tools("--documents", str(shown))
    assert "search_documents" in names
    (passage,) = json.loads(found)["passages"]
    assert (passage["document"], passage["page"]) == ("note.txt", 1)
    assert "2031" in passage["text"]
    names, refused = await tools()
    assert "search_documents" not in names
    assert "There is no tool" in refused
