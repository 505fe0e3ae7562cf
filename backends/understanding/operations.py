"""The operations a question may ask for, and their parts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from backends.data.values import Condition, Profile
from backends.understanding.matching import CODED, NAMING, is_key, label_column, measures
from backends.understanding.spans.numbers import SIZES, unit_held
from backends.understanding.spans.periods import months_of, time_columns
from backends.understanding.spans.text import Question, lexicon, name_words

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.matching import Match
    from backends.understanding.readings.cells import Between


class Reading(BaseModel):
    """One way to understand a question, complete enough to be computed.

    words: what is shown, such as ["mean", "close", "Jun 2023"]; conditions: those of them that
    restrict the rows. slots: for a question that follows. weak: the column is little more than a
    guess.
    template: the question with marks for its values, by which it is known again.
    """

    interface: str
    arguments: dict[str, Any]
    words: list[str]
    conditions: list[str] = []
    score: float = 0.0
    slots: dict[str, Any] = {}
    weak: bool = False
    template: str = ""


@dataclass
class Parts:
    """What was found in the question, before it is put together.

    text: the question in lower case; said: the same, spans masked. places: where each condition
    stands in the text. sides: two selections the question sets against each other. asks_for: the
    column whose values are asked for; guessed: that is a guess; loosely: only a part of its name
    was said. asks_rows: the rows themselves are asked for. grouped_by: the column for each value of
    which one number is asked for. unknown: the noun asked for, if nothing of the table is meant by
    it. between: two columns that are set against each other.
    """

    profile: Profile
    text: str
    said: str
    operations: dict[str, float]
    matches: list[Match]
    conditions: list[Condition] = field(default_factory=list[Condition])
    places: list[int] = field(default_factory=list[int])
    sides: list[list[Condition]] = field(default_factory=list[list[Condition]])
    condition_words: list[str] = field(default_factory=list[str])
    top: int | None = None
    asks_for: ColumnProfile | None = None
    asks_rows: bool = False
    grouped_by: ColumnProfile | None = None
    unknown: str = ""
    guessed: bool = False
    loosely: bool = False
    part: str | None = None
    between: Between | None = None

    def add(self, made: list[Condition], words: str, place: int) -> None:
        """Add conditions and how they are shown."""
        self.conditions = [*self.conditions, *made]
        self.places = [*self.places, *([place] * len(made))]
        self.condition_words.append(words)

    @property
    def held(self) -> set[str]:
        """Columns that a condition fixes to one value."""
        return {c.column for c in self.conditions if c.op in ("=", "empty")}

    @property
    def restricted(self) -> set[str]:
        """Columns that any condition is on."""
        return {c.column for c in self.conditions}

    @property
    def measures(self) -> list[Match]:
        """Columns of numbers, best first."""
        return measures(self)

    @property
    def groups(self) -> list[Match]:
        """Columns one can group by, best first."""
        return [
            m
            for m in self.matches
            if m.column.role != "measure" and m.column.name not in self.restricted and m.score > 0.3
        ]

    @property
    def single(self) -> bool:
        """Whether the conditions pick one row."""
        for condition in self.conditions:
            column = self.profile.column(condition.column)
            one = condition.op == "=" or (
                condition.op == "in"
                and isinstance(condition.value, list)
                and len(condition.value) == 1
            )
            if column is not None and one and is_key(column, self.profile):
                return True
        times = time_columns(self.profile)
        return len(times) == 2 and {c.name for c in times} <= self.held


def make(
    parts: Parts,
    interface: str,
    score: float,
    words: list[str],
    *,
    weak: bool = False,
    **arguments: Any,
) -> Reading:
    """Put a reading together."""
    conditions = arguments.pop("where", parts.conditions)
    where = dump(conditions)
    slots = {"interface": interface, "where": where, **arguments}
    return Reading(
        interface=interface,
        arguments={"source": parts.profile.source, "where": where, **arguments},
        words=[w for w in [*words, *parts.condition_words] if w],
        conditions=[w for w in parts.condition_words if w],
        score=score,
        slots=slots,
        weak=weak,
    )


def dump(conditions: list[Condition]) -> list[dict[str, Any]]:
    """Return conditions as JSON values."""
    return [c.model_dump(exclude=set() if c.other else {"other"}) for c in conditions]


def labels(parts: Parts, asked: ColumnProfile | None) -> list[str]:
    """Return the columns that tell which row it is: what was asked for, a name, the time."""
    named = [asked.name] if asked is not None and asked.role != "measure" else []
    label = label_column(parts.profile)
    unique = [label.name] if label is not None else []
    times = [c.name for c in time_columns(parts.profile)]
    texts = [c.name for c in parts.profile.columns if c.kind == "text" and c.role == "category"]
    nameless = label is None or label.role == "identifier"
    names = [n for n in texts if NAMING.search(n) and not CODED.search(n)][:1] if nameless else []
    texts = names or texts[:1]
    return list(dict.fromkeys([*named, *unique, *times, *texts]))[:4]


def part_of(column: ColumnProfile, parts: Parts) -> str | None:
    """Return the part its values are cut to when one groups by a column of dates or written
    periods.
    """
    if column.kind in ("date", "time"):
        return parts.part
    size = {"year": 12, "quarter": 3}.get(parts.part or "", 0)
    return (
        parts.part
        if column.role == "period" and column.complete and size > months_of(column)
        else None
    )


def groupable(column: ColumnProfile, parts: Parts) -> bool:
    """Tell whether a column's values gather several rows."""
    if column.kind in ("date", "time"):
        return parts.part is not None and not (
            parts.part == "day" and is_key(column, parts.profile)
        )
    if part_of(column, parts) is not None:
        return True
    return column.role != "measure" and 1 < column.distinct < 0.9 * (
        parts.profile.rows - column.missing
    )


CHOSEN = 10.0  # more than any words can weigh
KEPT = (
    "columns",
    "column",
    "by",
    "aggregate",
    "direction",
    "order",
    "how",
    "n",
    "date_part",
    "distinct",
)


class Template(BaseModel):
    """A question with marks in place of its values, and how the person said it is meant.

    shape: the interface and its arguments but for the source and the conditions.
    """

    said: str
    shape: dict[str, Any]


def said_as(masked: str) -> str:
    """Return the words of a masked question by which it is known again."""
    return " ".join(re.findall(r"[\w%]+|>", masked))


def shape_of(interface: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a reading is apart from the table and the rows it selects."""
    return {"interface": interface} | {
        k: arguments[k] for k in KEPT if arguments.get(k) is not None
    }


def read_templates(raw: object) -> list[Template]:
    """Return the templates the terminal sent: a JSON list of readings that were chosen; others are
    left out.
    """
    try:
        entries = json.loads(raw) if isinstance(raw, str) else []
        chosen = [Reading.model_validate(entry) for entry in entries]
    except (ValueError, TypeError, ValidationError):
        return []
    return [
        Template(said=r.template, shape=shape_of(r.interface, r.arguments))
        for r in chosen
        if r.template
    ]


def prefer(readings: list[Reading], said: str, templates: list[Template]) -> bool:
    """Put the reading the person chose for such a question first; return whether there was one."""
    for template in templates:
        for reading in readings if template.said == said else ():
            if shape_of(reading.interface, reading.arguments) == template.shape:
                reading.score += CHOSEN
                reading.weak = False
                readings.sort(key=lambda r: -r.score)
                return True
    return False


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
