"""Values a question says to leave out or to let be, and words of values it did not mean."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from backends.understanding.values.link import Link

if TYPE_CHECKING:
    from backends.understanding.spans.text import Question

# a value said only to say that it makes no difference: "cancelled or not", "including cancelled
# ones"
EITHER_BEFORE = re.compile(
    r"(?:\bincluding (?:the |any |all )?|\bwhether (?:or not )?(?:they |it )?(?:is |are |was |were"
    r" )?|包括|含)$"
)
EITHER_AFTER = re.compile(r"^(?: [a-z]+)? (?:included|or not\b)|^(?:的)?(?:也算|在内|与否)")
LEFT_OUT_AFTER = re.compile(
    r"^(?: [a-z]+)? (?:is |are |being )?(?:not (?:counted|included)|excluded|left out|(?:do"
    r" not|don['’]t) count)\b|^(?:的)?(?:不算|除外|不计)"
)


def without_scraps(question: Question, links: list[Link]) -> list[Link]:
    """Return the links without words of longer values of a column of which a whole value was said,
    too.

    "How many products does Toolmart supply" says nothing of Hexa Supply; "Toolmart and Hexa" does.
    """
    kept: list[Link] = []
    for link in links:
        part = not link.exact and str(link.value).lower() != question.lower[link.start : link.end]
        part = part and len(str(link.value).split()) > 1
        whole = [o for o in links if o.exact and o.columns == link.columns and o is not link]
        joined = re.search(
            r"(?:\band\b|\bor\b|\bthan\b|\bvs\b|\bversus\b|,|/) *(?:the )?$",
            question.lower[: link.start],
        )
        if (
            part
            and whole
            and not joined
            and link.start > whole[0].start
            and question.text[link.start].islower()
        ):
            question.give_back(link.start, link.end)
        else:
            kept.append(link)
    return kept


def without_asides(question: Question, links: list[Link]) -> list[Link]:
    """Return the links without values said to make no difference; "pending not counted" excludes
    one.
    """
    kept: list[Link] = []
    for link in links:
        before, after = question.lower[: link.start], question.lower[link.end :]
        if out := LEFT_OUT_AFTER.match(after):
            question.take(link.end, link.end + out.end(), "")
            kept.append(replace(link, negated=True))
        elif either := EITHER_BEFORE.search(before) or EITHER_AFTER.match(after):
            at, end = (
                (either.start(), link.start)
                if either.re is EITHER_BEFORE
                else (link.end, link.end + either.end())
            )
            question.take(at, end, "")
        else:
            kept.append(link)
    return kept
