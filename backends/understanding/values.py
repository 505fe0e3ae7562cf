"""Values that a question names: linked to their columns, written otherwise, said beside others."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from backends.data.values import Condition
from backends.understanding.spans.text import CJK, NOT, bare, lexicon, name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from backends.data.values import ColumnProfile, Profile, Scalar
    from backends.understanding.operations import Reading
    from backends.understanding.spans.text import Question


NEGATION = re.compile(
    r"(?:\b(?:not(?: counting| including)?|except(?: for)?|excluding|leaving"
    r" out|ignoring|besides|leaving aside|without|other than|apart from|neither|nor|non|outside|"
    + NOT
    + r")\b[ -]?(?:in |from |of |the |for |by |those |ones |any )*|\b(?:not|"
    + NOT
    + r")\b(?: (?!(?:and|or|but|than|only|with|that|which|who)\b)[a-z]+){1,4}"
    r" |不是[\u4e00-\u9fff]{0,2}|除了?|不是|没有被|没有?被?|未被?|非|不含|不在|不包括|不算)$"
)


@dataclass(frozen=True)
class Link:
    """A value that occurs in the question.

    columns: where it may belong, the likeliest first. negated: the question excludes it.
    exact: written as in the data, case and plural aside.
    """

    columns: tuple[str, ...]
    value: Scalar
    start: int
    end: int
    exact: bool
    negated: bool = False


def make(
    question: Question, places: list[tuple[str, Scalar]], start: int, end: int, *, exact: bool
) -> Link:
    """Take the stretch and return its link; a column whose name stands nearby comes first."""
    near = question.lower[max(0, start - 24) : end + 16]
    order = sorted(
        places,
        key=lambda p: -any(len(w) > 2 and w in near for w in re.split(r"[_\s]+", p[0].lower())),
    )
    negation = NEGATION.search(question.lower[:start])
    at = negation.start() if negation else start
    if negation and (beyond := re.match("以外|之外|外", question.lower[end:])):
        end += beyond.end()
    question.take(at, end, "VAL")
    columns = tuple(dict.fromkeys(column for column, _ in order))
    return Link(columns, order[0][1], at, end, exact, negated=negation is not None)


def of_things(reading: Reading, profile: Profile) -> Reading:
    """Return a reading that computes of the things a table lists, and says so: where one of them is
    sought, a row without a label is none.
    """
    where: list[dict[str, Any]] = reading.arguments.get("where") or []
    held = {c["column"] for c in where}
    more: list[Condition] = []
    for name in (reading.arguments.get("show") or [])[:1] if reading.interface == "extreme" else []:
        column = profile.column(name)
        if column is not None and column.kind == "text" and column.missing and name not in held:
            more.append(Condition(column=name, op="not empty"))
    if not more:
        return reading
    told = [f"{c.column} ≠ {c.value if c.op == '!=' else '∅'}" for c in more]
    where = [*where, *(c.model_dump(exclude={"other"}) for c in more)]
    return reading.model_copy(
        update={
            "arguments": reading.arguments | {"where": where},
            "slots": reading.slots | {"where": where},
            "words": [*reading.words, *told],
            "conditions": [*reading.conditions, *told],
        }
    )


# a value said only to say that it makes no difference: "cancelled or not", "including cancelled
# ones"
EITHER_BEFORE = re.compile(
    r"(?:\bincluding (?:the |any |all )?|\bwhether (?:or not )?(?:they |it )?(?:is |are |was |were"
    r" )?|包括|含)$"
)
EITHER_AFTER = re.compile(r"^(?: [a-z]+)? (?:included|or not\b)|^(?:的)?(?:也算|在内|与否)")
LEFT_OUT_AFTER = re.compile(
    r"^(?: [a-z]+)? (?:is |are |being )?(?:not (?:counted|included)|excluded|left out|(?:do"
    r" not|don['’]t) count)\b|^(?:的)?(?:不算|除外|不计)"
)


def without_scraps(question: Question, links: list[Link]) -> list[Link]:
    """Return the links without words of longer values of a column of which a whole value was said,
    too.

    "How many products does Toolmart supply" says nothing of Hexa Supply; "Toolmart and Hexa" does.
    """
    kept: list[Link] = []
    for link in links:
        part = not link.exact and str(link.value).lower() != question.lower[link.start : link.end]
        part = part and len(str(link.value).split()) > 1
        whole = [o for o in links if o.exact and o.columns == link.columns and o is not link]
        joined = re.search(
            r"(?:\band\b|\bor\b|\bthan\b|\bvs\b|\bversus\b|,|/) *(?:the )?$",
            question.lower[: link.start],
        )
        if (
            part
            and whole
            and not joined
            and link.start > whole[0].start
            and question.text[link.start].islower()
        ):
            question.give_back(link.start, link.end)
        else:
            kept.append(link)
    return kept


def without_asides(question: Question, links: list[Link]) -> list[Link]:
    """Return the links without values said to make no difference; "pending not counted" excludes
    one.
    """
    kept: list[Link] = []
    for link in links:
        before, after = question.lower[: link.start], question.lower[link.end :]
        if out := LEFT_OUT_AFTER.match(after):
            question.take(link.end, link.end + out.end(), "")
            kept.append(replace(link, negated=True))
        elif either := EITHER_BEFORE.search(before) or EITHER_AFTER.match(after):
            at, end = (
                (either.start(), link.start)
                if either.re is EITHER_BEFORE
                else (link.end, link.end + either.end())
            )
            question.take(at, end, "")
        else:
            kept.append(link)
    return kept


FUZZY = 0.84
STATE = re.compile("^(?:已|未|待|在|正在|被)|(?:中|了|的|过)$")
RESERVED = re.compile(
    "first|second|third|fourth|half|quarter|under|over|above|below|after|before|between|more|less|least|most|than|home|homes|house|houses|number"
)


@cache
def place_names() -> dict[str, list[str]]:
    """Return, for each country, people and state, the other ways to write it."""
    raw = yaml.safe_load((files("resources.understanding") / "places.yaml").read_text("utf-8"))
    names: dict[str, list[str]] = {}
    for nation, others in raw["nations"].items():
        for name in (nation, *(o for o in others if len(o) > 3)):
            names[name] = [nation, *others]
    return names | {
        state: [state, code] for state, code in raw["states"].items() if state not in names
    }


# a group of people or things by another word
ALIASES = {
    "female": ["f", "w", "female"],
    "women": ["f", "w", "female", "woman"],
    "woman": ["f", "w", "female"],
    "girls": ["f", "w", "female", "girl"],
    "male": ["m", "male"],
    "men": ["m", "male", "man"],
    "man": ["m", "male"],
    "boys": ["m", "male", "boy"],
    "女生": ["女"],
    "男生": ["男"],
    "女性": ["女"],
    "男性": ["男"],
    "女士": ["女"],
    "先生": ["男"],
}


def abbreviated(question: Question, profile: Profile) -> list[Link]:
    """Link "did not finish" to DNF: the words a value of capitals is the beginnings of."""
    found: list[Link] = []
    for column in profile.columns:
        for value in column.values if column.kind == "text" and column.distinct <= 30 else ():
            text = str(value)
            if not re.fullmatch("[A-Z]{3,5}", text):
                continue
            pattern = r"\b" + " ".join(f"{c.lower()}[a-z]*" for c in text) + r"\b"
            match = re.search(pattern, question.lower)
            if match and question.free(match.start(), match.end()):
                question.take(match.start(), match.end(), "VAL")
                found.append(Link((column.name,), value, match.start(), match.end(), exact=False))
    return found


def states(question: Question, profile: Profile) -> list[Link]:
    """Link what is left of a state without the small words around it: 退款了 to 已退款."""
    found: list[Link] = []
    for column in profile.columns:
        if (
            column.kind != "text"
            or column.role != "category"
            or not column.complete
            or column.distinct > 30
        ):
            continue
        cores = {str(v): STATE.sub("", str(v)) for v in column.values}
        for value, core in cores.items():
            alone = list(cores.values()).count(core) == 1 and core not in profile.name
            if (
                core != value
                and len(core) >= 2
                and alone
                and not any(core in c.name for c in profile.columns)
            ):
                for match in re.finditer(re.escape(core), question.lower):
                    if question.free(match.start(), match.end()):
                        found.append(
                            make(
                                question,
                                [(column.name, value)],
                                match.start(),
                                match.end(),
                                exact=False,
                            )
                        )
    return found


def alias(question: Question, profile: Profile, word: str, start: int, end: int) -> Link | None:
    """Link a word to a value by another name: women to F, German to Germany."""
    wanted = ALIASES.get(word) or place_names().get(word) or []
    for said, values in ALIASES.items() if CJK.search(word) else ():
        if said in word:
            at = word.index(said)
            wanted, start, end = values, start + at, start + at + len(said)
    places = [
        (c.name, v)
        for c in profile.columns
        if c.kind == "text"
        for v in c.values
        if str(v).lower() in wanted
    ]
    return make(question, places, start, end, exact=False) if places else None


def fuzzy(question: Question, profile: Profile, word: str, start: int, end: int) -> Link | None:
    """Link a word that is nearly a value, or one word of a value that no other value has."""
    if (
        CJK.search(word)
        or len(word) < 4
        or word in lexicon("en").stop
        or word in column_words(profile)
    ):
        return None
    if any(c.isdigit() for c in word) or RESERVED.fullmatch(word):
        return None  # a code that is nearly another code is another one
    if word in ordinary() and not rhymes(word, profile):
        return None
    capital = question.text[start].isupper() and start > 0
    plain = not capital and (word in lexicon("en").common or word in lexicon("en").concepts)
    subject = {stem(w) for w in name_words(profile.name)} | {stem(w) for w in column_words(profile)}
    best: tuple[float, str, Scalar] | None = None
    for column in profile.columns:
        if column.kind != "text" or column.role in ("identifier", "period"):
            continue
        with_word = [v for v in column.values if word in re.split(r"[\s\-/&]+", str(v).lower())]
        named = capital or (not plain and stem(word) not in subject and column.distinct <= 30)
        if len(with_word) == 1 and column.complete and named:
            return make(question, [(column.name, with_word[0])], start, end, exact=False)
        for value in column.values:
            text = str(value).lower()
            alike = stem(text) == stem(word) or word in (
                text + "y",
                text + text[-1:] + "y",
                text + "ly",
            )  # rainy, sunny, jointly
            if len(text) >= 3 and text.isalpha() and alike and stem(word) not in subject:
                return make(question, [(column.name, value)], start, end, exact=False)
            if len(word) >= 5 and text[:1] == word[:1] and abs(len(text) - len(word)) <= 2:
                score = SequenceMatcher(None, word, text).ratio()
                if score >= FUZZY and (best is None or score > best[0]):
                    best = (score, column.name, value)
    return make(question, [(best[1], best[2])], start, end, exact=False) if best else None


def rhymes(word: str, profile: Profile) -> bool:
    """Tell whether a word is a value with an ending: rainy of rain."""
    values = {
        str(v).lower()
        for c in profile.columns
        if c.kind == "text" and c.distinct <= 30
        for v in c.values
    }
    return any(word in (v + "y", v + v[-1:] + "y") for v in values if len(v) >= 3)


@cache
def ordinary() -> frozenset[str]:
    """Return the words that columns are called by: near to a value in letters, they mean none."""
    known = lexicon("en")
    meant = [
        w for words in (*known.concepts.values(), *known.abbreviations.values()) for w in words
    ]
    return frozenset(meant) | known.concepts.keys()


def column_words(profile: Profile) -> set[str]:
    """Return the words of all column names, and their stems."""
    words = {w for c in profile.columns for w in name_words(c.name)}
    return words | {stem(w) for w in words} | {w + "s" for w in words}


SHARE_PRICE = re.compile(r"股票价格|股价")
CLOSES = ("收盘价", "收盘", "終値", "终值")
CANDLES = (("开盘", "始値"), ("最高", "高値"), ("最低", "安値"))  # what stands beside a close
CHANGE = re.compile(
    r"(?P<base>.*[^_\s])[_\s]?(?P<against>yoy|同比|环比|mom)(?:[(（]?%[)）]?)?", re.IGNORECASE
)
GROWTH = {
    "同比": (
        r"[\s_]+(?:year[- ]on[-"
        r" ]year[\s_]+)?growth(?:[\s_]+rates?)?(?![a-z])|(?:的)?(?:同比)?(?:增长率|增长速度|增速|增幅)(?:同比)?"
    ),
    "环比": r"(?:的)?环比(?:增长率|增长速度|增速|增幅)",
}


def columns_said(text: str, profiles: Iterable[Profile]) -> str:
    """Return a question with the names of columns in the place of what is said for them by rule."""
    for profile in profiles:
        names = [column.name for column in profile.columns]
        close = closing(names)
        if close is not None and not any(SHARE_PRICE.search(name) for name in names):
            text = SHARE_PRICE.sub(close, text)
        for name in names:
            text = growth_said(text, name)
    return text


def closing(names: list[str]) -> str | None:
    """Return the column of closing prices of a table of candles in Chinese or Japanese."""
    if not all(any(word in name for name in names for word in words) for words in CANDLES):
        return None
    return next((name for close in CLOSES for name in names if name == close), None)


def growth_said(text: str, name: str) -> str:
    """Return a question in which "X growth" is the column that holds it: GDP增速 is GDP同比, "GDP
    growth" gdp_yoy.
    """
    match = CHANGE.fullmatch(name)
    if match is None or name in text:
        return text
    against = "环比" if match["against"].lower() in ("环比", "mom") else "同比"
    form = rf"(?<![A-Za-z]){re.escape(match['base'])}(?:{GROWTH[against]})"
    return re.sub(form, lambda _: name, text, flags=re.IGNORECASE)


# "no" is a value where the question says so: "pets = no"; "no boat" and "visit no 17" are something
# else
YES_NO = {"no", "yes", "nr", "true", "false"}
SAYS = re.compile(
    r"(?:[(=:\"'“]|\b(?:is|are|was|were|says?|marked|said|answered|replied|set"
    r" to|as|of|equals?))\s*[\"'“]?$"
)


def find_links(
    question: Question, profile: Profile, extra: dict[str, list[str]] | None = None
) -> list[Link]:
    """Take values that occur in the question out of it, the longest first.

    extra: values found by the terminal in columns too large to list, by column.
    """
    found: list[Link] = []
    # "when was it paid" asks for `Paid On`, and says nothing of a status
    happened = {
        stem(w) for c in profile.columns if c.kind in ("date", "time") for w in name_words(c.name)
    }
    for text, places in sorted(
        candidates(profile, extra, question_is_chinese=question.language == "zh").items(),
        key=lambda item: -len(item[0]),
    ):
        for start, end in occurrences(question, text):
            if (
                question.free(start, end)
                and not inside_a_word(question, start, end)
                and not (question.lower.startswith("when ") and stem(text) in happened)
                and not names_column(question, profile, start, end, places)
                and not (
                    text in ("phone", "email", "mail")
                    and re.match(" (?:number|address)", question.lower[end:])
                )
                and (text not in YES_NO or SAYS.search(question.lower[:start]))
            ):
                found.append(make(question, places, start, end, exact=True))
    found += states(question, profile) if question.language == "zh" else []
    found += abbreviated(question, profile)
    for word in question.words():
        link = alias(question, profile, word.text, word.start, word.end) or fuzzy(
            question, profile, word.text, word.start, word.end
        )
        if link is not None:
            found.append(link)
    return sorted(
        without_asides(question, without_scraps(question, found)), key=lambda link: link.start
    )


def candidates(
    profile: Profile, extra: dict[str, list[str]] | None, *, question_is_chinese: bool
) -> dict[str, list[tuple[str, Scalar]]]:
    """Return values worth looking for, in lower case, and the columns they stand in."""
    stop = lexicon("en").stop | lexicon("zh").stop
    places: dict[str, list[tuple[str, Scalar]]] = {}
    for column in profile.columns:
        if column.kind not in ("text", "boolean") or column.role == "period":
            continue
        for value in [*column.values, *(extra or {}).get(column.name, [])]:
            text = str(value).lower().strip().strip('《》“”"')
            grade = len(text) == 1 and text.isalpha() and question_is_chinese
            short = len(text) < (1 if CJK.search(text) or grade else 2)
            if (not short and text not in stop and not text.replace(".", "").isdigit()) or (
                (text.isdigit() and len(text) >= 3) or re.fullmatch(r"\d{3,}[.]\d{2,}", text)
            ):
                places.setdefault(text, []).append((column.name, value))
    return places


def occurrences(question: Question, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a value stands in the question as a word of its own, plural included."""
    pattern = re.escape(text).replace(r"\ ", r"[ \-]")
    if len(text) == 1 and not CJK.search(text):
        pattern = rf"(?<![a-z0-9]){pattern}(?=[级类等班区座栋组型])"
    elif not CJK.search(text):
        plural = "(?:e?s|'s)?" if len(text) > 2 else ""
        pattern = rf"(?<![A-Za-z0-9]){pattern}{plural}(?![A-Za-z0-9])"
    for match in re.finditer(pattern, question.lower):
        yield match.start(), match.end()


