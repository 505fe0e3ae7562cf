"""How likely a frame is what was meant: features with fitted weights, as probabilities."""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import Any, cast

import yaml

from backends.query.frames import CUES, Frame
from backends.query.reading import Condition, Reading

BINDING = (
    "of",
    "and",
    "to",
    "than",
    "before month",
    "stop",
    "rows",
    "or",
    "percent",
    "list",
    "present",
    "past",
    "future",
    "since",
    "until",
    "between",
    "sofar",
    "times",
)


@cache
def weights() -> dict[str, float]:
    """Return the weight of each feature."""
    file = resources.files("resources.language") / "weights.yaml"
    return {
        str(k): float(v)
        for k, v in cast("dict[str, Any]", yaml.safe_load(file.read_text("utf-8"))).items()
    }


def features(reading: Reading, frame: Frame) -> dict[str, float]:
    """Return what speaks for and against a frame: its own features, and what it leaves unread."""
    found = dict(frame.features)
    roles = [c.score for c in reading.choices if c.role in ("value", "column")]
    found["links"] = sum(math.log(max(score, 0.05)) for score in roles)
    found["conditions"] = sum(math.log(max(c.score, 0.05)) for c in reading.conditions)
    for name in ("measure", "target"):
        found[name] = found[name] - 1 if found.get(name) else 0.0
    if outside := sum(_is_out_of_reach(c, reading) for c in reading.conditions):
        found["out of reach"] = float(outside)
    relations = reading.table.words.compared
    for i, span in enumerate(reading.spans):
        if i in frame.uses:
            role = reading.choices[i].role
            if role in ("value", "column"):
                found[f"read {role}"] = found.get(f"read {role}", 0) + reading.choices[i].score
            elif role == "sense" and span.concepts and not span.has(*BINDING):
                found["read concept"] = found.get("read concept", 0) + 1
            continue
        if span.number is not None and reading.choices[i].role == "sense":
            found["left number"] = found.get("left number", 0) + 0.5
        role = reading.choices[i].role
        if role == "column":
            link = reading.link(i)
            weak = span.has("stop", "rows") or any(s.startswith("ask ") for s in span.senses)
            name = "left column weak" if weak else "left column"
            found[name] = found.get(name, 0) + (link.score if link else 0.5)
        elif role in ("value", "date", "clock"):
            found[f"left {role}"] = found.get(f"left {role}", 0) + 1
        elif role == "number":
            found["left number"] = found.get("left number", 0) + 1
        elif role == "unknown":
            name = "unknown name" if span.text[:1].isupper() and i > 0 else "unknown"
            found[name] = found.get(name, 0) + 1
        elif role == "sense":
            if span.has("not", "except"):
                found["left denial"] = found.get("left denial", 0) + 1
            elif any(s[0] in "<>" for s in span.senses):
                found["left comparison"] = found.get("left comparison", 0) + 1
            elif span.has("pending", "missing"):
                found["left pending"] = found.get("left pending", 0) + 1
            else:
                cue = next(
                    (
                        c
                        for c in CUES
                        if span.has(c) or any(s.startswith(f"{c} ") for s in span.senses)
                    ),
                    None,
                )
                if cue and not span.has("stop"):
                    found[f"left {cue}"] = found.get(f"left {cue}", 0) + 1
                else:
                    ask = next(
                        (s for s in span.senses if s.startswith("ask ") and s != "ask which"), None
                    )
                    if ask:
                        found[f"left {ask}"] = found.get(f"left {ask}", 0) + 1
                    elif span.has(*relations):
                        found["left relation"] = found.get("left relation", 0) + 1
                    elif span.concepts and not span.has(*BINDING):
                        found["left concept"] = found.get("left concept", 0) + 1
    return found


def _is_out_of_reach(condition: Condition, reading: Reading) -> bool:
    """Tell whether a condition is a period in which the table holds no day at all."""
    clock, period = reading.annotation.clock, condition.period
    if period is None or clock.low is None or clock.high is None:
        return False
    late = period.start is not None and period.start > clock.high
    return late or (period.end is not None and period.end < clock.low)


def score(found: dict[str, float]) -> float:
    """Return the weighted sum of features."""
    known = weights()
    return sum(known.get(name, 0.0) * value for name, value in found.items())


# What of a reading tells how sure it is, beside its score: what it leaves aside, on what it rests.
TOLD = (
    *("unknown", "unknown name", "left column", "left concept", "left value", "left date"),
    *("left number", "left denial", "left comparison", "left pending", "uncued", "counted"),
    *("read value", "read column", "read concept", "links", "conditions", "measure", "target"),
    *("unconditional", "out of reach"),
)


def grounds(
    total: float, share: float, unread: int, strange: int, found: dict[str, float]
) -> dict[str, float]:
    """Return what the certainty of a reading rests on, by name.

    total: its score. share: of the weight of all readings, 0 to 1. unread: words it leaves aside.
    strange: those among them that ask for what the table does not hold. found: its features.
    """
    return {
        "sure": 1.0,
        "sure total": max(-12.0, min(6.0, total)),
        "sure share": share,
        "sure unread": min(unread, 3),
        "sure strange": min(strange, 2),
        **{f"sure {name}": found[name] for name in TOLD if name in found},
    }


def certainty(on: dict[str, float]) -> float:
    """Return how probable it is that the best reading is what was meant, as fitted on a corpus.

    on: its grounds.
    """
    known = weights()
    told = sum(known.get(name, 0.0) * value for name, value in on.items())
    return 1 / (1 + math.exp(-told))
