"""The samples for people who build their own: each is started, added and asked."""

from __future__ import annotations

import io
import json
import socket
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from typer.testing import CliRunner

from app.cli.commands import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result

SAMPLES = Path(__file__).parents[2] / "resources" / "samples"


@contextmanager
def started(script: Path) -> Iterator[str]:
    """Run a sample on a free port until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(script), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            for line in process.stderr:
                if "running on" in line:
                    break
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.communicate(timeout=10)


def run(*words: str) -> Result:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result


def test_the_sample_copilot_is_short_enough_to_be_read() -> None:
    lines = (SAMPLES / "copilot" / "copilot.py").read_text("utf-8").count("\n")
    assert lines < 100


def test_the_sample_copilot_is_added_and_asked_in_both_generations(macro_csv: Path) -> None:
    with started(SAMPLES / "copilot" / "copilot.py") as address:
        run("copilots", "add", address)
        assert (
            run("ask", "Hello?", "--copilot", "sample").stdout.strip()
            == "Attach a table and ask me about it."
        )
        asked = ("ask", "What is in it?", "--copilot", "sample", "--widget", str(macro_csv))
        answer = run(*asked).stdout
        assert answer.startswith('I was given 20 rows. The first: {"year": 1959')
        run("copilots", "add", address, "--dialect", "2024")
        assert run(*asked).stdout == answer
        published = httpx.get(f"{address}/copilots.json").json()
        assert published["sample"]["endpoints"]["query"] == f"{address}/v1/query"
        run("copilots", "add", address)
        run("copilots", "set", "sample", "shout=on")
        assert (
            run("ask", "Hello?", "--copilot", "sample").stdout.strip().startswith("ATTACH A TABLE")
        )


@pytest.mark.parametrize("widget", ["weather_table", "weather_chart", "weather_figures", "about"])
def test_the_sample_backend_answers_for_each_of_its_widgets(widget: str) -> None:
    with (
        started(SAMPLES / "backend" / "backend.py") as address,
        httpx.Client(base_url=address) as web,
    ):
        published: dict[str, Any] = web.get("/widgets.json").json()
        answer = web.get("/" + published[widget]["endpoint"]).json()
        assert {
            "weather_table": lambda: len(answer) == 12,
            "weather_chart": lambda: len(answer["data"][0]["y"]) == 12,
            "weather_figures": lambda: answer[0]["label"] == "Warmest",
            "about": lambda: answer.startswith("# About"),
        }[widget]()
        placed = {
            i["i"]
            for tab in web.get("/apps.json").json()[0]["tabs"].values()
            for i in tab["layout"]
        }
        assert placed <= set(published)
        wrong = web.get("/weather", params={"city": "nowhere"})
        assert (
            wrong.status_code,
            "There is no city nowhere" in json.loads(wrong.text)["detail"],
        ) == (
            404,
            True,
        )


def test_the_sample_backend_is_added_with_its_widgets_and_dashboard() -> None:
    with started(SAMPLES / "backend" / "backend.py") as address:
        assert "4 widgets and 1 dashboard" in run("widgets", "add", address).output
        assert "Weather" in run("widgets", "list").output


def docx(*paragraphs: str) -> bytes:
    """Return a document of Word's kind."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    told = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{space}"><w:body>{told}</w:body></w:document>',
        )
    return made.getvalue()


def test_the_sample_plugins_are_short_enough_to_be_read() -> None:
    for name, most in (("todo", 100), ("documents", 150)):
        assert (SAMPLES / name / f"{name}.py").read_text("utf-8").count("\n") < most


def test_the_document_plugin_finds_a_passage_and_summarises(tmp_path: Path) -> None:
    file = tmp_path / "report.docx"
    file.write_bytes(
        docx(
            "Turbines are delivered in March 2027. Costs rise.",
            "涡轮机的交付计划于三月。成本上涨。",
            "Tea is served.",
        )
    )
    scan = tmp_path / "scan.docx"
    scan.write_bytes(docx(""))
    with started(SAMPLES / "documents" / "documents.py") as address:
        run("plugins", "add", address)
        call = ("plugins", "call", "longtextsummary", "read_document", f"path={file}")
        assert json.loads(run(*call, "query=when are turbines delivered").output)["passages"][
            0
        ].startswith("Turbines are")
        assert (
            "涡轮机的交付计划于三月。"
            in json.loads(run(*call, "query=交付计划").output)["passages"]
        )
        assert len(json.loads(run(*call).output)["summary"]) == 5
        for wrong in (scan, tmp_path / "missing.pdf", SAMPLES / "us_macro.csv"):
            refused = CliRunner().invoke(app, [*call[:4], f"path={wrong}"])
            assert refused.exit_code == 1
            assert "422" in refused.output
