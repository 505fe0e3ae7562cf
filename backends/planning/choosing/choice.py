"""What a model is asked for one step, the schema that binds its answer, and what it chose."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.data.workflow.step import Step

if TYPE_CHECKING:
    from backends.data.workflow.output import Preview
    from backends.planning.choosing.ground import Ground

DONE = "done"  # what is chosen where nothing more is needed
NAMED = "computed"  # a column that a step makes and nobody names
CELL = 40  # characters of a cell a model sees
SYSTEM = "You choose the next step of a computation, one at a time. You answer in JSON."


@dataclass(frozen=True)
class Option:
    """One step, whole. accounts: the words of the request it stands for."""

    interface: str
    arguments: dict[str, Any]
    accounts: frozenset[str]
    score: float

    @property
    def key(self) -> str:
        """Return what tells it from others."""
        return key_of(self.interface, self.arguments)


def schema_of(options: list[Option], *, may_end: bool = True) -> dict[str, Any]:
    """Return the schema of a choice: one of these steps, or none of them."""
    held: dict[str, list[dict[str, Any]]] = {}
    for option in options:
        held.setdefault(option.interface, []).append(option.arguments)
    ends = [branch(DONE, None)] if may_end else []
    return {"anyOf": [*(branch(name, known) for name, known in held.items()), *ends]}


def branch(name: str, known: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Return the schema of a step by its interface and the arguments it may have."""
    fields: dict[str, Any] = {"step": {"const": name}}
    if known is not None:
        fields["arguments"] = {"enum": known}
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def prompt(ground: Ground, options: list[Option], error: str = "", *, may_end: bool = True) -> str:
    """Return what a model is asked. error: why the step before failed, if one did."""
    held = [told(name, one) for name, one in ground.seen.items()]
    left = ", ".join(f"“{word}”" for word in ground.unread)
    listed = [json.dumps(as_said(o.interface, o.arguments), ensure_ascii=False) for o in options]
    ends = [f"{json.dumps({'step': DONE})} (nothing more is needed)"] if may_end else []
    parts = [
        f"Request: {ground.question}",
        "Results so far:\n" + "\n".join(f"- {line}" for line in held) if held else "",
        f"Not done yet: {left}" if left else "",
        f"The last step failed: {error}" if error else "",
        "Steps to choose from:\n" + "\n".join(f"- {line}" for line in [*listed, *ends]),
        "Choose the next step.",
    ]
    return "\n\n".join(part for part in parts if part)


def told(name: str, one: Preview) -> str:
    """Return what a model sees of a result: its shape, columns, first and last row."""
    if one.kind == "value":
        return f"{name}: {cell(one.name)} = {cell(one.value)}"
    columns = ", ".join(f"{c} ({kind})" for c, kind in one.columns.items())
    ends = [", ".join(cell(v) for v in row) for row in (one.first, one.last)]
    return f"{name}: {one.rows} rows; columns {columns}; first row: {ends[0]}; last row: {ends[1]}"


def cell(value: Any) -> str:
    """Return a cell as a model sees it."""
    return str(value)[:CELL].replace("\n", " ")


def key_of(interface: str, arguments: dict[str, Any]) -> str:
    """Return what tells a step from others."""
    return f"{interface} {sorted(arguments.items(), key=str)}"


def as_said(interface: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a step as a model says it."""
    return {"step": interface, "arguments": arguments}


def read_choice(text: str, options: list[Option]) -> Option | str | None:
    """Return the option a model's answer names, `done`, or None for an answer that is neither."""
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    if said.get("step") == DONE:
        return DONE
    return next((o for o in options if as_said(o.interface, o.arguments) == said), None)


def step_of(option: Option, ground: Ground) -> Step:
    """Return an option as the next step."""
    named = {"name": free_name(ground)} if option.interface == "compute" else {}
    return Step(
        id=ground.next_id(),
        interface=option.interface,
        arguments=option.arguments | named,
        description=words(option),
    )


def free_name(ground: Ground) -> str:
    """Return a name for a column that no result has yet."""
    taken = {c for columns in ground.frames.values() for c in columns}
    return next(
        name for n in range(1, 100) if (name := f"{NAMED} {n}" if n > 1 else NAMED) not in taken
    )


def words(option: Option) -> str:
    """Return a step in words: its interface and what goes into it."""
    said = [option.interface]
    for name, value in option.arguments.items():
        if name in ("data", "left", "right", "source", "time"):
            continue
        if name == "where":
            said += [
                " ".join(str(c[k]) for k in ("column", "op", "value", "other") if k in c)
                for c in value
            ]
        elif name == "descending":
            said.append("highest first" if value else "lowest first")
        elif isinstance(value, bool):
            said += [name] if value else []
        else:
            said.append(
                ", ".join(map(str, value))
                if isinstance(value, list)
                else f"{name} {value}"
                if isinstance(value, int)
                else str(value)
            )
    return " · ".join(said)
