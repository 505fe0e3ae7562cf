"""Decide what to do with the interpretations of a question: answer, answer with a flag, or ask the
user.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from backends.query.normal import agree, normal

if TYPE_CHECKING:
    from backends.query.candidate import Candidate

Decision = Literal["answer", "confirm", "ask", "none"]
# These were set on the training corpus so that at most 4 of 100 questions get a wrong answer
# without a flag. Between the limits, an answer that says how the question was understood, and
# offers the other interpretations with one click, is more useful than a question to the user. If
# words are left unread, it is more likely that the table does not contain what is asked for.
ANSWER, CONFIRM, ASK = 0.78, 0.17, 0.05
CONFIRM_UNREAD = 0.45
# minimum probability of one of two conflicting interpretations for an answer without a flag
APART = 0.9
NEAR = 0.1  # if neither is likely and they differ by less than this, the user is asked


@dataclass(frozen=True)
class Decided:
    """What to do. candidates: the most likely first, without duplicate meanings."""

    decision: Decision
    candidates: tuple[Candidate, ...] = ()


def decide(parsed: list[Candidate], proposed: Candidate | None) -> Decided:
    """Return what to do with the interpretations of the parser and of a capable model.

    If both interpret the question in the same way, the answer needs no flag. If only one of them
    has an interpretation, it is weighted by how reliable its author has proved to be. If they
    disagree, the more likely interpretation comes first, with a flag if the other one could be
    correct. If neither is likely and they are about equally likely, the user is asked.
    """
    merged = distinct([*parsed, *([proposed] if proposed is not None else [])])
    if not merged:
        return Decided("none")
    if proposed is not None and parsed and agree(parsed[0].query, proposed.query):
        rest = [one for one in merged if not agree(one.query, proposed.query)]
        sure = 1 - (1 - parsed[0].probability) * (1 - proposed.probability)
        needs_flag = not proposed.alone and sure < ANSWER
        return Decided("confirm" if needs_flag else "answer", (parsed[0], *rest))
    if proposed is not None and not proposed.alone:
        return with_weak(parsed, proposed)
    if proposed is not None and parsed:
        high, low = sorted((proposed.probability, parsed[0].probability), reverse=True)
        if high < ANSWER and high - low < NEAR:
            return Decided("ask", tuple(merged))
        one, neither = high * (1 - low), (1 - high) * (1 - low)
        sure = one / max(one + low * (1 - high) + neither, 1e-9)
        if sure >= CONFIRM:
            return Decided("answer" if sure >= APART else "confirm", tuple(merged))
    top = merged[0]
    unread = bool(top.unread) and top.author == "parser"
    # the values suggest that two tables belong together, but this is not certain, so the user is
    # told
    if top.probability >= ANSWER and not unread and not top.query.joins:
        return Decided("answer", tuple(merged))
    if top.probability >= (CONFIRM_UNREAD if unread else CONFIRM):
        return Decided("confirm", tuple(merged))
    if top.probability >= ASK:
        return Decided("ask", tuple(merged))
    return Decided("none", tuple(merged))


def with_weak(parsed: list[Candidate], proposed: Candidate) -> Decided:
    """Return what to do with the interpretations of the parser and of a model that is often wrong.

    If the parser is sure, its answer is used. Otherwise, an interpretation that both share is used
    for an answer with a flag. If there is none, the model's interpretation is only offered as a
    choice; it comes first if the parser is not sure enough to answer even with a flag.
    """
    known = distinct(parsed)
    both = [one for one in known if agree(one.query, proposed.query)]
    alone = decide(parsed, None)
    if alone.decision == "answer":
        return alone
    if both:
        rest = [one for one in known if one is not both[0]]
        return Decided("confirm", (both[0], *rest))
    if alone.decision == "confirm":
        return Decided("confirm", (known[0], proposed, *known[1:]))
    return Decided("ask", (proposed, *known))


def told_apart(parsed: list[Candidate], proposed: Candidate) -> bool | None:
    """Return whether a model's interpretation is the same as the parser's, if the parser is sure.
    Otherwise, return None.

    This measures how reliable a model is.
    """
    if not parsed or parsed[0].unread or parsed[0].probability < ANSWER:
        return None
    return agree(parsed[0].query, proposed.query)


def distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates without duplicate meanings, the most likely first."""
    made: list[Candidate] = []
    for one in sorted(candidates, key=lambda candidate: -candidate.probability):
        if normal(one.query) not in [normal(other.query) for other in made]:
            made.append(one)
    return made
