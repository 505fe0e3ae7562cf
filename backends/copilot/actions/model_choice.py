"""Let a model choose a tool. It may use only the schemas of a few tools, and only values that the
user gave.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jsonschema

from backends.copilot.actions.choice import (
    WRITES,
    ToolChoice,
    own_action,
    texts_of,
)
from backends.copilot.actions.ground import (
    NONE,
    SECRET,
    arguments_of,
    as_text,
    choice_schema,
    grounded,
    is_moment_in,
    name_of,
    narrowed,
    numbers_in,
    of_fields,
    rest_of,
    simpler,
)
from backends.copilot.actions.request import is_opinion, read
from backends.copilot.actions.slots import (
    FilledSlots,
    fill,
    holds_time,
    is_position,
    missing_of,
    properties_of,
)
from backends.copilot.actions.words import (
    STOP,
    asks_for_knowledge,
    content_words,
    pattern,
    subjects_of,
)
from backends.copilot.models import NoModel, ThoughtPiece
from backends.flexai.errors import FlexAIError, InvokeBadRequestError

if TYPE_CHECKING:
    from backends.copilot.actions.request import ActionRequest
    from backends.copilot.models import CopilotModels
    from backends.protocol.request import OfferedTool


FEW, ABOUT, TOKENS = (
    4,
    120,
    120,
)  # limits: tools shown to a model, characters of each description, tokens of the choice
MANY = 12  # number of tools shown to a capable model
TIMES = {
    "today",
    "tomorrow",
    "tonight",
    "now",
    "currently",
    "right",
    "week",
}  # many tools have no parameter for any other time
SYSTEM = (
    "You choose a tool and copy what goes into it from the request, word for word. You answer in"
    " JSON."
)
SIMPLIFIED = (
    "What goes into {name} is more than a grammar can say: only the names and kinds were bound"
)


@dataclass(frozen=True)
class BoundDecision:
    """A choice of a tool. notes: how it was decided, for the user."""

    choice: ToolChoice | None
    notes: tuple[str, ...] = ()


async def decided_by_able(
    question: str,
    tools: list[OfferedTool],
    models: CopilotModels,
    model: str | None,
    *,
    today: dt.date | None = None,
    far: bool = False,
) -> BoundDecision | None:
    """Return the choice of a capable model, which uses the tools' own schemas.

    Return None if no model is capable, or if its answer is unusable; then the rules decide. The
    values that it fills in must occur in the user's message: word for word, or as the same number
    or time. The user is asked for the others. today: the date to which "tomorrow" refers; by
    default, today on this machine. far: whether to offer even tools that have no word in common
    with the question, which is done for questions that nothing else answers.
    """
    if not models.ability(model).able or asks_for_knowledge(question):
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
    arguments = told.get("arguments")
    given: dict[str, Any] = arguments if isinstance(arguments, dict) else {}
    values = said_values(tool, given, said, today or dt.date.today())
    action = own_action(tool) or said.action
    missing = missing_of(tool, values, action)
    if tool.writes or action in WRITES:
        missing += tuple(n for n in reworded(tool, given, values, said) if n not in missing)
    return BoundDecision(
        ToolChoice(tool, FilledSlots(values, missing), sure=True, action=action), notes
    )


def near_tools(said: ActionRequest, tools: list[OfferedTool]) -> list[OfferedTool]:
    """Return the tools from which a capable model chooses, the best matches first.

    These are the tools that have a word in common with the sentence, and the other tools of their
    servers.
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
    """Return the schema of a tool without parameters for secrets, because no sentence contains
    secrets.
    """
    schema = simpler(arguments_of(tool))
    kept = {n: one for n, one in schema["properties"].items() if not SECRET.search(n)}
    return of_fields(kept, [])


def said_values(
    tool: OfferedTool, told: dict[str, Any], said: ActionRequest, today: dt.date
) -> dict[str, Any]:
    """Return the arguments from a model that the tool accepts and that the user gave."""
    properties: dict[str, Any] = arguments_of(tool)["properties"]
    return {
        name: value
        for name, value in told.items()
        if name in properties
        and fits(properties[name], value)
        and was_said(value, properties[name], said, today)
    }


