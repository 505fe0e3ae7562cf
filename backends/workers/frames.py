"""Frames on the pipes between the service and its workers: JSON and named bytes."""

from __future__ import annotations

import io
import json
import struct
from itertools import accumulate
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import BaseModel

from backends.flexai import entities
from backends.flexai.entities import (
    LLMResult,
    LLMResultChunk,
    PromptMessage,
    PromptMessageTool,
    TextEmbeddingResult,
    read_message,
)
from backends.flexai.errors import BY_NAME, FlexAIError, InvokeBadRequestError, InvokeError
from backends.flexai.models.large_language_model import make_chunk
from backends.flexai.thoughts import AnswerPiece

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping


LENGTH = struct.Struct(">I")
LIMIT_BYTES = 512 * 1024 * 1024


class BrokenFrame(Exception):
    """The pipe contained data that is not a frame."""


def encode(message: Mapping[str, Any], parts: Mapping[str, bytes] | None = None) -> bytes:
    """Return a frame that contains a JSON object and named bytes.

    Raises: TypeError or ValueError for values that JSON cannot represent, or for a frame larger
    than `LIMIT_BYTES`.
    """
    parts = parts or {}
    sizes = {name: len(part) for name, part in parts.items()}
    head = json.dumps({**message, "parts": sizes}, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    size = LENGTH.size + len(head) + sum(sizes.values())
    if size > LIMIT_BYTES:
        raise ValueError(f"{size} bytes are more than the {LIMIT_BYTES} a frame may have")
    return b"".join((LENGTH.pack(size), LENGTH.pack(len(head)), head, *parts.values()))


def decode(payload: bytes) -> dict[str, Any]:
    """Return the message in a frame. `parts` holds the bytes of each part by name.

    Raises: BrokenFrame.
    """
    try:
        (size,) = LENGTH.unpack_from(payload)
        start = LENGTH.size + size
        message = json.loads(payload[LENGTH.size : start].decode("utf-8", "surrogatepass"))
        sizes: dict[str, int] = message["parts"]
        ends = list(accumulate(sizes.values(), initial=start))
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise BrokenFrame(str(error)) from error
    if ends[-1] != len(payload):
        raise BrokenFrame(f"{len(payload)} bytes where {ends[-1]} were announced")
    message["parts"] = {
        name: payload[a:b] for name, a, b in zip(sizes, ends[:-1], ends[1:], strict=True)
    }
    return message


def read(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message, or None if the pipe ends, even in the middle of a frame.

    Raises: BrokenFrame.
    """
    header = pipe.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    payload = pipe.read(_checked_size(header))
    return decode(payload) if len(payload) == LENGTH.unpack(header)[0] else None


async def read_async(pipe: asyncio.StreamReader) -> dict[str, Any]:
    """Return the next message.

    Raises: BrokenFrame, asyncio.IncompleteReadError at the end of the pipe.
    """
    return decode(await pipe.readexactly(_checked_size(await pipe.readexactly(LENGTH.size))))


def _checked_size(header: bytes) -> int:
    (size,) = LENGTH.unpack(header)
    if size > LIMIT_BYTES:
        raise BrokenFrame(f"a frame of {size} bytes")
    return size


RESULTS: dict[str, type[BaseModel]] = {
    name: cls
    for name, cls in vars(entities).items()
    if isinstance(cls, type) and issubclass(cls, BaseModel)
}


class PackedValue(NamedTuple):
    """A value encoded for the pipe."""

    value: Any
    parts: dict[str, bytes]


def pack_arguments(arguments: dict[str, Any]) -> PackedValue:
    """Return call arguments as JSON values. Open files are sent as parts, and rewound."""
    packed: dict[str, Any] = {}
    parts: dict[str, bytes] = {}
    for name, value in arguments.items():
        if (
            isinstance(value, list)
            and value
            and isinstance(value[0], PromptMessage | PromptMessageTool)
        ):
            packed[name] = [item.model_dump(mode="json") for item in value]
        elif hasattr(value, "read"):
            parts[name] = whole_file(value)
        else:
            packed[name] = value
    return PackedValue(packed, parts)


def unpack_arguments(packed: dict[str, Any], parts: dict[str, bytes]) -> dict[str, Any]:
    """Return the arguments that `pack_arguments` packed. Parts become open files in memory."""
    files = {name: io.BytesIO(part) for name, part in parts.items()}
    arguments: dict[str, Any] = {**packed, **files}
    if arguments.get("prompt_messages"):
        arguments["prompt_messages"] = [read_message(m) for m in arguments["prompt_messages"]]
    if arguments.get("tools"):
        arguments["tools"] = [PromptMessageTool.model_validate(t) for t in arguments["tools"]]
    return arguments


def whole_file(file: Any) -> bytes:
    """Return the bytes of an open file from its start, and rewind it.

    Raises: InvokeBadRequestError if the file returns text or cannot be read.
    """
    try:
        file.seek(0)
        content = file.read()
        file.seek(0)
    except (OSError, ValueError) as error:
        raise InvokeBadRequestError(
            f"The file cannot be read: {error}", "Open it again."
        ) from error
    if not isinstance(content, bytes):
        raise InvokeBadRequestError("The file returns text, not bytes.", "Open it in binary mode.")
    return content


def pack_result(value: Any) -> PackedValue:
    """Return a result as JSON values. Audio and vectors (float32) become parts.

    Prompt messages are left out, because the caller has them.
    """
    if isinstance(value, bytes):
        return PackedValue({"type": "bytes"}, {"value": value})
    if isinstance(value, LLMResultChunk) and (words := words_of(value)) is not None:
        return PackedValue({"type": "words", "value": words}, {})
    if not isinstance(value, BaseModel):
        return PackedValue({"type": "plain", "value": value}, {})
    packed: dict[str, Any] = {"type": type(value).__name__}
    if isinstance(value, TextEmbeddingResult):
        rows = np.asarray(value.embeddings, dtype="<f4")
        packed["value"] = value.model_dump(mode="json", exclude={"embeddings"})
        packed["shape"] = list(rows.shape)
        return PackedValue(packed, {"embeddings": rows.tobytes()})
    packed["value"] = value.model_dump(mode="json", exclude={"prompt_messages"})
    return PackedValue(packed, {})


def words_of(chunk: LLMResultChunk) -> list[Any] | None:
    """Return the model, index, text and thought of a chunk that contains nothing else, or None for
    any other chunk.

    All chunks of an answer except the last are like this, one for each token.
    """
    delta, said = chunk.delta, chunk.delta.message
    more = (delta.usage, delta.finish_reason, chunk.system_fingerprint, said.name, said.opaque_body)
    if said.tool_calls or any(one is not None for one in more) or not isinstance(said.content, str):
        return None
    return [chunk.model, delta.index, said.content, said.reasoning]


def unpack_result(packed: dict[str, Any], parts: dict[str, bytes]) -> Any:
    """Return the result that `pack_result` packed, with an empty list of prompt messages."""
    if packed["type"] == "bytes":
        return parts["value"]
    if packed["type"] == "plain":
        return packed["value"]
    if packed["type"] == "words":
        model, index, text, reasoning = packed["value"]
        return make_chunk(model, [], index, AnswerPiece(text, reasoning))
    cls = RESULTS[packed["type"]]
    value = packed["value"]
    if cls in (LLMResult, LLMResultChunk):
        value = value | {"prompt_messages": []}
    elif cls is TextEmbeddingResult:
        rows = np.frombuffer(parts["embeddings"], dtype="<f4").reshape(packed["shape"])
        value = value | {"embeddings": rows.tolist()}
    return cls.model_validate(value)


def pack_error(error: BaseException) -> dict[str, str]:
    """Return an error as JSON values. Errors that are not ours become our base error."""
    if isinstance(error, FlexAIError):
        return {"name": type(error).__name__, "text": error.text, "remedy": error.remedy}
    return {"name": "InvokeError", "text": f"{type(error).__name__}: {error}", "remedy": ""}


def unpack_error(packed: dict[str, str]) -> FlexAIError:
    """Return the error that `pack_error` packed."""
    return BY_NAME.get(packed["name"], InvokeError)(packed["text"], packed["remedy"])
