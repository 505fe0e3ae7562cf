"""Numbers a person can see in the steps of an answer are no numbers made up."""

from __future__ import annotations

from app.domain.conversation import Turn
from app.domain.events import CopilotCall
from app.services.conversation.verdict import asked_for


def test_days_and_the_values_of_conditions_count_as_known() -> None:
    turn = Turn("t", "c", None, "How many quarters had negative inflation?", "running", 0.0)
    where = [
        {"column": "infl", "op": "<", "value": 0},
        {"column": "day", "op": "=", "value": "2024-10-15"},
    ]
    parameters = {"source": "s", "where": where, "n": 17}
    turn.items.append(
        CopilotCall("execute_agent_tool", {"tool_name": "count", "parameters": parameters}, "{}")
    )
    known = asked_for(turn).split()
    assert {"0", "2024-10-15"} <= set(known)
    assert "17" not in known


def test_odd_arguments_are_passed_over() -> None:
    turn = Turn("t", "c", None, "x", "running", 0.0)
    for odd in (5, "text", [1], {"where": 5}, {"where": [1, None]}, None):
        turn.items.append(CopilotCall("execute_agent_tool", {"parameters": odd}, "{}"))
    assert asked_for(turn) == ""
