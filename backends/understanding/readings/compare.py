"""Readings that compare, and those that follow another one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.data.values import Condition
from backends.understanding.operations import Reading, dump, make
from backends.understanding.spans.periods import time_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import Profile
    from backends.understanding.operations import Parts


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


VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|did|does|do|got|get|ended|end|came|come|comes|made|make|paid|pay|went|go|goes|accounts?|accounted|contain"
    r"|belongs?|live|use|used|work|choose|chose|take|took|arrive[ds]?|left|with|that|who|which)\b"
)
OF = re.compile(
    r"\b(?:share|proportion|fraction|percentage|per ?cent|part|%)\b(?: \w+)? of\b|\b(?:what|which)"
    r" (?:percentage|percent|share) of\b"
)


OUTNUMBER = re.compile(r"outnumber|how many more (?!\w+ did )|单数|件数|次数|多了?几[单件个次]")
GAP = re.compile(
    r"\bgap\b|\bdifference\b(?!.*\b(?:from|than)\b)|\bdiffer\b|\bapart\b|相差|差距|差多少|之差"
)
SIGNED = re.compile(r"\b(?:more|less|higher|lower|increase|decrease|change)\b|变化|比")


def differences(how: str) -> Callable[[Parts], list[Reading]]:
    """Return the builder of absolute or percent differences between two sides."""

    def build(parts: Parts) -> list[Reading]:
        if len(parts.sides) != 2:
            return []
        first, second = parts.sides
        gap = how == "absolute" and GAP.search(parts.text) and not SIGNED.search(parts.text)
        way = "gap" if gap else how
        words = ["difference" if how == "absolute" else "change in %"]
        made: list[Reading] = []
        rows = 4.0 if parts.asks_rows or OUTNUMBER.search(parts.said) else 1.0
        made.append(
            make(
                parts,
                "difference",
                rows,
                [*words, "rows"],
                column=None,
                first=dump(first),
                second=dump(second),
                how=way,
                aggregate="count",
            )
        )
        for match in parts.measures[:3]:
            computed = next((name for name in ("median", "mean") if name in parts.operations), None)
            aggregate = computed or ("mean" if match.column.additive is False else "sum")
            made.append(
                make(
                    parts,
                    "difference",
                    2 * match.score + 2.2,
                    [*words, aggregate, match.column.name],
                    weak=match.weak,
                    column=match.column.name,
                    first=dump(first),
                    second=dump(second),
                    how=way,
                    aggregate=aggregate,
                )
            )
        return made

    return build


def shares(parts: Parts) -> list[Reading]:
    """What part the conditions select, of the rows or of a measure's sum."""
    if not parts.conditions:
        return []
    part, rest = split(parts)
    made = [
        make(
            parts,
            "share",
            3.0 if parts.asks_rows else 1.8,
            ["share of rows"],
            where=rest,
            part=dump(part),
            column=None,
        )
    ]
    for match in parts.measures[:2]:
        if (
            match.column.additive
            and match.score > 0.45
            and match.column.name not in parts.restricted
        ):
            of = OF.search(parts.text)
            said = of is not None and any(0 <= p - of.end() <= 18 for p in match.places)
            made.append(
                make(
                    parts,
                    "share",
                    0.6 + 1.2 * said + 2 * match.score,
                    ["share of", match.column.name],
                    where=rest,
                    part=dump(part),
                    column=match.column.name,
                )
            )
    return made


def split(parts: Parts) -> tuple[list[Condition], list[Condition]]:
    """Return the conditions that make the part, and those that hold for the whole too.

    "Of the active members, what share is on Basic": what stands before the share is the whole.
    "What percentage of orders from Berlin was returned": so is what stands between "of" and the
    verb.
    """
    if len(parts.conditions) < 2:
        return parts.conditions, []
    placed = list(zip(parts.conditions, parts.places, strict=True))
    cue = re.search(
        r"\b(?:share|proportion|fraction|percentage|per ?cent|part)\b|%|占|比例|百分", parts.text
    )
    at = cue.start() if cue else 0
    whole = [c for c, place in placed if place < at]
    if not whole and (of := OF.search(parts.text)):
        verb = VERB.search(parts.text, of.end())
        end = verb.start() if verb else gap_after(parts, of.end())
        whole = [c for c, place in placed if of.end() <= place < end]
        if not whole and verb is None:
            whole = [c for c, place in placed if place < max(parts.places)]
    if not whole or len(whole) == len(placed):
        times = {"date", "time"}
        columns = {c.name: c for c in parts.profile.columns}
        whole = [
            c
            for c, _ in placed
            if columns[c.column].kind in times
            or columns[c.column].role in ("year", "period", "quarter")
        ]
    if len(whole) == len(placed):
        whole = []
    return [c for c in parts.conditions if c not in whole], whole


def gap_after(parts: Parts, start: int) -> int:
    """Return where the first noun behind the first condition stands: "of the TiC-3 samples passed"
    cuts at samples.
    """
    places = sorted(p for p in parts.places if p >= start)
    if len(places) < 2:
        return start
    words = [
        m.start() for m in re.finditer(r"[^\s]+", parts.text) if places[0] < m.start() < places[1]
    ]
    return places[1] if words else start
