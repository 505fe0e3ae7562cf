"""Conditions said without a value: cancelled, uninsured, not yet returned, without a red card, 3
bedrooms.
"""

from __future__ import annotations

import re

from backends.data.values import ColumnProfile, Condition, Profile
from backends.understanding.spans.numbers import WORDS
from backends.understanding.spans.text import CJK, Question, bare, lexicon, name_words, stem
from backends.understanding.spans.units import unit_said
from backends.understanding.spans.yes_no import NEGATED, Flag, truth_of, yes_or_no
from backends.understanding.values.linking import numbered

NONE = (
    r"(?:without (?:a |an |any |the )?(?:single )?|with no |with zero |had no |have no |has no"
    r" |having no |lack(?:s|ed|ing)? (?:a |an |any )?|(?:there (?:is|was|were|are) )?no (?:recorded"
    r" )?|zero |(?:is|are|was|were) missing (?:a |an |their |the )?|missing (?:a |an |the"
    r" )?|do(?:es)?n['’]t have (?:a |an |any )?|did(?: not|n['’]t) (?:have|get|give|leave|receive)"
    r" (?:a |an |any )?|(?:no|not any) )"
)
BLANK = re.compile(
    r"^ *(?:field |value |cell )?(?:is |are |was |were )?(?:missing|blank|empty|unknown|not"
    r" (?:given|recorded|known|filled in)|null)"
)
GONE = re.compile(r"\bout of stock\b|\bsold out\b|缺货|断货|没货|无货")


def find_flags(question: Question, profile: Profile) -> list[Flag]:
    """Take conditions without a value out of the question."""
    found: list[Flag] = []
    for column in profile.columns:
        both = truth_of(column)
        flag = yes_or_no(question, column, both) if both else none_of(question, column)
        flag = flag or counted(question, column) or signed(question, column)
        if flag is not None:
            question.take(flag.start, flag.end, "VAL")
            found.append(flag)
    return found


EARNED = re.compile(r"profit|net ?income|earnings|^net$|净利|利润|盈利", re.IGNORECASE)
AT_A_LOSS = re.compile(
    r"\b(?:(?:make|made|making|makes|at|had|with|reported|ran) an? (?:net )?loss(?!es? of)|lost"
    r" money|losing money|loss[- ]making|unprofitable|in the red)\b|亏损|亏钱|赔钱"
)
AT_A_PROFIT = re.compile(
    r"\b(?:(?:make|made|making|makes|at|had) a (?:net )?profit(?! of)|in the black|made money|was"
    r" profitable|were profitable)\b|盈利(?=的)|赚钱了?的"
)


def signed(question: Question, column: ColumnProfile) -> Flag | None:
    """Read "made a loss" and 亏损 as less than nothing in a column of profits."""
    if column.role != "measure" or not EARNED.search(" ".join(name_words(column.name))):
        return None
    for pattern, op in ((AT_A_LOSS, "<"), (AT_A_PROFIT, ">")):
        if (match := pattern.search(question.lower)) and question.free(match.start(), match.end()):
            condition = Condition.model_validate({"column": column.name, "op": op, "value": 0})
            return Flag(condition, f"{column.name} {op} 0", match.start(), match.end())
    return None


def none_of(question: Question, column: ColumnProfile) -> Flag | None:
    """Read "without a red card", "no fine", "not returned yet" as nothing in a column."""
    name = phrase(column)
    if not name:
        return None
    zero = column.kind == "number" and column.low == 0
    if (
        zero
        and (gone := GONE.search(question.lower))
        and re.search(r"qty|quant|stock|hand|库存|数量", column.name, re.I)
    ):
        return Flag(
            Condition(column=column.name, op="=", value=0),
            f"{column.name} 0",
            gone.start(),
            gone.end(),
        )
    if not zero and not column.missing:
        return None
    nothing = Condition(column=column.name, op="=" if zero else "empty", value=0 if zero else None)
    shown = f"{column.name} {0 if zero else 'empty'}"
    for pattern in (
        rf"{NONE}(?:\w+ )?{name}\b",
        (
            r"\bnothing (?:entered |recorded |given |noted |written )?(?:for|in|under) (?:the"
            rf" )?{name}\b"
        ),
        rf"(?:没有|没有?填|无|缺少?|未填){name}",
        rf"{name}(?:为空|缺失|为零|是空的|没填)",
    ):
        if (match := re.search(pattern, question.lower)) and question.free(
            match.start(), match.end()
        ):
            return Flag(nothing, shown, match.start(), match.end())
    gone = re.search(
        r"\b(?:abs|absent|missing|blank|n/a|no (?:result|value|mark|score)) (?:for|in|on|from)"
        rf" (?:the |their |its )?{name}\b",
        question.lower,
    )
    if gone and question.free(gone.start(), gone.end()):
        return Flag(nothing, shown, gone.start(), gone.end())
    for match in re.finditer(rf"\b{name}\b", question.lower):
        if (blank := BLANK.match(question.lower[match.end() :])) and question.free(
            match.start(), match.end()
        ):
            return Flag(nothing, shown, match.start(), match.end() + blank.end())
    return undone(question, column) if column.missing else None


