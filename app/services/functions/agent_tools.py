"""Tools for every copilot: our data interfaces, and the tools of servers."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.data.library.library_file import as_interface
from app.domain.errors import DeskpilotError, UnknownWidget
from app.domain.tool import DATA_TOOL, TERMINAL
from app.services.functions.context import FunctionReply
from app.services.functions.documents import SEARCH, search_documents
from backends.data.arguments import read
from backends.data.compiler import QUERY, QueryArguments, query_sources
from backends.data.computation import interruptibly
from backends.data.interfaces import INTERFACES
from backends.data.steps import STEPS
from backends.data.workflow.library_interface import inlined
from backends.data.workflow.report import TOOL, RunWorkflow

if TYPE_CHECKING:
    from app.services.functions.context import CallContext


@cache  # generating the schemas with pydantic takes 15 ms, and each question sends them
def agent_tools() -> tuple[dict[str, Any], ...]:
    """Return the data interfaces as AgentTools. The list is always the same."""
    return tuple(
        [
            {
                "server_id": TERMINAL,
                "name": interface.name,
                "url": DATA_TOOL,
                "description": interface.description,
                "input_schema": interface.arguments.model_json_schema(),
            }
            for interface in INTERFACES.values()
        ]
        + workflow_tools(TERMINAL, DATA_TOOL)
    )


async def execute_agent_tool(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Run one of our tools or one of a server's tools, and return its result as JSON.

    Raises: UnknownWidget, DeskpilotError, KernelError.
    """
    server, name = str(arguments.get("server_id")), str(arguments.get("tool_name"))
    parameters = arguments.get("parameters")
    parameters = dict(parameters) if isinstance(parameters, dict) else {}
    if server != TERMINAL and desk.call_tool is not None:
        return await desk.call_tool(server, name, parameters)
    if server == TERMINAL and name in (TOOL, LIST):
        return await run_tool(desk, name, parameters)
    if server == TERMINAL and name == SEARCH:
        return await search_documents(desk, parameters)
    if server != TERMINAL or name not in INTERFACES:
        raise DeskpilotError(
            f"{server!r} has no tool named {name!r}.", f"Available: {', '.join(INTERFACES)}."
        )
    for source in sources_named(name, parameters):
        if source not in desk.offered:
            raise UnknownWidget(
                f"The widget {source} was not offered.", "Use a widget from the request."
            )
    result = await interruptibly(desk.sources.run, name, parameters)
    return FunctionReply(result.model_dump_json())


def sources_named(name: str, parameters: dict[str, Any]) -> list[str]:
    """Return the widgets that a call of a data interface reads.

    Raises: WrongArguments for an invalid query.
    """
    named = [str(parameters.get("source"))]
    if name == QUERY:
        named += query_sources(read(QUERY, QueryArguments, parameters).query)
    return named


LIST = "list_interfaces"


def workflow_tools(server: str, url: str) -> list[dict[str, Any]]:
    """Return the tools that run workflows and list the interfaces for workflow steps, as
    AgentTools.
    """
    about = (
        "Run a workflow over the widgets: steps that take earlier results. Interfaces:"
        f" {', '.join(STEPS)}."
    )
    listing = (
        "List the interfaces of workflows with their arguments; those of the library over the"
        " widgets, too."
    )
    made = (
        (TOOL, about, RunWorkflow.model_json_schema()),
        (LIST, listing, {"type": "object", "properties": {}}),
    )
    return [
        {"server_id": server, "name": name, "url": url, "description": text, "input_schema": schema}
        for name, text, schema in made
    ]


def interfaces() -> list[dict[str, Any]]:
    """Return every interface with its name, class, result and the schema of its arguments."""
    return [
        {
            "name": one.name,
            "class": one.kind,
            "description": one.description,
            "gives": one.gives,
            "arguments": one.arguments.model_json_schema(),
        }
        for one in STEPS.values()
    ]


def designed(desk: CallContext) -> list[dict[str, Any]]:
    """Return the library's interfaces for tables, if at least one of their tables was offered."""
    return [
        as_interface(e)
        for e in desk.sources.library()
        if desk.offered.keys() & set(e.workflow.sources())
    ]


async def run_tool(desk: CallContext, name: str, parameters: dict[str, Any]) -> FunctionReply:
    """Run a workflow over the offered widgets, or list the interfaces. Return JSON.

    Raises: UnknownWidget, DeskpilotError, KernelError.
    """
    if name == LIST:
        return FunctionReply(json.dumps([*interfaces(), *designed(desk)], ensure_ascii=False))
    try:
        asked = RunWorkflow.model_validate(parameters)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise DeskpilotError(f"{place}: {first['msg']}.", "Correct the workflow.") from error
    workflow = asked.workflow.filled({}) if asked.workflow.parameters else asked.workflow
    if any(step.interface not in STEPS for step in workflow.steps):
        workflow = inlined(
            workflow, {entry.name: entry.workflow for entry in desk.sources.library()}
        )
    for uid in workflow.sources():
        if uid not in desk.offered:
            raise UnknownWidget(
                f"The widget {uid} was not offered.", "Use a widget from the request."
            )
    result = await interruptibly(desk.sources.runs.run, workflow, asked.run, desk.offered)
    return FunctionReply(result.model_dump_json(), failed=bool(result.failed))
