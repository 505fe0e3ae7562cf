"""A streamed answer put together: text as it comes, calls of tools from their pieces, usage from the end."""

from __future__ import annotations

import json
import uuid
from typing import Any, cast

from backends.flexai.entities import AssistantPromptMessage
from backends.flexai.errors import InvokeConnectionError, InvokeServerUnavailableError
from backends.flexai.thinking import Said, Thinking
from backends.providers.openai_compatible.wire.values import number, rows_of

ToolCall = AssistantPromptMessage.ToolCall
MOST_CHARACTERS = 16_000_000
REASONS = {
    "function_call": "tool_calls",
    "eos": "stop",
    "eos_token": "stop",
    "max_tokens": "length",
}


class Answer:
    """Takes the events of one answer.

    prompt_tokens, completion_tokens: as the server told them, None until it did.
    """

    def __init__(self) -> None:
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self.fingerprint: str | None = None
        self._thinking = Thinking()
        self._reason = ""
        self._size = 0
        self._calls: list[dict[str, str]] = []
        self._open: dict[int, dict[str, str]] = {}

    def feed(self, event: dict[str, Any]) -> Said:
        """Take an event and return what it adds; thoughts in a field of their own, or marked in the text.

        Raises: InvokeServerUnavailableError for an answer without end.
        """
        self._read_usage(event.get("usage"))
        fingerprint = event.get("system_fingerprint")
        self.fingerprint = fingerprint if isinstance(fingerprint, str) else self.fingerprint
        choices = rows_of(event, "choices")
        if not choices:
            return Said()
        choice = choices[0]
        delta: Any = choice.get("delta") or choice.get("message") or {}
        fields = cast("dict[str, Any]", delta) if isinstance(delta, dict) else dict[str, Any]()
        text = first_text(choice.get("text"), fields.get("content"))
        thought = first_text(fields.get("reasoning_content"), fields.get("reasoning"))
        self._read_calls(fields)
        reason = choice.get("finish_reason")
        self._reason = reason if isinstance(reason, str) and reason else self._reason
        self._grow(len(text) + len(thought))
        said = self._thinking.feed(text) if text else Said()
        return said._replace(reasoning=thought + said.reasoning)

    def rest(self) -> Said:
        """Return what was held back, when no event comes any more."""
        return self._thinking.finish()

    @property
    def has_ended(self) -> bool:
        """Tell whether the reason to end has come."""
        return bool(self._reason)

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing came, not even a reason to end."""
        return not self._size and not self._reason

    def end(self, host: str) -> tuple[str, list[ToolCall]]:
        """Return why the answer ended, and the calls in it.

        Raises: InvokeConnectionError for an answer that was cut off.
        """
        if not self._reason:
            raise InvokeConnectionError(
                f"The answer of the server at {host} was cut off.", "Send the question again."
            )
        calls = [whole(call) for call in self._calls if call["name"]]
        return "tool_calls" if calls else REASONS.get(self._reason, self._reason), calls

    def _read_usage(self, usage: Any) -> None:
        if isinstance(usage, dict):
            told = cast("dict[str, Any]", usage)
            prompt, said = number(told.get("prompt_tokens")), number(told.get("completion_tokens"))
            self.prompt_tokens = self.prompt_tokens if prompt is None else prompt
            self.completion_tokens = self.completion_tokens if said is None else said

    def _read_calls(self, delta: dict[str, Any]) -> None:
        for position, piece in enumerate(rows_of(delta, "tool_calls")):
            function: Any = piece.get("function")
            function = function if isinstance(function, dict) else {}
            place = number(piece.get("index"))
            call = self._call(position if place is None else place, str(piece.get("id") or ""))
            name, arguments = function.get("name"), function.get("arguments")
            if (
                isinstance(name, str) and name != call["name"]
            ):  # some servers repeat it in each piece
                call["name"] += name
            if isinstance(arguments, dict):
                arguments = json.dumps(arguments, ensure_ascii=False)
            call["arguments"] += arguments if isinstance(arguments, str) else ""
            self._grow(len(call["name"]) if name else 0)
            self._grow(len(arguments) if isinstance(arguments, str) else 0)

    def _call(self, place: int, known: str) -> dict[str, str]:
        """Return the call a piece belongs to; another id is another call, whatever its place."""
        call = self._open.get(place)
        if call is None or (known and call["id"] and known != call["id"]):
            call = {"id": known, "name": "", "arguments": ""}
            self._open[place] = call
            self._calls.append(call)
            self._grow(64)
        call["id"] = call["id"] or known
        return call

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MOST_CHARACTERS:
            raise InvokeServerUnavailableError(
                "The server's answer does not end.",
                "Limit it with max_tokens, or choose another model.",
            )


def first_text(*values: Any) -> str:
    """Return the first that is a text and not empty; an empty one for none."""
    return next((value for value in values if isinstance(value, str) and value), "")


def whole(call: dict[str, str]) -> ToolCall:
    """Return an assembled call; one without an id gets one, so that its result can name it."""
    function = ToolCall.ToolCallFunction(
        name=call["name"], arguments=call["arguments"].strip() or "{}"
    )
    return ToolCall(
        id=call["id"] or f"call_{uuid.uuid4().hex[:24]}", type="function", function=function
    )
