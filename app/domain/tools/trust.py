"""Which calls wait for a yes, and what a person is asked."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.domain.copilot import Copilot
    from app.domain.tools.tool import Tool

UNSEEN = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
SHOWN, EACH = 1200, 300  # characters of a question, and of one parameter in it


@dataclass
class Chain:
    """The calls of one turn. asking: the copilot that calls. granted: (server, tool) that were allowed beforehand.

    heard: the servers that have answered in this turn; what they said may have moved the copilot to what it does next.
    """

    asking: Copilot
    granted: frozenset[tuple[str, str]] = frozenset()
    heard: list[str] = field(default_factory=list[str])

    def waits(self, tool: Tool) -> bool:
        """Tell whether a call of a tool needs a yes now.

        What writes does, unless it was allowed beforehand and nothing another server said stands before it. For a
        copilot on another machine what only reads does, too: it is sent the answer.
        """
        if not tool.writes and not self.asking.is_elsewhere:
            return False
        after_others = any(server != tool.server for server in self.heard)
        return after_others or (tool.server, tool.name) not in self.granted


def question_of(tool: Tool, server: str, parameters: dict[str, Any], chain: Chain) -> str:
    """Return what a person is asked before a call: who wants what of whom, with all its values, cut if they are long."""
    does = "do" if tool.writes else "read"
    title, name = one_line(tool.title or tool.name, EACH), one_line(server, EACH)
    asked = f"Let {one_line(chain.asking.name, EACH)} {does} “{title}” of {name} ({one_line(tool.origin, EACH)})?"
    values = [f"{one_line(key, EACH)}: {shown(value)}" for key, value in parameters.items()]
    others = [other for other in dict.fromkeys(chain.heard) if other != tool.server]
    if others:
        values.append(f"It asks after reading what {', '.join(others)} answered.")
    if chain.asking.is_elsewhere:
        values.append(f"The answer is sent to {chain.asking.host}.")
    return cut("\n\n".join([asked, "\n".join(values)]).strip(), SHOWN)


def shown(value: Any) -> str:
    """Return a parameter for people, in one line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, EACH)


def one_line(text: str, most: int) -> str:
    """Return foreign words in one line, without signs that are not seen or turn the direction of what is."""
    seen = (" " if unicodedata.category(c) in UNSEEN else c for c in text)
    return cut(" ".join("".join(seen).split()), most)


def cut(text: str, most: int) -> str:
    """Return a text, its middle left out if it is long: what stands at the end may matter most."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} … ({len(text) - 2 * half:,} characters left out) … {text[-half:]}"
