"""Readings that set two numbers in relation: difference, change in percent, share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.parts import dump, make

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import Condition
    from backends.understanding.parts import Parts, Reading

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
