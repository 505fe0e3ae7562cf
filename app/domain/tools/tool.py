"""A tool, what it answers, and who has it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
RASTERS = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8")
PICTURES, PICTURE = 4, 5 * 1024 * 1024  # of one answer, and bytes of each
TERMINAL = "deskpilot"  # who has the terminal's own tools, on the wire
DATA_TOOL = "deskpilot:data"  # the address of those that compute from widgets
SERVER = re.compile(
    r"[a-z0-9][a-z0-9.-]{0,39}"
)  # no underscore: terminals join server and tool with one


@dataclass(frozen=True)
class Tool:
    """server: the id of who has it. name: what copilots call it by; title: what people read.

    input_schema: JSON Schema of an object. writes: whether it may change something; only what says that it
    does not is taken not to. origin: where a call goes, for people: an address, or a program. prompt: the words its
    maker wants its use to be told in, by their parts.
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
        """Return it as the protocol's AgentTool; who calls it is answered by this terminal, and by nobody else."""
        told: dict[str, Any] = {
            "server_id": self.server,
            "name": self.name,
            "url": f"deskpilot:{self.server}",
            "description": self.description or self.title,
            "input_schema": self.input_schema or {"type": "object", "properties": {}},
        }
        return told | ({"prompt": self.prompt} if self.prompt else {})


@dataclass(frozen=True)
class ToolAnswer:
    """content: what it answered, as text; JSON where it was JSON. failed: whether it says that it did not work.

    kind: the media type of `full`, which holds all of it where `content` does not. status: of HTTP, 0 without.
    note: what a person and a copilot should know of it, in our words. pictures: those in it, of which a person is shown.
    """

    content: str
    failed: bool = False
    full: bytes = b""
    kind: str = ""
    status: int = 0
    note: str = ""
    pictures: tuple[bytes, ...] = ()


def shown(parts: list[bytes]) -> tuple[bytes, ...]:
    """Return those parts of an answer that are pictures one may show: small ones, of pixels; drawings are programs."""
    pictures = (
        p for p in parts if len(p) <= PICTURE and (p.startswith(RASTERS) or p[8:12] == b"WEBP")
    )
    return tuple(pictures)[:PICTURES]


class ToolServer(Protocol):
    """Who has tools. Its id fits `SERVER`; the names of its tools fit `NAME`, none of them twice."""

    @property
    def id(self) -> str:
        """What copilots call it by."""
        ...

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def tools(self) -> Sequence[Tool]:
        """What it has, as far as is known now."""
        ...

    async def refresh(self) -> None:
        """Learn anew what it has, quickly; what cannot be learnt leaves what is known."""
        ...

    async def call(self, name: str, parameters: dict[str, Any]) -> ToolAnswer:
        """Return what a tool answers; a call is made once, and not again by itself.

        Raises: ToolError and its kinds.
        """
        ...

    async def aclose(self) -> None:
        """End it."""
        ...
