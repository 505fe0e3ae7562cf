"""What an English question asks for: "which region", "how many cities", "who", "for each genre"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.asking.pronouns import codes_or_names, kind_column, place_column, time_or_person
from backends.understanding.parts import groupable

if TYPE_CHECKING:
    from backends.understanding.asking.nouns import Nouns
    from backends.understanding.parts import Parts

OF = r"(?:(?:two|three|four|five|ten|\d+)\s+)?(?=[a-z])"
CUES = (
    "which|what|whose|how many|number of|count of|(?:list|names?|ids?|titles?|all|any)(?: of)?(?: all)?(?: the)?|different|distinct|unique",
    r"(?:share|percentage|proportion|fraction|percent) of|top \w+|rarest|commonest|favou?rite|by|per|for each|for every|each|every",
    "(?:most|least) (?:popular|common|frequent|expensive|costly|profitable|productive|successful|active|valuable)",
    r"the (?:two|three|four|five|ten|\d+)",
)
ASKED = re.compile(rf"(?:^(?=[a-z]+ (?:with|having|that ha[sd]) )|\b(?:{'|'.join(CUES)})\s+{OF})")
LISTED = {"list", "name", "names", "all", "any"}
EACH = {"by", "per", "for", "each", "every"}
HEADS = {"which", "what", "how", "whose"}
AGENT = re.compile(r"(?:ed|en|n) $")  # "scored by home teams" groups nothing
ROLE = re.compile(r"who (?:is|are|was|were) (?:the|our|its|their) ([a-z]+) (?:of|for|in|at|on)\b")
KIND_OF = re.compile(r"\b(?:kind|type|sort) of $")


def settle_english(nouns: Nouns, parts: Parts) -> None:
    """Set what the question asks for."""
    settled = False
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


def grouped(nouns: Nouns, parts: Parts, at: int, cue: str, start: int, end: int) -> None:
    """Set the column for each value of which a number is asked for."""
    column = nouns.column(start, end)
    agent = cue == "by" and AGENT.search(nouns.text[:at])
    if column is not None and not agent and groupable(column, parts) and parts.grouped_by is None:
        parts.grouped_by = column


def by_noun(nouns: Nouns, parts: Parts, cue: str, start: int, end: int) -> bool:
    """Set what a noun behind a cue asks for; return whether it is anything of the table."""
    said = nouns.text[start:end]
    column = nouns.column(start, end)
    if cue == "which" and column is not None and column.role == "measure":
        column = nouns.category(said) or column  # "which area has the highest rent": not the floor area
    if nouns.is_subject(said) and not (column is not None and nouns.says_whole(column, said)):
        parts.asks_for = kind_column(nouns) if KIND_OF.search(nouns.text[:start]) else None
        parts.asks_rows = parts.asks_for is None
    elif column is not None:
        parts.asks_for = column
        parts.loosely = nouns.part_of_name(column) and not nouns.says_whole(column, said)
    elif said and (nouns.rows_in(start, end) or nouns.is_step(said)):
        parts.asks_rows = True
    else:
        parts.unknown = parts.unknown or (said if cue in HEADS else "")
        return False
    return True


def by_pronoun(nouns: Nouns, parts: Parts) -> None:
    """Set what "when" and "who" ask for; a role nothing in the question speaks of is only a guess."""
    parts.asks_for, parts.guessed = time_or_person(nouns)
    if parts.asks_for is not None:
        parts.unknown = ""
    elif re.match(r"(?:\w+ )?who\b", nouns.text):
        parts.unknown = "who"
    if role := ROLE.match(nouns.text):
        known = nouns.column(*role.span(1)) or nouns.is_subject(role[1]) or nouns.rows_in(*role.span(1))
        parts.unknown = "" if known else role[1]
