"""What a request goes by: columns of text for each of whose values something is told, and
periods.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from backends.planning.composing.mentions import Mention, form_of, kinds_of
from backends.planning.days import COUNT
from backends.understanding.spans.text import CJK

if TYPE_CHECKING:
    from backends.planning.asked import Asked
    from backends.planning.composing.said import Said
    from backends.planning.tables import Link, View

CODE = re.compile(r"(?:^|_)(?:id|code|no|nr|key|symbol)$|编号|代码", re.IGNORECASE)
NAME = re.compile(r"name|title|名", re.IGNORECASE)
MEMBERS = re.compile(
    r"成[分份]股?|成员股?|持仓|\bconstituents?\b|\bmembers?\b|\bcomponents?\b|\bholdings?\b"
)


@dataclass(frozen=True)
class Dim:
    """A column for each of whose values something is told. at: where it is said."""

    source: str
    column: str
    at: int = 0
    marked: int = 2  # 3: by; 2: each, which; 1: a plural, all of them; 0: only named


def find_dims(said: Said, asked: Asked, main: View | None) -> list[Dim]:
    """Return the columns of text a request goes by, in order, and take their words.

    A word beside a value of its own column only says what kind of thing the value is: "the West
    region".
    """
    found = dim_mentions(said, asked, main)
    dims: list[Dim] = []
    places = sorted({(m.start, m.end) for m in found}, key=lambda p: (p[0] - p[1], p[0]))
    kept: list[tuple[int, int]] = []
    for place in places:
        if any(place[0] < b and a < place[1] for a, b in kept):
            continue
        kept.append(place)
    kept.sort()
    heads = {
        b
        for (_, a), (b, _) in pairwise(kept)
        if said.text[a:b] == " " and not said.text[:a].endswith("s")
    }
    modifiers = {
        one for one, after in pairwise(kept) if after[0] in heads
    }  # "each mechanic level" is a level
    for place in kept:
        if place in modifiers:
            said.take(*place, "dim")
            continue
        here = sorted((m for m in found if (m.start, m.end) == place), key=lambda m: -m.score)
        said.take(*place, "dim")
        if beside_value(said, asked, here) or told_as_one(said.text, *place):
            continue
        best = chosen(here, asked, main)
        marked = is_marked(said.text, *place)
        if said.text.count("(", 0, place[0]) > said.text.count(")", 0, place[0]) and any(
            d.marked >= 2 for d in dims
        ):
            continue  # "(mean over the shops)" only says how
        if best is not None and all(
            (d.source, d.column) != (best.source, best.column) for d in dims
        ):
            dims.append(Dim(best.source, best.column, best.start, marked))
    for match in said.find(MEMBERS):
        said.take(*match.span(), "dim")
    return dims


def dim_mentions(said: Said, asked: Asked, main: View | None) -> list[Mention]:
    """Return every place where words may name a column of text."""
    found: list[Mention] = []
    text = said.left()
    for view in asked.views:
        for column in view.texts:
            if column.distinct < 2:
                continue
            whole = view.profile.name if column.distinct == view.profile.rows else ""
            for phrase, score in kinds_of(column, whole, text):
                home = 0.05 * (main is not None and view.uuid == main.uuid)
                for match in re.finditer(form_of(phrase), text):
                    found.append(
                        Mention(*match.span(), view.uuid, column.name, score + home, match[0])
                    )
    return found


def chosen(here: list[Mention], asked: Asked, main: View | None) -> Mention | None:
    """Return which of the columns a word may mean is meant: the name of what a code stands for,
    else that of the table that is measured.
    """
    best = here[0]
    near = [m for m in here if m.score >= best.score - (0.2 if best.score >= 1.2 else 0.35)]
    if main is not None:
        best = next((m for m in near if m.source == main.uuid), best)
    if CODE.search(best.column):
        for link in asked.links:
            if link.source == best.source and link.column == best.column:
                other = asked.view(link.other)
                named = next(
                    (c for c in other.texts if NAME.search(c.name) and not CODE.search(c.name)),
                    None,
                )
                key = other.profile.column(link.other_column)
                if named is not None and key is not None and key.distinct == other.profile.rows:
                    return Mention(
                        best.start, best.end, other.uuid, named.name, best.score, best.said
                    )
        own = next(
            (
                c
                for c in asked.view(best.source).texts
                if NAME.search(c.name) and not CODE.search(c.name)
            ),
            None,
        )
        if own is not None:
            return Mention(best.start, best.end, best.source, own.name, best.score, best.said)
    return best


def beside_value(said: Said, asked: Asked, here: list[Mention]) -> bool:
    """Tell whether a word stands right beside a value of a column it names."""
    start, end = here[0].start, here[0].end
    for span in said.spans:
        if not span.kind.startswith("entity"):
            continue
        gap = said.text[span.end : start] if span.end <= start else said.text[end : span.start]
        if len(gap) > 5 or not re.fullmatch(r"[\s'’]*s?\s*(?:的|:|is|=)?\s*", gap):
            continue
        entity = next((e for e in asked.entities if f"entity {e.said}" == span.kind), None)
        columns = (
            {(p.source, p.column) for p in entity.places} if entity else set[tuple[str, str]]()
        )
        names = {p.column for p in entity.places} if entity else set[str]()
        if any((m.source, m.column) in columns or m.column in names for m in here):
            return True
    return False


ALL_OF = re.compile(
    r"(?:全部|所有|[两二三四五六七八九十\d](?:大|个|家|种|只|座|款|条|支|位|名)?)$|\b(?:all|across)(?:"
    r" of)?(?: the)? (?:[a-z]+ )?$"
)
AS_ONE = re.compile(
    r"[^,，。"
    r";；]{0,12}?(?:合计|总(?!是)|加总|加起来|合在一起|合起来|之和|一共)|[^,.;]{0,40}?\b(?:together(?!"
    r" with)|combined|added up|in total)\b"
)
ACROSS = re.compile(rf"\bacross (?:all )?(?:of )?(?:the )?(?:{COUNT} )?$")
MADE_OF = re.compile(r"\b(?:averages?|means?|medians?|totals?|combined)\b")
EACH_OF = re.compile(r"\b(?:each|every)\b|各|每|分别")


def told_as_one(text: str, start: int, end: int) -> bool:
    """Tell whether all of a kind of thing are told as one: "八家公司合计", "all plants together"."""
    before = text[max(0, start - 24) : start]
    if ACROSS.search(before) and MADE_OF.search(text) and not EACH_OF.search(text):
        return True
    before = before[-16:]
    if not ALL_OF.search(before) or EACH_OF.search(text[max(0, start - 5) : start]):
        return False
    match = AS_ONE.match(text[end:])
    return bool(match) and not EACH_OF.search(match[0])


def is_marked(text: str, start: int, end: int) -> int:
    """Return how surely words beside a column of text say that it is gone through: each, by, which,
    各, 按, 哪.
    """
    before, behind = text[max(0, start - 26) : start], text[end : end + 10]
    if CJK.search(text[start:end]):
        if re.search(r"(?:所有的?|全部的?|旗下的?|名下的?|里的?|下的?)$", before):
            return 1
        if re.search(r"(?:按照?|分)$", before):
            return 3
        return 2 * bool(
            re.search(
                rf"(?:各[个家只支条名位种大类]?|每一?[个种家只支条名位座款所]?|按照?|分|哪[些个家只几种]?|不同的?|{COUNT}[个家只支条名位种大座款所]|几[个家只支条名位种]|最[高低大小多少好差快]的?|行是|列是|以)$",
                before,
            )
            or re.match(
                r"(?:做|放|为|当|在|之间|分别|各|的?排名|是哪|列表|的?(?:构成|结构|分布|占比|份额)|[,、"
                r"]|和|与|间)",
                behind,
            )
        )
    plural = text[start:end].endswith("s") and not text[start:end].endswith("ss")
    if re.search(r"\b(?:all|only)(?: of)?(?: the)? (?:[a-z]+ )?$", before):
        return 1
    if re.search(r"\b(?:by|per)\s(?:(?:kind|type|sort) of )?$", before):
        return 3
    strong = bool(
        re.search(
            r"\b(?:by|per|each|every|which|what|across|rank(?:ing)?(?: the)?|for each|for"
            rf" every|top {COUNT}|between)(?: [a-z]+)?\s$|\b(?:the )?(?!(?:19|20)\d\d){COUNT}"
            r" (?:[a-z]+ )?$",
            before,
        )
        or re.search(r"\b(?:each|every) \S+ \S*\s?$", before)
        or re.match(
            rf" by {re.escape(text[start:end])}| (?:as|in|into) (?:rows|columns)|"
            r" (?:down|across)\b",
            behind,
        )
    )
    return 2 if strong else int(plural)


def links_between(asked: Asked, one: View, other: View) -> Link | None:
    """Return how two tables belong together, a column of the same name first."""
    found = [x for x in asked.links if x.source == one.uuid and x.other == other.uuid]
    return next((x for x in found if x.column == x.other_column), found[0] if found else None)
