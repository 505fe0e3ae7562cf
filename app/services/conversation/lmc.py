"""A list of LMC messages as the turns of a conversation; the last one waits for its answer."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any, TypeGuard, get_args

from app.domain.code import head_and_tail
from app.domain.conversation import TEMPORARY, Turn
from app.domain.errors import ExchangeError
from app.domain.events import RUN_CODE, Call, CallResult, Event
from app.domain.stream import Message, Role, Type
from app.domain.tool import TERMINAL

ROLES, TYPES = get_args(Role), get_args(Type)
MOST = 2000  # messages of one list
REMEDY = 'Send {"messages": [{"role": "user", "type": "message", "content": "…"}]}.'


def turns_of(told: object, conversation: str) -> list[Turn]:
    """Return the turns of a list; the last one is running. They are kept nowhere. Code at its end
    waits to be run.

    Raises: ExchangeError for what is no list of messages, or one nobody is to answer.
    """
    if not isinstance(told, list) or not told:
        raise ExchangeError("There are no messages.", REMEDY)
    if len(told) > MOST:
        raise ExchangeError(f"There are more than {MOST} messages.", "Send the newest ones.")
    made: list[Turn] = []
    for raw in told:
        message = read_message(raw)
        if message is None:
            continue
        if (message.role, message.type) == ("user", "message"):
            parent = made[-1].id if made else None
            uid = TEMPORARY + uuid.uuid4().hex
            made.append(Turn(uid, conversation, parent, str(message.content), "done", time.time()))
        elif made:
            made[-1].items.append(message)
    if not made:
        raise ExchangeError("None of the messages is a question.", REMEDY)
    last = made[-1].items[-1] if made[-1].items else None
    if isinstance(last, Message) and last.role == "assistant" and not is_code(last):
        raise ExchangeError(
            "The last message is the assistant's.", "Append what the computer or the user says."
        )
    made[-1].state = "running"
    for turn in made:
        turn.items = with_calls(turn.items)
    return made


def read_message(raw: Any) -> Message | None:
    """Return a message as it was sent; None for a confirmation, which is never part of a
    conversation.

    Raises: ExchangeError for anything else that is no message.
    """
    if not isinstance(raw, dict) or raw.get("role") not in ROLES or raw.get("type") not in TYPES:
        raise ExchangeError(f"This is no LMC message: {str(raw)[:100]}", REMEDY)
    if raw["type"] == "confirmation" or raw.get("format") == "active_line":
        return None
    content = raw.get("content")
    if not isinstance(content, str):
        raise ExchangeError(f"The content of a {raw['type']} is not text.", REMEDY)
    form, recipient = raw.get("format"), raw.get("recipient")
    return Message(
        raw["role"],
        raw["type"],
        content,
        form if isinstance(form, str) else None,
        recipient if recipient in ("user", "assistant") else None,
    )


def with_calls(items: list[Message | Event]) -> list[Message | Event]:
    """Return items in which code that was run is a call with its result, as copilots know it."""
    made: list[Message | Event] = []
    at = 0
    while at < len(items):
        item, at = items[at], at + 1
        ran: list[Message] = []
        while is_code(item) and at < len(items) and is_computers(answer := items[at]):
            ran.append(answer)
            at += 1
        if not ran or not isinstance(item, Message):
            made += [item, *ran]
            continue
        printed = "".join(m.content for m in ran if m.type == "console").strip()
        told = (
            f"The code ran.\nIt printed:\n{head_and_tail(printed)}"
            if printed
            else "The code ran.\nIt printed nothing."
        )
        call = call_of(item)
        made += [call, item, *ran, CallResult(call.function, told, False, 0.0)]
    return made


def is_code(item: Message | Event) -> bool:
    """Tell whether an item is code of the assistant."""
    return isinstance(item, Message) and (item.role, item.type) == ("assistant", "code")


def waiting(turn: Turn) -> Call | None:
    """Return the call of code that stands at the end of a turn and was neither run nor refused;
    None without any.
    """
    last = turn.items[-1] if turn.items else None
    return call_of(last) if isinstance(last, Message) and is_code(last) else None


def is_computers(item: Message | Event) -> TypeGuard[Message]:
    """Tell whether an item is what a computer said."""
    return isinstance(item, Message) and item.role == "computer"


def call_of(code: Message) -> Call:
    """Return the call that code was."""
    parameters = {"language": code.format or "python", "code": code.content}
    arguments: dict[str, Any] = {
        "server_id": TERMINAL,
        "tool_name": RUN_CODE,
        "parameters": parameters,
    }
    wire = json.dumps({"function": "execute_agent_tool", "input_arguments": arguments})
    return Call("execute_agent_tool", arguments, wire)
