"""Workflows as tools of the terminal: only over what was offered, every interface listed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from app.data.sources import Sources
from app.domain.copilot import OfferedWidget
from app.domain.errors import DeskpilotError, UnknownWidget
from app.domain.events import CopilotCall
from app.services.functions import run
from app.services.functions.agent_tools import agent_tools, execute_agent_tool
from app.services.functions.context import CallContext
from backends.data.steps import STEPS
from backends.data.workflow.report import WorkflowResult
from backends.data.workflow.step import Workflow

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def call(workflow: dict[str, Any]) -> dict[str, Any]:
    return {
        "server_id": "deskpilot",
        "tool_name": "run_workflow",
        "parameters": {"workflow": workflow},
    }


@pytest.fixture
def desk(tmp_path: Path) -> tuple[CallContext, str]:
    path = tmp_path / "sales.csv"
    path.write_text("shop,sold\nNorth,3\nSouth,5\n", "utf-8")
    sources = Sources()
    uid = sources.add_file(path).uuid
    return CallContext(sources, {uid: OfferedWidget(uid)}), uid


def ranked(uid: str) -> dict[str, Any]:
    return {
        "steps": [
            {"id": "a", "interface": "read_rows", "arguments": {"source": uid}},
            {"id": "b", "interface": "rank", "arguments": {"data": "a", "by": "sold"}},
        ]
    }


async def test_a_workflow_runs_over_widgets_that_were_offered(
    desk: tuple[CallContext, str],
) -> None:
    made = await execute_agent_tool(desk[0], call(ranked(desk[1])))
    result = WorkflowResult.model_validate_json(made.content)
    assert result.shown[0].rows == [["South", 5], ["North", 3]]
    assert list(result.hashes) == [desk[1]]


async def test_a_table_that_was_not_offered_is_out_of_reach(desk: tuple[CallContext, str]) -> None:
    hidden = {
        "id": "c",
        "interface": "loop_rank",
        "arguments": {
            "data": "a",
            "column": "shop",
            "interface": "total_return",
            "arguments": {"source": "other"},
        },
    }
    steps = [*ranked(desk[1])["steps"], hidden]
    with pytest.raises(UnknownWidget, match="other"):
        await execute_agent_tool(desk[0], call({"steps": steps}))


@pytest.mark.parametrize("loop", ["each", "loop_rank"])
async def test_a_loop_reaches_no_table_that_was_not_offered(
    desk: tuple[CallContext, str], tmp_path: Path, loop: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("day,pay\n2024-01-01,3\n2024-01-02,6\n", "utf-8")
    hidden, uid = desk[0].sources.add_file(secret).uuid, desk[1]
    named = {
        "tables": [{"name": "t", "source": uid}],
        "sql": f"SELECT '{hidden}' AS uid FROM t LIMIT 1",
    }
    steps: list[dict[str, Any]] = [{"id": "a", "interface": "query", "arguments": named}]
    earned = {"time": ["day"], "value": "pay"}
    if loop == "each":
        each = {"data": "a", "column": "uid", "argument": "source"}
        steps.append({"id": "b", "interface": "total_return", "arguments": earned, "each": each})
    else:
        looped = {"interface": "total_return", "argument": "source", "arguments": earned}
        steps.append(
            {
                "id": "b",
                "interface": "loop_rank",
                "arguments": looped | {"data": "a", "column": "uid"},
            }
        )
    with pytest.raises(UnknownWidget, match="was not offered"):
        await execute_agent_tool(desk[0], call({"steps": steps}))
    allowed = desk[0].sources.runs.run(Workflow.model_validate({"steps": steps}))
    assert allowed.hashes.keys() == {uid, hidden}
    again = call({"steps": steps[:1]})
    again["parameters"]["run"] = allowed.run
    steps[1]["id"] = "c"  # of a run that was allowed more, nothing more is read either
    again["parameters"]["workflow"] = {"steps": steps}
    with pytest.raises(UnknownWidget, match="was not offered"):
        await execute_agent_tool(desk[0], again)


@pytest.mark.parametrize("depth", [400, 900])
async def test_a_call_that_is_nested_too_deep_is_refused_in_words(
    desk: tuple[CallContext, str], depth: int
) -> None:
    nested: Any = 1
    for _ in range(depth):
        nested = {"a": nested}
    steps = [
        {"id": "a", "interface": "read_rows", "arguments": {"source": desk[1], "where": nested}}
    ]
    made = await run(CopilotCall("execute_agent_tool", call({"steps": steps}), "{}"), desk[0])
    assert made.failed
    assert "error" in made.content


async def test_a_workflow_that_is_none_is_refused(desk: tuple[CallContext, str]) -> None:
    with pytest.raises(DeskpilotError, match="steps"):
        await execute_agent_tool(desk[0], call({"steps": []}))


async def test_a_step_that_fails_says_why(desk: tuple[CallContext, str]) -> None:
    flow = ranked(desk[1])
    flow["steps"][1]["arguments"]["by"] = "nope"
    made = await execute_agent_tool(desk[0], call(flow))
    assert made.failed
    failed = WorkflowResult.model_validate_json(made.content).failed
    assert (failed[0].id, "nope" in failed[0].error) == ("b", True)


async def test_every_interface_is_listed_with_its_arguments(desk: tuple[CallContext, str]) -> None:
    listing = {"server_id": "deskpilot", "tool_name": "list_interfaces", "parameters": {}}
    made = json.loads((await execute_agent_tool(desk[0], listing)).content)
    assert [one["name"] for one in made] == list(STEPS)
    for one in [*(m["arguments"] for m in made), *(t["input_schema"] for t in agent_tools())]:
        jsonschema.Draft202012Validator.check_schema(one)
