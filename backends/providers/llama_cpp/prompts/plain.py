"""Keep the text of messages text: a name such as `<|im_end|>` in it ends no turn, whoever wrote
it.
"""

from __future__ import annotations

import re
import secrets
from typing import Any, cast

# stands within a name, until the prompt is cut into tokens there; nobody outside can write it
BREAK = f"~{secrets.token_hex(8)}~"


class PlainText:
    """Breaks the names of special tokens in texts.

    control: names of tokens that give a conversation its form. named: other names the template
    uses; models write those themselves, so what an assistant said keeps them whole.
    """

    def __init__(self, control: list[str], named: list[str]) -> None:
        self._control = starts_of(control)
        self._all = starts_of([*control, *named])

    def messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return messages as chat templates read them, their texts plain."""
        return [
            broken(message, self._control if message.get("role") == "assistant" else self._all)
            for message in messages
        ]

    def tools(self, tools: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
        """Return descriptions of tools, their texts plain."""
        return [broken(tool, self._all) for tool in tools] if tools else tools


def starts_of(names: list[str]) -> re.Pattern[str]:
    """Return what finds the first character of each name; a single character cannot be broken."""
    known = sorted({name for name in names if len(name) > 1})
    if not known:
        return re.compile(r"(?!)")
    begins = "".join(sorted({re.escape(name[0]) for name in known}))
    return re.compile(
        f"[{begins}](?:{'|'.join(f'(?<={re.escape(n[0])})(?={re.escape(n[1:])})' for n in known)})",
        re.S,
    )


def broken(value: Any, starts: re.Pattern[str]) -> Any:
    """Return a value with the names in all its texts broken."""
    if isinstance(value, str):
        return starts.sub(lambda found: found[0] + BREAK, value)
    if isinstance(value, list):
        return [broken(item, starts) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        return {broken(key, starts): broken(item, starts) for key, item in told.items()}
    return value


def pieces(prompt: str) -> list[str]:
    """Return a prompt in the pieces that are cut into tokens one by one."""
    return prompt.split(BREAK)
