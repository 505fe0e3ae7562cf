"""Evidence: find the sentence of a passage that answers a question, and estimate how likely it is
to do so."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, Any

import yaml

from app.documents.passages import BULLET, STOPS, spans_of, token_count
from app.documents.terms import (
    CJK,
    KANA,
    RUN,
    common_runs,
    common_words,
    is_light,
    language_of,
    pairs,
    stem,
    stem_set,
    terms_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SOFT = 4  # search rank at which the bonus for an early passage is halved
SHORT = 6  # sentences with fewer tokens are joined with the next one
JOINED = 120  # maximum number of tokens in two sentences that are quoted together
OPENING = 4  # maximum number of lines for a document's title and the details below it
EDGE = 3  # number of lines at the top and at the bottom of a page that may be headers and footers
HEADING = 60  # maximum number of characters in a line that may be a heading
ABSENT = 0.7  # weight of a word that occurs in no document, as a share of the rarest word's weight
KATAKANA_WORD = 1.5  # a katakana word, however long, has the weight of this many pairs
HANGING = 0.5  # factor for the weight of a pair of characters if one of them is kana or a particle
LIKELY = 0.42  # lowest probability at which a part of a passage counts as an answer
# factor for the probability of a part without the question's subject, if no document mentions it
# either
STRANGE = 0.6
FORMLESS = 0.65  # factor for the probability of a part without an answer of the kind wanted
# factor for the probability of a part without the negation that the question asks for
UNDENIED = 0.75
# another part may also be the answer if its probability is at least this share of the best one's
CLOSE = 0.93
LACKS_FORM = 3  # index of the sign that a candidate contains no answer of the kind wanted
LACKS_NO = 10  # index of the sign that a candidate lacks the negation of the question
TOGETHER = 13  # index of the sign that two sentences are quoted together
COMPARED = (5, 14)  # indexes of the signs in which a candidate is compared with the best candidate
# Weights for a constant, for the signs of a candidate, and for their distances to the best values,
# as found by tests/bench/evidence.py.
WEIGHTS = (
    *(-5.28, 0.05, 2.51, 0.07, -2.57, 4.59, 1.53, -2.52, -3.83, -2.62, 0.71),
    *(-1.79, -0.48, 0.12, -0.60, 0.58, 2.31, 1.64, -0.12, 1.89, 1.00),
)
# How a sentence starts if its subject is named in the previous sentence.
POINTS_BACK = re.compile(
    r"\W*(?:(?:it|they|he|she|this|these|those|er|sie|es|il|elle|ils|elles)\b|它|他们|她|他|其|这|此|これ|それ|その|この)",
    re.IGNORECASE,
)
VERB = re.compile(r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff])[\u3041-\u309f]")
# The noun that is counted ("how many days", "几天", "何人"), and how its number can be written.
COUNTED = re.compile(r"\bhow many (\w+)(?: (\w+))?", re.IGNORECASE)
COUNTED_WIDE = re.compile(r"(?:几|多少|何)([\u4e00-\u9fff\u30a1-\u30ff])([\u4e00-\u9fff])?")
COUNTERS = "个個名人位只隻份部条本册冊枚台件回次种種倍日天年月周週家軒间匹頭头歳岁米分秒点點章期代階层楼座张班节页頁ページ"
SAME_COUNTER = ("人名位", "日天", "本册冊", "歳岁", "个個", "层楼階", "回次", "周週")
NUMBER_WORD = (
    r"(?:\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
    r"|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|million|no|several|half)\b)"
)
NUMBER_WIDE = "[\\d〇零一二三四五六七八九十百千万亿億两両半]"
SIGN = rf"(?:(?!{CJK})\w)"  # a character of a number or an id
CALENDAR = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b"
)
# A word in hiragana that continues in another script, as in "もも狩り", but not この or どの.
KANA_WORD = re.compile(
    r"(?<![\u3041-\u30ff\u4e00-\u9fff])(?![こそあど]の|まだ|もう|また|なお|よく|いま)"
    r"[\u3041-\u309f]{2,5}(?=[\u4e00-\u9fff])"
)
KANA_ONLY = re.compile(r"[\u3040-\u309f]+")
# The number of a section or a page is not an answer: "5.1.2 Clean it", "§ 12 Boats".
NUMBERING = re.compile(
    r"(?m)^\s*(?:§\s*)?\d+(?:\.\d+)*[.)]?(?=\s)|^\s*\d{1,4}\s*$|§\s*\d+|第[〇零一二三四五六七八九十百\d]+[条章节款項条]"
)
# Patterns for where a question names its subject: "how much do cats cost", "雑誌は何週間".
SUBJECT = re.compile(
    r"\b(?:do|does|did|is|are|was|were|can|could|may|must|should|shall|will|has|have|kostet|kosten"
    r"|ist|sind|darf|dürfen|muss|müssen|est|sont)\s+(?:not\s+)?(?:(?:the|an?|my|our|your|any|every"
    r"|each|der|die|das|den|ein|eine|le|la|les|un|une)\s+)?(?!(?:there|in|on|at|for)\b)([^\W_]+(?:\s+[^\W_]+)?)",
    re.IGNORECASE,
)
SUBJECT_JA = re.compile(r"(.+?)(?:は|って)")
SUBJECT_ZH = re.compile(
    r"(.{2,}?)(?:什么|哪|谁|几|多|怎|如何|何时|何地|是|有|叫|由|在|能|可以|应|须|需|必须|要|归|属|每)"
)
# kinds for which the answer is not the subject of the question
NAMED = ("person", "identity", "organisation")
KATAKANA_SIGN = re.compile(r"[\u30a0-\u30ff]")
KATAKANA = re.compile(r"[\u30a1-\u30ff]{3,}")


@dataclass(frozen=True)
class AnswerKind:
    """A kind of answer: the words that ask for it, and its form.

    focus: stems and pairs of characters that name the kind. An answer with the right form implies
    them.
    """

    name: str
    asks: re.Pattern[str]
    holds: re.Pattern[str]
    focus: frozenset[str]


@cache
def answer_kinds() -> tuple[AnswerKind, ...]:
    """Return the kinds of answers, more specific ones first."""
    raw = word_list("answers")
    return tuple(
        AnswerKind(
            name,
            re.compile("|".join(one["asks"]), re.IGNORECASE),
            re.compile("|".join(one["holds"]), 0 if one.get("case") else re.IGNORECASE),
            stem_set(one["focus"]),
        )
        for name, one in raw.items()
    )


def word_list(name: str) -> dict[str, Any]:
    """Return a word list that is shipped with Deskpilot."""
    return yaml.safe_load(
        files("resources").joinpath("documents", f"{name}.yaml").read_text("utf-8")
    )


@dataclass(frozen=True)
class Negation:
    """The words that negate, the phrases that only look like negations, and the ways in which
    yes-or-no questions begin.
    """

    denies: re.Pattern[str]
    seems: re.Pattern[str]
    whether: re.Pattern[str]

    def is_in(self, text: str) -> bool:
        """Return whether a text contains a negation."""
        return self.denies.search(self.seems.sub(" ", text)) is not None


@cache
def negation() -> Negation:
    """Return the negations of all languages."""
    raw = word_list("negation")
    return Negation(
        *(re.compile("|".join(raw[key]), re.IGNORECASE) for key in ("denies", "seems", "whether"))
    )


@dataclass(frozen=True)
class SynonymGroup:
    """Words and phrases with almost the same meaning. wide: those in Chinese and Japanese. The
    others are stored as stems surrounded by spaces.
    """

    words: tuple[str, ...]
    wide: bool


@cache
def synonym_groups() -> tuple[SynonymGroup, ...]:
    """Return the groups of synonyms."""
    raw = word_list("synonyms")
    latin = [tuple(stems_of(word) for word in line.split(", ")) for line in raw["latin"]]
    wide = [tuple(line.split(", ")) for line in raw["wide"]]
    return tuple(SynonymGroup(one, wide=False) for one in latin) + tuple(
        SynonymGroup(one, wide=True) for one in wide
    )


def stems_of(text: str) -> str:
    """Return the stems of a text in order, with a space before and after each."""
    words = (stem(word) for word in re.findall(r"[^\W_]+", text))
    return f" {' '.join(words)} "


@dataclass(frozen=True)
class DocumentQuestion:
    """The analysis of a question.

    units: what an answer should mention, each with its weight: stems of words, ids, and pairs of
    Chinese, Japanese or Korean characters. names: those units that are names or numbers. kind: the
    kind of answer wanted. counted: the form of a number followed by the things that are counted.
    weak: stems that only help to choose between two sentences on the same subject. ways: other
    words for a unit. loose: pairs of characters that no document contains. A text mentions such a
    pair if it contains both characters. negative: whether the question asks what is not, or must
    not be, the case. whether: whether the answer may be yes or no. subject: the units for what the
    question is about. unknown: units that no document contains.
    """

    units: Mapping[str, float]
    names: frozenset[str]
    kind: AnswerKind | None
    counted: re.Pattern[str] | None = None
    weak: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    ways: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    negative: bool = False
    whether: bool = False
    subject: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()

    @property
    def everything(self) -> frozenset[str]:
        """All units."""
        return frozenset(self.units)

    def share(self, some: frozenset[str], whole: frozenset[str]) -> float:
        """Return the weight of some units as a share of the weight of others, or 0.5 if the others
        have no weight.
        """
        total = sum(self.units[unit] for unit in whole)
        return sum(self.units[unit] for unit in some) / total if total else 0.5


@dataclass(frozen=True)
class AnswerSentence:
    """A part of a passage that may answer a question. start, end: its position in the passage.

    signs: the evidence for and against it, each value from 0 to 1, in this order:

    - the share of the question's plain words in the part and its neighbours, then in its passage
    - the share of the question's names that its passage lacks
    - whether it lacks an answer of the kind wanted
    - how early the passage was found
    - of the words that no heading contains, the share in the part, then in its passage
    - how few words the question has
    - how much the part says beyond the question
    - whether it contains a number or id from the question
    - whether it lacks the question's negation
    - whether it contains a negation that is not in the question
    - the share of the question's weak words that it contains
    - whether it consists of two sentences
    - of the words that neither a heading nor the document's title contains, the share in the part,
      then with its neighbours, then in its passage
    - whether the part and the text around and above it say nothing about the question's subject

    refuted: whether its passage lacks a number or id from the question and is therefore about
    another year, section or part, or whether the part only repeats words from the question.
    strange: whether neither the part nor any document says anything about the question's subject.
    """

    start: int
    end: int
    signs: tuple[float, ...]
    refuted: bool = False
    strange: bool = False


def read_question(
    question: str, frequency: Callable[[str], int], passages: int
) -> DocumentQuestion:
    """Return the analysis of a question.

    frequency: returns how many passages an FTS5 expression occurs in. passages: the number of
    passages in the index.
    """
    plain = unicodedata.normalize("NFKC", question)
    units: dict[str, float] = {}
    names: set[str] = set()
    unknown: set[str] = set()
    common = common_words()[language_of(plain)]
    rarest = weight_of(1, passages)
    first = True
    for term in terms_of(plain):
        if RUN.fullmatch(term):
            units |= pairs_asked(term, frequency, passages)
            continue
        known_first, first = first, False
        if term.lower() in common or (len(term) == 1 and not term.isdigit()):
            continue
        parts = re.split(r"[./:-]", term)
        count = frequency('"' + " ".join(parts) + '"')
        weight = weight_of(count, passages) if count else ABSENT * rarest
        for part in parts if not any(map(str.isdigit, term)) else [term]:
            unit = stem(part)
            if not count:
                unknown.add(unit)
            units[unit] = weight / (len(parts) if unit != term else 1)
            if is_name(term, first=known_first, question=plain):
                names.add(unit)
    kind = next((one for one in answer_kinds() if one.asks.search(plain)), None)
    weak = common_words()["weak"].intersection(map(str.lower, terms_of(plain)))
    loose = loose_pairs(units, frequency)
    return DocumentQuestion(
        units,
        frozenset(names),
        kind,
        counted_form(plain) if kind is not None else None,
        frozenset(map(stem, weak)) - (kind.focus if kind is not None else frozenset())
        if language_of(plain) == "en"
        else frozenset(),
        loose,
        ways_of(plain, units),
        negation().is_in(plain),
        negation().whether.search(plain) is not None,
        subject_of(plain, units),
        loose | unknown,
    )


def subject_of(question: str, units: Mapping[str, float]) -> frozenset[str]:
    """Return the units for what a question is about, or an empty set if its form does not reveal
    this."""
    if KANA.search(question):
        found = SUBJECT_JA.match(question)
    elif RUN.search(question):
        found = SUBJECT_ZH.match(question)
    elif found := SUBJECT.search(question):
        stems = [stem(word) for word in found[1].split()]
        return frozenset([one for one in stems if one in units][:1])
    if found is None:
        return frozenset()
    stems = stem_set(found[1])
    return frozenset(unit for unit in units if unit in found[1] or unit in stems)


def counted_form(question: str) -> re.Pattern[str] | None:
    """Return the form of a number followed by the things that a question counts, or None if it does
    not ask for a count of named things.
    """
    if found := COUNTED.search(question):
        words = [stem(word) for word in found.groups() if word]
        things = "|".join(re.escape(word) for word in words if word not in common_words()["en"])
        return re.compile(rf"{NUMBER_WORD}(?:\W+\w+){{0,2}}?\W+(?:{things})", re.IGNORECASE)
    found = COUNTED_WIDE.search(question)
    if found is None or found[1] in "钱度":
        return None
    if found[1] in COUNTERS:
        same = next((one for one in SAME_COUNTER if found[1] in one), found[1])
        return re.compile(rf"{NUMBER_WIDE}.{{0,3}}?[{same}]")
    thing = re.escape(found[1] + (found[2] or ""))
    return re.compile(
        rf"{NUMBER_WIDE}.{{0,2}}?{thing}|{thing}[^，。]{{0,6}}{NUMBER_WIDE}[名人位个個家户只]"
    )


def loose_pairs(units: Mapping[str, float], frequency: Callable[[str], int]) -> frozenset[str]:
    """Return the pairs of characters among some units that no document contains."""
    wide = [unit for unit in units if len(unit) == 2 and RUN.fullmatch(unit)]
    return frozenset(unit for unit in wide if not frequency(f'"{unit}"'))


def ways_of(question: str, units: Mapping[str, float]) -> dict[str, tuple[str, ...]]:
    """Return other words for the units of a question, according to `synonym_groups`."""
    ways: dict[str, tuple[str, ...]] = {}
    narrow, wide = stems_of(question), question
    known = [(word, group) for group in synonym_groups() for word in group.words]
    for word, group in sorted(known, key=lambda one: -len(one[0])):
        if group.wide and word in wide:
            wide = wide.replace(word, " ")
            parts = {unit for unit in units if unit in (*pairs(word), word)}
            others = tuple(one for one in group.words if one != word and len(one) > 1)
        elif not group.wide and word in narrow:
            narrow = narrow.replace(word, " ")
            parts = units.keys() & set(word.split())
            others = tuple(one for one in group.words if one != word)
        else:
            continue
        for unit in parts:
            ways[unit] = ways.get(unit, ()) + others
    return ways


def weight_of(count: int, passages: int) -> float:
    """Return the weight of a word that occurs in `count` passages."""
    return math.log(1 + (passages + 1) / (count + 0.5))


def pairs_asked(run: str, frequency: Callable[[str], int], passages: int) -> dict[str, float]:
    """Return the pairs of characters from a run that an answer should mention, with their weights.

    A pair that no document contains counts as missing only if it is likely to be a word: none of
    its characters is light, and its neighbouring pairs do not all occur in the documents, as they
    do when a pair spans two words.
    """
    if len(run) == 1:
        return {} if is_light(run) else {run: ABSENT * weight_of(1, passages)}
    cut = common_cut(run)
    found = pairs(cut)
    counts = [0 if " " in one else frequency(f'"{one}"') for one in found]
    units: dict[str, float] = {}
    rarest = weight_of(1, passages)
    for one in re.findall(r"(?<![^ ])[^ ](?![^ ])", cut):
        if not is_light(one):
            units[one] = ABSENT * rarest
    for at, (pair, count) in enumerate(zip(found, counts, strict=True)):
        if " " in pair or KANA_ONLY.fullmatch(pair):
            continue
        light = any(map(is_light, pair))
        if count:
            units[pair] = weight_of(count, passages) * (HANGING if light else 1.0)
            continue
        beside = counts[max(0, at - 1) : at] + counts[at + 1 : at + 2]
        if VERB.fullmatch(pair) and not is_light(pair[0]) and VERB.search(cut, at - bool(at)):
            units[pair[0]] = HANGING * ABSENT * rarest
        if not light and not (len(beside) == 2 and all(beside)):
            units[pair] = ABSENT * rarest
    for word in KANA_WORD.findall(run):
        units[word] = ABSENT * rarest
    for one in set(cut):  # a character counts on its own if all of its pairs are left out
        plain = RUN.fullmatch(one) and not is_light(one) and not KATAKANA_SIGN.fullmatch(one)
        if plain and not any(one in unit for unit in units):
            units[one] = ABSENT * rarest
    for word in KATAKANA.findall(cut):
        inside = [one for one in pairs(word) if one in units]
        for one in inside:
            units[one] *= KATAKANA_WORD / max(len(inside), KATAKANA_WORD)
    return units


def common_cut(run: str) -> str:
    """Return a run of characters in which those that are too common are replaced by spaces."""
    language = "ja" if KANA.search(run) else "zh"
    return common_runs(language).sub(lambda found: " " * len(found[0]), run)


def is_name(term: str, *, first: bool, question: str) -> bool:
    """Return whether a term is a name or a number, that is, whether it is capitalised within a
    sentence or contains digits.
    """
    if any(c.isdigit() for c in term):
        return True
    if language_of(question) == "de":
        return False  # every noun is capitalised in German
    starts = question.lstrip().startswith(term)
    return term[:1].isupper() and not (first and starts)


def held(asked: DocumentQuestion, text: str) -> frozenset[str]:
    """Return the units of a question that occur in a text. An id must occur as a whole."""
    stems = stem_set(text)
    plain = unicodedata.normalize("NFKC", text).lower()
    order = stems_of(plain) if asked.ways else ""
    return frozenset(
        unit
        for unit in asked.units
        if unit in stems
        or any(way in (order if way[0] == " " else plain) for way in asked.ways.get(unit, ()))
        or (VERB.fullmatch(unit) and unit[0] in plain)
        or (unit in asked.loose and all(character in plain for character in unit))
        or (len(unit) == 1 and not unit.isascii() and unit in plain)
        or (KANA_ONLY.fullmatch(unit) and unit in plain)
        or (any(map(str.isdigit, unit)) and is_written(unit.lower(), plain))
    )


def is_written(term: str, plain: str) -> bool:
    """Return whether a number or id occurs in a lower-case text exactly as written. A Chinese or
    Japanese character may follow it directly, as in "2023年".
    """
    return re.search(rf"(?<!{SIGN})(?<!\.){re.escape(term)}(?!\.?{SIGN})", plain) is not None


def holds_answer(asked: DocumentQuestion, text: str) -> bool:
    """Return whether a sentence has the form of an answer of the kind wanted."""
    assert asked.kind is not None
    plain = NUMBERING.sub(" ", unicodedata.normalize("NFKC", text))
    for name in asked.names:
        if any(map(str.isdigit, name)):
            plain = re.sub(rf"(?<!\d){re.escape(name)}(?!\d)", " ", plain, flags=re.IGNORECASE)
    if asked.counted is not None and asked.kind.name in ("number", "duration", "frequency"):
        return asked.counted.search(plain) is not None
    # "the captain decides" does not name the person for "who is the captain?"
    if asked.kind.name in NAMED:
        for unit in asked.units:
            edge = r"\b" if unit.isascii() else ""
            plain = (
                re.sub(rf"{edge}{re.escape(unit)}\w*", " ", plain, flags=re.IGNORECASE)
                if edge
                else plain.replace(unit, " ")
            )
    return asked.kind.holds.search(plain) is not None


def is_heading(text: str, spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Return whether a part of a text is the heading of the next part. A heading is a short line
    without a full stop, either above a sentence that ends with one, or below a page header that
    `without_running` has blanked.
    """
    if at + 1 == len(spans):
        return False
    start, end = spans[at]
    line, below = text[start:end], text[slice(*spans[at + 1])].strip()
    plain = line.strip("#*_ \n")
    if not line.endswith("\n") or not 0 < len(plain) <= HEADING or plain[-1] in STOPS + ",，、":
        return False
    if start and not text[:start].strip() and not BULLET.match(line):
        return True  # the first line below the page header
    return (
        (below.endswith(tuple(STOPS)) or "\n\n" in line)
        and not BULLET.match(below)
        and (line.startswith("#") or not BULLET.match(line) or line[0].isdigit())
    )


