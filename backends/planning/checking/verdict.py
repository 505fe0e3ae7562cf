"""Hold what is done against what is demanded: whatever is demanded and not done, or done and not
demanded, is doubtful.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.checking.checks import (
    counts,
    dates,
    nouns,
    operations,
    outcomes,
    parts,
    shapes,
)
from backends.planning.checking.offer import Offer, of_reading, of_steps
from backends.planning.checking.request import Request, read
from backends.planning.checking.single import doubtful
from backends.planning.tables import View
from backends.understanding.describe import which_column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import Profile
    from backends.data.workflow.step import Step
    from backends.understanding import Reading, Understanding

CHECKS = (
    operations.undone,
    operations.never,
    operations.unasked,
    operations.order,
    operations.extremes,
    operations.ends,
    parts.values,
    parts.columns,
    parts.unnamed,
    parts.rates,
    parts.bounds,
    parts.days,
    parts.only,
    parts.sought,
    parts.summed,
    parts.weak,
    shapes.groups,
    shapes.unasked_groups,
    shapes.form,
    shapes.size,
    outcomes.amounts,
    outcomes.lasts,
    outcomes.mixed,
    outcomes.percents,
    outcomes.within,
    outcomes.sorted_down,
    outcomes.windows,
    outcomes.lately,
    outcomes.shares,
    outcomes.means,
    outcomes.several,
    outcomes.which_grew,
    counts.nouns,
    counts.flags,
    nouns.unresolved,
    nouns.unsaid,
    nouns.hardly,
    dates.written,
    dates.beyond,
)


def doubts_of_steps(question: str, views: list[View], steps: list[Step]) -> list[str]:
    """Return the words of a request that the steps of a plan do not serve."""
    return doubts(read(question, views), of_steps(steps, views))


def doubts_of_reading(question: str, profiles: list[Profile], reading: Reading) -> list[str]:
    """Return the words of a question that one operation on one table does not serve."""
    request = read(question, [View(profile) for profile in profiles])
    return spelled(doubtful(request, of_reading(reading), reading))


def checked(question: str, profiles: list[Profile], understood: Understanding) -> Understanding:
    """Return how a question was understood, the words that its operation does not serve among those
    that are told as left out.
    """
    if understood.decision not in ("answer", "confirm") or not understood.readings:
        return understood
    found = doubts_of_reading(question, profiles, understood.readings[0])
    if not found:
        return understood
    ignored = list(dict.fromkeys([*understood.ignored, *found]))
    if (about := counted_instead(question, profiles, understood.readings[0])) is not None:
        back = which_column(about, understood.language)
        return understood.model_copy(update={"decision": "ask", "ignored": ignored, "back": back})
    return understood.model_copy(update={"decision": "confirm", "ignored": ignored})


def counted_instead(question: str, profiles: list[Profile], reading: Reading) -> Profile | None:
    """Return the table whose rows are counted where a sum or a mean is asked for, of a column that
    was not found.
    """
    if reading.interface != "count":
        return None
    demands = operations.demanded(read(question, [View(profile) for profile in profiles]))
    if "count" in demands or not demands.keys() & {"sum", "mean", "median"}:
        return None
    return next((p for p in profiles if p.source == reading.arguments.get("source")), None)


def doubts(request: Request, offer: Offer) -> list[str]:
    """Return the words of a request that what is done does not serve, each once."""
    return spelled(word for check in CHECKS for word in check(request, offer))


def spelled(words: Iterable[str]) -> list[str]:
    """Return words without the blanks of what is masked, each once."""
    found = [re.sub(r"[\0\s]+", " ", word).strip(" .,;，。；") for word in words]
    return list(dict.fromkeys(word for word in found if word))
