"""Which operations a question's words speak for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.spans.text import Question, lexicon, name_words
from backends.understanding.spans.units import SIZES, unit_held

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile

RECENT = re.compile(r"\b(?:most recent(?:ly)?|latest|newest|last known)\b|最新|最近一")
LATEST_OF_ALL = re.compile(r"\bthe latest\b(?! [a-z]*(?:reading|value|entry|price|month|date))")
SUPERLATIVE = re.compile(r"\bthe [a-z]{3,}iest\b")
NOW = re.compile(r"\bright now\b|\bcurrent(?:ly)?\b|\btoday['’]?s\b|目前|当前")
CHANGES = re.compile(
    r"change|grow|rise|rose|fell|drop|increas|decreas|move|go up|go"
    r" down|went|增|降|涨|跌|变化|同比|环比"
)
USUAL = re.compile(r"平均每|每[^的]{1,2}平均|历年的?平均|[日月年人]均")
HOW_MANY = re.compile(
    r"(?:(?:on|in|for|at) )?(?:how many|number of)\b(?!.*\b(?:did|does|do|has|have|was|were) the"
    r" (?:most|best|worst|highest|lowest))"
)
MUCH = re.compile(r"\bhow much\b(?! (?:more|less|higher|lower))")
LISTED = 4.0
MORE_CUES = {
    "highest": (re.compile("highest TOP"), 3.6),
    "lowest": (
        re.compile(r"lowest TOP|\b(?:rarest|least (?:common|frequent|popular))\b|最少见|最罕见"),
        3.8,
    ),
    "latest": (re.compile(r"\bwhen\b.*\blast\b|\blast time\b"), 4.0),
    "list": (
        re.compile(r"\b(?:ids?|names|addresses|titles|codes|numbers) (?:of|from|in|with|for)\b"),
        LISTED,
    ),
}
THAN = re.compile(
    r"\bthan\b|\bcompared (?:to|with)\b|\bversus\b|\bvs\b|\bover and above\b|\bexceed|\bbeat\b|比"
)
# of two things said of a column, which end "fastest", "oldest", "worst" … mean
TIMES = {
    "time",
    "duration",
    "min",
    "minutes",
    "hours",
    "days",
    "seconds",
    "secs",
    "hrs",
    "resolution",
    "lead",
    "wait",
    "delay",
    "elapsed",
    "时效",
    "用时",
    "时长",
    "等候",
    "耗时",
}
BAD = {
    "delay",
    "wait",
    "fine",
    "fines",
    "complaint",
    "complaints",
    "error",
    "errors",
    "defect",
    "defects",
    "absent",
    "absences",
    "late",
    "cost",
    "price",
    "loss",
    "losses",
    "churn",
    "rank",
    "position",
    "cancelled",
    "returns",
    "downtime",
    "debt",
    "cards",
    "accidents",
    "incidents",
    "coli",
    "varroa",
    "mites",
    "mite",
    "bacteria",
    "pollution",
    "emissions",
    "injuries",
    "mortality",
    "turbidity",
    "nitrate",
    "延误",
    "迟到",
    "缺勤",
    "投诉",
    "排名",
    "aqi",
    "pm",
}


def operations(question: Question) -> dict[str, float]:
    """Return the operations the cues speak for with their weights; looking up needs no cue."""
    cues = lexicon(question.language).cues
    masked = question.masked()
    found = {name: weight for name, (cue, weight) in cues.items() if cue.search(masked)}
    if (
        "highest" in found
        and RECENT.search(masked)
        and not cues["highest"][0].search(RECENT.sub(" ", masked))
    ):
        found.pop("highest")
    found |= {name: weight for name, (cue, weight) in MORE_CUES.items() if cue.search(masked)}
    if not {"highest", "lowest"} & found.keys() and SUPERLATIVE.search(masked):
        found["highest"] = 3.2  # "the murkiest"
    settle(found, masked)
    found.setdefault("look_up", 2.0)
    found.setdefault("list", 1.2)
    return found


def settle(found: dict[str, float], masked: str) -> None:
    """Let the operation that says more win over one that its words also speak for."""
    if "share" in found and "change" in found:
        found.pop("share" if CHANGES.search(masked) else "change")
    if "difference" in found and "change" in found:
        found["change"] += 1.0
    settle_latest(found, masked)
    if "TOP" in masked and not masked.isascii():
        found.pop("distinct", None)  # 前三的是哪几种
    if {"distinct", "count"} <= found.keys() or (
        "count" in found and "TOP" in masked and not masked.isascii()
    ):
        found["count"] = 1.0  # 借阅次数前三名
    if MUCH.search(masked) and not found.keys() - {"list", "group"}:
        found["sum"] = 2.0
    settle_ends(found, masked)
    if "count" in found and found.get("list") == LISTED:
        found["list"] = 1.2
    if "mean" in found:
        found |= {name: 1.0 for name in ("sum", "count") if name in found}
        found.pop("median", None)
        if USUAL.search(masked):
            found.pop("series", None)
            found.pop("group", None)


def settle_latest(found: dict[str, float], masked: str) -> None:
    """Let "latest" go where it means a delay, or only says that one counts today."""
    if "latest" not in found:
        return
    found.pop("series", None)
    if "mean" in found and LATEST_OF_ALL.search(masked):
        found.pop("latest")
        found["highest"] = 3.6  # "which bus runs the latest on average"
    elif "count" in found and NOW.search(masked):
        found.pop("latest")  # "how many are open right now" counts


def settle_ends(found: dict[str, float], masked: str) -> None:
    """Settle which end is meant, and whether a count beside it counts."""
    ends = {"highest", "lowest"}
    if (
        ends <= found.keys()
        and len(said := {w for w in ends if re.search(rf"\b{w}\b", masked)}) == 1
    ):
        found.pop(*(ends - said))  # "the worst (highest)"
    if HOW_MANY.match(masked):
        found |= {name: 0.4 * found[name] for name in ("highest", "lowest") if name in found}
    elif (
        "count" in found and re.search("最[^近后]", masked) and {"highest", "lowest"} & found.keys()
    ):
        found["count"] = 1.0


def direction(said: str, operation: str, column: ColumnProfile) -> str:
    """Return which end of a column the superlative of a question means: highest or lowest.

    "Fastest" is the lowest of a time, "oldest" the earliest of a date, "worst" the highest of a
    delay.
    """
    if re.search(rf"\b{operation}\b(?! TOP)", said):
        return operation
    other = {"highest": "lowest", "lowest": "highest"}[operation]
    names = set(name_words(column.name)) | ({column.unit.lower()} if column.unit else set())
    characters = column.name.lower()
    timed = (
        SIZES.get(unit_held(column) or "", ("",))[0] == "time"
        or bool(names & TIMES)
        or any(t in characters for t in TIMES if not t.isascii())
    )
    dated = column.kind in ("date", "time") or column.role == "year"
    bad = bool(names & BAD) or any(t in characters for t in BAD if not t.isascii())
    if (
        re.search(
            r"\b(?:fastest|quickest|slowest|soonest|(?:most|least) punctual)\b|最快|最慢|最准时",
            said,
        )
        and timed
    ):
        return other
    if (
        re.search(r"\b(?:oldest|youngest|longest[- ](?:serving|standing))\b|最老|最旧|最久", said)
        and dated
    ):
        return other
    if re.search(r"\b(?:worst|best|poorest)\b|最差|最好|最糟|最优", said) and bad:
        return other
    return operation
