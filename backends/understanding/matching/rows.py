"""What one row of a table is called, and which column names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching.nearness import subject_words
from backends.understanding.spans.text import CJK, stem
from backends.understanding.spans.when import time_columns

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile, Profile
    from backends.understanding.matching.match import Match
    from backends.understanding.matching.nearness import Nearness

ANY_ROW = {
    "row",
    "rows",
    "record",
    "records",
    "entry",
    "entries",
    "item",
    "items",
    "case",
    "cases",
    "time",
    "times",
    "people",
    "person",
    "instance",
    "instances",
    "occasion",
    "occasions",
    "line",
    "lines",
}
PERSON = re.compile(
    r"name|person|player|agent|doctor|employee|customer|member|guest|author|director|referee|owner|manager|driver|teacher|tutor|student"
    r"|pupil|patient|seller|buyer|assignee|(?:^|_)rep$|assigned|handled|operator|approver|assignee|master|officer|volunteer|runner|singer|^vet$|inspect|lead$|host|captain|coach|artist|candidate|borrower|tenant|holder|payer|winner|reporter|recipient|judge|speaker|trainer|instructor|donor|contact|client|grower|picker|farmer|keeper|clinician|经手|采购|签收|业主|住户|租客|户主|姓名|员|医生|师|负责人|客户|收银|经办|人$",
    re.IGNORECASE,
)
NAMING = re.compile(
    PERSON.pattern + r"|title|^(?:item|product|dish|wine|book|film|game|track|song)\b|名称?$",
    re.IGNORECASE,
)
CODED = re.compile(r"(?:^|[\s_])(?:id|no|nr|number|code)\.?$|(?:编?号|码)$", re.IGNORECASE)
NEAR = 0.5


def is_row_noun(word: str, profile: Profile, near: Nearness) -> bool:
    """Tell whether a noun means the rows, or something near: "homes" of property listings."""
    return word in ANY_ROW or is_subject(word, profile) or near.subject(word) >= NEAR


def is_subject(word: str, profile: Profile) -> bool:
    """Tell whether a noun is what a row is called: "orders" of an order table."""
    return stem(word) in {stem(s) for s in subject_words(profile) if not CJK.search(s)}


def is_key(column: ColumnProfile, profile: Profile) -> bool:
    """Tell whether a column's value picks one row."""
    present = profile.rows - column.missing
    return (
        present > 1 and column.distinct >= 0.97 * present and column.missing <= 0.2 * profile.rows
    )


def label_column(profile: Profile) -> ColumnProfile | None:
    """Return the column that names a row best: a unique text that is no code, else the time, else a
    code.
    """
    texts = [
        c
        for c in profile.columns
        if c.kind == "text" and c.role == "category" and is_key(c, profile)
    ]
    if texts:
        return texts[0]
    times = time_columns(profile)
    if len(times) == 1 and is_key(times[0], profile):
        return times[0]
    codes = [c for c in profile.columns if c.role == "identifier" and is_key(c, profile)]
    return codes[0] if codes else None


def person_column(matches: list[Match]) -> ColumnProfile | None:
    """Return the column "who" asks for: one the question names, else the one of most different
    people.
    """
    texts = [m for m in matches if m.column.kind == "text" and m.column.role != "period"]
    people = [m for m in texts if PERSON.search(m.column.name)]
    people.sort(
        key=lambda m: (
            -m.score if m.score >= 0.5 else 0.0,
            m.column.role == "identifier" or bool(CODED.search(m.column.name)),
            -m.column.distinct,
        )
    )
    return people[0].column if people else None
