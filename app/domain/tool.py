"""Tools, their results, their servers and the consent rules; also plugins and MCP servers as they
are saved.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.copilot import Copilot


NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
RASTERS = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8")
# maximum number of pictures in an answer, and of bytes in each
PICTURES, PICTURE = 4, 5 * 1024 * 1024
OWN_PYTHON = "deskpilot:python"  # runs a module with the Python interpreter that runs Deskpilot
TERMINAL = "deskpilot"  # the server of the terminal's own tools, in the protocol
DATA_TOOL = "deskpilot:data"  # the address of the tools that compute from widgets
SERVER = re.compile(
    r"[a-z0-9][a-z0-9.-]{0,39}"
)  # without underscores, because terminals join server and tool names with an underscore


@dataclass(frozen=True)
class Tool:
    """A tool. server: the id of its server. name: its name for copilots. title: its name for
    people.

    input_schema: JSON Schema of an object. writes: whether it can change something; only a tool
    that declares itself read-only is treated as such. origin: the address or program that calls are
    sent to, as shown to people. prompt: how the tool's author wants its use to be reported, in
    parts.
    """

    server: str
    name: str
    title: str
    description: str
    input_schema: dict[str, Any] = field(default_factory=dict[str, Any], hash=False)
    writes: bool = True
    origin: str = ""
    prompt: dict[str, str] = field(default_factory=dict[str, str], hash=False)

    def told(self) -> dict[str, Any]:
        """Return the tool as an AgentTool of the protocol; only this terminal answers its calls."""
        told: dict[str, Any] = {
            "server_id": self.server,
            "name": self.name,
            "url": f"deskpilot:{self.server}",
            "description": self.description or self.title,
            "input_schema": self.input_schema or {"type": "object", "properties": {}},
            "annotations": {"readOnlyHint": not self.writes},  # as in MCP
        }
        return told | ({"prompt": self.prompt} if self.prompt else {})


@dataclass(frozen=True)
class ToolAnswer:
    """The answer of a tool. content: text, or JSON if the answer was in JSON. failed: whether the
    tool reported a failure.

    kind: the media type of `full`, which contains the complete answer if `content` does not.
    status: the HTTP status; 0 if there is none. note: information from Deskpilot for the user and
    the copilot. pictures: the pictures in the answer that are shown to the user.
    """

    content: str
    failed: bool = False
    full: bytes = b""
    kind: str = ""
    status: int = 0
    note: str = ""
    pictures: tuple[bytes, ...] = ()


def shown(parts: list[bytes]) -> tuple[bytes, ...]:
    """Return the parts of an answer that are pictures safe to show: small bitmap images. Vector
    drawings are left out, because they can contain programs.
    """
    pictures = (
        p for p in parts if len(p) <= PICTURE and (p.startswith(RASTERS) or p[8:12] == b"WEBP")
    )
    return tuple(pictures)[:PICTURES]


class ToolServer(Protocol):
    """A server that provides tools. Its id matches `SERVER`; the names of its tools match `NAME`
    and are unique.
    """

    @property
    def id(self) -> str:
        """Return the server's id, as used in tool names."""
        ...

    @property
    def name(self) -> str:
        """Return its display name."""
        ...

    @property
    def tools(self) -> Sequence[Tool]:
        """Return the server's tools, as far as they are known."""
        ...

    async def refresh(self) -> None:
        """Read the list of tools again; if this fails, the known list is kept."""
        ...

    def sends(self, name: str, parameters: dict[str, Any]) -> str:
        """Return exactly what a call of a tool sends, without credentials.

        Raises: ToolError if the call cannot be sent.
        """
        ...

    async def call(self, name: str, parameters: dict[str, Any]) -> ToolAnswer:
        """Call a tool and return its result; a call is made once and is never repeated
        automatically.

        Raises: ToolError and its subclasses.
        """
        ...

    async def aclose(self) -> None:
        """Close the server."""
        ...


UNSEEN = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
# maximum number of characters in a consent prompt, and in one of its parameters
SHOWN, EACH = 1200, 300


@dataclass
class Chain:
    """The calls of one turn. asking: the copilot that makes the calls. granted: the (server, tool)
    pairs that were allowed in advance.

    heard: the servers that have answered in this turn; their answers may have influenced the
    copilot's next step.
    """

    asking: Copilot
    granted: frozenset[tuple[str, str]] = frozenset()
    heard: list[str] = field(default_factory=list[str])

    def waits(self, tool: Tool) -> bool:
        """Return whether a call needs consent now.

        A writing call needs it, unless the call was allowed in advance and no other server's output
        preceded it. For a copilot on another machine, a reading call needs it too, because the
        result is sent there.
        """
        if not tool.writes and not self.asking.is_elsewhere:
            return False
        after_others = any(server != tool.server for server in self.heard)
        return after_others or (tool.server, tool.name) not in self.granted


