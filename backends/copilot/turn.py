"""Read the state of a turn from its messages; the copilot keeps no other state.

This module also defines the form in which terminal and copilot exchange interpretations of a
question.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from backends.data.workflow.report import TOOL
from backends.protocol.request import (
    CopilotMessage,
    CopilotRequest,
    FunctionResult,
    Human,
    Message,
    RequestedCall,
)
from backends.query.lexicon import Language


class Interpretation(BaseModel):
    """One way to understand a question, complete enough for the answer to be computed.

    words: the parts that are displayed, such as ["average close", "June 2023"]. conditions: those
    of the words that restrict the rows. slots: data that the copilot needs if this interpretation
    is chosen. template: the question with placeholders for its values; it is used to recognise the
    question when it recurs.
    """

    interface: str
    arguments: dict[str, Any]
    words: list[str]
    conditions: list[str] = []
    score: float = 0.0
    slots: dict[str, Any] = {}
    template: str = ""


class Understanding(BaseModel):
    """What to do about a question.

    readings: at most four interpretations, the most likely first. ignored: words that no
    interpretation uses. decision: `answer`: answer, and show the interpretation; `confirm`: answer,
    and report the ignored words; `ask`: ask the user the question in `back`; `talk`: the question
    is not about the data.
    """

    readings: list[Interpretation] = []
    ignored: list[str] = []
    decision: Literal["answer", "confirm", "ask", "talk"]
    back: str | None = None
    language: Language = "en"


class NeedValues(BaseModel):
    """Phrases that must be looked up in columns with too many values to list, before the question
    can be interpreted.
    """

    source: str
    phrases: list[str]


MARK = re.compile(r"\s?\[\d{1,3}\](?![(\[])")  # a citation marker; "[1](…)" is a link instead


@dataclass(frozen=True)
class OpenTurn:
    """The open question, the calls made since then with their results, and the earlier turns.

    pairs: the calls of this turn with their results, in order. previous: the interpretation used to
    answer the previous question.
    """

    question: str
    pairs: list[tuple[RequestedCall, FunctionResult]]
    before: list[Message]
    previous: Interpretation | None

    def returned(self, function: str, tool: str | None = None) -> FunctionResult | None:
        """Return the last result of a function, or of one particular tool that this function
        called.
        """
        for call, result in reversed(self.pairs):
            if call.function == function and (
                tool is None or call.arguments.get("tool_name") == tool
            ):
                return result
        return None


def read_turn(query: CopilotRequest) -> OpenTurn | None:
    """Return the turn that is waiting for an answer, or None if there is no question."""
    asked = [i for i, m in enumerate(query.messages) if isinstance(m, Human)]
    if not asked:
        return None
    at = asked[-1]
    question = query.messages[at]
    assert isinstance(question, Human)
    before = query.messages[:at]
    return OpenTurn(question.text, pair(query.messages[at + 1 :]), before, last_reading(before))


def pair(messages: list[Message]) -> list[tuple[RequestedCall, FunctionResult]]:
    """Join each call with the result that follows it. A result without a call contains the
    arguments itself.
    """
    pairs: list[tuple[RequestedCall, FunctionResult]] = []
    open_call: RequestedCall | None = None
    for message in messages:
        if isinstance(message, RequestedCall):
            open_call = message
        elif isinstance(message, FunctionResult):
            call = open_call or RequestedCall(
                message.function, message.arguments, message.extra_state
            )
            pairs.append((call, message))
            open_call = None
    return pairs


def last_reading(messages: list[Message]) -> Interpretation | None:
    """Return the interpretation used to answer the last question.

    Return None if no interpretation was used, because a new question then does not refer to the
    last one. A `reading` from another program does not count.
    """
    for message in reversed(messages):
        if isinstance(message, Human):
            return None
        if isinstance(message, RequestedCall) and message.arguments.get("tool_name") == TOOL:
            return None
        if isinstance(message, RequestedCall) and "reading" in message.extra_state:
            with suppress(ValidationError):
                return Interpretation.model_validate(message.extra_state["reading"])
    return None


def as_chat(messages: list[Message]) -> list[dict[str, str]]:
    """Return the conversation for a language model, without calls, results and citation markers.

    A small model that had seen "9.6 [1]" added such markers to numbers that it invented.
    """
    said: list[dict[str, str]] = []
    for message in messages:
        if isinstance(message, Human):
            said.append({"role": "user", "content": message.text})
        elif isinstance(message, CopilotMessage) and message.text:
            said.append({"role": "assistant", "content": MARK.sub("", message.text)})
    return said


def talked(messages: list[Message]) -> list[Message]:
    """Return the turns of a conversation that contain no calls, so that nothing was computed in
    them.
    """
    turns: list[list[Message]] = []
    for message in messages:
        if isinstance(message, Human) or not turns:
            turns.append([])
        turns[-1].append(message)
    called = (RequestedCall, FunctionResult)
    return [m for turn in turns if not any(isinstance(m, called) for m in turn) for m in turn]


def uncomputed(messages: list[Message]) -> str | None:
    """Return the previous question if it was answered without a call: by asking the user, or in
    conversation.
    """
    for message in reversed(messages):
        if isinstance(message, RequestedCall | FunctionResult):
            return None
        if isinstance(message, Human):
            return message.text
    return None
