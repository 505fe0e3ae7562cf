"""A designed interface answers what the kernel alone cannot: chosen by the copilot, run by the
terminal, and from the shell.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from app.adapters.system.json_file import JsonFile
from app.cli.commands import app
from app.data.design.definition import SelfRequest, covering, defined, entry_for
from app.data.design.mergers import tried
from app.data.design.requests import ideas_over
from app.data.library.library_file import Library, told_of
from app.data.sources import Sources
from app.domain.copilot import OfferedWidget
from app.domain.errors import UnknownWidget
from app.services.functions.agent_tools import execute_agent_tool
from app.services.functions.context import CallContext
from backends.copilot import answer
from backends.data.errors import WrongArguments
from backends.data.workflow.report import WorkflowResult
from backends.paths import library_file
from backends.protocol.events import FunctionCall, MessageChunk
from backends.protocol.parser import parse_request
from tests.unembedded import Silent

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

QUESTION = "What was the maximum drawdown of close of Birch?"


@pytest.fixture
async def sources(tables: list[Path], home: Path) -> Sources:
    """Return the shares, and a library that has one interface over them, designed for another
    share.
    """
    library = Library(JsonFile(library_file()))
    made = Sources.of(library)
    source = made.add_file(tables[2])
    (ideas,) = ideas_over([source.profile]).values()
    idea = next(i for i in ideas if i.draft.shape == "drawdown" and i.draft.label == "close")
    asked = SelfRequest(
        id="r1", request=idea.wordings[0], also=idea.wordings[1:], key=idea.draft.key, kind=idea.draft.kind,
        values=idea.values, sources=[source.uuid], model="m", asked_at="",
    )  # fmt: skip
    entry = await tried(
        entry_for(covering(defined(idea, "close_drawdown"), asked), made, "d", "m"), made
    )
    assert entry.status == "validated"
    await library.put(entry)
    return made


def truth(path: Path) -> float:
    """Return the largest fall below an earlier high, in percent, from the file itself."""
    lines = [line.split(",") for line in path.read_text("utf-8").splitlines()[1:]]
    high, worst = 0.0, 0.0
    for close in (float(line[2]) for line in lines if line[1] == "Birch"):
        high = max(high, close)
        worst = min(worst, 100 * (close / high - 1))
    return worst


def request(question: str, sources: Sources, uid: str, *more: dict[str, Any]) -> dict[str, Any]:
    about = {"profile": sources.source(uid).profile.model_dump(mode="json")}
    about |= {"interfaces": [told_of(entry).model_dump(mode="json") for entry in sources.library()]}
    widget = {
        "uuid": uid,
        "name": "shares",
        "description": "",
        "origin": "deskpilot",
        "widget_id": uid,
        "params": [],
        "metadata": about,
    }
    tools = [
        {"name": n, "server_id": "deskpilot", "url": "deskpilot:data"}
        for n in ("query", "run_workflow")
    ]
    return {
        "messages": [{"role": "human", "content": question}, *more],
        "widgets": {"primary": [widget], "secondary": [], "extra": []},
        "tools": tools,
    }


async def events(body: dict[str, Any]) -> list[Any]:
    return [e async for e in answer(parse_request(body), Silent(), today=dt.date(2024, 1, 5))]


async def test_a_question_the_kernel_cannot_answer_is_answered_through_a_designed_interface(
    sources: Sources, tables: list[Path]
) -> None:
    uid = sources.add_file(tables[2]).uuid
    made = await events(request(QUESTION, sources, uid))
    (call,) = [e for e in made if isinstance(e, FunctionCall)]
    assert [s["interface"] for s in call.arguments["parameters"]["workflow"]["steps"]] == ["query"]
    desk = CallContext(sources, {uid: OfferedWidget(uid)})
    done = await execute_agent_tool(desk, call.arguments)
    result = WorkflowResult.model_validate_json(done.content)
    row = dict(zip(result.shown[0].columns, result.shown[0].rows[0], strict=True))
    assert row["drawdown %"] == pytest.approx(truth(tables[2]))
    said = {
        "function": call.function,
        "input_arguments": call.arguments,
        "extra_state": call.extra_state,
    }
    back = [
        {"role": "ai", "content": json.dumps(said)},
        {"role": "tool", **said, "data": [{"items": [{"content": done.content}]}]},
    ]
    words = "".join(
        e.delta
        for e in await events(request(QUESTION, sources, uid, *back))
        if isinstance(e, MessageChunk)
    )
    assert f"{truth(tables[2]):.2f}"[:5] in words.replace("−", "-")
    assert "`close_drawdown`" in words


async def test_without_the_library_the_kernel_has_no_answer_to_it(
    sources: Sources, tables: list[Path]
) -> None:
    uid = sources.add_file(tables[2]).uuid
    alone = Sources()
    alone.add_file(tables[2])
    made = await events(request(QUESTION, alone, uid))
    for call in (e for e in made if isinstance(e, FunctionCall)):
        done = await execute_agent_tool(
            CallContext(alone, {uid: OfferedWidget(uid)}), call.arguments
        )
        assert f"{truth(tables[2]):.3f}"[:6] not in done.content


@pytest.mark.parametrize(
    "question",
    [
        "What was the maximum drawdown of close of Birch in 2023?",  # the interface knows no years
        "What was the maximum drawdown of volume of Birch?",  # nor this column
        "What was the maximum drawdown of close?",  # whose?
        "What was the maximum close of Birch?",
        "What was the minimum drawdown of close of Birch?",
    ],
)
async def test_a_request_that_says_anything_else_is_not_taken_for_it(
    question: str, sources: Sources, tables: list[Path]
) -> None:
    made = await events(request(question, sources, sources.add_file(tables[2]).uuid))
    calls = [json.dumps(e.arguments) for e in made if isinstance(e, FunctionCall)]
    assert not any("run_workflow" in call and "query" in call for call in calls)


async def test_it_is_listed_and_run_by_name_as_a_step_of_others(
    sources: Sources, tables: list[Path]
) -> None:
    uid = sources.add_file(tables[2]).uuid
    desk = CallContext(sources, {uid: OfferedWidget(uid)})
    listed = await execute_agent_tool(
        desk, {"server_id": "deskpilot", "tool_name": "list_interfaces"}
    )
    (mine,) = [one for one in json.loads(listed.content) if one.get("designed")]
    assert mine["name"] == "close_drawdown"
    assert mine["arguments"]["properties"]["entity"]["enum"] == ["Alder", "Birch", "Cedar"]
    steps: list[dict[str, Any]] = [
        {"id": "worst", "interface": "close_drawdown", "arguments": {"entity": "Birch"}},
        {
            "id": "cell",
            "interface": "read_value",
            "arguments": {"data": "worst", "column": "drawdown %"},
        },
    ]
    asked = {
        "server_id": "deskpilot",
        "tool_name": "run_workflow",
        "parameters": {"workflow": {"steps": steps}},
    }
    done = await execute_agent_tool(desk, asked)
    result = WorkflowResult.model_validate_json(done.content)
    assert result.shown[-1].value == pytest.approx(truth(tables[2]))
    steps[0]["arguments"] = {"entity": "Nobody"}
    with pytest.raises(WrongArguments, match="not one of the values"):
        await execute_agent_tool(desk, asked)
    steps[0]["arguments"] = {}
    with pytest.raises(UnknownWidget):
        await execute_agent_tool(CallContext(sources, {}), asked)


async def test_a_renamed_column_takes_it_off_the_list(sources: Sources, tables: list[Path]) -> None:
    tables[2].write_text(
        tables[2].read_text("utf-8").replace("company,close", "company,last"), "utf-8"
    )
    assert sources.library() == []


def test_the_shell_runs_it_with_other_values(sources: Sources, tables: list[Path]) -> None:
    done = CliRunner().invoke(app, ["data", "run", "close_drawdown", "entity=Birch", "--json"])
    assert done.exit_code == 0, done.output
    row = dict(
        zip(
            *(json.loads(done.output)["shown"][0][k] for k in ("columns",)),
            json.loads(done.output)["shown"][0]["rows"][0],
            strict=True,
        )
    )
    assert row["drawdown %"] == pytest.approx(truth(tables[2]))
    shown = CliRunner().invoke(app, ["data", "run", "close_drawdown", "entity=Birch"]).output
    assert shown.splitlines()[0] == "largest drawdown of close · Birch (table, 1 rows)"
