"""FlexAI values to JSON and back."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from backends.flexai.entities import (
    LLMResult,
    LLMResultChunk,
    PromptMessage,
    PromptMessageTool,
    RerankResult,
    TextEmbeddingResult,
    read_message,
)
from backends.flexai.errors import BY_NAME, FlexAIError, InvokeError

RESULTS: dict[str, type[BaseModel]] = {
    cls.__name__: cls for cls in (LLMResult, LLMResultChunk, RerankResult, TextEmbeddingResult)
}


def pack_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return call arguments as JSON values."""
    packed: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, list) and value and isinstance(value[0], PromptMessage | PromptMessageTool):
            packed[name] = [item.model_dump(mode="json") for item in value]
        else:
            packed[name] = value
    return packed


def unpack_arguments(packed: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that `pack_arguments` packed."""
    arguments = dict(packed)
    if arguments.get("prompt_messages"):
        arguments["prompt_messages"] = [read_message(m) for m in arguments["prompt_messages"]]
    if arguments.get("tools"):
        arguments["tools"] = [PromptMessageTool.model_validate(t) for t in arguments["tools"]]
    return arguments


def pack_result(value: Any) -> dict[str, Any]:
    """Return a result as JSON values; prompt messages stay behind, the caller has them."""
    if isinstance(value, BaseModel):
        return {
            "type": type(value).__name__,
            "value": value.model_dump(mode="json", exclude={"prompt_messages"}),
        }
    return {"type": "plain", "value": value}


def unpack_result(packed: dict[str, Any]) -> Any:
    """Return the result that `pack_result` packed, with an empty list of prompt messages."""
    if packed["type"] == "plain":
        return packed["value"]
    cls = RESULTS[packed["type"]]
    value = packed["value"]
    if cls in (LLMResult, LLMResultChunk):
        value = value | {"prompt_messages": []}
    return cls.model_validate(value)


def pack_error(error: BaseException) -> dict[str, str]:
    """Return an error of ours, or any other as the base of ours, as JSON values."""
    if isinstance(error, FlexAIError):
        return {"name": type(error).__name__, "text": error.text, "remedy": error.remedy}
    return {"name": "InvokeError", "text": f"{type(error).__name__}: {error}", "remedy": ""}


def unpack_error(packed: dict[str, str]) -> FlexAIError:
    """Return the error that `pack_error` packed."""
    return BY_NAME.get(packed["name"], InvokeError)(packed["text"], packed["remedy"])
