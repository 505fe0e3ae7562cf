"""Have a model choose: bound to the tools' own schemas, a few of them only, and nothing taken that
nobody said.
"""

from __future__ import annotations

import json
import re
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jsonschema

from backends.copilot.acting.bound.ground import (
    NONE,
    SECRET,
    arguments_of,
    as_text,
    choice_schema,
    grounded,
    name_of,
    narrowed,
    of_fields,
    rest_of,
    simpler,
)
from backends.copilot.acting.choose import WRITES, ToolChoice, own_action, texts_of
from backends.copilot.acting.said import is_opinion, read
from backends.copilot.acting.slots import NUMBER, FilledSlots, fill, is_position, missing_of
from backends.copilot.acting.words import asks_for_knowledge, content_words, subjects_of
from backends.copilot.models import NoModel, Thought
from backends.flexai.errors import FlexAIError, InvokeBadRequestError

if TYPE_CHECKING:
    from backends.copilot.acting.said import ActionRequest
    from backends.copilot.models import CopilotModels
    from backends.protocol.query import OfferedTool

FEW, ABOUT, TOKENS = (
    4,
    120,
    120,
)  # tools a model is shown, characters of what each says, tokens of its choice
MANY = 12  # tools an able model is shown
TIMES = {
    "today",
    "tomorrow",
    "tonight",
    "now",
    "currently",
    "right",
    "week",
}  # many tools know no other time
SYSTEM = (
    "You choose a tool and copy what goes into it from the request, word for word. You answer in"
    " JSON."
)
SIMPLIFIED = (
    "What goes into {name} is more than a grammar can say: only the names and kinds were bound"
)


@dataclass(frozen=True)
class BoundDecision:
    """notes: what a person should know of how it was decided."""

    choice: ToolChoice | None
    notes: tuple[str, ...] = ()


async def decided_by_able(
    question: str,
    tools: list[OfferedTool],
    models: CopilotModels,
    model: str | None,
    *,
    far: bool = False,
) -> BoundDecision | None:
    """Return what an able model chooses, under the tools' own schemas; None where no model is able,
    or it said nothing of use, and rules have to do.

    What it fills in was said, word for word; what was not said is asked for. far: choose also from
    tools that have no word in common with the question, for questions that nothing else answers.
    """
    if models.reliability(model) <= 0 or asks_for_knowledge(question):
        return None
    said = read(question)
    near = near_tools(said, tools) or (tools[:MANY] if far else [])
    if not near:
        return None
    calls = {name_of(tool): open_schema(tool) for tool in near}
    listed = "\n".join(shown(tool) for tool in near)
    asked = (
        f"Tools:\n{listed}\n- {NONE}: for everything else, and for questions about the tools"
        f'\n\nRequest: {said.text}\n\nChoose a tool, or "{NONE}".'
    )
    told, notes = await bound(asked, choice_schema(calls), near, models, model)
    if told.get("tool") == NONE:
        return BoundDecision(None)
    tool = next((tool for tool in near if name_of(tool) == told.get("tool")), None)
    if tool is None:
        return None
    given = told.get("arguments")
    values = said_values(tool, given if isinstance(given, dict) else {}, said)
    action = own_action(tool) or said.action
    missing = missing_of(tool, values, action)
    return BoundDecision(
        ToolChoice(tool, FilledSlots(values, missing), sure=True, action=action), notes
    )


def near_tools(said: ActionRequest, tools: list[OfferedTool]) -> list[OfferedTool]:
    """Return the tools an able model chooses from: those that have a word in common with a
    sentence, and the others of their servers, the nearest first.
    """
    words, about = content_words(said.text), subjects_of(said.frame)
    marks = {
        name_of(tool): len(words & content_words(told)) + 2 * len(about & subjects_of(told))
        for tool in tools
        for told in [texts_of(tool)]
    }
    servers = {tool.server_id for tool in tools if marks[name_of(tool)]}
    found = [tool for tool in tools if tool.server_id in servers]
    return sorted(found, key=lambda tool: -marks[name_of(tool)])[:MANY]


def open_schema(tool: OfferedTool) -> dict[str, Any]:
    """Return the schema of a tool without what no sentence says: secrets."""
    schema = simpler(arguments_of(tool))
    kept = {n: one for n, one in schema["properties"].items() if not SECRET.search(n)}
    return of_fields(kept, [])


def said_values(tool: OfferedTool, told: dict[str, Any], said: ActionRequest) -> dict[str, Any]:
    """Return what of a model's arguments the tool takes, and the person said."""
    properties: dict[str, Any] = arguments_of(tool)["properties"]
    return {
        name: value
        for name, value in told.items()
        if name in properties
        and fits(properties[name], value)
        and was_said(value, properties[name], said)
    }


