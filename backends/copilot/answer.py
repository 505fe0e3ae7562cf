"""The local copilot: a request comes in, and events go out.

It introduces itself when it is greeted, and streams a model's thoughts before the answer.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from backends.copilot import queries, workflows
from backends.copilot.actions.action import (
    acted,
    acting,
    completed,
    goes_first,
    meant,
)
from backends.copilot.code import (
    is_computer,
    may_code,
    parameters_of,
    work,
)
from backends.copilot.documents import (
    ASKED,
    answer_from_documents,
    ask_documents,
    ask_for_words,
    is_answered,
    is_searched,
    named,
    names_document,
    text_about,
    was_searched,
)
from backends.copilot.inputs import gaps, is_about, with_files
from backends.copilot.inputs import told as what_is_missing
from backends.copilot.models import NoModel, ThoughtPiece
from backends.copilot.present import ask_back, error_of, failed, interpretation, present
from backends.copilot.tables import SERVER, TableSource, find_sources, sent_in_part
from backends.copilot.turn import (
    Interpretation,
    NeedValues,
    OpenTurn,
    Understanding,
    as_chat,
    read_turn,
    talked,
)
from backends.copilot.workflows import resumed
from backends.data.arguments import read as read_arguments
from backends.data.compiler import QUERY, QueryArguments, run_query
from backends.data.computation import interruptibly
from backends.data.errors import KernelError
from backends.data.values import Result
from backends.flexai.errors import FlexAIError
from backends.protocol.events import FunctionCall, MessageChunk, StatusUpdate
from backends.query.describe import messages
from backends.query.lexicon import language_of

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import AsyncGenerator

    from backends.copilot.actions.choice import ToolChoice
    from backends.copilot.models import CopilotModels
    from backends.protocol.events import Event
    from backends.protocol.request import CopilotRequest, RequestWidget


BREAK = r"[\s,.!?~，。！？、～…]*"  # separators between words and after them
NAMED = 3  # maximum number of attached items that are named


def introduced(query: CopilotRequest, language: str) -> tuple[StatusUpdate, MessageChunk]:
    """Return the introduction of Deskpilot, and a status that tells the terminal what this answer
    is.

    The terminal then counts it neither as a model's reply nor as a question that was not
    understood.
    """
    about = StatusUpdate("INFO", "About Deskpilot", [{"about": "deskpilot"}], hidden=True)
    return about, MessageChunk(introduction(query, language))


def introduction(query: CopilotRequest, language: str) -> str:
    """Return a text about what can be asked here, both in general and about the attached data."""
    said = messages(language)
    attached = [widget.name for widget in query.primary if widget.name]
    if not attached:
        return f"{said['introduction']}\n\n{said['introduction without data']}"
    names = str(said["listed"]).join(f"**{name}**" for name in attached[:NAMED])
    more = " …" if len(attached) > NAMED else ""
    return f"{said['introduction']}\n\n{said['introduction with data'].format(names + more)}"


def asks_abilities(question: str, language: str) -> bool:
    """Return whether a question is only about what Deskpilot can do."""
    said = messages(language)
    pattern = rf"(?:{said['greeting']})?{BREAK}(?:{said['abilities asked']}){BREAK}"
    return re.fullmatch(pattern, question.strip(), re.IGNORECASE) is not None


def is_greeting(question: str, language: str) -> bool:
    """Return whether a message is only a greeting."""
    pattern = rf"(?:{messages(language)['greeting']}){BREAK}"
    return re.fullmatch(pattern, question.strip(), re.IGNORECASE) is not None


PART_SECONDS = 0.3  # seconds between two parts of a thought


async def told(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[Event, None]:
    """Yield the text of an answer. Thoughts before it become a step that states how long they took.

    While the model is thinking, hidden steps carry its new thoughts, so that they are kept if the
    answer is stopped.
    """
    thoughts, began, at, passed = list[str](), 0.0, 0.0, 0
    async for piece in pieces:
        now = time.monotonic()
        if isinstance(piece, ThoughtPiece):
            if not thoughts:
                began = at = now
                yield StatusUpdate("INFO", "Thinking", [{"thinking": True}])
            thoughts.append(piece)
            if now - at >= PART_SECONDS:
                yield part_of(thoughts[passed:])
                at, passed = now, len(thoughts)
            continue
        if thoughts:
            yield thought_of(thoughts, began)
            thoughts, passed = [], 0
        yield MessageChunk(piece)
    if thoughts:
        yield thought_of(thoughts, began)


def part_of(thoughts: list[str]) -> StatusUpdate:
    """Return the step that carries a part of a thought."""
    return StatusUpdate(
        "INFO", "Thinking", [{"thinking": True, "thought": "".join(thoughts)}], hidden=True
    )


def thought_of(thoughts: list[str], began: float) -> StatusUpdate:
    """Return the step that contains all the thoughts."""
    seconds = max(1, round(time.monotonic() - began))
    return StatusUpdate(
        "INFO", f"Thought for {seconds} s", [{"thought": "".join(thoughts).strip()}]
    )


SYSTEM = (  # the wording that small models were trained with; other wordings confuse them
    "You are a helpful AI assistant."
)
HISTORY = 12  # number of earlier messages that a small model receives
OWN_WORDS = StatusUpdate("INFO", "Not answered from your data")
NUMBER = re.compile(r"\d")


async def answer(
    query: CopilotRequest, models: CopilotModels, *, today: dt.date
) -> AsyncGenerator[Event, None]:
    """Answer a request, or ask the terminal for the data that is missing.

    today: the date to which "last month" refers.
    """
    query = await with_files(query)
    turn = read_turn(query)
    if turn is None:
        yield MessageChunk("Ask me something.")
        return
    if introduces_itself(query, turn, models):
        for event in introduced(query, language_of(turn.question)):
            yield event
        return
    if was_searched(turn) and (
        is_answered(turn) or names_document(query, turn) or not await has_data(query, turn)
    ):
        async with aclosing(answer_from_documents(query, turn, models)) as events:
            async for event in events:
                yield event
        return
    if await may_code(query, turn, models):
        async with aclosing(work(query, turn, models)) as events:
            async for event in events:
                yield event
        return
    computed = workflows.finished(turn) or acted(query, turn) or finished(query, turn)
    if computed is not None:
        for event in computed:
            yield event
        return
    choice = await meant(query, turn, models, today)
    # the request may contain many rows
    sources = await asyncio.to_thread(find_sources, query, turn)
    if choice is not None and goes_first(choice, with_tables=bool(sources or query.primary)):
        for event in acting(choice, turn.question):
            yield event
        return
    if not sources and (asked := ask_documents(query, turn) or ask_for_data(query, turn)):
        yield asked
        return
    if not sources and sent_in_part(turn):
        yield MessageChunk(messages(language_of(turn.question))["sent in part"])
        return
    async with aclosing(following(query, turn, sources, choice, models, today)) as events:
        async for event in events:
            yield event


async def following(
    query: CopilotRequest,
    turn: OpenTurn,
    sources: list[TableSource],
    choice: ToolChoice | None,
    models: CopilotModels,
    today: dt.date,
) -> AsyncGenerator[Event, None]:
    """Answer a question. If a workflow answered the previous question, this one may state only what
    differs.
    """
    again: list[Event] = []
    if pinned_reading(query) is None:
        turn, again = await asyncio.to_thread(resumed, turn, sources, today)
    for event in again:
        yield event
    if again:
        return
    async with aclosing(understanding(query, turn, sources, choice, models, today)) as events:
        async for event in events:
            yield event


async def understanding(
    query: CopilotRequest,
    turn: OpenTurn,
    sources: list[TableSource],
    choice: ToolChoice | None,
    models: CopilotModels,
    today: dt.date,
) -> AsyncGenerator[Event, None]:
    """Answer from the tables. If the question is not about them, use a tool or reply in
    conversation.
    """
    pinned, made = pinned_reading(query), None
    if pinned is None:
        found = await queries.understand(
            query, turn, sources, models, today, found_values(turn, sources)
        )
        if isinstance(found, NeedValues):
            yield call("find_values", {"source": found.source, "phrases": found.phrases}, {})
            return
        if found is None or found.ignored:
            made = await workflows.planned(query, turn, sources, models, today)
            made = made if made is not None and made.beyond else None
        if found is not None and not (made is not None and made.reads_more(found.ignored)):
            if found.decision == "ask" and (asked := ask_documents(query, turn)) is not None:
                yield asked  # the tables did not answer the question, but documents may
                return
            async with aclosing(reply(query, turn, sources, found, models)) as events:
                async for event in events:
                    yield event
            return
    instead = workflows.chosen(pinned) or workflows.started(made, turn, sources)
    understood = Understanding(decision="talk", language=language_of(turn.question))
    if pinned is not None and source_named(sources, pinned) is not None:
        understood = understood.model_copy(update={"readings": [pinned], "decision": "answer"})
    elif not instead:
        understood = await queries.unanswered(query, turn, sources, models, today)
    if not instead and understood.decision in ("talk", "ask"):
        instead = await completed(choice, query, turn, models, today) or []
    if (
        not instead
        and understood.decision in ("talk", "ask")
        and pinned is None
        and (asked := ask_documents(query, turn) or words_for_talk(query, turn, understood))
        is not None
    ):
        instead = [asked]
    if instead:
        for event in instead:
            yield event
        return
    async with aclosing(reply(query, turn, sources, understood, models)) as events:
        async for event in events:
            yield event


async def reply(
    query: CopilotRequest,
    turn: OpenTurn,
    sources: list[TableSource],
    understood: Understanding,
    models: CopilotModels,
) -> AsyncGenerator[Event, None]:
    """Act on a question that has been interpreted: compute, ask the user, or reply in
    conversation.
    """
    if understood.decision == "talk" and is_computer(query):
        async with aclosing(work(query, turn, models)) as events:
            async for event in events:
                yield event
        return
    if understood.decision == "talk" and was_searched(turn):
        async with aclosing(answer_from_documents(query, turn, models)) as events:
            async for event in events:
                yield event
        return
    if understood.decision == "talk":
        async with aclosing(talk(query, turn, bool(sources), models)) as events:
            async for event in events:
                yield event
        return
    if understood.readings:
        yield interpretation(understood, turn.question)
    if understood.decision == "ask":
        for event in ask_back(understood):
            yield event
        return
    reading = understood.readings[0]
    source = source_named(sources, reading)
    assert source is not None
    if source.table is None:
        state = {
            "reading": reading.model_dump(),
            "ignored": understood.ignored,
            "language": understood.language,
        }
        yield call(reading.interface, reading.arguments, state)
        return
    try:
        asked = read_arguments(QUERY, QueryArguments, reading.arguments)
        tables = {one.profile.source: one.table for one in sources if one.table is not None}
        result = await interruptibly(run_query, asked.query, tables)
    except KernelError as error:
        yield MessageChunk(failed(error.text, error.remedy, understood.language))
        return
    for event in present(
        reading,
        result,
        source.widget,
        understood.ignored,
        understood.language,
        turn.question,
    ):
        yield event


def introduces_itself(query: CopilotRequest, turn: OpenTurn, models: CopilotModels) -> bool:
    """Return whether to answer with a description of what Deskpilot can do. An assistant that has
    its own instructions answers such questions itself.
    """
    language = language_of(turn.question)
    if turn.pairs or query.skills:
        return False
    return asks_abilities(turn.question, language) or (
        is_greeting(turn.question, language) and not models.speaks(query.model, language)
    )


async def has_data(query: CopilotRequest, turn: OpenTurn) -> bool:
    """Return whether a question came with tables, or whether tables can be requested from the
    terminal.
    """
    found = await asyncio.to_thread(find_sources, query, turn)
    return bool(found) or ask_for_data(query, turn) is not None


def words_for_talk(
    query: CopilotRequest, turn: OpenTurn, understood: Understanding
) -> FunctionCall | None:
    """Return the call for the text that a conversation needs, or None if there is none to
    request.
    """
    return ask_for_words(query, turn) if understood.decision == "talk" else None


def finished(query: CopilotRequest, turn: OpenTurn) -> list[Event] | None:
    """Return the answer if the last call of this turn was the one that computes it, even if it
    failed.
    """
    if not turn.pairs:
        return None
    called, returned = turn.pairs[-1]
    name = str(called.arguments.get("tool_name", ""))
    if called.function != "execute_agent_tool" or name != QUERY:
        return None
    state = called.extra_state or returned.extra_state
    text = returned.texts[0] if returned.texts else ""
    try:
        result = Result.model_validate_json(text)
    except ValidationError:
        return [
            MessageChunk(
                error_of(returned, str(state.get("language") or language_of(turn.question)))
            )
        ]
    reading = computable(state.get("reading")) or computable(
        {"interface": name, "arguments": called.arguments.get("parameters"), "words": [name]}
    )
    if reading is None:
        return None
    listed = state.get("ignored")
    ignored = [str(w) for w in cast("list[Any]", listed)] if isinstance(listed, list) else []
    widget = next((w for w in query.primary if w.uuid == result.source), None)
    language = str(state.get("language") or "en")
    return present(reading, result, widget, ignored, language, turn.question)


def found_values(turn: OpenTurn, sources: list[TableSource]) -> dict[str, list[str]] | None:
    """Return the values that the terminal found, by column; None if it has not been asked yet."""
    returned = turn.returned("execute_agent_tool", "find_values")
    if returned is None:
        return {} if all(s.table is not None for s in sources) else None
    found: dict[str, list[str]] = {}
    try:
        result = Result.model_validate_json(returned.texts[0])
    except (ValidationError, IndexError):
        return found
    for row in result.rows:
        found.setdefault(str(row[1]), []).append(str(row[2]))
    return found


def source_named(sources: list[TableSource], reading: Interpretation) -> TableSource | None:
    """Return the table that an interpretation is about."""
    wanted = reading.arguments.get("source")
    return next((s for s in sources if s.profile.source == wanted), None)


def pinned_reading(query: CopilotRequest) -> Interpretation | None:
    """Return the interpretation that the user chose instead of ours."""
    raw = query.options.get("deskpilot-reading")
    if not isinstance(raw, str):
        return None
    try:
        known = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return computable(known) or workflows.chosen_workflow(known)


def computable(known: object) -> Interpretation | None:
    """Return an interpretation whose query can be computed, or None for anything else."""
    try:
        reading = Interpretation.model_validate(known)
        QueryArguments.model_validate(reading.arguments)
    except ValidationError:
        return None
    return reading if reading.interface == QUERY else None


def call(name: str, parameters: dict[str, Any], state: dict[str, Any]) -> FunctionCall:
    """Return a call to one of the terminal's data interfaces."""
    arguments = {"server_id": SERVER, "tool_name": name, "parameters": parameters}
    return FunctionCall("execute_agent_tool", arguments, state)


