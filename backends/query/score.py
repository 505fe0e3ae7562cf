"""The probability that a frame is what the user meant, from features with fitted weights."""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any, cast

import yaml

from backends.data.compiler import walk
from backends.data.query import Aggregate, Call, Column, Expression, Query
from backends.query.annotate import Span, letters
from backends.query.frames import CUES, MOVED_MONEY, Frame
from backends.query.reading import ReadCondition, SpanReading

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

KEPT = 4096  # maximum number of words whose role in a sentence is cached, as many frames need it
# words and symbols between two alternative values, or between the two sides of a comparison
JOINING = ("and", "or", "to", "than", "against", "between", "minus", "plus", "not", "except")
LISTING = (",", "、", "/", "&", "+", "和", "与", "跟", "及", "或", "比", "と", "や", "か")
ACTED = re.compile(r"[a-z]{2}ed$")  # an English verb in the past tense
UNIT_PRICE = re.compile(
    r"单价|均价|単価|\bunit (?:price|cost)\b|\b(?:price|cost|rate|fee) (?:per|each)\b|[$£€¥元円]/",
    re.IGNORECASE,
)


# files of weights: for the rules alone, and for the rules with the network
ALONE, WITH_WRITER = "weights", "weights_with_writer"


@cache
def weights(known: str = ALONE) -> dict[str, float]:
    """Return the weight of each feature.

    known: the name of the file.
    """
    file = resources.files("resources.language") / f"{known}.yaml"
    return {
        str(k): float(v)
        for k, v in cast("dict[str, Any]", yaml.safe_load(file.read_text("utf-8"))).items()
    }


def features(reading: SpanReading, frame: Frame) -> dict[str, float]:
    """Return the evidence for and against a frame: its own features and its unread words."""
    found = dict(frame.features)
    roles = [c.score for c in reading.choices if c.role in ("value", "column")]
    found["links"] = sum(math.log(max(score, 0.05)) for score in roles)
    found["conditions"] = sum(math.log(max(c.score, 0.05)) for c in reading.conditions)
    for name in ("measure", "target"):
        found[name] = found[name] - 1 if found.get(name) else 0.0
    ahead = frame.query.forecast is not None  # a forecast is for dates that no table has
    outside = sum(_is_out_of_reach(c, reading) for c in reading.conditions)
    if outside and not ahead:
        found["out of reach"] = float(outside)
    if lone := _lone_alternatives(reading):
        found["lone alternatives"] = float(lone)
    if bare := sum(_is_bare_yes_or_no(c, reading) for c in reading.conditions):
        found["bare yes or no"] = float(bare)
    if told := sum(_is_constant(c, frame) for c in reading.conditions):
        found["constant measure"] = float(told)
    if _adds_prices(frame):
        found["prices added"] = 1.0
    if any(_is_key(item.expression, reading) for item in frame.query.group):
        found["group of one"] = 1.0
    relations = reading.table.words.compared
    echoed = echoes(reading, frame)
    for i, span in enumerate(reading.spans):
        if i in echoed:
            continue
        if i in frame.uses:
            role = reading.choices[i].role
            if role in ("value", "column"):
                found[f"read {role}"] = found.get(f"read {role}", 0) + reading.choices[i].score
                if role == "column" and _is_of_one_side(i, reading):
                    found["side as column"] = 1.0
            elif role == "sense" and span.concepts and not span.has(*BINDING):
                found["read concept"] = found.get("read concept", 0) + 1
            continue
        if span.number is not None and reading.choices[i].role == "sense":
            found["left number"] = found.get("left number", 0) + 0.5
        role = reading.choices[i].role
        if _is_act(span, reading):
            found["act aside"] = found.get("act aside", 0) + 1
        if i and role == "unknown" and _is_counted(reading, i):
            found["head aside"] = 1.0
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
                cue = cue_of(span.senses)
                if any(s.startswith("half day ") for s in span.senses):
                    found["left clock"] = found.get("left clock", 0) + 1
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


def _is_counted(reading: SpanReading, i: int) -> bool:
    """Return whether `how many` right before a span counts what the span names."""
    return reading.spans[i - 1].has("ask count") and reading.spans[i].text.islower()


def _is_act(span: Span, reading: SpanReading) -> bool:
    """Return whether a word says what people or things did and has no other meaning here: bought,
    scored.
    """
    if works(span.senses):
        return False
    words = reading.table.words
    key = words.key(span.text)
    ended = span.unknown and span.text.islower() and ACTED.search(span.text) is not None
    return key in words.acts or ended


