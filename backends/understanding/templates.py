"""Readings the person chose before: the same question, other values, is read the same way."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, ValidationError

from backends.understanding.parts import Reading

CHOSEN = 10.0  # more than any words can weigh
KEPT = (
    "columns",
    "column",
    "by",
    "aggregate",
    "direction",
    "order",
    "how",
    "n",
    "date_part",
    "distinct",
)


class Template(BaseModel):
    """A question with marks in place of its values, and how the person said it is meant.

    shape: the interface and its arguments but for the source and the conditions.
    """

    said: str
    shape: dict[str, Any]


def said_as(masked: str) -> str:
    """Return the words of a masked question by which it is known again."""
    return " ".join(re.findall(r"[\w%]+|>", masked))


def shape_of(interface: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a reading is apart from the table and the rows it selects."""
    return {"interface": interface} | {
        k: arguments[k] for k in KEPT if arguments.get(k) is not None
    }


def read_templates(raw: object) -> list[Template]:
    """Return the templates the terminal sent: a JSON list of readings that were chosen; others are
    left out.
    """
    try:
        entries = json.loads(raw) if isinstance(raw, str) else []
        chosen = [Reading.model_validate(entry) for entry in entries]
    except (ValueError, TypeError, ValidationError):
        return []
    return [
        Template(said=r.template, shape=shape_of(r.interface, r.arguments))
        for r in chosen
        if r.template
    ]


def prefer(readings: list[Reading], said: str, templates: list[Template]) -> bool:
    """Put the reading the person chose for such a question first; return whether there was one."""
    for template in templates:
        for reading in readings if template.said == said else ():
            if shape_of(reading.interface, reading.arguments) == template.shape:
                reading.score += CHOSEN
                reading.weak = False
                readings.sort(key=lambda r: -r.score)
                return True
    return False