def ask_for_data(query: CopilotRequest, turn: OpenTurn) -> FunctionCall | None:
    """Return the call for the rows of an attached widget, if no rows were sent yet in this turn."""
    if any(c.function in ("get_widget_data", "get_extra_widget_data") for c, _ in turn.pairs):
        return None
    candidates = query.primary or (query.secondary if query.dialect == "today" else [])
    candidates = [widget for widget in candidates if not is_searched(query, widget)]
    if not candidates:
        return None
    widget = likeliest(candidates, turn.question)
    if query.dialect == "2024":
        return FunctionCall("get_widget_data", {"widget_uuid": widget.uuid})
    return FunctionCall("get_widget_data", {"data_sources": [named(widget)]})


def likeliest(widgets: list[RequestWidget], question: str) -> RequestWidget:
    """Return the widget whose name and metadata have the most words in common with the question. If
    several have equally many, return the first one.
    """
    said = set(question.lower().split())

    def shared(widget: RequestWidget) -> int:
        told = f"{widget.name} {widget.description} {' '.join(map(str, widget.metadata.values()))}"
        return len(said & set(told.lower().split()))

    return max(widgets, key=shared)


async def talk(
    query: CopilotRequest, turn: OpenTurn, with_table: bool, models: CopilotModels
) -> AsyncGenerator[Event, None]:
    """Let the language model answer freely, from attached text if there is any, and name the
    source.

    It is not asked about data that is missing, because it would invent this data.
    """
    words, cut = text_about(query, turn)
    missing, language = gaps(query, turn), language_of(turn.question)
    if not models.speaks(query.model, language):  # the model would write text that nobody can read
        said = messages(language)
        parts = [said["not there"]] if with_table else []
        yield MessageChunk("\n\n".join([*parts, said["speaks no"]]))
        return
    if missing and not words and not with_table and is_about(missing, turn.question):
        yield MessageChunk(what_is_missing(missing, language))
        return
    if missing and query.dialect == "2024":  # terminals with this protocol can read only text
        yield MessageChunk(f"{what_is_missing(missing, language)}\n\n")
    elif missing:
        yield StatusUpdate("WARNING", what_is_missing(missing, language))
    if words:
        part = "the relevant parts of the attached text" if cut else "the attached text"
        yield StatusUpdate("INFO", f"Answered from {part}; not computed, so check it")
    elif with_table:
        yield OWN_WORDS
    system = "\n\n".join([SYSTEM, *query.skills])
    # a small model that sees computed answers imitates them and invents the numbers
    able = models.ability(query.model).able
    before = as_chat(turn.before if able else talked(turn.before))
    sent = [{"role": "system", "content": system}, *before[-HISTORY:]]
    asked = f"{ASKED}{words}\n\nQuestion: {turn.question}" if words else turn.question
    sent.append({"role": "user", "content": asked})
    try:
        async with aclosing(
            models.chat(
                sent,
                model=query.model,
                parameters=parameters_of(query, max_tokens=512, temperature=0.0),
            )
        ) as pieces:
            numbers = False
            async for event in told(pieces):
                if isinstance(event, MessageChunk) and NUMBER.search(event.delta):
                    numbers = True
                yield event
        if numbers and not words and not with_table:  # a number from a model's memory has no source
            yield OWN_WORDS
    except (FlexAIError, NoModel) as error:
        yield StatusUpdate("ERROR", f"{error.text} {error.remedy}".strip())