@lru_cache(KEPT)
def cue_of(senses: tuple[str, ...]) -> str | None:
    """Return the first operation that the senses ask for, or None if they ask for none."""
    return next((c for c in CUES if any(s == c or s.startswith(f"{c} ") for s in senses)), None)


@lru_cache(KEPT)
def works(senses: tuple[str, ...]) -> bool:
    """Return whether senses have a function in a sentence: to compute, ask, compare, negate or
    connect.
    """
    return any(s.split()[0] in (*CUES, *BINDING, "ask", "not") or s[0] in "<>=" for s in senses)


def echoes(reading: SpanReading, frame: Frame) -> frozenset[int]:
    """Return the spans that only repeat what is used anyway.

    Such a span is part of a column's name, such as its unit (元 with GDP(亿元)), or names the
    table's subject as its title does. Or it says that something was done for which every row has a
    date (the potatoes that were picked).
    """
    used = {c.column for c in reading.conditions}
    taken = columns_of(frame.query)
    used |= {link.column.name for i in frame.uses if (link := reading.link(i)) is not None}
    table = reading.table
    columns = [one for one in table.columns if one.column.name in used]
    valued = reading.words_of_values(frame.uses)
    found: set[int] = set()
    spans = reading.spans
    for i, span in enumerate(spans):
        if i in frame.uses or reading.choices[i].role not in ("unknown", "column", "sense"):
            continue
        whole = bool(i) and spans[i - 1].has("whole")  # "across all tanks"
        if span.has("unit day") and not span.columns and reading.has_row_a_day():
            found.add(i)
            continue
        if _counts_named(i, reading, frame):
            found.add(i)
            continue
        if _names_rows(i, reading) or (whole and reading.choices[i].role == "column"):
            found.add(i)
            continue
        again = bool(span.columns) and span.columns[0].column.name in taken
        again = again and span.columns[0].score >= 0.8 and reading.choices[i].role != "column"
        if (
            again
            or _completes(i, reading, used)
            or _is_idle_over(i, reading)
            or is_verb(i, reading)
        ):
            found.add(i)
            continue
        if works(span.senses):
            continue
        text = letters(span.text)
        wide = not text.isascii()
        named = any(text in c.raw if wide else text in c.parts for c in columns)
        beside = {i - 1, i + 1, i + 2} & set(frame.uses)  # the period in "Dr." is a separate span
        named = named or (not wide and beside and text in valued)  # "Dr. Okafor"
        measured = any({text, *span.senses} & c.units for c in columns)
        if text and (named or measured or _is_of_title(i, reading) or _is_done(i, reading)):
            found.add(i)
    return frozenset(found)


def columns_of(query: Query) -> frozenset[str]:
    """Return the columns that a query shows, groups by or orders by."""
    taken = [*query.items, *query.group]
    expressions = [one.expression for one in taken] + [one.by for one in query.order]
    return frozenset(
        part.name for one in expressions for part in walk(one) if isinstance(part, Column)
    )


def _is_of_one_side(i: int, reading: SpanReading) -> bool:
    """Return whether a word for money received or spent is also a value of a column: 花 is 支出."""
    span = reading.spans[i]
    return bool({*MOVED_MONEY} & set(span.concepts)) and any(v.score >= 0.8 for v in span.values)


def _names_rows(i: int, reading: SpanReading) -> bool:
    """Return whether a span is the name of the column that labels each row, and is not asked for:
    the trees on rootstock M25.
    """
    link = reading.link(i)
    if link is None or link.score < 0.95 or link.column.kind != "text" or link.column.missing:
        return False
    if _is_plural(reading.spans[i].text, link.column.name):  # "the Fluke instruments"
        asked = ("ask which", "ask who", "ask what", "list", "group", "per", "distinct", "count")
        return not any(s.has(*asked, "ask count") for s in reading.spans[max(0, i - 2) : i])
    if any(s.has("ask which", "ask who", "list", "group", "per") for s in reading.spans[:i]):
        return False
    return link.column.distinct >= 0.97 * reading.table.profile.rows