def parts_of(text: str, names: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a passage, without headings.

    A line without a full stop, and a sentence of one or two words, are joined with the next
    sentence, except at the end of a paragraph. A sentence that refers back to the previous one is
    returned both alone and together with it.
    """
    spans = spans_of(text)
    headings = {line.strip() for line in names.splitlines()}
    titles = [
        is_heading(text, spans, at) or text[start:end].strip("#* \n") in headings
        for at, (start, end) in enumerate(spans)
    ]
    made: list[tuple[int, int]] = []
    for at, (start, end) in enumerate(spans):
        part = text[start:end]
        if (titles[at] and not all(titles)) or not part.strip():
            continue
        behind = text[end : spans[at + 1][1]] if at + 1 < len(spans) else ""
        short = not part.strip().endswith(tuple(STOPS)) or token_count(part) < SHORT
        whole = "\n\n" in part or not behind or titles[at + 1] or BULLET.match(behind)
        made.append((start, spans[at + 1][1] if short and not whole else end))
        if at and POINTS_BACK.match(part) and not titles[at - 1]:
            made.append((spans[at - 1][0], end))
    return made


def joined_parts(
    text: str, parts: Sequence[tuple[int, int]], said: Callable[[str], frozenset[str]]
) -> list[tuple[int, int]]:
    """Return the spans of the pairs of sentences in a paragraph that together say more about a
    question than either sentence does alone. The first names the subject, and the second gives the
    answer without it, as is common in Chinese and Japanese.

    said: returns which units of the question a text mentions.
    """
    made: list[tuple[int, int]] = []
    for (start, middle), (next_, end) in pairwise(parts):
        first, second = text[start:middle], text[next_:end]
        apart = middle != next_ or "\n\n" in first or BULLET.match(second)
        if apart or token_count(text[start:end]) > JOINED:
            continue
        of_first, of_second = said(first), said(second)
        if of_first - of_second and (of_second - of_first or not of_second):
            made.append((start, end))
    return made


def read_candidates(
    asked: DocumentQuestion,
    names: str,
    text: str,
    rank: int,
    *,
    opening: str = "",
    running: frozenset[str] = frozenset(),
) -> list[AnswerSentence]:
    """Return the parts of a passage that may answer the question, with the evidence for each.

    names: the file name, title and heading. rank: the passage's rank in the search, counted from 0.
    opening: the lines at the start of the document, as returned by `opening_lines`. running: its
    headers and footers, as returned by `running_lines`.
    """
    text = without_running(text, running)
    in_names = held(asked, names)
    topic = in_names | held(asked, opening)
    in_passage = said_in(asked, text) | in_names
    plain = frozenset(asked.units) - asked.names or asked.everything
    ids = {unit for unit in asked.names if any(map(str.isdigit, unit))}
    names_missing = asked.share(asked.names - in_passage - topic, asked.everything)
    own = frozenset(asked.units) - topic or asked.everything
    spans = spans_of(text)
    singles = [said_in(asked, text[start:end]) for start, end in spans]
    made: list[AnswerSentence] = []
    alone = parts_of(text, names)
    for start, end in alone + joined_parts(text, alone, lambda part: said_in(asked, part)):
        part = text[start:end]
        inside = [at for at, (first, last) in enumerate(spans) if first < end and last > start]
        above = next(
            (at for at in range(inside[0] - 1, -1, -1) if is_heading(text, spans, at)), None
        )
        title = text[slice(*spans[above])] if above is not None else ""
        # Words in a file name or heading select the passage. A sentence has to contain the rest.
        rest = frozenset(asked.units) - in_names - held(asked, title) or asked.everything
        said = said_in(asked, part)
        near = said.union(*singles[max(0, inside[0] - 1) : inside[-1] + 2], held(asked, title))
        stems = stem_set(part)
        new = sum(len(one) > 1 and one not in asked.units for one in stems)
        no = negation().is_in(part)
        strange = bool(asked.subject) and asked.subject.isdisjoint(near | topic)
        signs = (
            asked.share(plain & near, plain),
            asked.share(plain & in_passage, plain),
            names_missing,
            float(asked.kind is not None and not holds_answer(asked, part)),
            SOFT / (SOFT + rank),
            asked.share(rest & said, rest),
            asked.share(rest & in_passage, rest),
            1 / (1 + len(asked.units)),
            min(1.0, new / 4),
            float(not ids.isdisjoint(said)),
            float(asked.negative and not no),
            float(no and not asked.negative and not asked.whether),
            len(asked.weak & stems) / len(asked.weak) if asked.weak else 0.5,
            float((start, end) not in alone),
            asked.share(own & said, own),
            asked.share(own & near, own),
            asked.share(own & in_passage, own),
            float(strange),
        )
        blank = len(part) - len(part.lstrip())
        made.append(
            AnswerSentence(
                start + blank,
                start + len(part.rstrip()),
                signs,
                not ids <= in_passage | topic or not (new or asked.whether),
                strange and asked.subject <= asked.unknown,
            )
        )
    return made


def running_lines(pages: Mapping[int, str], number: int) -> frozenset[str]:
    """Return the headers and footers of a page: lines at its top and bottom that also occur there
    on another page, apart from the page number.

    pages: this page and some pages near it, by page number.
    """
    return frozenset(
        line
        for line in edge_lines(pages[number])
        if any(
            is_same_line(line, other, there - number)
            for there, page in pages.items()
            if there != number
            for other in edge_lines(page)
        )
    )


def opening_lines(page: str) -> str:
    """Return the lines above the first sentence on a document's first page: its title, author and
    date.
    """
    lines: list[str] = []
    for line in filter(None, map(str.strip, page.splitlines())):
        if len(line) > HEADING or line.endswith(tuple(STOPS)) or len(lines) == OPENING:
            break
        lines.append(line)
    return "\n".join(lines)


def edge_lines(page: str) -> list[str]:
    """Return the first and the last lines of a page."""
    lines = [line.strip() for line in page.splitlines() if line.strip()]
    return lines if len(lines) <= 2 * EDGE else lines[:EDGE] + lines[-EDGE:]


def is_same_line(line: str, other: str, later: int) -> bool:
    """Return whether two lines are the same apart from the page number. later: how many pages later
    the other line's page comes.
    """
    here, there = re.split(r"(\d+)", line), re.split(r"(\d+)", other)
    return len(here) == len(there) and all(
        one == two or (one.isdecimal() and two.isdecimal() and int(two) - int(one) == later)
        for one, two in zip(here, there, strict=True)
    )


def without_running(text: str, running: frozenset[str]) -> str:
    """Return a text with its headers and footers replaced by blank lines of the same length."""
    if not running:
        return text
    return "".join(
        "\n" * len(line) if line.strip() in running else line
        for line in text.splitlines(keepends=True)
    )


def said_in(asked: DocumentQuestion, text: str) -> frozenset[str]:
    """Return the units of a question that a text states, in words or through the form of the
    answer.
    """
    said = held(asked, text)
    if asked.kind is None or not asked.kind.focus & asked.units.keys():
        return said
    return said | (asked.kind.focus & asked.units.keys() if holds_answer(asked, text) else said)


def probabilities(
    candidates: Sequence[AnswerSentence], weights: Sequence[float] = WEIGHTS
) -> list[float]:
    """Return the probability for each of a question's candidates that it answers the question."""
    best = best_signs(candidates)
    return [0.0 if one.refuted else probability(one, best, weights) for one in candidates]


def best_signs(candidates: Sequence[AnswerSentence]) -> tuple[float, ...]:
    """Return, for each sign that is compared, the highest value among all candidates."""
    return tuple(max((one.signs[sign] for one in candidates), default=0.0) for sign in COMPARED)


def weighed_signs(candidate: AnswerSentence, best: Sequence[float]) -> tuple[float, ...]:
    """Return the values to which the weights apply. best: the highest value among all candidates
    for each sign that is compared.
    """
    behind = (candidate.signs[sign] - top for sign, top in zip(COMPARED, best, strict=True))
    return (1.0, *candidate.signs, *behind)


def probability(
    candidate: AnswerSentence, best: Sequence[float], weights: Sequence[float]
) -> float:
    """Return the probability that a candidate is the answer, based on its signs."""
    signs = weighed_signs(candidate, best)
    likely = 1 / (1 + math.exp(-sum(map(mul, weights, signs))))
    # "The code changes in April" must not answer "what is the code?".
    if candidate.signs[LACKS_FORM]:
        likely *= FORMLESS
    # "Start with ramipril" must not answer "when must ramipril not be given?", however similar it
    # is.
    if candidate.signs[LACKS_NO]:
        likely *= UNDENIED
    # "Tomatoes grow best at 21 degrees" must not answer a question about cucumbers.
    return likely * STRANGE if candidate.strange else likely
