"""What a request goes by: the columns for each of whose values something is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.planning.composing.frame import Frame
    from backends.planning.composing.slots import Dim

EACH = re.compile(
    r"\b(?:each|every)\b(?! (?:of the"
    r" )?(?:next|day|week|month|quarter|year))|各(?!月|季|年|日|周|个?月)|每[只个家种]"
)

ALL_AS_ONE = re.compile(
    r"百分之[几多]|是?多少(?!个|家|只)|\bhow much\b|\b(?:what|which) (?:percentage|share|percent)\b"
)
APART = re.compile(
    r"[两三四五六]条|分别|各自|各一条|\b(?:two|three|both|one) lines?\b|\brespectively\b"
)


def keys_of(frame: Frame) -> list[str]:
    """Return the columns a request goes by: those it says so of, else the column of which it names
    several values.
    """
    strong = [d for d in frame.dims if d.marked >= 2]
    by = [d for d in strong if d.marked == 3]
    if by and len(strong) > len(by) and frame.has("mean", "median"):
        strong = by  # "every plant's output, its mean by fuel"
    summed_up = frame.has("sum") and frame.has("rolling", "cumulative", "yoy", "mom", "forecast")
    weak = (
        [d for d in frame.dims if d.marked == 1]
        if frame.grain is None or frame.has("each", "pivot")
        else []
    )
    weak = (
        [] if summed_up or (ALL_AS_ONE.search(frame.said.text) and not frame.has("each")) else weak
    )
    if (together(frame) or frame.ranked) and not frame.has("each", "pivot"):
        return list(dict.fromkeys(d.column for d in by))[
            :2
        ]  # "adding both counters together", "五家酒店加在一起"
    strong = [d for d in strong if not alone(frame, d)]
    if frame.has("pivot") and len(strong) < 2:
        strong = list(frame.dims)  # "a branch by section table"
    marked = (
        strong or weak or (frame.dims if frame.wishes.ranked or frame.has("each", "pivot") else [])
    )
    keys = list(dict.fromkeys(d.column for d in marked))
    for (source, column), values in frame.named.items():
        several = len(values) > 1 and (source == frame.main.uuid or frame.has("each", "compare"))
        wide = frame.has("pivot") and len(values) > 1 and len(keys) < 2
        if (several or wide) and column not in keys and (not keys or wide) and not together(frame):
            keys.append(column)
    if not keys and frame.has("each") and frame.main.entity and EACH.search(frame.said.text):
        named = frame.named.get((frame.main.uuid, frame.main.entity))
        keys = [frame.main.entity] if not named else keys
    return keys[:2]


def alone(frame: Frame, dim: Dim) -> bool:
    """Tell whether each of a kind has one row, of which a mean or median makes no sense: that of
    all is meant.
    """
    column = frame.main.profile.column(dim.column) if dim.source == frame.main.uuid else None
    once = column is not None and column.distinct == frame.main.profile.rows
    return once and frame.has("mean", "median") and not frame.wishes.ranked


def together(frame: Frame) -> bool:
    """Tell whether several are to be told as one."""
    if APART.search(frame.said.text):
        return False
    return bool(
        re.search(
            r"\b(?:together(?! with)|combin(?:e|ed|ing)|altogether|in"
            r" total|jointly)\b|一共|加起来|加总|总共|合起来|合在一起|加在一起|合并|之和",
            frame.said.text,
        )
    )
