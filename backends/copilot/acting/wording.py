"""The words a plugin wants its use to be told in: thought, action, input, output; without, names
and values.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backends.protocol.query import Tool

PARTS = {
    "thought": ("thought", "think", "思考", "想法"),
    "action": ("action", "tool", "操作", "行动", "动作"),
    "input": ("input", "action_input", "action input", "输入", "操作输入"),
    "output": ("output", "observation", "result", "输出", "观察", "结果"),
}
LINE = re.compile(r"^\s*([\w ]{1,20}?)\s*[:：]\s*(.*)$", re.MULTILINE)
LONGEST = 120


def wording(prompt: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return what a template calls each part, and what it says of it: parts are its fields, or
    lines of a text.
    """
    told = dict(prompt)
    for text in prompt.values():
        told |= {label: rest for label, rest in LINE.findall(text) if label not in told}
    found: dict[str, tuple[str, str]] = {}
    for part, names in PARTS.items():
        for label, text in told.items():
            if label.strip().lower() in names and part not in found:
                found[part] = (label.strip(), short(re.sub(r"^[^:：]{1,20}[:：]\s*", "", text)))
    return found


def step_before(tool: Tool, values: dict[str, Any]) -> str:
    """Return what is shown of a call: in the plugin's own words where it has some."""
    shown = [f"{name} {value}" for name, value in values.items()]
    told = wording(tool.prompt)
    if "action" not in told and "input" not in told:
        return " · ".join([tool.server_id, tool.name, *shown])
    thought, action, given = told.get("thought"), told.get("action"), told.get("input")
    said = [f"{thought[0]}: {thought[1]}"] if thought is not None and thought[1] else []
    said.append(f"{action[0] if action else tool.server_id}: {tool.name}")
    said.append(f"{given[0]}: {', '.join(shown)}" if given else ", ".join(shown))
    return " · ".join(part for part in said if part)


def step_after(tool: Tool, text: str) -> str:
    """Return what is shown of an answer, in the plugin's own words; nothing where it has none."""
    told = wording(tool.prompt).get("output")
    if told is None:
        return ""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if isinstance(value, dict):
        value = value.get("error") or value.get("answer")
    return (
        f"{told[0]}:"
        f" {short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))}"
    )


def short(text: str) -> str:
    """Return a text in one line, cut if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 2]} …"
