"""What is counted: rows are counted for what a row is, different values for what has several rows;
nothing else is a count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.tables import plain
from backends.understanding.spans.text import CJK, name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.planning.checking.offer import Offer
    from backends.planning.checking.request import Named, Request
    from backends.planning.tables import View

COUNTED_EN = re.compile(
    r"\b(?:how many|(?:the )?numbers? of|counts? of|count(?: up)?(?: all)?(?:"
    r" the)?)\s+(?P<noun>(?:[a-z0-9\0'-]+\s+){0,3}?[a-z\0'-]+)"
)
MEASURE = "只个家支名位种项条笔座款台辆场天次张间份件部所本"
COUNTED_ZH = re.compile(rf"(?:几|多少)[{MEASURE}]的?(?P<noun>[\u3400-\u9fff\0]{{1,6}})")
# Units that rows cannot be counted in.
AMOUNT = re.compile(
    r"多少(?:万|亿|千)?(?:度|吨|升|公斤|千克|克|斤|元|块|钱|米|公里|千米|平方|亩|小时|分钟|股|手|兆瓦|千瓦|立方)"
)
NUMBERED = re.compile(
    r"(?:的|月|天|年|季度)(?P<noun>[\u3400-\u9fff]{2})(?:天数|次数|人数|件数|起数)"
)
# What every row may be, or stands for.
COMMON = re.compile(
    r"^(?:rows?|records?|entries|entry|lines?|times?|cases?|days|weeks|months|quarters|years|people|persons|men|women|more|记录|行|次|条|人)"
)


def nouns(request: Request, offer: Offer) -> Iterator[str]:
    """Yield what is counted, if the rows that are counted are something else."""
    if not (offer.how == {"count"} or "count" in offer.done) or not offer.sources:
        return
    if amount := AMOUNT.search(request.bare):
        yield amount[0]
    match = (COUNTED_ZH if request.zh else COUNTED_EN).search(request.text)
    sure = [n for n in request.numbers if n.sure >= (0.7 if request.zh else 0.9)]
    if match and any(n.start < match.end("noun") and match.start("noun") < n.end for n in sure):
        yield match["noun"].strip()  # "how many machines": a column holds how many
    numbered = NUMBERED.search(request.bare)
    if numbered and not any(
        k.start < numbered.end("noun") and numbered.start("noun") < k.end for k in request.kinds
    ):
        yield numbered[0]
    if len(request.views) < 2:
        return  # there is nothing else to count
    view = next((v for v in request.views if v.uuid == offer.sources[0]), None)
    if view is None or match is None or "distinct" in offer.done:
        return
    start, end = match.span("noun")
    kinds = [k for k in request.kinds if k.start < end and start < k.end]
    if (
        any(is_row(view, k) for k in kinds)
        or COMMON.match(match["noun"])
        or "\0" in request.open[start:end]
    ):
        return
    own = {c.name for c in view.profile.columns}
    repeated = any(k.columns & own and not k.columns & offer.grouped for k in kinds)
    repeated = repeated or (
        bool(kinds) and is_named(view, match["noun"])
    )  # rows, or different ones?
    if repeated or (not kinds and not is_named(view, match["noun"])):
        yield match["noun"].strip()


def is_row(view: View, named: Named) -> bool:
    """Tell whether each row of a table is one of what is named."""
    return any(
        c.name in named.columns and c.distinct == view.profile.rows for c in view.profile.columns
    )


def is_named(view: View, noun: str) -> bool:
    """Tell whether a table is called by what is counted."""
    called = plain(f"{view.profile.name} {view.profile.description}")
    if CJK.search(noun):
        return any(noun[i : i + 2] in called for i in range(len(noun) - 1))
    return bool({stem(w) for w in name_words(noun)} & {stem(w) for w in name_words(called)})


def flags(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words that name a column of yes and no, if no condition is made of it: "late
    parcels".
    """
    held = {str(c["column"]) for c in offer.conditions} | offer.keys
    for view in request.views:
        for column in view.texts:
            told = {plain(str(v)) for v in column.values}
            if column.distinct == 2 and told <= YES_NO and column.name not in held:
                yield from (
                    request.text[k.start : k.end]
                    for k in request.kinds
                    if k.sure >= 1.0
                    and k.columns == frozenset([column.name])
                    and not request.text.startswith(" or not", k.end)
                )


YES_NO = {"yes", "no", "true", "false", "y", "n", "是", "否", "有", "无", "0", "1", "t", "f"}
