"""One round of a course: the terminal's result, a model's choice of the next step, and the call
that runs it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from backends.copilot import workflows
from backends.copilot.stepping.deciding import decided, failed
from backends.copilot.stepping.said import CHOOSING, asked_back, by_model
from backends.copilot.tables import SERVER, find_sources
from backends.data.workflow.report import TOOL, WorkflowResult
from backends.data.workflow.step import Workflow
from backends.planning.choosing.choice import near_words, shortlist, stands
from backends.planning.choosing.course import (
    MOST,
    SECONDS,
    ChosenStep,
    Course,
    Ground,
    beginning,
    workflow_of,
)
from backends.planning.japanese import as_chinese
from backends.planning.unread import REPAIRS
from backends.protocol.events import Event, FunctionCall, StatusUpdate
from backends.query.lexicon import language_of

if TYPE_CHECKING:
    from backends.copilot.interpretation import Interpretation
    from backends.copilot.models import CopilotModels
    from backends.copilot.tables import TableSource
    from backends.copilot.turn import OpenTurn
    from backends.data.values import Profile
    from backends.planning import Plan
    from backends.protocol.query import CopilotRequest

STATE, CHOSEN = "course", "chosen"  # where a course travels, and the steps a model chose


async def instead_of_asking(
    steps: list[Event],
    made: Plan | None,
    turn: OpenTurn,
    sources: list[TableSource],
    models: CopilotModels,
) -> list[Event]:
    """Return the beginning of a course if a plan would be asked about and every unused word may ask
    for a step; else the given steps unchanged.
    """
    if made is None or not made.asks or not steps or not isinstance(steps[0], StatusUpdate):
        return steps
    course = beginning(made)
    if course is None:
        return steps
    embed = models.embed if models.has_embedder() else None
    profiles = [s.profile for s in sources]
    course.words = course.left = [as_read(word, profiles) for word in made.unread]
    near = await near_words(
        (*course.left, *(as_read(word, profiles) for word in made.doubts)), embed
    )
    if not all(stands(word, kinds, tuple(profiles)) for word, kinds in near.items()):
        return steps
    return [StatusUpdate("INFO", CHOOSING[language_of(turn.question)]), call(course, "")]


def as_read(text: str, profiles: list[Profile]) -> str:
    """Return text in the words rules read: Japanese in Chinese ones."""
    return as_chinese(text, profiles) if language_of(text) == "ja" else text


def call(course: Course, run: str) -> FunctionCall:
    """Return the call that runs the steps of a course so far; their results are held under the
    run.
    """
    workflow = Workflow(name=course.plan.intent.rewritten[:120], steps=course.steps)
    parameters = {"workflow": workflow.model_dump(mode="json"), "run": run}
    arguments = {"server_id": SERVER, "tool_name": TOOL, "parameters": parameters}
    return FunctionCall("execute_agent_tool", arguments, {STATE: course.model_dump(mode="json")})


async def went_on(query: CopilotRequest, turn: OpenTurn, models: CopilotModels) -> list[Event]:
    """Return the next round of a course, or how it ends; nothing if none is under way."""
    if not turn.pairs:
        return []
    called, returned = turn.pairs[-1]
    state = called.extra_state or returned.extra_state
    language = language_of(turn.question)
    try:
        result = WorkflowResult.model_validate_json(returned.texts[0] if returned.texts else "")
        course = Course.model_validate(state[STATE]) if STATE in state else None
        chosen = [ChosenStep.model_validate(one) for one in state.get(CHOSEN) or []]
    except (ValidationError, TypeError):
        return []
    if course is None and not chosen:
        return await failed(query, turn, models, result) if result.failed else []
    if course is None:
        return ended(turn, chosen, result, language)
    if chosen and not result.failed:
        return asked_back(course, [course], language)
    error = result.failed[0].error if result.failed else ""
    if error and (not course.chosen or len(course.tried) >= REPAIRS):
        return asked_back(course, [], language)
    course = course.back() if error else course
    sources = await asyncio.to_thread(find_sources, query, turn)
    profiles = [workflows.with_found(s.profile, turn) for s in sources]
    seen = {step.id: step.preview for step in result.steps if step.preview is not None}
    asked = as_read(turn.question, profiles)
    ground = Ground(asked, tuple(course.left), tuple(profiles), tuple(course.steps), seen)
    return await stepped(course, ground, models, query.model, (result.run, error, language))


async def stepped(
    course: Course,
    ground: Ground,
    models: CopilotModels,
    model: str | None,
    told: tuple[str, str, str],
) -> list[Event]:
    """Return the next step of a course as a model chooses it, or a question to the user. told: the
    run with the results, why the previous step failed, and the language.
    """
    run, error, language = told
    embed = models.embed if models.has_embedder() else None
    options = await shortlist(course, ground, embed)
    left = SECONDS - course.seconds
    if not options or left <= 0 or len(course.chosen) >= MOST:
        return asked_back(course, [course] if course.chosen else [], language)
    decision = await decided(ground, options, models, model, seconds=left, error=error)
    course = course.model_copy(update={"seconds": course.seconds + decision.seconds})
    if decision.sure is None:
        return asked_back(course, [course.with_(o, ground) for o in decision.options], language)
    further = course.with_(decision.sure, ground)
    return taken(further, [*further.left, *further.doubts(ground)], run, language)


def ended(
    turn: OpenTurn, chosen: list[ChosenStep], result: WorkflowResult, language: str
) -> list[Event]:
    """Return the answer of steps a model chose, marked as such; or the call that repairs one by
    rule.
    """
    events = workflows.finished(turn) or []
    if events and isinstance(last := events[-1], FunctionCall):
        state = last.extra_state | {CHOSEN: [one.model_dump() for one in chosen]}
        return [*events[:-1], FunctionCall(last.function, last.arguments, state)]
    return events if result.failed else [*events, *by_model(chosen, language)]


def pressed(reading: Interpretation | None) -> list[Event] | None:
    """Return the call of a workflow that the user chose when asked; None for any other choice."""
    events = workflows.chosen(reading)
    if not events or reading is None or not isinstance(last := events[-1], FunctionCall):
        return events
    chosen = reading.slots.get(CHOSEN)
    state = last.extra_state | ({CHOSEN: chosen} if isinstance(chosen, list) else {})
    return [*events[:-1], FunctionCall(last.function, last.arguments, state)]


def taken(course: Course, open_: list[str], run: str, language: str) -> list[Event]:
    """Return the call of a step that was chosen: the whole workflow, if no word is open, so that
    nothing is offered that does not run.
    """
    one = course.chosen[-1]
    note = StatusUpdate("WARNING", f"{CHOOSING[language]}: {one.said}")
    if open_:
        return [note, call(course, run)]
    workflow = workflow_of(course)
    details: list[dict[str, Any]] = [
        {
            "plan": [t.model_dump() for t in workflow.tasks],
            "steps": [s.model_dump(exclude_defaults=True) for s in workflow.steps],
        }
    ]
    made = course.plan.model_copy(update={"workflow": workflow, "unread": [], "doubts": []})
    asked = workflows.call(made, run)
    state = asked.extra_state | {
        CHOSEN: [c.model_dump() for c in course.chosen],
        STATE: course.model_dump(mode="json"),
    }
    shown = StatusUpdate("INFO", workflow.name, details)
    return [note, shown, FunctionCall(asked.function, asked.arguments, state)]
