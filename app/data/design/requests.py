"""Which requests are laid before the model: not asked yet, of different kinds, near a person's
request first.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from app.data.design.kinship import View, words
from app.data.design.shapes import SELECTS, SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.data.design.idea import Idea
    from app.data.design.state import State
    from backends.data.values import Profile, Scalar

OFFERED = 5
WORD = re.compile(r"\w+")
COLUMNS = 6  # of a table that a model is told


def ideas_over(profiles: Iterable[Profile]) -> dict[str, list[Idea]]:
    """Return all that could be asked of tables, by uuid, in an order that changes its shape with
    each.
    """
    made: dict[str, list[Idea]] = {}
    for profile in profiles:
        view = View(profile)
        by_shape = [list(shape(view)) for shape in (*SHAPES, *SELECTS)]
        longest = max((len(some) for some in by_shape), default=0)
        made[view.uuid] = [some[n] for n in range(longest) for some in by_shape if n < len(some)]
    return made


def offered(
    ideas: dict[str, list[Idea]], state: State
) -> tuple[str, list[tuple[Idea, str]]] | None:
    """Return the table it is the turn of, and requests nobody asked yet; None if all were asked.

    A table has its turns in a row, as many as any other while it has something left. A person's
    request brings those with its words to the front.
    """
    turn = len(state.requests)
    asked = {asked_as(r.key, r.values) for r in state.requests}
    left = {
        uid: rest
        for uid, some in ideas.items()
        if (rest := [i for i in some if asked_as(i.draft.key, i.values) not in asked])
    }
    if not left:
        return None
    share = -(-state.wanted // len(ideas))
    uid = min(
        left,
        key=lambda u: (
            sum(r.sources[0] == u for r in state.requests) >= share,
            list(ideas).index(u),
        ),
    )
    rest, seed = left[uid], seed_of(state)
    if seed:
        rest = sorted(rest, key=lambda i: -len(said(seed) & said(i.wordings[0])))
    chosen: list[Idea] = []
    for idea in rest:
        if all(idea.draft.shape != other.draft.shape for other in chosen):
            chosen.append(idea)
    chance = random.Random(f"{state.chance}:{turn}")
    laid = [(idea, chance.choice(idea.wordings)) for idea in chosen[:OFFERED]]
    chance.shuffle(laid)  # a small model prefers what stands first
    return uid, laid


def seed_of(state: State) -> str:
    """Return the person's request whose turn it is; each is gone through once."""
    turn = len(state.requests)
    return state.seeds[turn] if turn < len(state.seeds) else ""


def asked_as(key: str, values: Mapping[str, Scalar]) -> str:
    """Return what makes two requests the same."""
    return f"{key}|{sorted(values.items())}"


def said(text: str) -> set[str]:
    """Return the words of a request."""
    return {word.lower() for word in WORD.findall(text)}


def about(profile: Profile) -> str:
    """Return what a model is told of a table: its parsing file in a few lines."""
    lines = [f"Table {profile.name}, {profile.rows} rows. {profile.description}".strip()]
    for column in profile.columns[:COLUMNS]:
        held = ", ".join(map(str, column.values[:3])) or f"{column.low} to {column.high}"
        lines.append(f"- {words(column)}{f' ({column.meaning})' if column.meaning else ''}: {held}")
    return "\n".join(lines)
