"""Nouns that have to name something: what is gone by, "by blood group", and what is averaged, "mean
age".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.checking.words import DEMANDS, FORMS, HIGH, LOW, SOUGHT
from backends.planning.composing.slots import MEMBERS
from backends.planning.composing.vocabulary import listed
from backends.planning.days import COUNT, NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.planning.checking.offer import Offer
    from backends.planning.checking.request import Request

DONE = (*(re.compile(form) for _, form, _ in DEMANDS), *FORMS.values(), SOUGHT)
BY = re.compile(
    r"\b(?:by|per|for each|for every|of each|of every|in each|in every|each|every)\s+(?:the |its"
    r" |their |of the |of )?(?P<noun>[a-z'-]+(?:\s+[a-z'-]+)?)"
)
MADE_OF = re.compile(
    r"\b(?:average|mean|median|total|combined)\s+(?:(?:daily|weekly|monthly|quarterly|yearly|annual|overall|single|simple|number|amount|sum|value|values|level|of|the|its|their|all|and|median|mean|average|total)\s+)*(?P<noun>[a-z'-]+)"
)
# Words that name nothing of a table; more of them are listed as no_noun.
NO_NOUN = re.compile(rf"(?:{HIGH}|{LOW}|{COUNT}|{NAMES})")
MEASURE = "只个家支名位种项条笔座款台辆场次间份件部所类"
OF_EACH = re.compile(rf"(?:每一?[{MEASURE}]|各[个家种类项])(?P<noun>[\u3400-\u9fff]{{2}})")
BY_ZH = re.compile(
    r"按(?:照|不同的?)?(?P<noun>[\u3400-\u9fff]{2,5}?)(?:来?(?:统计|汇总|分组|分类|划分|加总|合计|求和|拆分|分开|分别))"
)
NO_NOUN_ZH = re.compile(
    r"[年月日天周季的]|全年|星期|自然|交易|平均|数[字值据]|总|从|由|大|小|高|低|多|少|时间|日期|图|表|行|列|品[种类]|股票|基金|公司|成[分份]|考试|比赛|测试|统考|调查"
)


def unresolved(request: Request, offer: Offer) -> Iterator[str]:
    """Yield nouns by which something is told apart, or of which something is made, that nothing in
    the tables is called.
    """
    forms = (OF_EACH, BY_ZH) if request.zh else (BY, MADE_OF)
    known = [(n.start, n.end) for n in (*request.kinds, *request.numbers)]
    for form in forms:
        for match in form.finditer(request.open):
            start, end = match.span("noun")
            first = match["noun"].split()[0]
            if any(s < end and start < e for s, e in known) or demands(request.open, start):
                continue
            none = (
                NO_NOUN_ZH.match(first)
                if request.zh
                else first in listed("no_noun") or NO_NOUN.fullmatch(first)
            )
            if not none:
                yield match["noun"]


def quantity(request: Request, offer: Offer) -> Iterator[str]:
    """Yield a noun that names a quantity, is averaged or added up, and names nothing of the tables:
    "mean age".
    """
    for match in MADE_OF.finditer(request.open):
        start, end = match.span("noun")
        named = any(n.start < end and start < n.end for n in (*request.kinds, *request.numbers))
        if match["noun"] in listed("risky") and not named:
            yield match["noun"]


def unsaid(request: Request, offer: Offer) -> Iterator[str]:
    """Yield columns by which rows come out apart though neither they nor one of their values is
    named.
    """
    told = {p.column for e in request.entities for p in e.places} | {
        c for k in request.kinds for c in k.columns
    }
    priced = any(view.price for view in request.views)
    if priced or MEMBERS.search(request.text):
        return
    texts = {c.name for view in request.views for c in view.texts}
    if offer.limits:
        return  # "the three highest": of what there is one row each
    yield from sorted((offer.keys & texts) - told)


def hardly(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words that name what is measured only by a word of its meaning: "crossings" of the
    income of a crossing.
    """
    if request.zh:
        return
    for column in sorted({c.name for v in request.views for c in v.numbers} & offer.measured):
        said = [n for n in request.numbers if column in n.columns]
        if said and max(n.sure for n in said) < 0.8:
            yield request.text[said[0].start : said[0].end]


def demands(text: str, at: int) -> bool:
    """Tell whether a word says what is to be done."""
    return any(form.match(text, at) for form in DONE)
