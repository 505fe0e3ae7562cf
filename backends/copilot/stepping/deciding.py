"""How the next step is decided, and repaired if it fails."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from backends.copilot import workflows
from backends.copilot.acting.bound.ground import as_text
from backends.copilot.models import NoModel, ThoughtPiece
from backends.copilot.stepping.said import offered
from backends.copilot.tables import find_sources
from backends.data.workflow.step import Workflow
from backends.flexai.errors import FlexAIError
from backends.planning import Intent
from backends.planning.choosing.choice import (
    SYSTEM,
    prompt,
    read_choice,
    schema_of,
    variants,
    words,
)
from backends.planning.choosing.course import SECONDS, ChosenStep, Ground
from backends.planning.japanese import as_chinese
from backends.protocol.events import Event, FunctionCall
from backends.query.lexicon import language_of

if TYPE_CHECKING:
    from backends.copilot.models import CopilotModels
    from backends.copilot.turn import OpenTurn
    from backends.data.workflow.report import WorkflowResult
    from backends.planning.choosing.choice import Option
    from backends.protocol.query import CopilotRequest


TOKENS = 200  # of one choice


@dataclass(frozen=True)
class Decision:
    """A decision. picks: the choice in each order, without repetition, `done` for no further step.
    seconds: it took. Sure if both orders gave the same step.
    """

    picks: tuple[Option | str, ...]
    answered: int
    seconds: float

    @property
    def sure(self) -> Option | None:
        """Return the step both orders came to; None for any other outcome."""
        only = self.picks[0] if len(self.picks) == 1 and self.answered == 2 else None
        return None if only is None or isinstance(only, str) else only

    @property
    def options(self) -> list[Option]:
        """Return the steps that were chosen, sure or not."""
        return [pick for pick in self.picks if not isinstance(pick, str)]


async def decided(
    ground: Ground,
    options: list[Option],
    models: CopilotModels,
    model: str | None,
    *,
    seconds: float,
    error: str = "",
) -> Decision:
    """Return a model's choice of a few steps. seconds: the time limit; error: why the previous step
    failed.

    Nothing is chosen if there is no model, none that can be constrained, none that is quick enough,
    or if its answer is not one of the choices.
    """
    began = time.monotonic()
    picks: list[Option | str] = []
    try:
        async with asyncio.timeout(seconds):
            for order in (options, options[::-1]):
                said = await answered(prompt(ground, order, error), schema_of(order), models, model)
                if (pick := read_choice(said, order)) is None:
                    break
                picks.append(pick)
    except (FlexAIError, NoModel, TimeoutError):
        pass
    found = {pick if isinstance(pick, str) else pick.key: pick for pick in picks}
    return Decision(tuple(found.values()), len(picks), time.monotonic() - began)


async def answered(
    asked: str, schema: dict[str, Any], models: CopilotModels, model: str | None
) -> str:
    """Return a model's answer under a schema.

    Raises: FlexAIError, NoModel.
    """
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": asked}]
    parameters = {"json_schema": as_text(schema), "temperature": 0.0, "max_tokens": TOKENS}
    text = ""
    async with aclosing(models.chat(messages, model=model, parameters=parameters)) as pieces:
        async for piece in pieces:
            text += "" if isinstance(piece, ThoughtPiece) else piece
    return text


async def failed(
    query: CopilotRequest, turn: OpenTurn, models: CopilotModels, result: WorkflowResult
) -> list[Event]:
    """Return why a workflow failed, with a model's alternatives, one click away; nothing if a rule
    repairs it, or if no alternative covers the whole request.
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
        (one, intent, ChosenStep(id=step.id, said=words(option), accounts=[]))
        for option, one in picked
    ]
    left = [str(word) for word in state.get("unread") or []]
    return [*events, *offered(choices, left, language)] if choices else []
