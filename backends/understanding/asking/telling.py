"""What a question asks to be told, and the nouns it asks it of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching import (
    ANY_ROW,
    GENERIC,
    Match,
    is_key,
    is_row_noun,
    is_subject,
    means,
    named,
    person_column,
)
from backends.understanding.spans.numbers import unit_held, unit_said
from backends.understanding.spans.periods import months_of, time_columns
from backends.understanding.spans.text import CJK, Question, bare, lexicon, name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import ColumnProfile, Profile
    from backends.understanding.matching import Nearness
    from backends.understanding.operations import Reading


WORDS = re.compile(r"[a-z]+\d*(?:['’][a-z]+)?|[^\sa-z]")
SYNONYM = 0.62  # a cosine from which on a noun is another name of a column
SMALL = frozenset(
    [
        "of",
        "the",
        "our",
        "all",
        "in",
        "different",
        "distinct",
        "unique",
        "most",
        "many",
        "kind",
        "kinds",
        "type",
        "types",
        "sort",
        "sorts",
        "is",
        "was",
        "are",
        "were",
        "had",
        "has",
    ]
)
PEOPLE = frozenset(
    [
        "person",
        "people",
        "agent",
        "employee",
        "colleague",
        "member",
        "customer",
        "client",
        "user",
        "player",
        "student",
        "pupil",
        "guest",
    ]
)
STEP = re.compile(r"(?:day|date|week|month|quarter|year)s?\b")
DONE = re.compile(r"[a-z]+ed\b")


class Nouns:
    """Finds what the nouns of one question mean in one table."""

    def __init__(
        self, question: Question, profile: Profile, near: Nearness, matches: list[Match]
    ) -> None:
        self.question = question
        self.text = question.lower
        self.profile = profile
        self.near = near
        self.matches = matches
        self.lexicon = lexicon(question.language)

    def after(self, at: int) -> tuple[int, int]:
        """Return where the noun stands that follows a place: up to three words before a small
        one.
        """
        start = end = at
        taken = 0
        for word in WORDS.finditer(self.text, at):
            kind = self.weight(word[0], word.start())
            if kind == "noun":
                start = start if taken else word.start()
                end, taken = word.end(), taken + 1
            elif taken or (kind == "small" and word[0] not in SMALL):
                break
            if taken == 3:
                break
        return start, end

    def weight(self, word: str, place: int) -> str:
        """Tell a noun from a small word and from an everyday one, which begins no noun and ends
        it.
        """
        if not word[0].isalpha():
            return "small"
        if word in ANY_ROW or any(name_words(c.name) == [word] for c in self.profile.columns):
            return "noun"
        if word in self.lexicon.stop:
            return "small"
        known = is_subject(word, self.profile) or unit_said(word) is not None
        known = known or any(m.score >= 0.6 and place in m.places for m in self.matches)
        return "noun" if known or word not in self.lexicon.common else "everyday"

    def column(self, start: int, end: int) -> ColumnProfile | None:
        """Return the column a stretch names; of two, the later: a "product category" is a
        category.
        """
        if self.question.language == "zh" and (
            unit := self.by_unit([self.text[start : start + n] for n in (3, 2)])
        ):
            return unit  # 多少小时加班 asks for hours
        found: list[tuple[int, float, ColumnProfile]] = []
        for match in self.matches:
            inside = [
                p
                for p in match.places
                if start <= p < end and (p == start or not DONE.match(self.text, p))
            ]
            if match.score >= 0.58 and inside:
                found.append((max(inside), match.score, match.column))
        if found:
            chinese = (
                self.question.language == "zh"
            )  # whose head comes first here: 类别的销售额 is cut behind 类别
            return (
                min(found, key=lambda f: (f[0], -f[1]))[2]
                if chinese
                else max(found, key=lambda f: f[:2])[2]
            )
        text = self.text[start:end]
        if not CJK.search(text):
            return self.by_unit(text.split()[:1]) or self.by_nearness(text)
        begins = [
            c for c in self.profile.columns if CJK.search(c.name) and text.startswith(bare(c.name))
        ]
        if begins:
            return max(begins, key=lambda c: len(c.name))
        return (
            self.by_unit([text[:3], text[:2], text[:1]])
            or self.by_concept(text)
            or self.by_beginning(text)
        )

    def by_unit(self, words: list[str]) -> ColumnProfile | None:
        """Return the best measure that counts in the unit one of the words is: "how many kilos"."""
        units = {u for w in words if (u := unit_said(w))}
        measures = [m.column for m in self.matches if m.column.role == "measure"]
        return next((c for c in measures if unit_held(c) in units), None)

    def by_nearness(self, text: str) -> ColumnProfile | None:
        """Return the column of categories whose name is near to a noun in meaning, or of people for
        a person.
        """
        words = [w for w in text.split() if w not in SMALL]
        if any(w.rstrip("s") in PEOPLE for w in words):
            found = person_column(self.matches)
            partial = found is not None and re.search("first|last|sur", found.name, re.IGNORECASE)
            return None if partial else found
        if any(is_subject(w, self.profile) for w in words):
            return None
        able = [c for c in self.profile.columns if c.kind == "text" and c.role == "category"]
        near = [(self.near.pair(w, c.name), c) for w in words for c in able]
        best = max(near, key=lambda pair: pair[0], default=None)
        return best[1] if best and best[0] >= SYNONYM else None

    def category(self, said: str) -> ColumnProfile | None:
        """Return the column of categories that a noun means by a concept."""
        able = [c for c in self.profile.columns if c.role == "category"]
        fits = [
            (max(means(w, parts) for w in said.split() for parts in named(c)), c)
            for c in able
            if said and not CJK.search(c.name)
        ]
        best = max(fits, key=lambda f: f[0], default=None)
        return best[1] if best and best[0] >= 0.6 else None

    def by_concept(self, text: str) -> ColumnProfile | None:
        """Return the column that Chinese text begins to speak of by another word."""
        for said, meant in self.lexicon.concepts.items():
            for wanted in meant if text.startswith(said) else ():
                named = [m.column for m in self.matches if wanted in bare(m.column.name)]
                if named:
                    return next((c for c in named if bare(c.name).startswith(wanted)), named[0])
        return None

    def by_beginning(self, text: str) -> ColumnProfile | None:
        """Return the column whose name holds the beginning of Chinese text: 区 in 区域."""
        able = [c for c in self.profile.columns if CJK.search(c.name)]
        for size in range(min(4, len(text)), 0, -1):
            fits = [
                c
                for c in able
                if text[:size] in c.name
                and (size > 1 or (c.kind == "text" and c.name.startswith(text[:1])))
            ]
            if fits:
                return next((c for c in fits if c.name.startswith(text[:size])), fits[0])
        return None

    def says_whole(self, column: ColumnProfile, said: str) -> bool:
        """Tell whether a column is said, and not only what a row is called: tickets sold, of a
        table of tickets.
        """
        names = name_words(column.name)
        if column.kind in ("date", "time"):
            return any(stem(w) in ("date", "day", "time", "when") for w in said.split())
        telling = [w for w in names if w not in GENERIC and not is_subject(w, self.profile)]
        if column.role == "measure" and telling:
            match = next(m for m in self.matches if m.column is column)
            if match.score >= 0.8 and len(match.words) > 1:
                return True
        spoken = {stem(w) for w in said.split()}
        words = [w for w in names if w not in GENERIC or w == names[0]]
        return column.role in ("measure", "category") and all(stem(w) in spoken for w in words)

    def is_head(self, column: ColumnProfile, said: str) -> bool:
        """Tell whether a noun is the last word of a column's name: countries of
        customer_country.
        """
        head = name_words(column.name)[-1:]
        return bool(head) and any(stem(w) == stem(head[0]) for w in said.split())

    def part_of_name(self, column: ColumnProfile) -> bool:
        """Tell whether the question says only some of the words of a column's name."""
        match = next(m for m in self.matches if m.column is column)
        return 0.4 <= match.score < 0.95

    def is_subject(self, said: str) -> bool:
        """Tell whether the head of a noun phrase is what a row is called."""
        words = [w for w in said.split() if w not in SMALL]
        heads = [w for w in words if w not in self.lexicon.common or w in ANY_ROW] or words
        return bool(heads) and (heads[-1] in ANY_ROW or is_subject(heads[-1], self.profile))

    def counted_in(self, start: int, end: int) -> ColumnProfile | None:
        """Return the measure a noun of a stretch means: the population of "how many people"."""
        measures = [m for m in self.matches if m.column.role == "measure" and m.score >= 0.6]
        return next((m.column for m in measures if any(start <= p < end for p in m.places)), None)

    def is_table_of_people(self, said: str) -> bool:
        """Tell whether a noun is what a row is called, and not any word for people or things."""
        words = [w for w in said.split() if w not in SMALL]
        return any(is_subject(w, self.profile) for w in words) or not any(
            w in ANY_ROW for w in words
        )

    def rows_in(self, start: int, end: int) -> bool:
        """Tell whether a noun of a stretch means the rows."""
        inside = [
            w for w in self.question.words() if start <= w.start < end and w.text not in SMALL
        ]
        return any(is_row_noun(w.text, self.profile, self.near) for w in inside[:3])

    def strange(self, said: str) -> bool:
        """Tell whether Chinese text says anything beside small and everyday words, cues and other
        names of columns.
        """
        for cue, _ in self.lexicon.cues.values():
            said = cue.sub("", said)
        known = [*self.lexicon.concepts, *self.lexicon.stop, *self.lexicon.common]
        for word in sorted(known, key=len, reverse=True):
            said = said.replace(word, "")
        return bool(said)

    def each_row_is(self, said: re.Match[str] | None) -> bool:
        """Tell whether each row is one day, month, quarter or year, as 几天 and 几个月 count them."""
        times = time_columns(self.profile)
        if said is None or not times or not is_key(times[0], self.profile):
            return False
        if times[0].kind in ("date", "time"):
            return said[1] == "天"
        size = {"月": 1, "季度": 3, "年": 12}.get(said[1], 0)
        return (times[0].role == "year" and size == 12) or (
            times[0].role == "period" and months_of(times[0]) == size
        )

    def is_step(self, said: str) -> bool:
        """Tell whether a noun is a stretch of time and each row is one: days of a table of days."""
        times = time_columns(self.profile)
        return bool(STEP.match(said)) and bool(times) and is_key(times[0], self.profile)


