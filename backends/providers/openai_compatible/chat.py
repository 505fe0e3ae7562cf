"""Build a chat request from FlexAI values and parse the answer."""

from __future__ import annotations

import base64
import binascii
import json
import uuid
from typing import TYPE_CHECKING, Any, cast

from backends.flexai.entities import (
    AssistantPromptMessage,
    ImagePromptMessageContent,
    MultiModalPromptMessageContent,
    PromptMessage,
    PromptMessageContentType,
    PromptMessageTool,
    SystemPromptMessage,
    ToolPromptMessage,
    UserPromptMessage,
)
from backends.flexai.errors import (
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeServerUnavailableError,
)
from backends.flexai.schema import fill_template
from backends.flexai.thoughts import AnswerPiece, ThoughtSplitter
from backends.providers.openai_compatible.failures import number, rows_of

if TYPE_CHECKING:
    from backends.flexai.entities import ParameterRule, PromptMessageContent
    from backends.providers.openai_compatible.settings import ServerSettings


INSIDE = "answer"  # the property that contains an answer that is not itself an object
ANY_OBJECT = '{"type": "object"}'
MAGIC = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


def rules(settings: ServerSettings) -> list[ParameterRule]:
    """Return the parameters that a request may contain."""
    penalty = {"min": -2, "max": 2, "precision": None}
    raw: list[dict[str, Any]] = [
        {"name": "temperature", "use_template": "temperature", "max": 2, "precision": None},
        {"name": "top_p", "use_template": "top_p", "precision": None},
        {"name": "top_k", "use_template": "top_k", "min": -1, "max": 1000},
        {"name": "min_p", "type": "float", "label": "Min P", "min": 0, "max": 1},
        {"name": "repeat_penalty", "type": "float", "label": "Repeat penalty", "min": 0, "max": 2},
        {"name": "presence_penalty", "use_template": "presence_penalty"} | penalty,
        {"name": "frequency_penalty", "use_template": "frequency_penalty"} | penalty,
        {
            "name": "max_tokens",
            "use_template": "max_tokens",
            "max": settings.context_size,
            "default": 512,
        },
        {"name": "seed", "type": "int", "label": "Seed", "min": 0},
        {"name": "response_format", "use_template": "response_format", "options": ["JSON"]},
        {"name": "json_schema", "use_template": "json_schema"},
        {"name": "tool_choice", "type": "string", "label": "Whether a tool is called"},
    ]
    return [fill_template(rule) for rule in raw]


def chat_body(
    settings: ServerSettings,
    model: str,
    messages: list[PromptMessage],
    parameters: dict[str, Any],
    tools: list[PromptMessageTool] | None,
    stop: list[str] | None,
    user: str | None,
) -> dict[str, Any]:
    """Return the body of a streamed request.

    Raises: InvokeBadRequestError.
    """
    body: dict[str, Any] = {"model": settings.name_of(model), "stream": True}
    if settings.kind.usage:
        body["stream_options"] = {"include_usage": True}
        if settings.kind.places and settings.mode == "chat":
            body["stream_options"]["include_place"] = True
    if settings.mode == "completion":
        body["prompt"] = only_prompt(messages)
    else:
        body["messages"] = [message_dict(message, vision=settings.vision) for message in messages]
    if tools:
        if not settings.tools or settings.mode == "completion":
            raise InvokeBadRequestError(
                "This model cannot call tools.", "Choose one that does, or correct its settings."
            )
        body["tools"] = [{"type": "function", "function": tool.model_dump()} for tool in tools]
    optional = {"stop": stop or None, "user": user}
    body |= {name: value for name, value in optional.items() if value is not None}
    return body | sampling(settings, parameters)


