"""Write a request in the format of the protocol version that a copilot uses.

Absent fields are left out and are never null, because both versions respond to null with a 422. A
tool message carries the result in every format at once, since unknown fields are ignored.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from app.domain.conversation import Caps, as_words, urls_of
from app.domain.copilot import without_skill
from app.domain.events import CallResult, CopilotCall, Status
from app.domain.stream import Message
from app.domain.tool import DATA_TOOL

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.copilot import (
        AddedCopilot,
        Copilot,
        Instructions,
        OfferedParam,
        OfferedWidget,
        RequestOffer,
    )


DATA = {  # these tools return data; all others are commands
    "get_widget_data",
    "get_extra_widget_data",
    "get_params_options",
    "execute_agent_tool",
    "execute_client_sql",
    "prepare_client_sql_tables",
}
LEFT_OUT = "(What was asked and answered before this is left out here.)"


def write_request(
    copilot: Copilot,
    turns: list[Turn],
    offer: RequestOffer,
    characters: int = Caps.history_characters,
) -> dict[str, Any]:
    """Return the body of a request; its last turn is the one to be answered.

    characters: the maximum length of the turns before that one; if they are longer, the oldest are
    left out. Widgets and context are included even if they are empty, as OpenBB's own terminal
    does, since many copilots read them without checking.
    """
    body: dict[str, Any] = {
        "messages": write_messages(turns, with_calls=copilot.takes_calls, characters=characters),
        "context": list(offer.context),
    }
    if copilot.dialect == "2024":
        body["context"] += map(as_context, offer.selected)
        shown = offer.widgets if copilot.takes_calls else ()
        return body | {"widgets": [old_widget(w) for w in shown]}
    groups = offer.shown_to(copilot)
    body["widgets"] = {
        name: [widget(w) for w in group]
        for name, group in zip(("primary", "secondary", "extra"), groups, strict=True)
    }
    # tools that compute from widgets can do nothing without a widget; code does not need one
    tools = [t for t in offer.tools if any(groups) or t.get("url") != DATA_TOOL]
    if copilot.takes_tools and tools:
        body["tools"] = tools
    if options := offer.options | copilot.chosen():
        body["workspace_options"] = options
    if model := offer.model or copilot.model:
        body["model"] = model
    seen = copilot.sees_all and (copilot.looks_around or copilot.has("generative-ui"))
    agents = {"agents": [agent(added) for added in offer.agents]} if offer.agents else {}
    if state := (offer.state if seen else {}) | agents:
        body["workspace_state"] = state
    return body | taught(copilot, turns[-1], offer) | {"timezone": offer.timezone}


def taught(copilot: Copilot, turn: Turn, offer: RequestOffer) -> dict[str, Any]:
    """Return a question's skills, the skill it calls, and its web addresses."""
    body: dict[str, Any] = {}
    if offer.skills:
        body["skills_catalog"] = [skill.listed() for skill in offer.skills]
    if offer.selected and (copilot.is_ours or not called_before(turn)):
        body["selected_skills"] = [instructions(one) for one in offer.selected]
    if urls := urls_in(turn, offer):
        body["urls"] = urls
    return body


def urls_in(turn: Turn, offer: RequestOffer) -> list[str]:
    """Return up to four web addresses in a question that the user released.

    The list is empty once the copilot has requested something.
    """
    if called_before(turn):
        return []
    return [url for url in urls_of(turn.question) if url in offer.urls]


def agent(added: AddedCopilot) -> dict[str, Any]:
    """Return the description of a copilot that is sent to another copilot."""
    copilot = added.copilot
    return {
        "holder_url": added.address,
        "features": copilot.features,
        "id": copilot.id,
        "name": copilot.name,
        "description": copilot.description,
    }


def instructions(given: Instructions) -> dict[str, Any]:
    """Return instructions in the form of a skill called by the user."""
    return {
        "slug": given.name,
        "description": given.description or given.name,
        "contentMarkdown": given.content,
        "source": "forced_slash",
    }


def as_context(given: Instructions) -> dict[str, Any]:
    """Return instructions in the format read by copilots that do not support skills."""
    uid = str(uuid.uuid5(uuid.NAMESPACE_URL, f"deskpilot:skill:{given.name}"))
    return {
        "uuid": uid,
        "name": f"Skill {given.name}",
        "description": f"How to answer this question: {given.description or given.name}",
        "data": {"content": given.content},
    }


def called_before(turn: Turn) -> bool:
    """Return whether the copilot has already made a call in this turn."""
    return any(isinstance(item, CopilotCall) for item in turn.items)


def widget(offered: OfferedWidget) -> dict[str, Any]:
    """Return a widget in the format that current copilots accept, without fields that their models
    reject.
    """
    made: dict[str, Any] = {
        "origin": offered.origin,
        "widget_id": offered.widget_id or offered.uuid,
        "uuid": offered.uuid,
        "name": offered.name,
        "description": offered.description,
        "metadata": offered.metadata,
        "params": list({p.name: param(p) for p in offered.params if p.name}.values()),
    }
    told = {"source": offered.source, "category": offered.category}
    return made | {key: value for key, value in told.items() if value}


def param(offered: OfferedParam) -> dict[str, Any]:
    """Return a parameter in the format that current copilots read."""
    made: dict[str, Any] = {
        "name": offered.name,
        "type": offered.type,
        "description": offered.description or offered.name,
        "default_value": offered.default,
        "multi_select": offered.many,
        "options": list(offered.options) or None,
        "get_options": offered.get_options or None,
        "current_value": offered.current,
    }
    return {key: value for key, value in made.items() if value is not None}