MONTHS = {
    name: number
    for number, name in enumerate(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        start=1,
    )
}
TELLING_WORDS = {
    "zh": {
        "mean": "平均值",
        "sum": "总和",
        "median": "中位数",
        "min": "最小值",
        "max": "最大值",
        "count": "计数",
        "rows": "行",
        "different": "不同的值",
        "highest": "最高",
        "lowest": "最低",
        "latest": "最新",
        "earliest": "最早",
        "list": "列出",
        "difference": "差值",
        "change in %": "变化百分比",
        "share of": "占比",
        "share": "占比",
        "spring": "春季",
        "summer": "夏季",
        "autumn": "秋季",
        "fall": "秋季",
        "winter": "冬季",
    },
    "ja": {
        "mean": "平均",
        "sum": "合計",
        "median": "中央値",
        "min": "最小値",
        "max": "最大値",
        "count": "件数",
        "rows": "行",
        "different": "種類",
        "highest": "最大",
        "lowest": "最小",
        "latest": "最新",
        "earliest": "最も古い",
        "list": "一覧",
        "difference": "差",
        "change in %": "変化率",
        "share of": "割合",
        "share": "割合",
        "spring": "春",
        "summer": "夏",
        "autumn": "秋",
        "fall": "秋",
        "winter": "冬",
        "春": "春",
        "夏": "夏",
        "秋": "秋",
        "冬": "冬",
    },
}
PARTS = {
    "zh": {"year": "年", "quarter": "季度", "month": "月", "week": "周", "day": "日"},
    "ja": {"year": "年", "quarter": "四半期", "month": "月", "week": "週", "day": "日"},
}
JOIN = {"zh": "和", "ja": "・"}
FORMS: list[
    tuple[re.Pattern[str], dict[str, str]]
] = [  # {n}: as it stands, {x}: a period, said in its turn
    (re.compile(form), {"zh": zh, "ja": ja})
    for form, zh, ja in (
        (r"Q(?P<n>[1-4]) (?P<m>\d{4})", "{m}年第{n}季度", "{m}年第{n}四半期"),
        (r"(?P<m>\d{4})-Q(?P<n>[1-4])", "{m}年第{n}季度", "{m}年第{n}四半期"),
        (r"H1 (?P<m>\d{4})", "{m}年上半年", "{m}年上半期"),
        (r"H2 (?P<m>\d{4})", "{m}年下半年", "{m}年下半期"),
        (r"(?P<n>(?:1[5-9]|2[01])\d\d)", "{n}年", "{n}年"),
        (r"(?P<n>\d{4})s", "{n}年代", "{n}年代"),
        (r"(?P<m>\d{4})-(?P<i>\d\d)", "{m}年{i}月", "{m}年{i}月"),
        (r"(?P<m>\d{4})-(?P<i>\d\d)-(?P<j>\d\d)", "{m}年{i}月{j}日", "{m}年{i}月{j}日"),
        (r"week of (?P<x>\S+)", "{x}那一周", "{x}の週"),
        (r"since (?P<x>.+)", "{x}以来", "{x}以降"),
        (r"after (?P<x>.+)", "{x}之后", "{x}より後"),
        (r"until (?P<x>.+)", "截至{x}", "{x}まで"),
        (r"before (?P<x>.+)", "{x}之前", "{x}より前"),
        (r"(?P<x>.+) [–→] (?P<y>.+)", "{x}到{y}", "{x}から{y}"),
        (r"(?P<n>.+) against (?P<m>.+)", "{n} 与 {m} 相比", "{n} と {m} の比較"),
        (r"not (?P<n>.+)", "不是 {n}", "{n} 以外"),
        (r"by (?P<p>.+)", "按{p}", "{p}ごと"),
        (r"top (?P<n>\d+)", "前 {n}", "上位 {n}"),
        (r"bottom (?P<n>\d+)", "后 {n}", "下位 {n}"),
        (
            r"(?P<w>spring|summer|autumn|fall|winter|[春夏秋冬]) (?P<m>\d{4})",
            "{m}年{w}",
            "{m}年{w}",
        ),
    )
]
DAY = re.compile(r"(?P<month>[A-Z][a-z]{2})(?: (?P<day>[12]?\d|3[01]))?(?: (?P<year>\d{4}))?")
EMPTY = re.compile(r"(?P<column>.+) empty")
LEFT = {"zh": "{} 为空", "ja": "{} が空"}


