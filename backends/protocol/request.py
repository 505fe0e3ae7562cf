"""Values for a request to the copilot, in every generation of the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


class BadRequest(ValueError):
    """The request violates this protocol. `text` says what is wrong, and `remedy` says how to fix
    it.
    """

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy


Dialect = Literal["2024", "today"]


@dataclass(frozen=True)
class Human:
    """A message from the user."""

    text: str


@dataclass(frozen=True)
class CopilotMessage:
    """A message from a copilot."""

    text: str


@dataclass(frozen=True)
class RequestedCall:
    """A function that a copilot asked the terminal to run.

    extra_state: the copilot's own data, which the terminal sends back.
    """

    function: str
    arguments: dict[str, Any]
    extra_state: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class ContentPart:
    """An item from a terminal: its text, a file that has not been read yet, or only a file's URL.

    kind: the file type in the protocol's terms, such as pdf, docx or png. data: the file in base64.
    entry: the number of the requested item that it belongs to, counted from 0. failed: whether the
    text explains why there is no data.
    """

    text: str = ""
    kind: str = ""
    name: str = ""
    data: str = ""
    url: str = ""
    entry: int = 0
    failed: bool = False

    @property
    def is_text(self) -> bool:
        """Whether its text is included."""
        return not self.data and not self.url


@dataclass(frozen=True)
class FunctionResult:
    """The terminal's result of a call: the text of each item. failed: whether the terminal reported
    a failure. parts: all received items.
    """

    function: str
    arguments: dict[str, Any]
    texts: list[str]
    failed: bool = False
    extra_state: dict[str, Any] = field(default_factory=dict[str, Any])
    parts: list[ContentPart] = field(default_factory=list[ContentPart], compare=False)


Message = Human | CopilotMessage | RequestedCall | FunctionResult


@dataclass(frozen=True)
class RequestWidget:
    """A widget in the terminal."""

    uuid: str
    name: str
    description: str = ""
    origin: str = ""
    widget_id: str = ""
    params: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class ContextData:
    """Data that the user added by hand: the text of each item. parts: all received items."""

    name: str
    description: str
    texts: list[str]
    uuid: str = ""
    parts: list[ContentPart] = field(default_factory=list[ContentPart], compare=False)


@dataclass(frozen=True)
class OfferedTool:
    """A tool that the terminal runs on request.

    prompt: the phrases in which its author wants its use to be reported. writes: whether the
    terminal declares that it can change something.
    """

    name: str
    server_id: str
    description: str = ""
    schema: dict[str, Any] = field(default_factory=dict[str, Any])
    prompt: dict[str, str] = field(default_factory=dict[str, str])
    writes: bool = False


@dataclass(frozen=True)
class CopilotRequest:
    """One request from a terminal. The copilot stores no other state.

    skills: the texts of the skills that the question uses. urls: the pages that the terminal wants
    the copilot to read.
    """

    messages: list[Message]
    primary: list[RequestWidget] = field(default_factory=list[RequestWidget])
    secondary: list[RequestWidget] = field(default_factory=list[RequestWidget])
    extra: list[RequestWidget] = field(default_factory=list[RequestWidget])
    context: list[ContextData] = field(default_factory=list[ContextData])
    tools: list[OfferedTool] = field(default_factory=list[OfferedTool])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    timezone: str = "UTC"
    model: str | None = None
    skills: list[str] = field(default_factory=list[str])
    dialect: Dialect = "today"
    urls: list[str] = field(default_factory=list[str])
