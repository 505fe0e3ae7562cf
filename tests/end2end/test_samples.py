"""The samples for people who build their own: each is started, added and asked."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
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
        assert run("ask", "Hello?", "--copilot", "sample").stdout.strip().startswith("ATTACH A TABLE")


@pytest.mark.parametrize("widget", ["weather_table", "weather_chart", "weather_figures", "about"])
def test_the_sample_backend_answers_for_each_of_its_widgets(widget: str) -> None:
    with started(SAMPLES / "backend" / "backend.py") as address, httpx.Client(base_url=address) as web:
        published: dict[str, Any] = web.get("/widgets.json").json()
        answer = web.get("/" + published[widget]["endpoint"]).json()
        assert {
            "weather_table": lambda: len(answer) == 12,
            "weather_chart": lambda: len(answer["data"][0]["y"]) == 12,
            "weather_figures": lambda: answer[0]["label"] == "Warmest",
            "about": lambda: answer.startswith("# About"),
        }[widget]()
        placed = {i["i"] for tab in web.get("/apps.json").json()[0]["tabs"].values() for i in tab["layout"]}
        assert placed <= set(published)
        wrong = web.get("/weather", params={"city": "nowhere"})
        assert (wrong.status_code, "There is no city nowhere" in json.loads(wrong.text)["detail"]) == (
            404,
            True,
        )


def test_the_sample_backend_is_added_with_its_widgets_and_dashboard() -> None:
    with started(SAMPLES / "backend" / "backend.py") as address:
        assert "4 widgets and 1 dashboard" in run("widgets", "add", address).output
        assert "Weather" in run("widgets", "list").output
