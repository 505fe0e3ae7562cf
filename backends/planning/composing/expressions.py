"""Quantities made of columns: "(revenue - cost) / revenue", "A as a percentage of B", "会员加散客", and
those with a name of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.composing.mentions import Mention, form_of, phrases
from backends.planning.composing.quantities import Leaf, Node, Quantity, balanced, parsed
from backends.planning.composing.vocabulary import Derived, vocabulary

if TYPE_CHECKING:
    from backends.planning.composing.said import Said
    from backends.planning.tables import View


@dataclass(frozen=True)
class Found:
    """A quantity in a request. percent: a ratio told in percent. said: what it is called, where it
    has a name.
    """

    start: int
    end: int
    quantity: Node
    percent: bool = False
    said: str = ""


SIGNS = (
    ("-", re.compile(r"\s*(?:-|−|–|\bminus\b|\bless\b|减去?|减掉|扣除|扣去)\s*")),
    ("+", re.compile(r"\s*(?:\+|\bplus\b|加上?)\s*")),
    (
        "/",
        re.compile(
            r"\s*(?:÷|/|\bover\b|\bdivided by\b|\bper (?:member of|head of)\b|\bper\b|\brelative"
            r" to\b|除以|比上)\s*"
        ),
    ),
    ("*", re.compile(r"\s*(?:\*|×|\btimes\b|\bmultiplied by\b|乘以?|乘上)\s*")),
)
SHARE = re.compile(
    r"\s*(?:\bas (?:a |an )?(?:percentage|percent|share|proportion|fraction|%) of\b|\bin"
    r" (?:percent|%) of\b|占)\s*"
)
FRONT = (
    (
        "/",
        re.compile(r"\b(?:divide|dividing)\s*(?:the )?(?:total |sum of )?$"),
        re.compile(r"\s*by\s*"),
    ),
    ("*", re.compile(r"\b(?:multiply|multiplying)\s*(?:the )?$"), re.compile(r"\s*(?:by|with)\s*")),
    (
        "/",
        re.compile(r"\b(?:ratio|quotient) (?:of|between)\s*(?:the )?$"),
        re.compile(r"\s*(?:to|and|over|with)\s*"),
    ),
    (
        "-",
        re.compile(r"\b(?:difference|gap|spread) (?:between|of)\s*(?:the )?$"),
        re.compile(r"\s*(?:and|to|from)\s*"),
    ),
    ("*", re.compile(r"\bproduct of\s*(?:the )?$"), re.compile(r"\s*(?:and|with)\s*")),
    ("+", re.compile(r"\bsum of\s*(?:the )?$"), re.compile(r"\s*and\s*")),
)
BACK = (
    ("/", re.compile(r"^\s*(?:之|的|两者的?|二者的?)?比(?:率|值|例)")),
    ("-", re.compile(r"^\s*(?:之|的|两者的?|二者的?)?(?:差值?|差额|之差)(?!异|率)")),
    ("+", re.compile(r"^\s*(?:之|的|两者的?|二者的?)(?:和|总和)")),
    ("*", re.compile(r"^\s*(?:之|的|两者的?|二者的?)?(?:乘积|积)(?!分|极|累)")),
)
WITH = re.compile(r"\s*(?:和|与|跟|及|同|对)\s*")
FILLER = re.compile(
    r"\b(?:the|total|totals|sum of|summed|its|their|average|mean|number"
    r" of|all|of|a|an|monthly|daily|quarterly|yearly|annual)\b|合计|总计|总和|总|的|之和|均值|当天|当日|当月|当季|当年"
)
PERCENT = re.compile(r"%|\bper ?cent\b|\bpercentages?\b|百分|占比|比重")


def find_quantities(said: Said, mentions: list[Mention], views: list[View]) -> list[Found]:
    """Return the quantities made of columns a request names, in order."""
    found = read_written(said, mentions)
    taken = [(f.start, f.end) for f in found]
    for view in views:
        for one in vocabulary().derived:
            named = read_named(said, one, view, mentions)
            if named is not None and all(named.end <= a or b <= named.start for a, b in taken):
                found.append(named)
                taken.append((named.start, named.end))
    return sorted(found, key=lambda f: f.start)


def read_named(said: Said, one: Derived, view: View, mentions: list[Mention]) -> Found | None:
    """Return a quantity by its name, if a table has the columns of its formula and none that is
    called so.
    """
    text = said.left()
    match = next((m for name in one.names if (m := re.search(form_of(name), text))), None)
    if match is None or any(
        m.start <= match.start() and match.end() <= m.end and m.score > 1.2 for m in mentions
    ):
        return None
    words = re.findall(r"[^\s()*/+-]+", one.formula)
    leaves: dict[str, Leaf] = {}
    for word in words:
        column = next(
            (
                c
                for c in view.numbers
                if any(p == word and s >= 1.15 for p, s in phrases(c.name, ""))
            ),
            None,
        )
        if column is None:
            return None
        leaves[word] = Leaf(view.uuid, column.name)
    signs_and_words: list[str] = re.findall(r"[()*/+-]|[^\s()*/+-]+", one.formula)
    tokens: list[str | Quantity] = []
    for token in signs_and_words:
        tokens.append(leaves.get(token, token))
    made = parsed(tokens)
    return Found(*match.span(), made, one.percent, match[0]) if isinstance(made, Node) else None


def read_written(said: Said, mentions: list[Mention]) -> list[Found]:
    """Return the quantities that are written out: columns next to each other, with signs and
    brackets between them.
    """
    found: list[Found] = []
    at = 0
    while at < len(mentions):
        tokens: list[str | Quantity] = [Leaf(mentions[at].source, mentions[at].column)]
        start, upto, share = at, at + 1, False
        front = front_of(said.text[: mentions[at].start])
        while upto < len(mentions):
            gap = gap_tokens(
                said.text[mentions[upto - 1].end : mentions[upto].start],
                front,
                said.text[mentions[upto].end :],
            )
            if gap is None:
                break
            share = share or gap == ["share"]
            tokens += ["/" if t == "share" else t for t in gap]
            tokens.append(Leaf(mentions[upto].source, mentions[upto].column))
            upto += 1
        if upto > start + 1:
            made = read_run(said, mentions[start], mentions[upto - 1], tokens, share=share)
            if made is not None:
                found.append(made)
        at = upto
    return found


def read_run(
    said: Said, first: Mention, last: Mention, tokens: list[str | Quantity], *, share: bool
) -> Found | None:
    """Return columns and signs as a quantity, with the brackets around it."""
    before, behind = said.text[: first.start], said.text[last.end :]
    start, end = first.start, last.end
    if match := re.search(r"\(\s*(?:the |total |sum of )*$", before):
        start, tokens = match.start(), ["(", *tokens]
    if match := re.match(r"\s*(?:合计|总计)?\s*[,，]?\s*(?:%|in percent|in %)?\s*\)", behind):
        end, tokens = last.end + match.end(), [*tokens, ")"]
    made = parsed(balanced(tokens))
    if not isinstance(made, Node):
        return None
    around = said.text[max(0, start - 30) : end + 24]
    percent = made.sign == "/" and (share or bool(PERCENT.search(around)))
    if match := (
        re.search(r"[\u3400-\u9fff]{1,8}$", said.text[:start])
        if "(" in said.text[start : start + 1]
        else None
    ):
        name = re.sub(
            r"^.*?(?:的|占|年|月|度|日|天|算|看|各|每|按)(?=[^的占年月度日天算看各每按]+$)",
            "",
            match[0],
        )
        return Found(start, end, made, percent, name)
    word = (
        re.search(r"([a-z]+)\s*$", said.text[:start])
        if said.text[start : start + 1] == "("
        else None
    )
    return Found(start, end, made, percent, word[1] if word else "")


def front_of(before: str) -> tuple[str, re.Pattern[str]] | None:
    """Return the sign that stands in front of two columns, and what stands between them then."""
    return next(((sign, gap) for sign, form, gap in FRONT if form.search(before)), None)


def gap_tokens(
    gap: str, front: tuple[str, re.Pattern[str]] | None, behind: str
) -> list[str | Quantity] | None:
    """Return the signs and brackets between two columns; None if they do not belong together."""
    if front is not None and front[1].fullmatch(FILLER.sub("", gap)):
        return [front[0]]
    if WITH.fullmatch(gap) and (sign := next((s for s, form in BACK if form.match(behind)), None)):
        return [sign]
    if SHARE.fullmatch(gap) or SHARE.fullmatch(gap.replace("the ", "")):
        return ["share"]
    bare = FILLER.sub(" ", re.sub(r"(?:\(\s*[^()a-z\u3400-\u9fff]*\s*\)|\(\s*%\s*\))", "", gap))
    bare = (
        re.sub(r"[a-z]+\s*(?=\($)|[\u3400-\u9fff]{1,6}(?=\($)", "", bare.strip())
        if bare.strip().endswith("(")
        else bare
    )
    if SHARE.fullmatch(bare.strip(" (")):
        return ["share"] if "(" not in bare else ["share", "("]
    made: list[str | Quantity] = []
    rest = bare.strip()
    while rest:
        if rest[0] in "()":
            made.append(rest[0])
            rest = rest[1:].lstrip()
            continue
        sign = sign_at(rest)
        if sign is None:
            if made and (match := re.match(r"[,，]\s*", rest)):
                rest = rest[match.end() :]
                continue
            return None
        made.append(sign[0])
        rest = rest[sign[1] :].lstrip()
    return made if any(t in ("+", "-", "*", "/") for t in made) else None


def sign_at(text: str) -> tuple[str, int] | None:
    """Return the sign a text begins with, and where it ends."""
    for sign, form in SIGNS:
        if (match := form.match(text)) and match.end():
            return sign, match.end()
    return None
