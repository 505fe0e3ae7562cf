"""Workflows as tools: steps of our interfaces over widgets, and what interfaces there are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.data.library.offered import as_interface
from app.domain.errors import DeskpilotError, UnknownWidget
from app.services.functions.answered import Answered
from backends.data.steps import STEPS
from backends.data.stopping import interruptibly
from backends.data.workflow.designed import inlined
from backends.data.workflow.told import TOOL, RunWorkflow

if TYPE_CHECKING:
    from app.services.functions.desk import Desk

LIST = "list_interfaces"


def workflow_tools(server: str, url: str) -> list[dict[str, Any]]:
    """Return the tools that run workflows and list what their steps may use, as AgentTools."""
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
    """Return every interface: name, class, what it gives, and the schema of its arguments."""
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


def designed(desk: Desk) -> list[dict[str, Any]]:
    """Return the library's interfaces over tables of which at least one was offered."""
    return [
        as_interface(e)
        for e in desk.sources.library()
        if desk.offered.keys() & set(e.workflow.sources())
    ]


async def run_tool(desk: Desk, name: str, parameters: dict[str, Any]) -> Answered:
    """Run a workflow over widgets that were offered, or list the interfaces; return JSON.

    Raises: UnknownWidget, DeskpilotError, KernelError.
    """
    if name == LIST:
        return Answered(json.dumps([*interfaces(), *designed(desk)], ensure_ascii=False))
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
            raise UnknownWidget(f"Widget {uid} was not offered.", "Use a widget of the request.")
    result = await interruptibly(desk.sources.runs.run, workflow, asked.run, desk.offered)
    return Answered(result.model_dump_json(), failed=bool(result.failed))
