"""Conditions on yes/no columns: cancelled, not cancelled, uninsured, 会员, 非会员."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.data.values import ColumnProfile, Condition
from backends.understanding.spans.text import CJK, NOT, Question, bare, lexicon, name_words, stem

if TYPE_CHECKING:
    from backends.data.values import Scalar

TRUE = {"y", "yes", "true", "1", "t", "是", "有", "√", "x"}
FALSE = {"n", "no", "false", "0", "f", "否", "无", "没有", "-"}
PREFIX = re.compile(r"^(?:un|in|non-?|dis|im|ir)(?=[a-z]{4})")
NEGATED = re.compile(
    r"(?:\b(?:not|never|no|without|excluding|except|neither|nor|non|leaving out|" + NOT + r")(?:"
    r" (?:been|a|an|any|yet|have|got|being|get|were|was|the|allow|permit|accept|offer|provide|include|need|require|take|open|to|for|suitable|signed|sign|up|paid|registered))*["
    r" -]?|不是|没有?被?|未被?|非|不|除了?|没)$"
)
EITHER = re.compile(r" or (?:not|un[a-z]+)\b|与否")  # "sold or not" restricts nothing
FILLERS = {
    "allowed",
    "ok",
    "okay",
    "permitted",
    "accepted",
    "welcome",
    "available",
    "possible",
    "included",
    "required",
    "needed",
    "necessary",
}


@dataclass(frozen=True)
class Flag:
    """A condition, where it was said, and how it is shown."""

    condition: Condition
    words: str
    start: int
    end: int


def truth_of(column: ColumnProfile) -> tuple[Scalar, Scalar] | None:
    """Return a column's values for yes and for no; None if it holds anything else."""
    if column.kind == "boolean":
        return True, False
    values = column.values if column.complete else []
    yes = [v for v in values if str(v).lower() in TRUE]
    no = [v for v in values if str(v).lower() in FALSE]
    if len(values) == 2 and len(yes) == 1 and len(no) == 1:
        return yes[0], no[0]
    return None


def yes_or_no(
    question: Question, column: ColumnProfile, both: tuple[Scalar, Scalar]
) -> Flag | None:
    """Read "cancelled", "not cancelled", "uninsured", 会员, 非会员 as a value of a yes/no column."""
    for start, end, inverted in said(question, column):
        before = question.lower[:start]
        negation = NEGATED.search(before)
        if either := EITHER.match(question.lower[end:]):
            question.take(start, end + either.end(), "")
            return None
        if re.search(r"\b(?:which|by|per|each|different|distinct)\s+$", before):
            continue
        no = inverted != bool(negation)
        value = both[1] if no else both[0]
        at = negation.start() if negation else start
        condition = Condition(column=column.name, op="=", value=value)
        return Flag(
            condition, f"{'not ' if no else ''}{' '.join(name_words(column.name))}", at, end
        )
    return None


def said(question: Question, column: ColumnProfile) -> list[tuple[int, int, bool]]:
    """Return where a yes/no column is named, and whether with a prefix that turns it round."""
    if CJK.search(column.name):
        name = re.sub(r"^是否(?:为|有|已)?|情况$|与否$", "", bare(column.name))
        return (
            [(m.start(), m.end(), False) for m in re.finditer(re.escape(name), question.lower)]
            if name
            else []
        )
    short = lexicon("en").abbreviations
    names = [
        w
        for w in name_words(column.name)
        if w not in ("is", "has", "was", "flag", "yn") and w.isalpha()
    ]
    names = names[:-1] if len(names) > 1 and len(names[-1]) == 1 else names
    names = [w for w in names if w not in FILLERS] or names  # "flats that accept pets" of `Pets OK`
    found: list[tuple[int, int, bool]] = []
    if len(names) == 2:
        between = re.search(
            rf"\b{re.escape(names[0])}s? (?:\w+ )?(?:not|never|n't) (?:been"
            rf" )?{re.escape(names[1])}\b",
            question.lower,
        )
        between = between or re.search(
            rf"\b(?:not|never|{NOT}|yet to) (?:been |yet )?{re.escape(names[1])} (?:for )?(?:the"
            rf" |their |his |her |its |an? |any )?(?:\w+ )?{re.escape(names[0])}s?\b",
            question.lower,
        )
        if between:
            return [(between.start(), between.end(), True)]
    small = ("the", "a", "an", "their", "our", "its", "his", "her", "any")
    words = [w for w in question.words() if w.text not in small]
    for i, word in enumerate(words):
        plain = PREFIX.sub("", word.text)
        for text, inverted in ((word.text, False), (plain, True)):
            if inverted and plain == word.text:
                continue
            run = words[i : i + len(names)]
            if len(names) > 1 and len(run) == len(names) and not inverted:
                spelled = [[n, *short.get(n, [])] for n in names]
                if all(any(same(w.text, options) for w in run) for options in spelled):
                    found.append((run[0].start, run[-1].end, False))
            elif len(names) == 1 and (
                same(text, [names[0], *short.get(names[0], [])]) or text == names[0] + "s"
            ):
                found.append((word.start, word.end, inverted))
    return found


def same(word: str, names: list[str]) -> bool:
    """Tell whether a word is one of the names, endings aside: insured, insurance; adopted,
    adoption.
    """
    word = {"see": "seen", "saw": "seen"}.get(word, word)
    return any(
        word == n
        or stem(word) == stem(n)
        or (len(n) >= 6 and word[:6] == n[:6])
        or (len(word) >= 4 and n == word + word[-1] + "ing")
        for n in names
    )