def old_widget(offered: OfferedWidget) -> dict[str, Any]:
    """Return a widget in the format that copilots from 2024 expect. It has no profile, which would
    only take up space in their prompts.
    """
    return {
        "uuid": offered.uuid,
        "name": offered.name,
        "description": offered.description,
        "metadata": offered.about(),
    }


def write_messages(
    turns: list[Turn], *, with_calls: bool, characters: int = Caps.history_characters
) -> list[dict[str, Any]]:
    """Return the messages of a branch; calls and results are included only for copilots that
    support them.
    """
    *before, last = turns
    kept: list[list[dict[str, Any]]] = []
    for turn in reversed(before):
        made = messages_of(turn, with_calls=with_calls)
        characters -= sum(len(message["content"]) for message in made)
        if characters < 0:
            break
        kept.append(made)
    if kept and (len(kept) < len(before) or before[0].parent is not None):
        kept[-1][0]["content"] = f"{LEFT_OUT}\n\n{kept[-1][0]['content']}"
    return [
        *(message for made in reversed(kept) for message in made),
        *messages_of(last, with_calls=with_calls),
    ]


def messages_of(turn: Turn, *, with_calls: bool) -> list[dict[str, Any]]:
    """Return the messages of a turn."""
    messages: list[dict[str, Any]] = [{"role": "human", "content": human(turn.question)}]
    call: CopilotCall | None = None
    said = ""
    for item in turn.items:
        if isinstance(item, Message) and item.role == "user":
            if len(messages) == 1 and not said:  # messages that were sent with the question
                messages[0]["content"] += beside(item)
        elif isinstance(item, Message):
            if call is None:  # whatever comes between a call and its result is sent with the result
                said += as_words(item) if item.recipient != "user" else ""
        elif isinstance(item, CopilotCall) and with_calls and is_openbb(item):
            said = flush(messages, said)
            # sent only with its result, because a call without one, as in a stopped turn, would be
            # misleading
            call = item
        elif isinstance(item, CallResult) and with_calls and call is not None:
            messages.append({"role": "ai", "content": call.wire})
            messages.append(tool(call, item))
            call = None
    flush(messages, said)
    if turn.state != "running" and any(
        isinstance(i, Status) and i.level == "ERROR" for i in turn.items
    ):
        drop_last_call(messages)
    return messages


def beside(item: Message) -> str:
    """Return a description of the user's attachments to a question."""
    if item.type == "message":
        return ""  # in an imported conversation, this is the question itself
    if item.type in ("file", "image") and item.format in (None, "path", "url"):
        return f"\n\n({item.type}: {item.content[:500]})"
    if item.type == "image":
        return "\n\n(a picture, which cannot be sent to this copilot)"
    return f"\n{as_words(item)}"


def drop_last_call(messages: list[dict[str, Any]]) -> None:
    """Remove the last call and its result. If an error follows them, the result was usually too
    long to read.
    """
    for index in range(len(messages) - 1, 0, -1):
        if messages[index]["role"] == "tool":
            del messages[index - 1 : index + 1]
            return


def is_openbb(call: CopilotCall) -> bool:
    """Return whether a call was made over this protocol; a call from an LMC server cannot be sent
    back.
    """
    return json.loads(call.wire).get("type") != "confirmation"


def flush(messages: list[dict[str, Any]], said: str) -> str:
    """Add the copilot's text so far to the messages; return an empty string."""
    if said:
        messages.append({"role": "ai", "content": said})
    return ""


def human(text: str) -> str:
    """Return a question in a form that cannot be mistaken for a call, since both protocol versions
    parse JSON in it.

    A command that calls a skill is removed, because the skill is sent separately. A leading space
    would not prevent parsing, since JSON may begin with one, but a zero-width space prevents it.
    """
    text = without_skill(text)
    return f"\u200b{text}" if text.lstrip().startswith(("{", '"')) else text


def tool(call: CopilotCall, result: CallResult) -> dict[str, Any]:
    """Return a result in every format at once.

    Missing data is reported as text, because error objects make simple copilots crash.
    """
    state = json.loads(call.wire).get("extra_state")
    texts = result.entries or [result.content]
    if call.is_handed_on:
        texts = []  # the other copilots have already answered for this one
    files = result.files or [[] for _ in texts]
    made = (
        [entry(t, items) for t, items in zip(texts, files, strict=True)]
        if call.function in DATA
        else [outcome(t, failed=result.failed) for t in texts]
    )
    return {
        "role": "tool",
        "function": call.function,
        "input_arguments": call.arguments,
        "content": result.content,
        "data": made,
        "extra_state": state if isinstance(state, dict) else {},
    }


def entry(text: str, files: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one entry of a result, both as the old flat list and in the current format: its files
    or, if it has none, its text.
    """
    items = files or [{"content": text, "data_format": {"data_type": "object", "parse_as": "text"}}]
    return {**items[0], "items": items}


def outcome(text: str, *, failed: bool) -> dict[str, Any]:
    """Return the text and the other data in a command's result."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    told: dict[str, Any] = value if isinstance(value, dict) else {"message": text}
    words = f"{told.get('error', '')} {told.get('remedy', '')}".strip() or str(
        told.get("message", "")
    )
    data = {k: v for k, v in told.items() if k not in ("message", "error", "remedy")}
    status = "error" if failed or "error" in told else "success"
    return {"status": status, "message": words, "content": words} | ({"data": data} if data else {})
