"""Values of the data that occur in a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.spans.text import CJK, bare, lexicon, name_words, stem
from backends.understanding.values.asides import without_asides, without_scraps
from backends.understanding.values.link import Link, make
from backends.understanding.values.similar import abbreviated, alias, fuzzy, states

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.data.values import ColumnProfile, Profile, Scalar
    from backends.understanding.spans.text import Question

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
