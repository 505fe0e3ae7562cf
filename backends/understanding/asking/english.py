"""What an English question asks for: "which region", "how many cities", "who", "for each genre"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.asking.pronouns import (
    codes_or_names,
    kind_column,
    place_column,
    time_or_person,
)
from backends.understanding.parts import groupable, part_of
from backends.understanding.spans.units import MONEY, is_sum_of_money, unit_said
from backends.understanding.spans.when import time_columns
from backends.understanding.spans.yes_no import truth_of

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.asking.nouns import Nouns
    from backends.understanding.parts import Parts

OF = r"(?:(?:two|three|four|five|ten|\d+)\s+)?(?=[a-z])"
CUES = (
    (
        "which|what|whose|how many|number of|count of|(?:list|names?|ids?|titles?|all|any)(?:"
        " of)?(?: all)?(?: the)?|different|distinct|unique"
    ),
    (
        r"(?:share|percentage|proportion|fraction|percent) of|top"
        r" \w+|rarest|commonest|favou?rite|by|per|for each|for every|each|every"
    ),
    (
        "(?:most|least)"
        " (?:popular|common|frequent|expensive|costly|profitable|productive|successful|active|valuable)"
    ),
    r"the (?:two|three|four|five|ten|\d+)",
)
ASKED = re.compile(rf"(?:^(?=[a-z]+ (?:with|having|that ha[sd]) )|\b(?:{'|'.join(CUES)})\s+{OF})")
LISTED = {"list", "name", "names", "all", "any"}
EACH = {"by", "per", "for", "each", "every"}
HEADS = {"which", "what", "how", "whose"}
AGENT = re.compile(r"(?:ed|en|n) $")  # "scored by home teams" groups nothing
OWNER = re.compile(r"([a-z]+)['’]s [a-z]")
ROLE = re.compile(r"who (?:is|are|was|were) (?:the|our|its|their) ([a-z]+) (?:of|for|in|at|on)\b")
KIND_OF = re.compile(r"\b(?:kind|type|sort) of $")


def settle_english(nouns: Nouns, parts: Parts) -> None:
    """Set what the question asks for."""
    settled = which_step(nouns, parts)
    for match in ASKED.finditer(nouns.text):
        cue = (match[0].split() or ["which"])[0]
        start, end = nouns.after(match.end())
        if not nouns.question.free(start, max(end, start + 1)):
            parts.asks_rows = (
                parts.asks_rows or cue in LISTED or cue == "which"
            )  # "how many altos" counts a value
        elif cue in EACH:
            grouped(nouns, parts, match.start(), cue, start, end)
        elif not settled:
            settled = by_noun(nouns, parts, cue, start, end)
    column = place_column(nouns) if nouns.text.startswith("where") else codes_or_names(nouns)
    if column is not None:
        parts.asks_for, parts.asks_rows, parts.unknown = column, False, ""
    elif not settled:
        by_pronoun(nouns, parts)
    if (
        parts.asks_for is None
        and not parts.asks_rows
        and {"highest", "lowest"} & parts.operations.keys()
    ):
        parts.asks_for = best_of(nouns, parts)


def best_of(nouns: Nouns, parts: Parts) -> ColumnProfile | None:
    """Return the column whose groups a superlative ranks on average or in total: "priciest
    neighbourhood on average".
    """
    if not {"mean", "sum", "median"} & parts.operations.keys():
        return None
    able = [
        m.column
        for m in nouns.matches
        if m.column.role == "category" and m.column.kind == "text" and m.score >= 0.9
    ]
    return next((c for c in able if c.name not in parts.held and groupable(c, parts)), None)


def which_step(nouns: Nouns, parts: Parts) -> bool:
    """Set the time as what "which year" of a table of days or months asks for."""
    said = re.search(r"\b(?:which|what) (?:year|quarter|month)(?!['’])\b", nouns.text)
    times = time_columns(nouns.profile)
    if (
        not said
        or not times
        or part_of(times[0], parts) is None
        or not {"highest", "lowest"} & parts.operations.keys()
    ):
        return False
    parts.asks_for = times[0]
    return True


def grouped(nouns: Nouns, parts: Parts, at: int, cue: str, start: int, end: int) -> None:
    """Set the column for each value of which a number is asked for."""
    column = nouns.column(start, end)
    if nouns.text[start:end].startswith(("people", "person")):
        return  # "by people over 65" groups nothing
    if (
        column is not None
        and nouns.is_step(nouns.text[start:end])
        and not nouns.says_whole(column, nouns.text[start:end])
    ):
        return  # "per day" of a table of days is over time
    said = nouns.text[start:end]
    head = nouns.text.rfind(" ", start, end) + 1 if " " in said else start
    places = next((m.places for m in nouns.matches if m.column is column), [])
    if places and not any(head <= p < end for p in places):
        return  # "per picking session" groups by no picker
    if column is not None and truth_of(column) and not nouns.says_whole(column, said):
        return  # "if every member pays" groups by no yes and no
    agent = cue == "by" and AGENT.search(nouns.text[:at])
    if column is not None and not agent and groupable(column, parts) and parts.grouped_by is None:
        parts.grouped_by = column


def by_noun(nouns: Nouns, parts: Parts, cue: str, start: int, end: int) -> bool:
    """Set what a noun behind a cue asks for; return whether it is anything of the table."""
    said = nouns.text[start:end]
    if cue in HEADS and (owner := OWNER.match(said)):
        end, said = start + owner.end(1), owner[1]  # "which country's runners" asks for countries
    column = nouns.column(start, end)
    counted = cue in ("how", "number", "count")
    column = (nouns.by_unit(said.split()[:1]) if counted else None) or column
    if counted and nouns.is_step(said) and not (column and nouns.says_whole(column, said)):
        column = None  # "how many days" of a table of days counts its rows
    if cue == "which" and column is not None and column.role == "measure":
        column = (
            nouns.category(said) or column
        )  # "which area has the highest rent": not the floor area
    of_money = any(unit_said(w) in MONEY for w in said.split())
    if (
        counted
        and column is not None
        and column.role == "measure"
        and is_sum_of_money(column)
        and not of_money
    ):
        parts.asks_rows = True  # "how many orders were paid by card" counts no money
        return True
    people = counted and not nouns.is_table_of_people(said) and nouns.counted_in(start, end)
    if people:
        parts.asks_for = people
    elif nouns.is_subject(said) and not (column is not None and nouns.says_whole(column, said)):
        parts.asks_for = kind_column(nouns) if KIND_OF.search(nouns.text[:start]) else None
        parts.asks_rows = parts.asks_for is None
    elif column is not None:
        parts.asks_for = column
        parts.loosely = (
            nouns.part_of_name(column)
            and not nouns.says_whole(column, said)
            and not nouns.is_head(column, said)
        )
    elif said and (nouns.rows_in(start, end) or nouns.is_step(said)):
        parts.asks_rows = True
    else:
        parts.unknown = parts.unknown or (said if cue in HEADS else "")
        return False
    return True


def by_pronoun(nouns: Nouns, parts: Parts) -> None:
    """Set what "when" and "who" ask for; a role nothing in the question speaks of is only a
    guess.
    """
    parts.asks_for, parts.guessed = time_or_person(nouns)
    if parts.asks_for is not None:
        parts.unknown = ""
    elif re.match(r"(?:\w+ )?who\b", nouns.text):
        parts.unknown = "who"
    if role := ROLE.match(nouns.text):
        known = (
            nouns.column(*role.span(1)) or nouns.is_subject(role[1]) or nouns.rows_in(*role.span(1))
        )
        parts.unknown = "" if known else role[1]
