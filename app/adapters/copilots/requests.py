"""Write a request in the words of a copilot's generation.

Absent fields are left out, never null: both generations answer null with 422. A tool message
carries the result in every shape at once, since unknown fields are ignored.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from app.domain.caps import Caps
from app.domain.conversation import as_words
from app.domain.events import Call, CallResult
from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Offer


URL = re.compile(r"https?://[^\s<>\"'`]+")
LEFT_OUT = "(What was asked and answered before this is left out here.)"


def write_request(
    copilot: Copilot, turns: list[Turn], offer: Offer, characters: int = Caps.history_characters
) -> dict[str, Any]:
    """Return the body of a request; the last turn is the one that waits for an answer.

    characters: of the turns before it; the oldest are left out.
    """
    body: dict[str, Any] = {
        "messages": write_messages(turns, with_calls=copilot.takes_calls, characters=characters)
    }
    if copilot.dialect == "2024":
        if offer.widgets and copilot.takes_calls:
            body["widgets"] = [old_widget(w) for w in offer.widgets]
        return body
    if offer.widgets:
        body["widgets"] = {"primary": [widget(w) for w in offer.widgets], "secondary": [], "extra": []}
    if offer.tools and copilot.takes_tools:
        body["tools"] = offer.tools
    if options := offer.options | copilot.chosen():
        body["workspace_options"] = options
    if model := offer.model or copilot.model:
        body["model"] = model
    if offer.state and (copilot.has("widget-dashboard-search") or copilot.has("generative-ui")):
        body["workspace_state"] = offer.state
    if urls := urls_in(turns[-1]):
        body["urls"] = urls
    return body | {"timezone": offer.timezone}


def urls_in(turn: Turn) -> list[str]:
    """Return the web addresses of a question, at most four; none once the copilot has asked for something."""
    if any(isinstance(item, Call) for item in turn.items):
        return []
    return list(dict.fromkeys(found.rstrip(".,;:!?)]}") for found in URL.findall(turn.question)))[:4]


def widget(offered: dict[str, Any]) -> dict[str, Any]:
    """Return a widget as today's copilots read it."""
    return {"origin": "deskpilot", "widget_id": offered["uuid"], "params": [], **offered}


def old_widget(offered: dict[str, Any]) -> dict[str, Any]:
    """Return a widget as the copilots of 2024 read it; a profile would only fill their prompt."""
    metadata = {k: v for k, v in offered.get("metadata", {}).items() if k != "profile"}
    return {k: offered[k] for k in ("uuid", "name", "description")} | {"metadata": metadata}


def write_messages(
    turns: list[Turn], *, with_calls: bool, characters: int = Caps.history_characters
) -> list[dict[str, Any]]:
    """Return the messages of a branch; calls and results only for copilots that know them."""
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
    call: Call | None = None
    said = ""
    for item in turn.items:
        if isinstance(item, Message):
            said += as_words(item) if item.recipient != "user" else ""
        elif isinstance(item, Call) and with_calls and is_openbb(item):
            said = flush(messages, said)
            call = item  # told only with its result: one without, as of a stopped turn, misleads
        elif isinstance(item, CallResult) and with_calls and call is not None:
            messages.append({"role": "ai", "content": call.wire})
            messages.append(tool(call, item))
            call = None
    flush(messages, said)
    return messages


def is_openbb(call: Call) -> bool:
    """Tell whether a call came over this protocol: of others, the text that would be sent back is no call."""
    return "function" in json.loads(call.wire)


def flush(messages: list[dict[str, Any]], said: str) -> str:
    """Add what the copilot said so far; return nothing said."""
    if said:
        messages.append({"role": "ai", "content": said})
    return ""


def human(text: str) -> str:
    """Return a question so that it cannot be taken for a call: both generations parse JSON in it."""
    return f" {text}" if text.lstrip().startswith(("{", '"')) else text


def tool(call: Call, result: CallResult) -> dict[str, Any]:
    """Return a result in every shape at once; a failure is told as text, error objects crash simple copilots."""
    state = json.loads(call.wire).get("extra_state")
    return {
        "role": "tool",
        "function": call.function,
        "input_arguments": call.arguments,
        "content": result.content,
        "data": [entry(text) for text in result.entries or [result.content]],
        "extra_state": state if isinstance(state, dict) else {},
    }


def entry(text: str) -> dict[str, Any]:
    """Return one entry of a result, as the flat list of old and as the items of today."""
    item = {"content": text, "data_format": {"data_type": "object", "parse_as": "text"}}
    return {**item, "items": [item]}
