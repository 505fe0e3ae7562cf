"""Questions that say only what is different from the one before: another value or period, or
another picture.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.data.values import Condition
from backends.understanding.parts import Reading, dump
from backends.understanding.spans.when import time_columns

if TYPE_CHECKING:
    from backends.data.values import Profile
    from backends.understanding.parts import Parts

# "and in DATE?", "only VAL", 那1990年呢: spans are masked, and nothing is left but words that lead to
# them
ONLY_SPANS = re.compile(
    r"(?:(?:and|or|but|now|what|how|about|only|just|also|then|same|again|the|in|on|at|for|of|from|to|during|with|by|VAL|DATE|NUM|[?!.,:;])(?:\s+|$|(?=[?!.,:;]))"
    r"|VAL|DATE|NUM|那么?|只看|只要|只|换成|换|再看|再|看看?|在|的|呢|吗|如果|是|[？！。，、\s])+"
)
PICTURE = re.compile(
    r"(?:(?:and|now|then|please|can you|could you) )*(?:(?:draw|show|plot|make|give)(?: me)?(?:"
    r" (?:it|that|this|them|the same))?\s*)?(?:as|in|with|like)?\s*(?:an? )?"
    r"(?P<form>bars?|lines?)(?: (?:chart|graph|plot|diagram))?(?: instead)?(?: please)?[.!?]?"
    r"|(?:请|再|那)*(?:把它|把这个)?(?:画成|做成|换成|改成|用|以|画)?(?:一?[张个])?(?P<zh>柱状图|柱形图|条形图|折线图|线图)(?:表示|显示|展示)?[吧。！？]?",
    re.IGNORECASE,
)
CHARTED = ("group", "series")
SUMMED = ("count", "sum", "mean", "median")


def only_differs(masked: str) -> bool:
    """Tell whether a question, its spans masked, says nothing but a value or a period."""
    return bool(re.search("VAL|DATE|NUM", masked)) and ONLY_SPANS.fullmatch(masked) is not None


def redrawn(question: str, previous: Reading | None) -> Reading | None:
    """Return the reading before, to be drawn in the form a question asks for; None if it asks for
    more than that, or what came before is no row of numbers.
    """
    match = PICTURE.fullmatch(question.strip())
    if match is None or previous is None or previous.interface not in CHARTED:
        return None
    said = match["form"] or match["zh"]
    form = "line" if said.lower().startswith("line") or "线" in said else "bar"
    return previous.model_copy(update={"slots": {**previous.slots, "form": form}})


def carried(parts: Parts, previous: Reading) -> Reading | None:
    """Return the reading before with the values and periods a question names instead of those it
    had; None if they do not fit what it computed.
    """
    given = {k: v for k, v in previous.arguments.items() if k != "where"}
    if not parts.conditions or given.get("source") != parts.profile.source or parts.sides:
        return None
    if previous.interface in ("difference", "share", "between", "list_rows"):
        return None
    mine = replaced(parts)
    before = [Condition.model_validate(c) for c in previous.arguments.get("where") or []]
    where = [*(c for c in before if c.column not in mine), *parts.conditions]
    interface = previous.interface
    if interface == "group" and one_group(parts, given):
        interface, given = in_one(given)
    kept = [
        c
        for c in previous.conditions
        if any(said_of(c, one) for one in where[: -len(parts.conditions)])
    ]
    named = [w for w in previous.words if w not in previous.conditions]
    if interface != previous.interface:
        named = [interface, str(given["column"])] if "column" in given else [interface, "rows"]
    arguments: dict[str, Any] = {"source": parts.profile.source, "where": dump(where)}
    arguments |= {k: v for k, v in given.items() if k != "source"}
    return Reading(
        interface=interface,
        arguments=arguments,
        words=[*named, *kept, *parts.condition_words],
        conditions=[*kept, *parts.condition_words],
        score=9.0,
        slots={"interface": interface, **{k: v for k, v in arguments.items() if k != "source"}},
    )


def said_of(words: str, condition: Condition) -> bool:
    """Tell whether words that were shown are of a condition that is still there."""
    held = condition.value if isinstance(condition.value, list) else [condition.value]
    return condition.column in words or any(str(v)[:4] in words for v in held if v is not None)


def replaced(parts: Parts) -> set[str]:
    """Return the columns whose conditions before are replaced: those named now, of times all that
    belong together.
    """
    mine = parts.restricted
    times = {c.name for c in time_columns(parts.profile)}
    return mine | times if mine & times else mine


def one_group(parts: Parts, given: dict[str, Any]) -> bool:
    """Tell whether the conditions leave one group of those that were made."""
    return given.get("aggregate") in SUMMED and (
        given.get("by") in parts.held
        or (bool(given.get("date_part")) and given.get("by") in parts.restricted)
    )


def in_one(given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the operation that gives the number of one group."""
    column = given.get("column")
    how = str(given["aggregate"])
    return how, {"column": column} if column is not None and how != "count" else {}


def stays_in(profile: Profile, previous: Reading | None) -> bool:
    """Tell whether the question before was about this table."""
    return previous is not None and previous.arguments.get("source") == profile.source
