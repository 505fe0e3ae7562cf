"""Expressions, quantities and conditions that a request puts together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.planning.composing.mentions import Derived, Mention, form_of, phrases, vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backends.planning.composing.mentions import Said
    from backends.planning.tables import View


@dataclass(frozen=True)
class Leaf:
    """A column."""

    source: str
    column: str


@dataclass(frozen=True)
class Node:
    """Two quantities and what is made of them."""

    sign: str
    left: Leaf | Node
    right: Leaf | Node


Quantity = Leaf | Node


def balanced(tokens: list[str | Quantity]) -> list[str | Quantity]:
    """Return tokens without brackets that have no other half."""
    open_: list[int] = []
    drop: set[int] = set()
    for i, token in enumerate(tokens):
        if token == "(":
            open_.append(i)
        elif token == ")":
            if open_:
                open_.pop()
            else:
                drop.add(i)
    drop |= set(open_)
    return [t for i, t in enumerate(tokens) if i not in drop]


def parsed(tokens: Sequence[str | Quantity]) -> Quantity | None:
    """Return a quantity of columns, signs and brackets; None if they make none."""
    rest = list(tokens)

    def factor() -> Quantity | None:
        if not rest:
            return None
        token = rest.pop(0)
        if token == "(":
            made = total()
            if rest and rest[0] == ")":
                rest.pop(0)
            return made
        return token if isinstance(token, Leaf | Node) else None

    def chain(of: tuple[str, ...], inner: str) -> Quantity | None:
        made = factor() if inner == "factor" else chain(("*", "/"), "factor")
        while made is not None and rest and rest[0] in of:
            sign = str(rest.pop(0))
            right = factor() if inner == "factor" else chain(("*", "/"), "factor")
            made = Node(sign, made, right) if right is not None else None
        return made

    def total() -> Quantity | None:
        return chain(("+", "-"), "term")

    made = total()
    return made if not rest else None


def leaves(quantity: Quantity) -> list[Leaf]:
    """Return the columns of a quantity, each once."""
    if isinstance(quantity, Leaf):
        return [quantity]
    return list(dict.fromkeys([*leaves(quantity.left), *leaves(quantity.right)]))


def written(quantity: Quantity) -> str:
    """Return a quantity in words."""
    if isinstance(quantity, Leaf):
        return quantity.column
    left, right = written(quantity.left), written(quantity.right)
    if isinstance(quantity.left, Node) and quantity.sign in "*/" and quantity.left.sign in "+-":
        left = f"({left})"
    if isinstance(quantity.right, Node):
        right = f"({right})"
    return f"{left} {quantity.sign} {right}"


def signs(quantity: Quantity) -> set[str]:
    """Return the signs of a quantity."""
    return (
        set()
        if isinstance(quantity, Leaf)
        else {quantity.sign} | signs(quantity.left) | signs(quantity.right)
    )


NUMBER = r"(?P<v>[-−]?\d[\d,]*(?:\.\d+)?)\s*(?P<k>万|亿|千|thousand|million|k\b)?\s*(?:%|度|元|mm|毫米|°c?|degrees?|percent|公里|吨|人|次|个|辆|件|微克|亿元|万元|米|(?:dollars|euros|pounds|yuan|usd|eur|km|kg|tons?|tonnes|minutes|hours|points)\b)?"
CONDITIONS_SIGNS: tuple[tuple[str, str], ...] = (
    (">=", r">=|≥|不低于|不少于|不小于|大于等于|至少|at least|no less than|not less than|or more"),
    (
        "<=",
        r"<=|≤|不高于|不超过|不大于|小于等于|至多|最多|at most|no more than|not more than|or less",
    ),
    (
        ">",
        (
            r">|大于|高于|超过|多于|超出|高过|above|over|greater than|more than|larger than|higher"
            r" than|exceed(?:s|ing|ed)?|bigger than|warmer than|beyond"
        ),
    ),
    (
        "<",
        (
            r"<|小于|低于|少于|不足|不到|不满|below|under|less than|lower than|fewer than|smaller"
            r" than|colder than|short of"
        ),
    ),
    ("=", r"=|等于|equal to|equals|of exactly"),
)
LINK = (
    r"\s*(?:的|\bis\b|\bare\b|\bwas\b|\bwere\b|\bof\b|\bwith\b|\ba\b|\bwent\b|\bcame"
    r" to\b|在|为|是|[,:]|有|值|都|均|全部)*\s*"
)
BEHIND = [(sign, re.compile(rf"{LINK}(?:{form})\s*{NUMBER}")) for sign, form in CONDITIONS_SIGNS]
CONDITIONS_FRONT = [
    (sign, re.compile(rf"(?:{form})\s*{NUMBER}\s*(?:of |的)?\s*$"))
    for sign, form in CONDITIONS_SIGNS
]
PLUS = re.compile(
    rf"{LINK}{NUMBER}\s*(?P<plus>以上|及以上|以下|or more|or less|or above|or below|and above)"
)
SCALE = {"万": 1e4, "亿": 1e8, "千": 1e3, "thousand": 1e3, "million": 1e6, "k": 1e3}


@dataclass(frozen=True)
class Bound:
    """A condition a request names, and the mention of its column."""

    mention: Mention
    condition: dict[str, Any]


def find_bounds(said: Said, mentions: list[Mention]) -> list[Bound]:
    """Return the comparisons of columns with numbers, and take them."""
    found: list[Bound] = []
    for mention in mentions:
        rest = said.left()[mention.end :]
        for sign, form in BEHIND:
            if match := form.match(rest):
                said.take(mention.end, mention.end + match.end(), "condition")
                found.append(Bound(mention, condition(mention, sign, match)))
                break
        else:
            if match := PLUS.match(rest):
                sign = "<=" if match["plus"] in ("以下", "or less", "or below") else ">="
                said.take(mention.end, mention.end + match.end(), "condition")
                found.append(Bound(mention, condition(mention, sign, match)))
                continue
            before = said.left()[: mention.start]
            for sign, form in CONDITIONS_FRONT:
                if (match := form.search(before)) and not re.search(r"(?:and|与|和)\s*$", match[0]):
                    said.take(*match.span(), "condition")
                    found.append(Bound(mention, condition(mention, sign, match)))
                    break
    return found


def condition(mention: Mention, sign: str, match: re.Match[str]) -> dict[str, Any]:
    """Return a comparison as a condition."""
    value = float(match["v"].replace(",", "").replace("−", "-")) * SCALE.get(match["k"] or "", 1.0)
    return {
        "column": mention.column,
        "op": sign,
        "value": int(value) if value == int(value) else value,
    }


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
