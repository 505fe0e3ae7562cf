"""The credentials for a server and a model, and the differences between kinds of servers."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError, field_validator

from backends.flexai.errors import CredentialsValidateFailedError
from backends.flexai.schema import load_provider, validate_credentials

if TYPE_CHECKING:
    from backends.flexai.entities import CredentialFormSchema, ModelType


@dataclass(frozen=True)
class Counter:
    """A route that counts tokens with the model's own tokenizer.

    path: relative to the server's root. text_field: the field for the text; empty if the route
    expects complete messages. answer: the field that contains the count or the list of tokens.
    """

    path: str
    text_field: str
    answer: str


@dataclass(frozen=True)
class Server:
    """A kind of server.

    rerank: the path for reranking under the base address. schema: how a JSON schema is sent: as
    `json_schema`, as for OpenAI, or as `json_object` with the schema inside. repeat: the server's
    name for `repeat_penalty`. json_object: whether the server accepts the form `json_object` when
    any JSON is allowed; if not, it gets a schema that matches any object. usage: whether the server
    can report the usage of a stream; if not, the usage is not requested. input_type: whether it
    distinguishes documents from queries when it embeds them. counter: the route that counts tokens;
    None if there is none, so that tokens are estimated. places: whether the server can report the
    position of a waiting request.
    """

    rerank: str = "/rerank"
    schema: Literal["json_schema", "json_object"] = "json_schema"
    repeat: str = "repeat_penalty"
    json_object: bool = True
    usage: bool = True
    input_type: bool = False
    counter: Counter | None = None
    places: bool = False


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
    "deskpilot": Server(input_type=True, places=True),
    "other": Server(),
}


class ServerSettings(BaseModel, frozen=True):
    """What a call needs to know about its server and its model.

    base_url: without a trailing slash. api_version: sent with each request; the key is then also
    sent in a separate header, as Azure requires. timeout: maximum number of seconds that a stream
    may be silent, or that any other answer may take. input_price, output_price: per million tokens.
    """

    base_url: str
    api_key: str = Field(default="", repr=False)
    api_version: str = ""
    server: str
    rerank_path: str | None = None
    timeout: Annotated[float, Field(gt=0, le=86400)]
    endpoint_model_name: str = ""
    mode: Literal["chat", "completion"] = "chat"
    context_size: Annotated[int, Field(gt=0)] = 4096
    tools: bool = True
    vision: bool = False
    batch_size: Annotated[int, Field(gt=0)] = 32
    voices: list[str] = []
    default_voice: str = ""
    input_price: Annotated[Decimal, Field(ge=0)] = Decimal(0)
    output_price: Annotated[Decimal, Field(ge=0)] = Decimal(0)
    currency: str = "USD"

    @field_validator("base_url")
    @classmethod
    def _whole_address(cls, value: str) -> str:
        parts = urlsplit(value.strip())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it must begin with http:// or https:// and name a host")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("a key belongs in its own field, not in the address")
        path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
        return f"{parts.scheme}://{parts.netloc}{path}"

    @field_validator("api_key", "api_version")
    @classmethod
    def _one_word(cls, value: str) -> str:
        value = value.strip()
        if not value.isascii() or not value.isprintable():
            raise ValueError("it contains characters that are not allowed")
        return value

    @field_validator("voices", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return (
            [name.strip() for name in value.split(",") if name.strip()]
            if isinstance(value, str)
            else value
        )

    @property
    def kind(self) -> Server:
        """Return the properties of this kind of server."""
        return SERVERS[self.server]

    @property
    def rerank(self) -> str:
        """The path for reranking under the base address."""
        return "/" + (self.rerank_path or self.kind.rerank).lstrip("/")

    @property
    def root(self) -> str:
        """The server's address without the path of the API."""
        return self.base_url.removesuffix("/v1")

    @property
    def host(self) -> str:
        """The host and port, as shown in messages."""
        return urlsplit(self.base_url).netloc

    @property
    def is_local(self) -> bool:
        """Return whether the server is on this machine, where no proxy can reach it."""
        name = urlsplit(self.base_url).hostname or ""
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return name == "localhost"

    def name_of(self, model: str) -> str:
        """Return the name that the server uses for a model."""
        return self.endpoint_model_name or model


@cache
def form() -> list[CredentialFormSchema]:
    """Return the form's fields for the provider and for its models."""
    entity = load_provider(files(__package__ or ""))
    forms = (entity.provider_credential_schema, entity.model_credential_schema)
    return [field for part in forms if part for field in part.credential_form_schemas]


def read_settings(credentials: dict[str, Any], kind: ModelType | None) -> ServerSettings:
    """Return the settings in the credentials, with defaults filled in.

    kind: the type of model; None for the server alone.
    Raises: CredentialsValidateFailedError, which names the field.
    """
    given: dict[str, Any] = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in credentials.items()
        if value is not None
    }
    if kind is not None:
        given["__model_type"] = kind.value
    checked = validate_credentials(form(), given)
    try:
        return ServerSettings.model_validate(checked)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        raise CredentialsValidateFailedError(
            f"The setting {name} is not usable: {said}.", "Correct it in the provider's settings."
        ) from None  # the cause would show the input, which may be a key
