"""OpenAI's Responses API, and legacy completions."""

from __future__ import annotations

import json
import time
import uuid
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from backends.flexai.errors import FlexAIError, UnsupportedParameterError
from backends.flexai.models import Calls
from backends.service.errors import body_of, body_of_error, to_the_end
from backends.service.queue import for_caller
from backends.service.routes.chat import asked, error_event, first_of, gathered, usage_of
from backends.service.routes.chat_request import ChatRequest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.flexai.entities import LLMResultChunk, LLMUsage
    from backends.flexai.models.large_language_model import CallPiece
    from backends.service.routes.chat import Answers

router = APIRouter()

USUAL_TOKENS = 16  # default number of tokens in a completion, as in OpenAI's API
PARTS = {"input_text": "text", "output_text": "text", "text": "text"}


class CompletionRequest(BaseModel):
    """A completion request. Other fields are those of a chat completion. prompt: a text to be
    continued without a template.
    """

    model_config = ConfigDict(extra="allow")

    model: str | None = None
    prompt: str | Annotated[list[str] | list[int] | list[list[int]], Field(min_length=1)]
    stream: bool = False


class ResponseRequest(BaseModel):
    """A request in the Responses API. Other fields are those of a chat completion, or are rejected
    with an error that names them.
    """

    model_config = ConfigDict(extra="allow")

    model: str | None = None
    input: str | list[dict[str, Any]]
    instructions: str | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    text: dict[str, Any] | None = None
    max_output_tokens: int | None = None
    stream: bool = False


@router.post("/v1/completions", response_model=None)
async def completions(
    request: Request, body: CompletionRequest
) -> dict[str, Any] | EventSourceResponse:
    """Continue one or more texts. Closing the connection stops the model."""
    prompts = [body.prompt] if isinstance(body.prompt, str) else body.prompt
    if not all(isinstance(prompt, str) for prompt in prompts):
        raise UnsupportedParameterError(
            "prompt contains token ids, which stand for other words in this model.",
            "Send text.",
            "prompt",
        )
    more = {"max_tokens": USUAL_TOKENS} | (body.model_extra or {})
    answers: Answers = []
    model = ""
    for prompt in prompts:
        wanted = {"model": body.model, "messages": [{"role": "user", "content": prompt}]}
        model, made = await asked(request, ChatRequest.model_validate(more | wanted), bare=True)
        answers += made
    head = {
        "id": f"cmpl-{uuid.uuid4().hex}",
        "object": "text_completion",
        "created": int(time.time()),
        "model": model,
    }
    if not body.stream:
        return await for_caller(request, completed(answers, head))
    first = await for_caller(request, first_of(answers[0]))
    options = more.get("stream_options")
    usage = isinstance(options, dict) and bool(cast("dict[str, Any]", options).get("include_usage"))
    return EventSourceResponse(to_its_end(going_on(first, answers, head, usage=usage)))


async def completed(answers: Answers, head: dict[str, Any]) -> dict[str, Any]:
    """Return complete completions.

    Raises: FlexAIError.
    """
    choices: list[dict[str, Any]] = []
    used: list[LLMUsage | None] = []
    for answer in answers:
        message, finish, usage = await gathered(answer)
        choices.append(text_choice(len(choices), message["content"], finish))
        used.append(usage)
    return head | {"choices": choices, "usage": usage_of(*used)}


def text_choice(index: int, text: str, finish: str | None) -> dict[str, Any]:
    """Return one choice of a completion."""
    return {"index": index, "text": text, "logprobs": None, "finish_reason": finish}


async def going_on(
    first: LLMResultChunk | None, answers: Answers, head: dict[str, Any], *, usage: bool
) -> AsyncGenerator[str]:
    """Yield the events of completions, one after another.

    Raises: FlexAIError.
    """
    used: list[LLMUsage | None] = []
    for index, chunks in enumerate(answers):
        taken: LLMUsage | None = None
        async with aclosing(chunks):
            chunk = first if index == 0 else await first_of(chunks)
            while chunk is not None:
                delta = chunk.delta
                text, finish = delta.message.text(), delta.finish_reason
                if text or finish:
                    yield json.dumps(head | {"choices": [text_choice(index, text, finish)]})
                taken = delta.usage or taken
                chunk = await first_of(chunks)
        used.append(taken)
    if usage:
        yield json.dumps(head | {"choices": [], "usage": usage_of(*used)})