def in_words(text: str, language: str, names: Iterable[str] = ()) -> str:
    """Return one of the words of a reading, or a period, in a language; a name of the table stays
    as it is.
    """
    if language not in TELLING_WORDS or not text or text in names:
        return text
    if text in TELLING_WORDS[language]:
        return TELLING_WORDS[language][text]
    if (
        (match := DAY.fullmatch(text))
        and match["month"] in MONTHS
        and (match["day"] or match["year"])
    ):
        year = f"{match['year']}年" if match["year"] else ""
        return f"{year}{MONTHS[match['month']]}月{match['day'] + '日' if match['day'] else ''}"
    if (match := EMPTY.fullmatch(text)) and match["column"] in names:
        return LEFT[language].format(match["column"])
    for form, made in FORMS:
        if match := form.fullmatch(text):
            said = {
                key: value_in(key, value, language, names)
                for key, value in match.groupdict().items()
            }
            if all(key not in said or said[key] != match[key] for key in ("x", "y")):
                return made[language].format(**said)
    return text


def value_in(key: str, value: str, language: str, names: Iterable[str]) -> str:
    """Return a part of a form in its turn: x, y are periods, i, j numbers of days and months, p a
    column or a grain.
    """
    if key in ("x", "y", "w"):
        return in_words(value, language, names)
    if key in ("i", "j"):
        return str(int(value))
    if key == "p":
        grains = [PARTS[language].get(grain) for grain in value.split()]
        return f" {value} " if None in grains else JOIN[language].join(filter(None, grains))
    return value


def at(label: object, language: str, by: list[str]) -> str:
    """Return a point of a series in words. by: the columns of time it is of, one or a year and its
    part.
    """
    text = str(label)
    if len(by) == 2 and (match := re.fullmatch(r"(\d{4})-([1-4]|1?\d)", text)):
        quarter = re.search("quarter|qtr|季|四半期", by[1], re.IGNORECASE)
        return in_words(
            f"Q{match[2]} {match[1]}" if quarter else f"{match[1]}-{match[2]:0>2}", language
        )
    return in_words(text, language)


def in_its_language(reading: Reading, profile: Profile, language: str) -> Reading:
    """Return a reading whose words are those of its question's language."""
    if language not in TELLING_WORDS:
        return reading
    names = {c.name for c in profile.columns}
    names |= {value for c in profile.columns for value in c.values if isinstance(value, str)}
    said = [in_words(word, language, names).strip() for word in reading.words]
    if reading.words[:2] == ["count", "rows"]:
        said[:2] = ["行数"]
    conditions = [in_words(word, language, names).strip() for word in reading.conditions]
    return reading.model_copy(update={"words": said, "conditions": conditions})