def inside_a_word(question: Question, start: int, end: int) -> bool:
    """Tell whether one Chinese character is rather a part of another word: 东 of 房东."""
    said = question.lower[start:end]
    if end - start > 1 or not CJK.search(said) or said in "男女是否":
        return False
    before, after = question.lower[max(0, start - 1) : start], question.lower[end : end + 1]
    return not (
        after in ("的", "天", "上", "间", "晨", "向", "侧", "边", "级", "等", "类", "型", "")
        or before in ("朝", "向", "为", "是")
    )


def names_column(
    question: Question, profile: Profile, start: int, end: int, places: list[tuple[str, Scalar]]
) -> bool:
    """Tell whether the stretch is rather the name of another column, as in "the red wine count"."""
    said = question.lower[start:end]
    return any(
        bare(c.name).replace("_", " ") == said
        for c in profile.columns
        if c.name not in {p[0] for p in places}
    )


def numbered(question: Question, column: ColumnProfile) -> tuple[Scalar, int, int] | None:
    """Return a value that follows the column's name ("store 12", "route 18X", "team B") and where
    both stand.
    """
    words = [w for w in name_words(column.name) if w not in ("no", "id", "number", "nr")]
    if not words:
        return None
    whole, last = (
        r"\s".join(re.escape(w) + ("[a-z]*" if len(w) >= 3 else "") for w in ws)
        for ws in (words, words[-1:])
    )
    name = f"(?:{whole}|{last})" if column.name.isascii() else whole
    short = [
        re.escape(str(v).lower())
        for v in column.values
        if column.kind == "text" and len(str(v)) <= 3
    ]
    value_ = "|".join([r"\d+[a-z]?", *short])
    pattern = rf"(?<![a-z]){name}\s*(?:no\.?|number|#|号)?\s*({value_})(?![\da-z])"
    match = re.search(pattern, question.lower)
    if match is None or not question.free(match.start(1), match.end(1)):
        return None
    value = next((v for v in column.values if str(v).lower() == match[1]), None)
    exact = not re.match(r" ?(?:or|and|to|%|-|\+|\.\d)", question.lower[match.end() :])
    if (
        value is None
        and (column.role == "identifier" or exact)
        and column.integer
        and match[1].isdigit()
    ):
        inside = (
            isinstance(column.low, int)
            and isinstance(column.high, int)
            and column.low <= int(match[1]) <= column.high
        )
        value = int(match[1]) if inside else None
    return (value, match.start(), match.end()) if value is not None else None
