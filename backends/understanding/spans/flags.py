"""Words that change how a question is read: not, only, each, and columns of yes and no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.data.values import ColumnProfile, Condition, Profile
from backends.understanding.spans.numbers import WORDS, unit_said
from backends.understanding.spans.text import CJK, NOT, Question, bare, lexicon, name_words, stem
from backends.understanding.values import numbered

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
