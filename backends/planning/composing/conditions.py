"""Conditions on columns: "rain above 0", "opened before 2018", "股票仓位超过60%"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backends.planning.composing.mentions import Mention
    from backends.planning.composing.said import Said

NUMBER = r"(?P<v>[-−]?\d[\d,]*(?:\.\d+)?)\s*(?P<k>万|亿|千|thousand|million|k\b)?\s*(?:%|度|元|mm|毫米|°c?|degrees?|percent|公里|吨|人|次|个|辆|件|微克|亿元|万元|米|(?:dollars|euros|pounds|yuan|usd|eur|km|kg|tons?|tonnes|minutes|hours|points)\b)?"
SIGNS: tuple[tuple[str, str], ...] = (
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
BEHIND = [(sign, re.compile(rf"{LINK}(?:{form})\s*{NUMBER}")) for sign, form in SIGNS]
FRONT = [(sign, re.compile(rf"(?:{form})\s*{NUMBER}\s*(?:of |的)?\s*$")) for sign, form in SIGNS]
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
            for sign, form in FRONT:
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
