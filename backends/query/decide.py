"""Decide what to do with the readings of a question: answer, answer and flag, or ask back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from backends.query.normal import agree, normal

if TYPE_CHECKING:
    from backends.query.candidate import Candidate

Decision = Literal["answer", "confirm", "ask", "none"]
# Set on the training corpus: of 100 questions at most 4 get a wrong answer without a flag. Between
# the two, an answer that says what it took the question to mean, the other readings one press away,
# serves better than a question back; where words are left unread, it is likelier that the table
# does not hold what is asked.
ANSWER, CONFIRM, ASK = 0.78, 0.17, 0.05
CONFIRM_UNREAD = 0.45
APART = 0.9  # how likely one of two readings that disagree has to be to be answered without a flag
NEAR = 0.1  # two readings whose probabilities differ by less are asked back, if neither is likely


@dataclass(frozen=True)
class Decided:
    """What to do. candidates: the likeliest first, each meaning once."""

    decision: Decision
    candidates: tuple[Candidate, ...] = ()


def decide(parsed: list[Candidate], proposed: Candidate | None) -> Decided:
    """Return what to do with the readings of the parser and of an able model.

    If they agree, the answer needs no flag. If only one has a reading, it counts as much as its
    author has proved reliable. If they disagree, the likelier comes first, with a flag if the other
    one may well be right; if neither is likely and they are close, the user is asked.
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
    # that two tables belong together is taken from their values, so it is said
    if top.probability >= ANSWER and not unread and not top.query.joins:
        return Decided("answer", tuple(merged))
    if top.probability >= (CONFIRM_UNREAD if unread else CONFIRM):
        return Decided("confirm", tuple(merged))
    if top.probability >= ASK:
        return Decided("ask", tuple(merged))
    return Decided("none", tuple(merged))


def with_weak(parsed: list[Candidate], proposed: Candidate) -> Decided:
    """Return what to do with the readings of the parser and of a model that is often wrong.

    What both have is answered with a flag. Else the model's reading is one of those to choose: the
    first where the parser is not sure enough to answer.
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
    """Return whether a model's reading is that of the parser, if the parser is sure; else None.

    This measures how reliable a model is.
    """
    if not parsed or parsed[0].unread or parsed[0].probability < ANSWER:
        return None
    return agree(parsed[0].query, proposed.query)


def distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates, likeliest first, each meaning once."""
    made: list[Candidate] = []
    for one in sorted(candidates, key=lambda candidate: -candidate.probability):
        if normal(one.query) not in [normal(other.query) for other in made]:
            made.append(one)
    return made