def _counts_named(i: int, reading: SpanReading, frame: Frame) -> bool:
    """Return whether a span says what the rows are that a frame counts for each group: how many
    defects on each road, with a column called Defect.
    """
    link = reading.link(i)
    if not i or link is None or not frame.query.group or not reading.spans[i - 1].has("ask count"):
        return False
    counts = any(
        isinstance(one.expression, Aggregate) and one.expression.name == "count"
        for one in frame.query.items
    )
    return counts and _is_plural(reading.spans[i].text, link.column.name)


def _is_plural(word: str, name: str) -> bool:
    """Return whether an English word is the plural of a column's name."""
    one = name.lower()
    return word.lower() in (f"{one}s", f"{one}es", f"{one[:-1]}ies" if one[-1:] == "y" else "")


def is_verb(i: int, reading: SpanReading) -> bool:
    """Return whether a word without a meaning here is in the position of a verb: who shore the
    most, did a team play. Such a verb says what the rows are about.
    """
    spans, span = reading.spans, reading.spans[i]
    if not i or reading.choices[i].role == "column" or not span.text.isascii():
        return False
    if not span.text.islower() or not (span.unknown or span.concepts) or works(span.senses):
        return False
    ahead = next((s for s in spans[i + 1 :] if not s.has("of")), None)
    asked = spans[i - 1].has("ask who") or (
        i > 1 and reading.choices[i - 1].role == "column" and spans[i - 2].has("ask which")
    )  # "which driver covered the most km"
    if asked and ahead is not None and ahead.has("max", "min", "count"):
        return True
    if spans[i - 1].has("doer") and any(reading.choices[k].role == "column" for k in range(i - 1)):
        return True  # "how much VAT did we charge"
    if not span.unknown:
        return False
    for j in range(i - 1, max(-1, i - 5), -1):
        if spans[j].has("auxiliary", "doer"):
            named = any(reading.choices[k].role in ("column", "value") for k in range(j + 1, i))
            return named or spans[j].has("doer")
        if spans[j].unknown:
            return False
    return False


def _completes(i: int, reading: SpanReading, used: set[str]) -> bool:
    """Return whether a span only completes the name of a column that is used: the Music score, the
    Fixed date.
    """
    link = reading.link(i - 1) if i else None
    if link is None or link.column.name not in used:
        return False
    dated = reading.words_of(link.column).dated and "date" in reading.spans[i].concepts
    return dated or reading.spans[i].has("compound")


def _is_idle_over(i: int, reading: SpanReading) -> bool:
    """Return whether a comparison word that is mostly a filler has no number to compare with: over
    the season.
    """
    span = reading.spans[i]
    if not span.has("stop") or not any(s[0] in "<>" for s in span.senses):
        return False
    ahead = reading.spans[i + 1 : i + 4]
    return not any(s.number is not None or s.clock is not None or s.period for s in ahead)


def _is_of_title(i: int, reading: SpanReading) -> bool:
    """Return whether the table's title contains the words of a span that has no other meaning."""
    span, table = reading.spans[i], reading.table
    link = reading.link(i)
    if link is not None and link.score < 0.85:  # 鱼 in addition to 鱼种, if every row is about fish
        if not span.text.isascii():
            return letters(span.text) in letters(table.profile.name)
        tokens = reading.annotation.tokens[span.first : span.last]
        # "dives" with the column Dive no
        return all(token.key in table.title for token in tokens if token.word)
    meant = bool(span.concepts) and reading.choices[i].role == "sense" and not span.columns
    if not span.unknown and not meant:  # its spelling or the lexicon gives it another meaning
        return False
    tokens = reading.annotation.tokens[span.first : span.last]
    if any(token.wide for token in tokens):
        return len(span.text) > 1 and letters(span.text) in letters(table.profile.name)
    return all(token.key in table.title for token in tokens if token.word)


def _is_done(i: int, reading: SpanReading) -> bool:
    """Return whether a span is the name of a date column that is filled in every row."""
    link = reading.link(i)
    if link is not None and link.column.missing == 0 and i and reading.spans[i - 1].has("copula"):
        return reading.spans[i].text.islower() and letters(reading.spans[i].text) != letters(
            link.column.name
        )  # "how many vans were fined"
    return (
        link is not None
        and link.score >= 0.75
        and link.column.missing == 0
        and reading.words_of(link.column).dated
        and reading.spans[i].text == reading.spans[i].text.lower()
        and not any(sense.startswith("unit ") for sense in reading.spans[i].senses)
    )


