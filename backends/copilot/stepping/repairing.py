"""A step that failed and no rule mends: a model chooses what else it could be; it is offered, not
computed.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from backends.copilot import workflows
from backends.copilot.stepping.deciding import decided
from backends.copilot.stepping.said import offered
from backends.copilot.tables import find_sources
from backends.data.workflow.step import Workflow
from backends.planning import Intent
from backends.planning.choosing.choice import words
from backends.planning.choosing.course import SECONDS, Chosen
from backends.planning.choosing.ground import Ground
from backends.planning.choosing.variants import variants
from backends.protocol.events import Event, FunctionCall
from backends.understanding import as_chinese
from backends.understanding import spoken as language_of

if TYPE_CHECKING:
    from backends.copilot.models import Models
    from backends.copilot.turn import Turn
    from backends.data.workflow.told import WorkflowResult
    from backends.protocol.query import Query


async def failed(query: Query, turn: Turn, models: Models, result: WorkflowResult) -> list[Event]:
    """Return why a workflow failed with what a model would do instead, one press away; nothing if a
    rule mends it, or there is nothing else that serves all that was asked for.
    """
    events = workflows.finished(turn) or []
    if not events or isinstance(events[-1], FunctionCall):
        return []
    called, returned = turn.pairs[-1]
    parameters = cast("dict[str, Any]", called.arguments.get("parameters") or {})
    state = called.extra_state or returned.extra_state
    try:
        workflow = Workflow.model_validate(parameters.get("workflow"))
        intent = Intent.model_validate(state.get("intent"))
    except ValidationError:
        return []
    sources = await asyncio.to_thread(find_sources, query, turn)
    profiles = [workflows.with_found(s.profile, turn) for s in sources]
    language = language_of(turn.question)
    asked = as_chinese(turn.question, profiles) if language == "ja" else turn.question
    seen = {step.id: step.preview for step in result.steps if step.preview is not None}
    step = result.failed[0]
    ground = Ground(asked, (), tuple(profiles), tuple(workflow.steps), seen)
    known = {
        option.key: (option, one) for option, one in variants(workflow, step.id, step.error, ground)
    }
    if not known:
        return []
    error = f"{step.interface}: {step.error}"
    options = [option for option, _ in known.values()]
    decision = await decided(ground, options, models, query.model, seconds=SECONDS, error=error)
    picked = [known[option.key] for option in decision.options]
    choices = [
        (one, intent, Chosen(id=step.id, said=words(option), accounts=[])) for option, one in picked
    ]
    left = [str(word) for word in state.get("unread") or []]
    return [*events, *offered(choices, left, language)] if choices else []
