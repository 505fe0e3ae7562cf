"""Tools any copilot may call: our data interfaces, and what servers of tools have."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError, UnknownWidget
from app.domain.tool import DATA_TOOL, TERMINAL
from app.services.functions.answered import Answered
from app.services.functions.documents import SEARCH, search_documents
from app.services.functions.workflows import LIST, run_tool, workflow_tools
from backends.data.arguments import read
from backends.data.compile import QUERY, QueryArguments, query_sources
from backends.data.interfaces import INTERFACES
from backends.data.stopping import interruptibly
from backends.data.workflow.told import TOOL

if TYPE_CHECKING:
    from app.services.functions.desk import Desk


@cache  # pydantic takes 15 ms for the schemas, and each question sends them
def agent_tools() -> tuple[dict[str, Any], ...]:
    """Return the data interfaces as AgentTools; nobody changes them."""
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


async def execute_agent_tool(desk: Desk, arguments: dict[str, Any]) -> Answered:
    """Run one of our tools, or one of a server, and return its result as JSON.

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
            f"There is no tool {name!r} of {server!r}.", f"There are: {', '.join(INTERFACES)}."
        )
    for source in sources_named(name, parameters):
        if source not in desk.offered:
            raise UnknownWidget(f"Widget {source} was not offered.", "Use a widget of the request.")
    result = await interruptibly(desk.sources.run, name, parameters)
    return Answered(result.model_dump_json())


def sources_named(name: str, parameters: dict[str, Any]) -> list[str]:
    """Return the widgets that a call of a data interface reads.

    Raises: WrongArguments for a query that is none.
    """
    named = [str(parameters.get("source"))]
    if name == QUERY:
        named += query_sources(read(QUERY, QueryArguments, parameters).query)
    return named
