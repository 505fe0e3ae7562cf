"""Which columns the words of a question mean."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from backends.understanding.matching.characters import characters
from backends.understanding.matching.match import GUESS, Match
from backends.understanding.matching.money import MUCH, the_only_money
from backends.understanding.matching.names import alike, compose, means, named, weight_of
from backends.understanding.matching.nearness import subject_words
from backends.understanding.spans.text import CJK, Question, Word, in_english, name_words, stem
from backends.understanding.spans.units import is_money, unit_held, unit_said

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile, Profile
    from backends.understanding.matching.nearness import Nearness


async def match_columns(question: Question, profile: Profile, near: Nearness) -> list[Match]:
    """Return every column with its score, best first."""
    words = question.words()
    subject = {stem(s) for s in subject_words(profile)}
    matches = [lexical(words, column, question, subject) for column in profile.columns]
    if question.language == "en":
        heads_of_compounds(matches, words)
    matches = [outdone(m, matches) for m in matches]
    the_only_money(matches, words, question, subject)
    beside = [m.end() for m in NEXT.finditer(question.lower)]
    for match in matches:
        if any(
            SMALL.fullmatch(question.lower[end:p])
            for p in match.places
            for end in beside
            if p >= end
        ):
            match.score += 0.15
        match.score += 0.45 * max(0.0, near.column(match.column.name) - 0.25)
    return sorted(matches, key=lambda m: -m.score)


def heads_of_compounds(matches: list[Match], words: list[Word]) -> None:
    """Lower the measure only meant by the first of two neighbouring words: the "floor area" is an
    area.
    """
    able = [m for m in matches if m.column.role == "measure" and m.words]
    for one in able:
        for two in able:
            after = {
                i + 1
                for i in one.words
                if i + 1 < len(words) and words[i].end + 1 == words[i + 1].start
            }
            literal = {stem(words[i].text) for i in one.words} <= {
                stem(w) for w in name_words(one.column.name)
            }
            if (
                literal
                and two.score >= 0.6
                and after & two.words
                and not one.words & two.words
                and len(one.words) == 1
            ):
                one.score -= 0.6


def outdone(match: Match, matches: list[Match]) -> Match:
    """Return a measure as a guess if all the words that mean it mean another one far better: cups
    sold, pastries sold.
    """
    better = any(
        o.column.role == "measure" and match.words < o.words and o.score >= match.score + 0.5
        for o in matches
    )
    if match.column.role == "measure" and match.words and better:
        return replace(match, score=min(match.score, GUESS - 0.01))
    return match


# a measure said right behind what is to be done with it counts more than one said elsewhere
NEXT = re.compile(
    r"\b(?:highest|lowest|largest|smallest|biggest|most|least|fewest|average|mean|median|total|sum"
    r" of|maximum|minimum)\b"
)
SMALL = re.compile(
    r" (?:(?:the|of|all|our|daily|monthly|yearly|annual|quarterly|total|average|number of) )*"
)


def lexical(
    words: list[Word], column: ColumnProfile, question: Question, subject: set[str]
) -> Match:
    """Score a column by the words of its name; subject: the stems of what a row is called."""
    if CJK.search(column.name):
        return characters(words, column)
    if question.language == "zh":
        said = spoken(in_english(words), column, subject)
        return said if said.score >= 0.5 else characters(words, column)
    return spoken(words, column, subject)


def spoken(words: list[Word], column: ColumnProfile, subject: set[str]) -> Match:
    """Score a column with an English name by English words."""
    used: set[int] = set()
    got, total = 0.0, 0.0
    whole = column.name.lower()
    name = [[whole]] if any(w.text == whole for w in words) else named(column)
    exact = {
        i for i, w in enumerate(words) if any(alike(w.text, m) >= 0.75 for ms in name for m in ms)
    }
    for meanings in name:
        best, at = 0.0, -1
        for i, word in enumerate(words):
            score = means(word.text, meanings)
            if score < 0.75 and i in exact and word.text in ("price", "prices"):
                continue  # the "price" of `Cost Price` does not say its "cost", too
            if score > best:
                best, at = score, i
        weight = weight_of(meanings[0], name, subject, by_concept=0 < best < 0.75)
        total += weight
        got += weight * best
        if best >= 0.6:
            used.add(at)
    score = got / (0.6 * total + 0.4) if total else 0.0
    further = {
        i
        for i, w in enumerate(words)
        if i not in used
        for ms in name
        for m in ms[1:]
        if alike(w.text, m) >= 0.9
    }
    if used and further and len(name) == 1:
        score, used = score + 0.1, used | further  # "minimum temperature" of `tmin`
    composed = compose("".join(m[0] for m in name), words)
    if composed and score < 0.95:
        score, used = 0.95, composed
    score, used = with_unit(score, used, words, column)
    return Match(column, score, used, [words[i].start for i in sorted(used)])


def with_unit(
    score: float, used: set[int], words: list[Word], column: ColumnProfile
) -> tuple[float, set[int]]:
    """Return a score raised, and the words that did it, where the question says the unit of a
    column, or money.
    """
    held = unit_held(column)
    said = {i for i, w in enumerate(words) if held and unit_said(w.text) == held}
    if said:
        behind = {
            i
            for i in said
            if i and words[i - 1].text in ("in", "of") and words[i - 1].end + 1 == words[i].start
        }
        return (
            score + (0.75 if behind else 0.45),
            used | said,
        )  # "the largest harvest in tonnes" asks for tonnes
    if column.role == "measure" and is_money(column) and any(w.text in MUCH for w in words):
        return score + 0.25, used
    return score, used