def was_said(value: Any, told: dict[str, Any], said: ActionRequest) -> bool:
    """Return whether a value stands in a sentence: its words, its number, one of the choices there
    are, or the place in a list that is meant.
    """
    if isinstance(value, bool) or value in (told.get("enum") or ()):
        return True
    if isinstance(value, int | float):
        numbers = [float(one) for one in NUMBER.findall(said.text)]
        return float(value) in numbers or said.place == value
    if isinstance(value, str):
        return " ".join(value.lower().split()) in " ".join(said.text.lower().split())
    if isinstance(value, list):
        inner = told.get("items")
        inner = inner if isinstance(inner, dict) else {}
        return bool(value) and all(was_said(one, inner, said) for one in value)
    if isinstance(value, dict):
        fields = told.get("properties")
        fields = fields if isinstance(fields, dict) else {}
        return bool(value) and all(was_said(v, fields.get(k) or {}, said) for k, v in value.items())
    return False


async def decided(
    question: str,
    tools: list[OfferedTool],
    known: ToolChoice | None,
    models: CopilotModels,
    model: str | None,
) -> BoundDecision:
    """Return the choice of the code, what it lacks put in by a model; or the model's own where the
    code has none.

    What the person did not say is missing still, and is to be asked for. Raises nothing of models:
    without one, or with one that cannot, the choice of the code stands.
    """
    said = read(question)
    if models.reliability(model) > 0 and near_tools(said, tools):
        return BoundDecision(known)  # an able model was asked before anything else
    by_able = await decided_by_able(question, tools, models, model, far=True)
    if by_able is not None:
        return by_able
    if known is not None:
        open_ = [name for name in known.filled.missing if may_fill(known.tool, name)]
        if not open_ or not rest_of(said) or known.tool.writes:
            return BoundDecision(known)  # what is written is no guess of a model that is not able
        return await filled(known, open_, said, models, model)
    if asks_for_knowledge(question) or is_opinion(said):
        return BoundDecision(None)
    few = shortlist(said, tools)
    return await chosen(few, said, models, model) if few else BoundDecision(None)


def shortlist(said: ActionRequest, tools: list[OfferedTool]) -> list[OfferedTool]:
    """Return the few tools a sentence may be about: those it has a word or a thing in common with,
    the nearest first. None that write: a model that is not able may not choose them.
    """
    words, about = content_words(said.text), subjects_of(said.frame)
    scored: list[tuple[int, OfferedTool]] = []
    for tool in tools:
        told = texts_of(tool)
        if tool.writes or (said.reads and own_action(tool) in WRITES):
            continue
        if shared := len(words & content_words(told)) + 2 * len(about & subjects_of(told)):
            scored.append((shared, tool))
    scored.sort(key=lambda one: -one[0])
    return [tool for _, tool in scored[:FEW]]


async def filled(
    known: ToolChoice,
    names: list[str],
    said: ActionRequest,
    models: CopilotModels,
    model: str | None,
) -> BoundDecision:
    """Return a choice with what a model found in the sentence for parameters it lacks; as it is, if
    that cannot be all.
    """
    tool = known.tool
    properties, named = arguments_of(tool)["properties"], content_words(texts_of(tool))
    fields = {
        n: narrow for n in names if (narrow := narrowed(n, properties[n], said, named)) is not None
    }
    if len(fields) < len(known.filled.missing):
        return BoundDecision(known)
    wanted = "\n".join(f"- {name}: {about(properties[name])}" for name in fields)
    asked = f"Request: {said.text}\n\nCopy from the request, word for word:\n{wanted}"
    told, notes = await bound(asked, of_fields(fields, names), [tool], models, model)
    values = known.filled.values | apart(checked(tool, told, said), known.filled.values)
    return (
        BoundDecision(with_values(known, values, said), notes)
        if covered(said, tool, values)
        else BoundDecision(known)
    )


async def chosen(
    tools: list[OfferedTool], said: ActionRequest, models: CopilotModels, model: str | None
) -> BoundDecision:
    """Return the tool a model chose, with what of it was said; None if it chose none, or one by
    nothing that was said.
    """
    calls = {name_of(tool): said_of(tool, said) for tool in tools}
    listed = "\n".join(shown(tool) for tool in tools)
    asked = (
        f"Tools:\n{listed}\n- {NONE}: for everything else\n\nRequest: {said.text}\n\nChoose a tool,"
        f' or "{NONE}".'
    )
    told, notes = await bound(asked, choice_schema(calls), tools, models, model)
    tool = next((tool for tool in tools if name_of(tool) == told.get("tool")), None)
    if tool is None:
        return BoundDecision(None)
    arguments = told.get("arguments")
    by_rule = fill(tool, said).values  # is not left to a model
    values = (
        apart(checked(tool, arguments if isinstance(arguments, dict) else {}, said), by_rule)
        | by_rule
    )
    made = with_values(
        ToolChoice(tool, FilledSlots(), sure=False, action=said.action), values, said
    )
    return BoundDecision(made, notes) if covered(said, tool, values) else BoundDecision(None)


