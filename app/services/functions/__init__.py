"""The functions that a copilot may call, by name, with one module for each kind."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.domain.events import ASSIGN, RUN_CODE, CallResult
from app.services.functions import (
    agent_tools,
    code,
    dashboards,
    skills,
    sql,
    tasks,
    widget_data,
)
from app.services.functions.context import CallContext, FunctionReply, told
from backends.data.errors import KernelError

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
    "get_skill_content": skills.get_skill_content,
    ASSIGN: tasks.assign_tasks_to_agents,
    "save_skill": skills.save_skill,
    RUN_CODE: code.run_code,
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