def undone(question: Question, column: ColumnProfile) -> Flag | None:
    """Read "have not been returned" as nothing in `returned_on`."""
    doings = {
        stem(w)
        for w in name_words(column.name)
        if w.endswith("ed") or w in ("sold", "paid", "sent", "left")
    }
    for word in question.words():
        if stem(word.text) in doings and (negation := NEGATED.search(question.lower[: word.start])):
            end = word.end + (5 if question.lower[word.end :].startswith(" yet") else 0)
            return Flag(
                Condition(column=column.name, op="empty"),
                f"{column.name} empty",
                negation.start(),
                min(end, len(question.text)),
            )
    return None


def phrase(column: ColumnProfile) -> str:
    """Return a pattern of a column's name as it is said, plural and spaces aside."""
    if CJK.search(column.name):
        return re.escape(
            re.sub(r"(?<=..)(?:次数|天数|数量|数|情况|日期|时间)$", "", bare(column.name))
        )
    short = lexicon("en").abbreviations
    words = [w for w in name_words(column.name) if len(w) > 1 or w.isalpha()]
    words = words[:-1] if len(words) > 1 and unit_said(words[-1]) else words
    words = [
        w for w in words if w not in ("qty", "quantity", "count", "amount", "number", "total", "no")
    ] or words
    spellings = [[re.escape(stem(m)) for m in [w, *short.get(w, [])]] for w in words]
    return r"[\s_-]?".join(f"(?:{'|'.join(options)})(?:e?s|ed|ing|[ed])?" for options in spellings)


def counted(question: Question, column: ColumnProfile) -> Flag | None:
    """Read "3 bedrooms", "only one exhibition", "2 guests" as a number in a column of whole
    numbers.
    """
    name = phrase(column)
    if not (column.integer and column.role in ("measure", "category") and name) or CJK.search(
        column.name
    ):
        return None
    if isinstance(column.high, int) and column.high > 500:
        return None
    numbers = "|".join(WORDS)
    for match in re.finditer(
        rf"(?:\b(?:only|just|exactly|precisely) )?(?<![\d.,$€£#-])\b(\d{{1,3}}|{numbers})["
        rf" -]{name}\b",
        question.lower,
    ):
        before = question.lower[: match.start()].rstrip()
        if re.search(
            r"(?:top|first|last|bottom|than|least|most|over|under|above|below|exceed\w*|to|and|or|between|by|past|previous)$",
            before,
        ):
            continue
        if re.match(
            r"\s*(?:or|and)"
            r" (?:more|less|fewer|above|over|under|up|better|worse|higher|lower|newer|older|later|earlier)",
            question.lower[match.end() :],
        ):
            continue
        if not question.free(match.start(), match.end()):
            continue
        value = int(match[1]) if match[1].isdigit() else WORDS[match[1]]
        return Flag(
            Condition(column=column.name, op="=", value=value),
            f"{column.name} {value}",
            match.start(),
            match.end(),
        )
    return None


def find_numbered(question: Question, profile: Profile) -> list[Flag]:
    """Take "store 12" and "route 18X" out of the question: a column's name and one of its
    values.
    """
    found: list[Flag] = []
    for column in profile.columns:
        small = (
            column.role == "measure"
            and isinstance(column.high, int)
            and column.high <= 9999
            and column.name.isascii()
        )
        listed = column.values or column.role == "identifier" or small  # "table 7"
        if (
            (column.integer or column.kind == "text")
            and listed
            and column.role not in ("year", "period")
        ):
            hit = numbered(question, column)
            if hit is not None:
                question.take(hit[1], hit[2], "VAL")
                found.append(
                    Flag(
                        Condition(column=column.name, op="=", value=hit[0]),
                        f"{column.name} {hit[0]}",
                        hit[1],
                        hit[2],
                    )
                )
    return found