def said_of(tool: OfferedTool, said: ActionRequest) -> dict[str, Any]:
    """Return the schema of what may go into a tool, with nothing in it that was not said."""
    schema, named = arguments_of(tool), content_words(texts_of(tool))
    properties: dict[str, Any] = schema["properties"]
    fields = {
        n: narrow
        for n, told in properties.items()
        if (narrow := narrowed(n, told, said, named)) is not None
    }
    return of_fields(fields, [name for name in schema.get("required", []) if name in fields])


def about(told: dict[str, Any]) -> str:
    """Return what a parameter says of itself, if it is short."""
    return " ".join(str(told.get("description") or told.get("title") or "").split())[:ABOUT]


def covered(said: ActionRequest, tool: OfferedTool, values: dict[str, Any]) -> bool:
    """Return whether a sentence is about a tool: most of its words are the tool's own, or went into
    it.

    One of the tool's own must be among them, that went nowhere: else any sentence would fit.
    """
    words, own = content_words(said.text), content_words(texts_of(tool))
    used = {
        w for value in values.values() for w in content_words(json.dumps(value, ensure_ascii=False))
    }
    left = (words - own - used - TIMES) & content_words(rest_of(said))
    return bool((words & own) - used) and len(left) <= len(words) // 4


def with_values(known: ToolChoice, values: dict[str, Any], said: ActionRequest) -> ToolChoice:
    """Return a choice with other values, and what it lacks then."""
    missing = missing_of(known.tool, values, said.action)
    return ToolChoice(
        known.tool, FilledSlots(values, missing, known.filled.chosen), known.sure, known.action
    )


def checked(tool: OfferedTool, told: dict[str, Any], said: ActionRequest) -> dict[str, Any]:
    """Return what of a model's arguments the tool takes, and the person said."""
    schema = arguments_of(tool)
    properties: dict[str, Any] = schema["properties"]
    named = content_words(texts_of(tool))
    return {
        name: value
        for name, value in grounded(told, properties, said, named).items()
        if fits(properties[name], value)
    }


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Return whether a value is what a parameter takes; its pattern is for the server to check."""
    try:
        jsonschema.validate(value, simpler(schema))
    except (jsonschema.ValidationError, jsonschema.SchemaError):
        return False
    return True


def apart(values: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the values that stand apart in the sentence: the same words cannot go into two
    parameters.
    """
    words = {name: set(content_parts(value)) for name, value in (known | values).items()}
    return {
        name: value
        for name, value in values.items()
        if not any(
            words[name] & words[other]
            for other in words
            if other != name and proper(words, name, other)
        )
    }


def proper(words: dict[str, set[str]], name: str, other: str) -> bool:
    """Return whether another parameter has the better right to words they share: the one that has
    fewer.
    """
    return len(words[other]) <= len(words[name])


def content_parts(value: Any) -> list[str]:
    """Return the words and numbers of a value, of Chinese its characters."""
    return re.findall(
        r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+",
        json.dumps(value, ensure_ascii=False).lower().replace(".0", ""),
    )


def may_fill(tool: OfferedTool, name: str) -> bool:
    """Return whether a model may look for a parameter: not for a place in a list, which is read by
    rule.
    """
    told = (tool.schema.get("properties") or {}).get(name)
    return isinstance(told, dict) and not is_position(name, told)


async def bound(
    asked: str,
    schema: dict[str, Any],
    tools: list[OfferedTool],
    models: CopilotModels,
    model: str | None,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what a model answers under a schema, and what was simplified of it; nothing where none
    can answer.
    """
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": asked}]
    notes: tuple[str, ...] = ()
    for form in (schema, simpler(schema)):
        try:
            return await said_by(messages, form, models, model), notes
        except InvokeBadRequestError:
            notes = (SIMPLIFIED.format(name=", ".join(tool.name for tool in tools)),)
        except (FlexAIError, NoModel):
            break
    return {}, notes


async def said_by(
    messages: list[dict[str, str]], schema: dict[str, Any], models: CopilotModels, model: str | None
) -> dict[str, Any]:
    """Return a model's answer under a schema.

    Raises: FlexAIError, NoModel.
    """
    parameters = {"json_schema": as_text(schema), "temperature": 0.0, "max_tokens": TOKENS}
    text = ""
    async with aclosing(models.chat(messages, model=model, parameters=parameters)) as pieces:
        async for piece in pieces:
            text += "" if isinstance(piece, Thought) else piece
    try:
        told: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def shown(tool: OfferedTool) -> str:
    """Return a tool as a model is shown it."""
    return f"- {name_of(tool)}: {' '.join(tool.description.split())[:ABOUT]}"