def _lone_alternatives(reading: SpanReading) -> int:
    """Return how many values of one column are read as alternatives without a word that says so."""
    held: dict[str, list[ReadCondition]] = {}
    for c in reading.conditions:
        if c.kind == "value" and not _is_denied(c):
            held.setdefault(c.column, []).append(c)
    lone = 0
    for alike in held.values():
        for first, last in pairwise(sorted(c.at for c in alike)):
            between = reading.spans[first + 1 : last]
            lone += not any(s.has(*JOINING) or s.text.strip() in LISTING for s in between)
    return lone


def _is_denied(condition: ReadCondition) -> bool:
    """Return whether a condition says what a value is not."""
    made = condition.expression
    return isinstance(made, Call) and made.name in ("not", "!=")


def _is_bare_yes_or_no(condition: ReadCondition, reading: SpanReading) -> bool:
    """Return whether the value yes or no was read from such a word alone, without a mention of its
    column.
    """
    if condition.kind != "value":
        return False
    bare = any(
        {"yes", "no"} & set(reading.spans[i].concepts)
        and reading.spans[i].has("stop", "not", "filled")
        for i in condition.spans
    )
    links = [reading.link(i) for i in condition.spans]
    return bare and not any(link is not None and link.score >= 0.7 for link in links)


def _is_constant(condition: ReadCondition, frame: Frame) -> bool:
    """Return whether a number is computed from a column whose value a condition already fixes."""
    made = condition.expression
    if not isinstance(made, Call) or made.name != "=" or condition.kind not in ("number", "value"):
        return False
    measured = [item.expression for item in frame.query.items]
    return any(
        isinstance(one, Aggregate)
        and one.name not in ("count", "distinct")
        and made.args[0] in one.args
        for one in measured
    )


def _adds_prices(frame: Frame) -> bool:
    """Return whether unit prices are added up, which nobody asks for."""
    return any(
        isinstance(one.expression, Aggregate)
        and one.expression.name == "sum"
        and one.expression.args[:1]
        and isinstance(part := one.expression.args[0], Column)
        and UNIT_PRICE.search(part.name) is not None
        for one in frame.query.items
    )


def _is_key(expression: Expression, reading: SpanReading) -> bool:
    """Return whether no two rows share the grouping value."""
    if not isinstance(expression, Column):
        return False
    profile = reading.table.profile
    column = profile.column(expression.name)
    return column is not None and column.distinct >= 0.97 * (profile.rows - column.missing)


def _is_out_of_reach(condition: ReadCondition, reading: SpanReading) -> bool:
    """Return whether a condition is a period in which the table has no dates at all."""
    clock, period = reading.annotation.clock, condition.period
    if period is None or clock.low is None or clock.high is None:
        return False
    late = period.start is not None and period.start > clock.high
    return late or (period.end is not None and period.end < clock.low)


def score(found: dict[str, float], known: str = ALONE) -> float:
    """Return the weighted sum of features."""
    weight = weights(known)
    return sum(weight.get(name, 0.0) * value for name, value in found.items())


# Apart from its score, these features determine how certain an interpretation is: what it leaves
# unused, and what it is based on.
TOLD = (
    *("unknown", "unknown name", "left column", "left concept", "left value", "left date"),
    *("act aside", "head aside", "left number", "left denial", "left comparison"),
    *("left pending", "uncued", "counted"),
    *("read value", "read column", "read concept", "links", "conditions", "measure", "target"),
    *("unconditional", "out of reach", "writer", "writer none", "writer's own", "unwritable"),
)


def grounds(
    total: float, share: float, unread: int, strange: int, found: dict[str, float]
) -> dict[str, float]:
    """Return the grounds for the certainty of an interpretation, by name.

    total: its score. share: its share of the weight of all interpretations, 0 to 1. unread: the
    number of its unread words. strange: how many of these ask for something the table lacks. found:
    its features.
    """
    return {
        "sure": 1.0,
        "sure total": max(-12.0, min(6.0, total)),
        "sure share": share,
        "sure unread": min(unread, 3),
        "sure strange": min(strange, 2),
        **{f"sure {name}": found[name] for name in TOLD if name in found},
    }


def certainty(on: dict[str, float], known: str = ALONE) -> float:
    """Return the probability that the best interpretation was meant, as fitted on a corpus.

    on: its grounds.
    """
    weight = weights(known)
    told = sum(weight.get(name, 0.0) * value for name, value in on.items())
    return 1 / (1 + math.exp(-told))