def question_of(tool: Tool, server: str, parameters: dict[str, Any], chain: Chain) -> str:
    """Return the consent prompt for a call, which says who wants to do what, with all values; long
    values are shortened.
    """
    title, name = one_line(tool.title or tool.name, EACH), one_line(server, EACH)
    asked = call_words(
        one_line(chain.asking.name, EACH),
        title,
        name,
        one_line(tool.origin, EACH),
        writes=tool.writes,
    )
    values = [
        f"{one_line(key, EACH)}: {shown_arguments(value)}" for key, value in parameters.items()
    ]
    others = [other for other in dict.fromkeys(chain.heard) if other != tool.server]
    if others:
        values.append(influence_words(", ".join(others)))
    if chain.asking.is_elsewhere:
        values.append(receiver_words(chain.asking.host))
    return cut("\n\n".join([asked, "\n".join(values)]).strip(), SHOWN)


def call_words(asking: str, title: str, server: str, origin: str, *, writes: bool) -> str:
    """Return the question of whether a copilot may call a tool."""
    if writes:
        return f"Allow {asking} to run “{title}” of {server} ({origin})?"
    return f"Allow {asking} to read “{title}” of {server} ({origin})?"


def influence_words(others: str) -> str:
    """Return a sentence saying that other servers answered before this call."""
    return f"It asks this after reading answers from {others}."


def receiver_words(host: str) -> str:
    """Return a sentence saying where a tool's answer is sent."""
    return f"The answer is sent to {host}."


def shown_arguments(value: Any) -> str:
    """Return a parameter as one line, for display."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, EACH)


def one_line(text: str, most: int) -> str:
    """Return untrusted text on one line, without invisible characters or characters that change its
    direction.
    """
    seen = (" " if unicodedata.category(c) in UNSEEN else c for c in text)
    return cut(" ".join("".join(seen).split()), most)


def visible(text: str) -> str:
    """Return untrusted multi-line text with invisible characters written as escapes."""
    return "".join(
        f"\\u{ord(c):04x}" if unicodedata.category(c) in UNSEEN and c != "\n" else c for c in text
    )


def cut(text: str, most: int) -> str:
    """Shorten a long text by removing its middle, because its end may matter most."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} … ({len(text) - 2 * half:,} characters left out) … {text[-half:]}"


@dataclass(frozen=True)
class PublishedTexts:
    """The texts of a manifest and of a specification, and the identifiers (such as ETags) by which
    their servers recognise these versions.
    """

    manifest: str
    spec: str
    marks: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]], hash=False)


@dataclass(frozen=True)
class InstalledPlugin:
    """A plugin that was added. url: the address of its manifest. origins: the addresses at which it
    may be called, and the kind of each.

    waiting: its current description, if the user has not agreed to it. why: the differences, in
    words.
    """

    id: str
    url: str
    published: PublishedTexts
    origins: dict[str, str] = field(hash=False)
    waiting: PublishedTexts | None = None
    why: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the plugin as JSON values."""
        return asdict(self)


def read_installed(fields: dict[str, Any]) -> InstalledPlugin:
    """Return a plugin from what `as_dict` wrote.

    Raises: TypeError, KeyError if the value is anything else.
    """
    waiting = fields.get("waiting")
    return InstalledPlugin(
        str(fields["id"]),
        str(fields["url"]),
        PublishedTexts(**fields["published"]),
        {str(k): str(v) for k, v in fields["origins"].items()},
        PublishedTexts(**waiting) if waiting else None,
        tuple(fields.get("why") or ()),
    )


@dataclass(frozen=True)
class McpEntry:
    """An MCP server that was added. command: for a server started here, the program and its
    arguments, or `OWN_PYTHON`, a module and its arguments. url: the address of a server that runs
    elsewhere.

    secrets: the names of environment variables or headers whose values are in the keyring. known:
    its tools as last listed, in the protocol's format. writes: tools that have ever failed to
    declare themselves read-only.
    """

    id: str
    command: tuple[str, ...] = ()
    url: str = ""
    secrets: tuple[str, ...] = ()
    known: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    writes: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """The address or program that calls are sent to, as shown to people."""
        parts = self.command[1:] if self.command[:1] == (OWN_PYTHON,) else self.command
        return self.url or " ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return the server as JSON values, without any secrets."""
        return asdict(self)


def read_entry(fields: dict[str, Any]) -> McpEntry:
    """Return a server from what `as_dict` wrote.

    Raises: TypeError, KeyError if the value is anything else.
    """
    return McpEntry(
        str(fields["id"]),
        tuple(str(part) for part in fields["command"]),
        str(fields["url"]),
        tuple(str(name) for name in fields["secrets"]),
        tuple(fields["known"]),
        tuple(str(name) for name in fields.get("writes") or ()),
    )