async def to_its_end(events: AsyncGenerator[str]) -> AsyncGenerator[str]:
    """Yield events, including an error if there is one, followed by `[DONE]`."""
    async with aclosing(to_the_end(events, error_event)) as made:
        async for event in made:
            yield event
    yield "[DONE]"


@router.post("/v1/responses", response_model=None)
async def responses(
    request: Request, body: ResponseRequest
) -> dict[str, Any] | EventSourceResponse:
    """Answer the items of a conversation. Nothing is stored. Closing the connection stops the
    model.
    """
    wanted = as_chat(body)
    model, (answer, *_) = await asked(request, wanted)
    made = ResponseWriter(model, body)
    first = await for_caller(request, first_of(answer))
    if body.stream:
        return EventSourceResponse(told(made, first, answer))

    async def whole() -> dict[str, Any]:
        async with aclosing(made.events(first, answer)) as events:
            async for _ in events:
                pass
        return made.response()

    return await for_caller(request, whole())


def as_chat(body: ResponseRequest) -> ChatRequest:
    """Convert a request of the Responses API to a chat completion request.

    Raises: UnsupportedParameterError for fields without an equivalent.
    """
    messages = [{"role": "system", "content": body.instructions}] if body.instructions else []
    if isinstance(body.input, str):
        messages.append({"role": "user", "content": body.input})
    else:
        messages += [
            message for at, item in enumerate(body.input) for message in messages_of(item, at)
        ]
    chat: dict[str, Any] = dict(body.model_extra or {})
    chat |= {"model": body.model, "messages": messages, "max_tokens": body.max_output_tokens}
    if body.tools:
        chat["tools"] = [tool_of(tool, at) for at, tool in enumerate(body.tools)]
    if isinstance(body.tool_choice, dict) and body.tool_choice.get("type") == "function":
        chat["tool_choice"] = {
            "type": "function",
            "function": {"name": body.tool_choice.get("name")},
        }
    else:
        chat["tool_choice"] = body.tool_choice
    text = dict(body.text or {})
    form = text.pop("format", None)
    if left := [name for name, value in text.items() if value is not None]:
        raise unsupported(f"text.{left[0]}")
    if isinstance(form, dict):
        told = cast("dict[str, Any]", form)
        shape = {key: value for key, value in told.items() if key != "type"}
        chat["response_format"] = {"type": told.get("type", "text")} | (
            {"json_schema": shape} if shape else {}
        )
    return ChatRequest.model_validate(chat)


def messages_of(item: dict[str, Any], at: int) -> list[dict[str, Any]]:
    """Return an input item as messages. Earlier thoughts are dropped.

    Raises: UnsupportedParameterError for an item of another type.
    """
    kind = item.get("type", "message")
    if kind == "message":
        content: Any = item.get("content")
        if isinstance(content, list):
            content = [part_of(part, at) for part in cast("list[dict[str, Any]]", content)]
        return [{"role": item.get("role", "user"), "content": content}]
    if kind == "function_call":
        function = {"name": item.get("name"), "arguments": item.get("arguments") or "{}"}
        call = {"id": item.get("call_id"), "type": "function", "function": function}
        return [{"role": "assistant", "content": None, "tool_calls": [call]}]
    if kind == "function_call_output":
        output: Any = item.get("output")
        words = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        return [{"role": "tool", "tool_call_id": item.get("call_id"), "content": words}]
    if kind == "reasoning":
        return []
    raise unsupported(f"input[{at}].type {kind}")