def reworded(
    tool: OfferedTool, given: dict[str, Any], values: dict[str, Any], said: ActionRequest
) -> list[str]:
    """Return the parameters for which a model expressed the user's words in words of its own.

    A write without these parameters would not be what the user meant. given: the model's arguments.
    values: the arguments that occur in the sentence. Invented arguments have no word or number in
    common with the rest of the sentence; they are dropped without asking the user.
    """
    properties = properties_of(tool)
    rest = parts_of(said.text) - parts_of(json.dumps(list(values.values()), ensure_ascii=False))
    found: list[str] = []
    for name, value in given.items():
        if name not in properties or name in values or value in (None, "", [], {}):
            continue
        timed = holds_time(name, properties[name]) and pattern("moment").search(said.text)
        if timed or rest & parts_of(json.dumps(value, ensure_ascii=False)):
            found.append(name)
    return found


def parts_of(text: str) -> set[str]:
    """Return the content words of a text, and its numbers without their leading zeros."""
    parts = re.findall(r"\d+|[\u4e00-\u9fff]|[^\W\d_\u4e00-\u9fff]+", text.lower())
    return {one.lstrip("0") or "0" for one in parts} - STOP


def was_said(value: Any, told: dict[str, Any], said: ActionRequest, today: dt.date) -> bool:
    """Return whether a value occurs in a sentence: as the same words, the same number, the same day
    and time, an allowed choice, or a position in a list.
    """
    if isinstance(value, bool) or value in (told.get("enum") or ()):
        return True
    if isinstance(value, int | float):
        return float(value) in numbers_in(said.text) or said.place == value
    if isinstance(value, str):
        words, whole = (" ".join(one.lower().split()) for one in (value, said.text))
        return bool(words) and (words in whole or is_moment_in(value, said.text, today))
    if isinstance(value, list):
        inner = told.get("items")
        inner = inner if isinstance(inner, dict) else {}
        return bool(value) and all(was_said(one, inner, said, today) for one in value)
    if isinstance(value, dict):
        fields = told.get("properties")
        fields = fields if isinstance(fields, dict) else {}
        return bool(value) and all(
            was_said(v, fields.get(k) or {}, said, today) for k, v in value.items()
        )
    return False


async def decided(
    question: str,
    tools: list[OfferedTool],
    known: ToolChoice | None,
    models: CopilotModels,
    model: str | None,
    *,
    today: dt.date | None = None,
) -> BoundDecision:
    """Return the tool that the code chose, with missing arguments filled in by a model. If the code
    chose none, return the model's own choice.

    Arguments that the user did not give remain missing, and the user is asked for them. Errors of
    models are not raised: without a usable model, the code's choice stands.
    """
    said = read(question)
    if models.ability(model).able and near_tools(said, tools):
        return BoundDecision(known)  # a capable model has already been asked
    by_able = await decided_by_able(question, tools, models, model, today=today, far=True)
    if by_able is not None:
        return by_able
    if known is not None:
        open_ = [name for name in known.filled.missing if may_fill(known.tool, name)]
        if not open_ or not rest_of(said) or known.tool.writes:
            return BoundDecision(known)  # only a capable model may decide what is written
        return await filled(known, open_, said, models, model)
    if asks_for_knowledge(question) or is_opinion(said):
        return BoundDecision(None)
    few = shortlist(said, tools)
    return await chosen(few, said, models, model) if few else BoundDecision(None)