def sampling(settings: ServerSettings, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters under the names that the server uses, and the format that constrains
    the answer.

    Raises: InvokeBadRequestError.
    """
    given = dict(parameters)
    if (wanted := given.pop("tool_choice", "auto")) != "auto":
        known = wanted in ("none", "required")
        given["tool_choice"] = (
            wanted if known else {"type": "function", "function": {"name": wanted}}
        )
    schema, form = given.pop("json_schema", None), given.pop("response_format", None)
    if "repeat_penalty" in given:
        given[settings.kind.repeat] = given.pop("repeat_penalty")
    if schema:
        given["response_format"] = bound(settings, schema)
    elif form:
        any_json = {"type": "json_object"}
        given["response_format"] = (
            any_json if settings.kind.json_object else bound(settings, ANY_OBJECT)
        )
    return given


def bound(settings: ServerSettings, schema_text: str) -> dict[str, Any]:
    """Return a schema in the form in which the server accepts it.

    Raises: InvokeBadRequestError.
    """
    try:
        schema = json.loads(schema_text)
    except ValueError as error:
        raise InvokeBadRequestError(
            f"json_schema is not JSON: {error}", "Correct the schema."
        ) from error
    if settings.kind.schema == "json_object":
        return {"type": "json_object", "schema": schema}
    if is_bare(schema):
        schema = {
            "type": "object",
            "properties": {INSIDE: schema},
            "required": [INSIDE],
            "additionalProperties": False,
        }
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": schema, "strict": True},
    }


def is_bare(schema: Any) -> bool:
    """Return whether the answers that a schema describes are not objects. OpenAI accepts only
    objects, so such an answer is requested inside an object.
    """
    known = cast("dict[str, Any]", schema) if isinstance(schema, dict) else {}
    return bool({"enum", "const"} & known.keys()) or known.get("type", "object") != "object"


def taken_out(text: str) -> str:
    """Return the answer inside the object that was requested for it; any other text is returned
    unchanged.
    """
    try:
        told: Any = json.loads(text)
    except ValueError:
        return text
    if isinstance(told, dict) and list(cast("dict[str, Any]", told)) == [INSIDE]:
        return json.dumps(told[INSIDE], ensure_ascii=False)
    return text


def only_prompt(messages: list[PromptMessage]) -> str:
    """Return the text that a completion is to continue.

    Raises: InvokeBadRequestError unless there is exactly one message, from the user.
    """
    if len(messages) != 1 or not isinstance(messages[0], UserPromptMessage):
        raise InvokeBadRequestError(
            "A completion needs exactly one user message.",
            "Send one, or use the chat mode.",
        )
    return messages[0].text()


def message_dict(message: PromptMessage, *, vision: bool) -> dict[str, Any]:
    """Return a message in the form for a request.

    Raises: InvokeBadRequestError for an image, if the model has no vision.
    """
    role = "system" if isinstance(message, SystemPromptMessage) else message.role.value
    made: dict[str, Any] = {"role": role, "content": contents(message, vision=vision)}
    if message.name:
        made["name"] = message.name
    if isinstance(message, ToolPromptMessage):
        made["tool_call_id"] = message.tool_call_id
    if isinstance(message, AssistantPromptMessage) and message.tool_calls:
        made["tool_calls"] = [call.model_dump() for call in message.tool_calls]
    return made


def contents(message: PromptMessage, *, vision: bool) -> str | list[dict[str, Any]]:
    """Return the content of a message: plain text as a string, for servers that do not support
    content parts; anything else as parts.
    """
    if not isinstance(message.content, list):
        return message.content or ""
    if all(part.type is PromptMessageContentType.TEXT for part in message.content):
        return message.text()
    if not vision and any(part.type is PromptMessageContentType.IMAGE for part in message.content):
        raise InvokeBadRequestError(
            "This model accepts only text, but a message contains an image.",
            "Remove the image, choose another model, or state in this model's settings that it "
            "accepts images.",
        )
    return [part_dict(part) for part in message.content]


def part_dict(part: PromptMessageContent) -> dict[str, Any]:
    """Return a part of a message in the form for a request."""
    if isinstance(part, ImagePromptMessageContent):
        return {
            "type": "image_url",
            "image_url": {"url": address(part.data), "detail": part.detail.value},
        }
    if not isinstance(part, MultiModalPromptMessageContent):
        return {"type": "text", "text": part.data}
    if part.type is PromptMessageContentType.AUDIO:
        kind = part.format or part.mime_type.rpartition("/")[2] or "wav"
        return {"type": "input_audio", "input_audio": {"data": part.base64_data, "format": kind}}
    if part.type is PromptMessageContentType.VIDEO:
        return {"type": "video_url", "video_url": {"url": part.data}}
    return {
        "type": "file",
        "file": {"filename": part.filename or "document", "file_data": part.data},
    }


def address(data: str) -> str:
    """Return the address of an image. Bare base64 is turned into a data URI.

    Raises: InvokeBadRequestError if the image is given as neither an address nor base64.
    """
    if data.startswith(("http://", "https://", "data:")):
        return data
    try:
        head = base64.b64decode(data[:64] + "=" * (-len(data[:64]) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvokeBadRequestError(
            "An image is neither an address nor base64.", "Attach it again."
        ) from error
    kind = next((name for magic, name in MAGIC.items() if head.startswith(magic)), "png")
    return f"data:image/{kind};base64,{data}"


ToolCall = AssistantPromptMessage.ToolCall
MOST_CHARACTERS = 16_000_000
REASONS = {
    "function_call": "tool_calls",
    "eos": "stop",
    "eos_token": "stop",
    "max_tokens": "length",
}


class ChatAnswer:
    """Collects the events of one answer.

    prompt_tokens, completion_tokens: as reported by the server; None until it reports them.
    """

    def __init__(self) -> None:
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self.fingerprint: str | None = None
        self._thinking = ThoughtSplitter()
        self._reason = ""
        self._names_reasons = self._is_whole = False
        self._size = 0
        self._calls: list[dict[str, str]] = []
        self._open: dict[int, dict[str, str]] = {}

    def feed(self, event: dict[str, Any]) -> AnswerPiece:
        """Add an event and return the new text and thoughts.

        Raises: InvokeServerUnavailableError if the answer does not end.
        """
        self._read_usage(event.get("usage"))
        fingerprint = event.get("system_fingerprint")
        self.fingerprint = fingerprint if isinstance(fingerprint, str) else self.fingerprint
        choices = rows_of(event, "choices")
        if not choices:
            return AnswerPiece()
        choice = choices[0]
        delta: Any = choice.get("delta") or choice.get("message") or {}
        fields = cast("dict[str, Any]", delta) if isinstance(delta, dict) else dict[str, Any]()
        text = first_text(choice.get("text"), fields.get("content"))
        thought = first_text(fields.get("reasoning_content"), fields.get("reasoning"))
        self._read_calls(fields)
        self._names_reasons |= "finish_reason" in choice and "delta" in choice
        reason = choice.get("finish_reason")
        self._reason = reason if isinstance(reason, str) and reason else self._reason
        self._grow(len(text) + len(thought))
        said = self._thinking.feed(text) if text else AnswerPiece()
        return said._replace(reasoning=thought + said.reasoning)

    def rest(self) -> AnswerPiece:
        """Return the text that is still buffered after the last event."""
        return self._thinking.finish()

    def close(self) -> None:
        """Record that the server marked the end of the answer."""
        self._is_whole = True

    @property
    def has_ended(self) -> bool:
        """Return whether the finish reason has arrived."""
        return bool(self._reason)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has arrived, not even a finish reason."""
        return not self._size and not self._reason

    def end(self, host: str) -> tuple[str, list[ToolCall]]:
        """Return the finish reason and the tool calls.

        If a server never sends finish reasons, its end marker means that the answer is complete.
        Raises: InvokeConnectionError if the answer was cut off.
        """
        if self._is_whole and self._size and not self._names_reasons:
            self._reason = "stop"
        if not self._reason:
            raise InvokeConnectionError(
                f"The answer from the server at {host} was cut off.", "Send the question again."
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
            ):  # some servers repeat the name in each piece
                call["name"] += name
            if isinstance(arguments, dict):
                arguments = json.dumps(arguments, ensure_ascii=False)
            call["arguments"] += arguments if isinstance(arguments, str) else ""
            self._grow(len(call["name"]) if name else 0)
            self._grow(len(arguments) if isinstance(arguments, str) else 0)

    def _call(self, place: int, known: str) -> dict[str, str]:
        """Return the call that a piece belongs to. A different id means a different call, whatever
        the index.
        """
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
                "The server's answer has no end.",
                "Limit it with max_tokens, or choose another model.",
            )


def first_text(*values: Any) -> str:
    """Return the first text that is not empty; an empty string if there is none."""
    return next((value for value in values if isinstance(value, str) and value), "")


def whole(call: dict[str, str]) -> ToolCall:
    """Return an assembled call. If it has no id, an id is added, so that its result can refer to
    it.
    """
    function = ToolCall.ToolCallFunction(
        name=call["name"], arguments=call["arguments"].strip() or "{}"
    )
    return ToolCall(
        id=call["id"] or f"call_{uuid.uuid4().hex[:24]}", type="function", function=function
    )