def part_of(part: dict[str, Any], at: int) -> dict[str, Any]:
    """Convert a part of a message to the chat completion format.

    Raises: UnsupportedParameterError for a part of another type.
    """
    kind = part.get("type")
    if kind in PARTS:
        return {"type": "text", "text": part.get("text", "")}
    if kind == "input_image" and part.get("image_url"):
        return {
            "type": "image_url",
            "image_url": {"url": part["image_url"], "detail": part.get("detail")},
        }
    if kind == "input_audio":
        return part
    if kind == "input_file" and part.get("file_data"):
        return {
            "type": "file",
            "file": {"file_data": part["file_data"], "filename": part.get("filename", "")},
        }
    raise unsupported(f"input[{at}].content {kind}")


def tool_of(tool: dict[str, Any], at: int) -> dict[str, Any]:
    """Convert a tool to the chat completion format.

    Raises: UnsupportedParameterError for a tool that is not a function.
    """
    if tool.get("type", "function") != "function":
        raise unsupported(f"tools[{at}].type {tool.get('type')}")
    told = {key: tool[key] for key in ("name", "description", "parameters") if tool.get(key)}
    return {"type": "function", "function": told}


def unsupported(name: str) -> UnsupportedParameterError:
    """Return the error for something that is not supported here."""
    return UnsupportedParameterError(f"{name} is not supported here.", "Leave it out.", name)


async def told(
    made: ResponseWriter, first: LLMResultChunk | None, answer: AsyncGenerator[LLMResultChunk]
) -> AsyncGenerator[dict[str, str]]:
    """Yield the events of a response in the protocol's format. If there is a later error, it is the
    last event."""

    def fail(error: Exception, said: str) -> list[dict[str, Any]]:
        body: Any = (
            body_of_error(error)
            if isinstance(error, FlexAIError)
            else body_of(500, said, "", type(error).__name__)
        )
        return [made.failed(body["error"])]

    yield on_wire(made.event("response.created", response=made.response("in_progress")))
    yield on_wire(made.event("response.in_progress", response=made.response("in_progress")))
    async with aclosing(to_the_end(made.events(first, answer), fail)) as events:
        async for event in events:
            yield on_wire(event)


def on_wire(event: dict[str, Any]) -> dict[str, str]:
    """Return an event in the protocol's format."""
    return {"event": event["type"], "data": json.dumps(event, ensure_ascii=False)}


