"""In what the servers differ that speak OpenAI's API: where they rerank and count, how they bind an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Counter:
    """A route that counts tokens with the model's own tokenizer.

    path: from the server's root. text_field: what carries the text; empty for one that takes whole
    messages. answer: the field of the count, or of the list of tokens.
    """

    path: str
    text_field: str
    answer: str


@dataclass(frozen=True)
class Server:
    """One kind of server.

    rerank: its path under the base address. schema: how a JSON schema is sent, `json_schema` as OpenAI
    does, `json_object` with the schema inside it. repeat: its name of `repeat_penalty`. json_object: it takes that form for any JSON; if not,
    it gets a schema that any object fits. usage: it tells
    the usage of a stream when asked to; one that does not is not asked. input_type: it tells documents from
    queries when it embeds. counter: None where it has no such route, and tokens are estimated.
    """

    rerank: str = "/rerank"
    schema: Literal["json_schema", "json_object"] = "json_schema"
    repeat: str = "repeat_penalty"
    json_object: bool = True
    usage: bool = True
    input_type: bool = False
    counter: Counter | None = None


SERVERS: dict[str, Server] = {
    "vllm": Server(repeat="repetition_penalty", counter=Counter("/tokenize", "", "count")),
    "ray_serve": Server(repeat="repetition_penalty"),
    "llama_server": Server(counter=Counter("/tokenize", "content", "tokens")),
    "llama_cpp_python": Server(
        schema="json_object",
        usage=False,
        counter=Counter("/extras/tokenize/count", "input", "count"),
    ),
    "ollama": Server(),
    "lm_studio": Server(json_object=False),
    "xinference": Server(repeat="repetition_penalty"),
    "localai": Server(counter=Counter("/v1/tokenize", "content", "tokens")),
    "deskpilot": Server(input_type=True),
    "other": Server(),
}
