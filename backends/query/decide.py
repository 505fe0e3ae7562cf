"""Decide what to do with the readings of a question: answer, answer and flag, or ask back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from backends.query.normal import normal

if TYPE_CHECKING:
    from backends.query.candidate import Candidate

Decision = Literal["answer", "confirm", "ask", "none"]
# Set on the training corpus: of 100 questions at most 4 get a wrong answer without a flag. Between
# the two, an answer that says what it took the question to mean, the other readings one press away,
# serves better than a question back; where words are left unread, it is likelier that the table
# does not hold what is asked.
ANSWER, CONFIRM, ASK = 0.78, 0.26, 0.02
CONFIRM_UNREAD = 0.57
NEAR = 0.1  # the parser's reading and a model's that differ by less are asked back


@dataclass(frozen=True)
class Decided:
    """What to do. candidates: the likeliest first, each meaning once."""

    decision: Decision
    candidates: tuple[Candidate, ...] = ()


def decide(parsed: list[Candidate], proposed: Candidate | None) -> Decided:
    """Return what to do with what the parser and an able model make of a question.

    Where they agree, the answer needs no flag. Where only one has a reading, it counts as much as
    its author has proved reliable. Where they disagree, the likelier comes first and the other is
    one press away, or both are asked back when they are near.
    """
    merged = distinct([*parsed, *([proposed] if proposed is not None else [])])
    if not merged:
        return Decided("none")
    if proposed is not None and parsed:
        agreed = normal(parsed[0].query) == normal(proposed.query)
        if agreed:
            rest = [one for one in merged if normal(one.query) != normal(proposed.query)]
            return Decided("answer", (parsed[0], *rest))
        first, second = merged[0], merged[1] if len(merged) > 1 else None
        if second is not None and first.probability - second.probability < NEAR:
            return Decided("ask", tuple(merged))
    top = merged[0]
    unread = bool(top.unread) and top.author == "parser"
    if top.probability >= ANSWER and not unread:
        return Decided("answer", tuple(merged))
    if top.probability >= (CONFIRM_UNREAD if unread else CONFIRM):
        return Decided("confirm", tuple(merged))
    if top.probability >= ASK:
        return Decided("ask", tuple(merged))
    return Decided("none", tuple(merged))


def distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates, likeliest first, each meaning once."""
    made: list[Candidate] = []
    for one in sorted(candidates, key=lambda candidate: -candidate.probability):
        if normal(one.query) not in [normal(other.query) for other in made]:
            made.append(one)
    return made