class ResponseWriter:
    """A response in progress: its items, and the events that report them."""

    def __init__(self, model: str, body: ResponseRequest) -> None:
        self._body = body
        self._id, self._created, self._model = f"resp_{uuid.uuid4().hex}", int(time.time()), model
        self._output: list[dict[str, Any]] = []
        self._used: LLMUsage | None = None
        self._reason = "stop"
        self._number = -1

    def response(self, status: str = "", error: Any = None) -> dict[str, Any]:
        """Return the response so far. status: the status for a response that has not ended. error:
        why the response was interrupted.
        """
        cut = {"reason": "max_output_tokens"} if self._reason == "length" and not status else None
        usage = usage_of(self._used)
        body = self._body
        return {
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "model": self._model,
            "status": status or ("incomplete" if cut else "completed"),
            "incomplete_details": cut,
            "error": error,
            "instructions": body.instructions,
            "output": self._output,
            "parallel_tool_calls": True,
            "tool_choice": body.tool_choice or "auto",
            "tools": body.tools or [],
            "text": body.text or {"format": {"type": "text"}},
            "max_output_tokens": body.max_output_tokens,
            "temperature": (body.model_extra or {}).get("temperature"),
            "top_p": (body.model_extra or {}).get("top_p"),
            "previous_response_id": None,
            "store": False,
            "metadata": (body.model_extra or {}).get("metadata") or {},
            "usage": None
            if status
            else {
                "input_tokens": usage["prompt_tokens"],
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": usage["completion_tokens"],
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": usage["total_tokens"],
            },
        }

    def event(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Return an event with its sequence number."""
        self._number += 1
        return {"type": kind, "sequence_number": self._number, **fields}

    def failed(self, error: dict[str, Any]) -> dict[str, Any]:
        """Return the event for a response that was interrupted."""
        told = {"code": str(error["code"]), "message": error["message"]}
        return self.event("response.failed", response=self.response("failed", told))

    async def events(
        self, first: LLMResultChunk | None, answer: AsyncGenerator[LLMResultChunk]
    ) -> AsyncGenerator[dict[str, Any]]:
        """Yield the events between the start and the end, followed by the final event.

        Raises: FlexAIError.
        """
        calls, open_item = Calls(), Open(self, -1)
        async with aclosing(answer):
            chunk = first
            while chunk is not None:
                delta = chunk.delta
                for kind, words in (
                    ("reasoning", delta.message.reasoning),
                    ("message", delta.message.text()),
                ):
                    if words:
                        if open_item.kind != kind:
                            for event in open_item.close():
                                yield event
                            open_item = self._opened(kind)
                            for event in open_item.begin():
                                yield event
                        yield open_item.say(words)
                for piece in calls.take(delta.message.tool_calls):
                    if piece.begins:
                        for event in open_item.close():
                            yield event
                        open_item = self._opened("function_call", piece)
                        for event in open_item.begin():
                            yield event
                    yield open_item.say(piece.call.function.arguments)
                self._used = delta.usage or self._used
                self._reason = delta.finish_reason or self._reason
                chunk = await first_of(answer)
        cut = self._reason == "length"
        for event in open_item.close("incomplete" if cut else "completed"):
            yield event
        ended = self.response()
        yield self.event(f"response.{ended['status']}", response=ended)

    def _opened(self, kind: str, piece: CallPiece | None = None) -> Open:
        item: dict[str, Any] = {
            "id": f"{kind[:3]}_{uuid.uuid4().hex}",
            "type": kind,
            "status": "in_progress",
        }
        if kind == "message":
            item |= {"role": "assistant", "content": []}
        elif kind == "reasoning":
            item |= {"summary": []}
        elif piece is not None:
            item |= {"call_id": piece.call.id, "name": piece.call.function.name, "arguments": ""}
        self._output.append(item)
        return Open(self, len(self._output) - 1, item)


class Open:
    """The open item of a response. at: its index, or -1 for none."""

    def __init__(self, made: ResponseWriter, at: int, item: dict[str, Any] | None = None) -> None:
        self._made, self._at, self._item = made, at, item or {}
        self.kind = self._item.get("type", "")
        self._said = ""

    def begin(self) -> list[dict[str, Any]]:
        """Return the events that start it."""
        added = self._event("response.output_item.added", item=dict(self._item))
        if self.kind == "message":
            return [
                added,
                self._event("response.content_part.added", **self._place(), part=part("")),
            ]
        return [added]

    def say(self, words: str) -> dict[str, Any]:
        """Add text, and return its event."""
        self._said += words
        if self.kind == "message":
            return self._event(
                "response.output_text.delta", **self._place(), delta=words, logprobs=[]
            )
        if self.kind == "reasoning":
            return self._event(
                "response.reasoning_summary_text.delta",
                item_id=self._item["id"],
                summary_index=0,
                delta=words,
            )
        return self._event(
            "response.function_call_arguments.delta", item_id=self._item["id"], delta=words
        )

    def close(self, status: str = "completed") -> list[dict[str, Any]]:
        """Return the events that end it. status: `incomplete` if the tokens ran out."""
        if not self.kind:
            return []
        told: list[dict[str, Any]] = []
        item = self._item
        item["status"] = status
        if self.kind == "message":
            item["content"] = [part(self._said)]
            told = [
                self._event(
                    "response.output_text.done", **self._place(), text=self._said, logprobs=[]
                ),
                self._event("response.content_part.done", **self._place(), part=part(self._said)),
            ]
        elif self.kind == "reasoning":
            item["summary"] = [{"type": "summary_text", "text": self._said}]
        else:
            item["arguments"] = self._said
            done = {"item_id": item["id"], "name": item["name"], "arguments": self._said}
            told = [self._event("response.function_call_arguments.done", **done)]
        return [*told, self._event("response.output_item.done", item=dict(item))]

    def _place(self) -> dict[str, Any]:
        return {"item_id": self._item["id"], "content_index": 0}

    def _event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self._made.event(kind, output_index=self._at, **fields)


def part(text: str) -> dict[str, Any]:
    """Return text as a part of a message."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
