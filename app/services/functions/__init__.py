"""The functions that a copilot may call, by name, with one module for each kind.

This module itself contains those that take only a few lines: reading and proposing skills, tasks
for other copilots, and code, which is refused if no user can be asked.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError, UnknownSkill
from app.domain.events import ASSIGN, RUN_CODE, CallResult
from app.services.functions import (
    agent_tools,
    dashboards,
    sql,
    widget_data,
)
from app.services.functions.context import CallContext, FunctionReply, sources_of, told
from backends.data.errors import KernelError


async def run_code(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Refuse the call, with a message that lets the assistant continue.

    Raises: DeskpilotError, always.
    """
    raise DeskpilotError(
        f"Code cannot be run here; the {arguments.get('language')} code was not run.",
        "Answer without running it, or tell the person how to run it.",
    )


async def get_skill_content(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return a skill that was described to the copilot.

    Raises: UnknownSkill.
    """
    slug = str(arguments.get("slug"))
    skill = desk.skills.get(slug)
    if skill is None:
        names = ", ".join(desk.skills) or "none"
        raise UnknownSkill(f"There is no skill {slug!r}.", f"Available: {names}.")
    return FunctionReply(json.dumps({"skill": skill.told("model_selected")}, ensure_ascii=False))


async def save_skill(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Show a proposed skill to the user instead of saving it, since a saved skill affects all later
    conversations.

    Raises: UnknownSkill if it has no text; SetupError.
    """
    if desk.propose is None:
        raise UnknownSkill("Skills cannot be saved here.", "Answer in words.")
    text = str(arguments.get("instructions") or arguments.get("content") or "")
    name = str(arguments.get("name") or "") or text[:40]
    skill = await desk.propose(name, str(arguments.get("description") or ""), text)
    told = f"The skill {skill.slug} was proposed; the person decides whether it is kept."
    return FunctionReply(json.dumps({"message": told, "slug": skill.slug}, ensure_ascii=False))


MOST = 8  # maximum number of tasks in one call


async def assign_tasks_to_agents(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return each copilot's answer to its task, in the order of the tasks, or the reason for each
    task that failed.

    Raises: DeskpilotError if the user did not allow it, or if there are no tasks or too many.
    """
    if desk.assign is None:
        raise DeskpilotError(
            "The person has not let you ask other copilots.",
            "Answer without it, or ask the person to allow it.",
        )
    entries: list[str] = []
    failed: list[bool] = []
    for raw in sources_of(arguments, "task_requests", MOST):
        try:
            made = await desk.assign(raw)
            entries.append(json.dumps({"id": raw.get("id")} | made, ensure_ascii=False))
            failed.append(False)
        except DeskpilotError as error:
            entries.append(told(error))
            failed.append(True)
    return FunctionReply("\n".join(entries), all(failed), entries)


def words_of(content: str) -> str:
    """Return the answers of other copilots, or the reasons for failures, as one text."""
    found = [json.loads(line) for line in content.splitlines()]
    return "\n\n".join(
        str(one.get("message") or f"{one.get('error', '')} {one.get('remedy', '')}").strip()
        for one in found
    )


if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.events import CopilotCall
    from app.services.functions.context import CallContext

    Function = Callable[[CallContext, dict[str, Any]], Awaitable[FunctionReply]]

FUNCTIONS: dict[str, Function] = {
    "get_widget_data": widget_data.get_widget_data,
    "get_extra_widget_data": widget_data.get_widget_data,
    "get_params_options": widget_data.get_params_options,
    "add_widget_to_dashboard": dashboards.add_widget_to_dashboard,
    "update_widget_in_dashboard": dashboards.update_widget_in_dashboard,
    "add_generative_widget": dashboards.add_generative_widget,
    "manage_navigation_bar": dashboards.manage_navigation_bar,
    "execute_agent_tool": agent_tools.execute_agent_tool,
    "prepare_client_sql_tables": sql.prepare_client_sql_tables,
    "execute_client_sql": sql.execute_client_sql,
    "get_skill_content": get_skill_content,
    ASSIGN: assign_tasks_to_agents,
    "save_skill": save_skill,
    RUN_CODE: run_code,
}


def refuse(call: CopilotCall, error: DeskpilotError) -> CallResult:
    """Return the result of a call that is not run, with the reason."""
    return CallResult(call.function, told(error), True, 0.0)


async def run(call: CopilotCall, desk: CallContext) -> CallResult:
    """Run a call, and return its result. A failure is also a result, as text that the copilot can
    pass on.
    """
    start = time.perf_counter()
    function = FUNCTIONS.get(call.function)
    try:
        if function is None:
            names = ", ".join(FUNCTIONS)
            raise DeskpilotError(
                f"This terminal has no function {call.function!r}.", f"It has: {names}."
            )
        made = await function(desk, call.arguments)
    except (DeskpilotError, KernelError) as error:
        made = FunctionReply(told(error), failed=True)
    except RecursionError:
        made = FunctionReply(
            told(DeskpilotError("The call is nested too deeply.", "Send one with less nesting.")),
            failed=True,
        )
    seconds = round(time.perf_counter() - start, 4)
    return CallResult(call.function, made.content, made.failed, seconds, made.entries, made.files)
