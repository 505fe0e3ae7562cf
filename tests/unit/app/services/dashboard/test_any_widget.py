"""Workflows run over any widget: tables with the parameters chosen, live grids, charts, key
figures, earlier results.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from app.cli.commands import app
from app.openbb.content import Content
from app.services.dashboard.placement import pin
from app.services.dashboard.snapshots import write
from app.services.functions.agent_tools import execute_agent_tool
from app.services.functions.context import CallContext
from backends.data.workflow.report import WorkflowResult
from backends.data.workflow.step import Workflow
from backends.data.workflow.summary import pieces
from tests.unit.app.services.dashboard.test_backends import Terminal, opened
from tests.widget_backend import Server

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.dashboard import Widget

pytestmark = pytest.mark.slow


@pytest.fixture
async def terminal(home: Path, server: Server) -> AsyncGenerator[Terminal]:
    async with opened(home) as made:
        await made.backends.add(server.url)
        yield made


def flow(uid: str, *steps: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    read = {"id": "a", "interface": "read_rows", "arguments": {"source": uid}}
    rest = [
        {"id": f"s{n}", "interface": name, "arguments": given}
        for n, (name, given) in enumerate(steps)
    ]
    return {"steps": [read, *rest]}


async def run(
    terminal: Terminal, widget: Widget, *steps: tuple[str, dict[str, Any]]
) -> WorkflowResult:
    """Have a copilot that was offered a widget run a workflow over it."""
    (offered,) = terminal.widgets.offered([widget.uuid])
    assert offered.metadata["profile"]["source"] == widget.uuid
    call = {
        "server_id": "deskpilot",
        "tool_name": "run_workflow",
        "parameters": {"workflow": flow(widget.uuid, *steps)},
    }
    made = await execute_agent_tool(
        CallContext(terminal.widgets.sources, {widget.uuid: offered}), call
    )
    return WorkflowResult.model_validate_json(made.content)


async def test_a_chart_and_key_figures_are_computed_with_as_a_table_is(
    terminal: Terminal, server: Server
) -> None:
    chart = await terminal.placed(server, "chart")
    made = await run(terminal, chart, ("rank", {"data": "a", "by": "close", "n": 1}))
    assert made.shown[0].rows == [[2001, 9]]  # 2001 % 7 + 3
    figures = await terminal.placed(server, "metric")
    made = await run(terminal, figures)
    assert [row[:2] for row in made.shown[0].rows] == [["Users", 1234], ["Churn", 2.1]]
    words = await terminal.placed(server, "markdown")
    assert terminal.widgets.offered([words.uuid])[0].metadata == {}


async def test_a_chart_that_becomes_one_without_points_is_no_table_any_more(
    terminal: Terminal,
) -> None:
    figure = {"data": [{"type": "scatter", "x": [1, 2], "y": [3, 4]}], "layout": {}}
    widget = await pin(
        terminal.widgets, terminal.live.folder, "Drawn", "", Content("plotly", figure)
    )
    assert terminal.widgets.profile(widget.uuid).rows == 2
    drawn = {"data": [{"type": "heatmap", "z": [[1]]}]}
    write(Path(widget.path), Content("plotly", drawn), {})
    await terminal.widgets.fetched(widget)
    assert terminal.widgets.errors == {}
    assert terminal.widgets.offered([widget.uuid])[0].metadata == {}


async def test_the_values_chosen_are_told_and_name_what_the_table_is_about(
    terminal: Terminal, server: Server
) -> None:
    widget = await terminal.placed(server, "table", {"limit": 3})
    source = terminal.widgets.sources.source(widget.uuid)
    assert source.values["limit"] == 3
    assert len((await run(terminal, widget)).shown[0].rows) == 3
    await terminal.live.set_value(widget.uuid, "limit", 2)
    await terminal.fetched(widget.uuid)
    assert terminal.widgets.sources.source(widget.uuid).values["limit"] == 2
    assert len((await run(terminal, widget)).shown[0].rows) == 2
    ticks = await terminal.placed(server, "ticks")
    assert terminal.widgets.profile(ticks.uuid).symbols == ["ORB", "KLM", "ZED"]


async def test_a_pinned_result_holds_all_rows_and_is_a_table_of_later_workflows(
    terminal: Terminal, tmp_path: Path
) -> None:
    long = tmp_path / "long.csv"
    long.write_text("n,shop\n" + "".join(f"{n},S{n % 3}\n" for n in range(1000)), "utf-8")
    table = await terminal.widgets.add_file(long)
    runs = terminal.widgets.sources.runs
    workflow = Workflow.model_validate(
        flow(table.uuid, ("rank", {"data": "a", "by": "n", "n": 600}))
    )
    (piece,) = pieces(workflow, runs.run(workflow), "en")
    assert len(piece.rows) == 200  # what an answer shows
    whole = runs.whole(piece.uid)
    assert whole is not None
    assert (len(whole), whole[0]["n"], whole[-1]["n"]) == (600, 999, 400)
    pinned = await pin(terminal.widgets, terminal.live.folder, "Best", "", Content("table", whole))
    made = await run(
        terminal, pinned, ("rank", {"data": "a", "by": "n", "descending": False, "n": 1})
    )
    assert made.shown[0].rows == [[400, "S1"]]
    assert runs.whole("of nobody") is None


async def test_the_parsing_file_of_every_table_of_a_dashboard_is_listed(
    home: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_HOME", str(home))
    async with opened(home) as terminal:
        await terminal.backends.add(server.url)
        for widget_id in ("table", "chart", "metric", "markdown"):
            await terminal.placed(server, widget_id)
    (home / "s.sqlite").rename(home / "deskpilot.sqlite")
    told = await listed()
    kinds = {name: one["kind"] for name, one in told.items()}
    assert kinds == {
        "Companies": "widget: table",
        "Prices": "widget: plotly",
        "Metrics": "widget: metric",
    }
    companies = told["Companies"]
    assert (companies["backend"], companies["parameters"]["region"]) == (server.url, "eu")
    assert companies["first_row"]
    assert companies["access_example"]["arguments"]["source"] == companies["source"]
    await shell("add", "Prices", "--closes", "15:00", "--about", "what was paid")
    prices = (await listed())["Prices"]
    assert (prices["closes"], prices["description"]) == ("15:00", "what was paid")


async def shell(*words: str) -> str:
    made = await asyncio.to_thread(CliRunner().invoke, app, ["data", *words])
    assert made.exit_code == 0, made.output
    return made.output


async def listed() -> dict[str, dict[str, Any]]:
    every = map(json.loads, (await shell("list", "--json")).splitlines())
    return {one["name"]: one for one in every}
