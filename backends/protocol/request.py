"""A request to the copilot as values, for every generation of the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


class BadRequest(ValueError):
    """The request does not follow this protocol: the fault (`text`) and the remedy (`remedy`)."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy


Dialect = Literal["2024", "today"]


@dataclass(frozen=True)
class Human:
    """A message of the user."""

    text: str


@dataclass(frozen=True)
class CopilotMessage:
    """What a copilot answered."""

    text: str


@dataclass(frozen=True)
class RequestedCall:
    """A function that a copilot asked the terminal to run, as received.

    extra_state: the copilot's own data, which the terminal sends back.
    """

    function: str
    arguments: dict[str, Any]
    extra_state: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class ContentPart:
    """One item from a terminal: its text, a file that was not read yet, or only a file's address.

    kind: of a file, as the protocol names it: pdf, docx, png. data: a file, base64. entry: the
    number of the requested item it belongs to, from 0. failed: the text explains why there is
    nothing else.
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
        """Return whether its words are here."""
        return not self.data and not self.url


@dataclass(frozen=True)
class FunctionResult:
    """The terminal's result of a call: the text of each item; failed if the terminal reported a
    failure. parts: all received items.
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
    """A widget of the terminal."""

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
    """A tool that the terminal runs on request. prompt: the words its maker wants its use to be
    reported in, by their parts. writes: whether the terminal declares that it may change something.
    """

    name: str
    server_id: str
    description: str = ""
    schema: dict[str, Any] = field(default_factory=dict[str, Any])
    prompt: dict[str, str] = field(default_factory=dict[str, str])
    writes: bool = False


@dataclass(frozen=True)
class CopilotRequest:
    """One request of a terminal; the copilot has no other state. skills: the texts of those the
    question calls.

    urls: addresses whose pages the terminal wants read.
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