def shortlist(said: ActionRequest, tools: list[OfferedTool]) -> list[OfferedTool]:
    """Return the few tools that a sentence may be about, the best matches first: those that have a
    word or an object in common with it.

    None of them can write, because only a capable model may choose such tools.
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
    """Return a choice with the arguments that a model found in the sentence. It is returned
    unchanged if some could not be found.
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
    """Return the tool that a model chose, with the arguments that the user gave. There is no choice
    if the model chose none, or one that the message does not support.
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
    by_rule = fill(tool, said).values  # the rules decide these, not a model
    values = (
        apart(checked(tool, arguments if isinstance(arguments, dict) else {}, said), by_rule)
        | by_rule
    )
    made = with_values(
        ToolChoice(tool, FilledSlots(), sure=False, action=said.action), values, said
    )
    return BoundDecision(made, notes) if covered(said, tool, values) else BoundDecision(None)


def said_of(tool: OfferedTool, said: ActionRequest) -> dict[str, Any]:
    """Return the schema for a tool's arguments, limited to values that occur in the user's
    message.
    """
    schema, named = arguments_of(tool), content_words(texts_of(tool))
    properties: dict[str, Any] = schema["properties"]
    fields = {
        n: narrow
        for n, told in properties.items()
        if (narrow := narrowed(n, told, said, named)) is not None
    }
    return of_fields(fields, [name for name in schema.get("required", []) if name in fields])


def about(told: dict[str, Any]) -> str:
    """Return the start of a parameter's own description."""
    return " ".join(str(told.get("description") or told.get("title") or "").split())[:ABOUT]


def covered(said: ActionRequest, tool: OfferedTool, values: dict[str, Any]) -> bool:
    """Return whether a sentence is about a tool: most of its words either occur in the tool's texts
    or became arguments.

    At least one word from the tool's texts must not have become an argument. Otherwise, any
    sentence would match.
    """
    words, own = content_words(said.text), content_words(texts_of(tool))
    used = {
        w for value in values.values() for w in content_words(json.dumps(value, ensure_ascii=False))
    }
    left = (words - own - used - TIMES) & content_words(rest_of(said))
    return bool((words & own) - used) and len(left) <= len(words) // 4


def with_values(known: ToolChoice, values: dict[str, Any], said: ActionRequest) -> ToolChoice:
    """Return a choice with different values, and with the arguments that are then missing."""
    missing = missing_of(known.tool, values, said.action)
    return ToolChoice(
        known.tool, FilledSlots(values, missing, known.filled.chosen), known.sure, known.action
    )


def checked(tool: OfferedTool, told: dict[str, Any], said: ActionRequest) -> dict[str, Any]:
    """Return the arguments from a model that the tool accepts and that the user gave."""
    schema = arguments_of(tool)
    properties: dict[str, Any] = schema["properties"]
    named = content_words(texts_of(tool))
    return {
        name: value
        for name, value in grounded(told, properties, said, named).items()
        if fits(properties[name], value)
    }


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Return whether a parameter accepts a value. Patterns are checked by the server."""
    try:
        jsonschema.validate(value, simpler(schema))
    except (jsonschema.ValidationError, jsonschema.SchemaError):
        return False
    return True


def apart(values: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the values that have their own words in the sentence, because the same words cannot be
    used for two arguments.
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
    """Return whether another parameter has the stronger claim to words that both use. This is the
    parameter with fewer words.
    """
    return len(words[other]) <= len(words[name])


def content_parts(value: Any) -> list[str]:
    """Return the words and numbers in a value; for Chinese, its characters."""
    return re.findall(
        r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+",
        json.dumps(value, ensure_ascii=False).lower().replace(".0", ""),
    )


def may_fill(tool: OfferedTool, name: str) -> bool:
    """Return whether a model may fill in a parameter. Positions in a list are read by rules
    instead.
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
    """Return a model's answer that conforms to a schema, and notes on what was simplified in the
    schema. The answer is empty if no model can give one.
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
    """Return a model's answer that conforms to a schema.

    Raises: FlexAIError, NoModel.
    """
    parameters = {"json_schema": as_text(schema), "temperature": 0.0, "max_tokens": TOKENS}
    text = ""
    async with aclosing(models.chat(messages, model=model, parameters=parameters)) as pieces:
        async for piece in pieces:
            text += "" if isinstance(piece, ThoughtPiece) else piece
    try:
        told: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def shown(tool: OfferedTool) -> str:
    """Return the description of a tool that a model sees."""
    return f"- {name_of(tool)}: {' '.join(tool.description.split())[:ABOUT]}"
