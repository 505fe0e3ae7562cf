"""Measure questions of several steps: python -m tests.bench.workflows FOLDER [--failures].

The folder holds tables/NAME.csv, tables.jsonl (table, title, language, description, meanings) and
questions.jsonl (id, language, tables, today, question, expected). Truth is computed by whoever
wrote the questions, with pandas. What does not take several steps goes the way of
tests/bench/questions.py. No question set is part of the project.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backends.data.compiler import query_sources, run_query
from backends.data.errors import KernelError
from backends.data.periods import days_of
from backends.data.profile import profile
from backends.data.table import Table, connect, table_from_sql
from backends.data.values import Profile, Result
from backends.data.workflow.report import Shown, told
from backends.data.workflow.run import run_workflow
from backends.planning import plan
from backends.planning.plan import REPAIRS, mended
from backends.query.decide import decide
from backends.query.describe import describe
from backends.query.parser import parse
from tests.bench.questions import same, starter_embedder
from tests.corpus.fit import in_order

if TYPE_CHECKING:
    from backends.data.workflow.step import Workflow
    from backends.query.annotate import Embed

OUTCOMES = (
    "right",
    "right flagged",
    "right asked",
    "wrong flagged",
    "wrong",
    "asked",
    "error",
    "talk",
)
DAY = re.compile(r"^\d{4}-\d\d-\d\d")
Opened = dict[str, tuple[Table, Profile]]


def load(folder: Path) -> Opened:
    """Return the tables of a set and what is known of them, by name."""
    made: Opened = {}
    for line in (folder / "tables.jsonl").read_text("utf-8").splitlines():
        about = json.loads(line)
        path = str(folder / "tables" / f"{about['table']}.csv")
        query = "SELECT * FROM read_csv(?, all_varchar = true)"
        table = table_from_sql(
            connect(), query, [path], source=about["table"], hash_=about["table"]
        )
        known = profile(table, about["title"], about.get("description", ""))
        for column in known.columns:
            column.meaning = about.get("meanings", {}).get(column.name, "")
        made[about["table"]] = (table, known)
    return made


def run(workflow: Workflow, opened: Opened) -> tuple[list[Shown], str]:
    """Run a workflow, mended at most twice; return what it shows, or why it failed."""
    for _ in range(REPAIRS + 1):
        finished = run_workflow(workflow, lambda uid: opened[uid][0])
        result = told(finished, "")
        finished.desk.close()
        if not result.failed:
            return result.shown, ""
        failed = result.failed[0]
        again = mended(workflow, failed.id, failed.error)
        if again is None:
            return [], failed.error
        workflow = again
    return [], "mended too often"


def shown_of(result: Result) -> list[Shown]:
    """Return what one operation found, as a workflow shows it."""
    rows = result.rows if result.rows else [[result.value]]
    made = [Shown(step="", kind="table", columns=result.columns, rows=rows, rows_in_all=len(rows))]
    if result.value is not None:
        made.append(Shown(step="", kind="value", value=result.value))
    if result.label is not None:
        made.append(Shown(step="", kind="value", value=result.label))
    return made


def lines_of(one: Shown) -> dict[str, list[tuple[Any, Any]]]:
    """Return the traces of a chart, or each column of a table over its first, as named points."""
    if one.kind == "chart":
        found = one.figure["data"]
        keyed = {
            str(t.get("name", "")): (
                t.get("x") or t.get("labels"),
                t.get("y") or t.get("close") or t.get("values"),
            )
            for t in found
        }
        lines = {name: list(zip(x, y, strict=True)) for name, (x, y) in keyed.items()}
        for t in found:  # a candle is four points
            if t.get("type") == "candlestick":
                lines |= {
                    part: list(zip(t["x"], t[part], strict=True))
                    for part in ("open", "high", "low")
                }
        return lines
    return {name: [(row[0], row[i]) for row in one.rows] for i, name in enumerate(one.columns) if i}


def as_day(told: Any) -> Any:
    """Return the last day of a written period, such as 2024, 2024Q1 or 2024-05; anything else as it
    is.
    """
    if re.fullmatch(r"(?:19|20)\d\d", str(told)):
        return f"{told}-12-31"
    days = days_of(str(told))
    return days[1].isoformat() if days else told


def same_day(got: Any, wanted: str, size: str) -> bool:
    """Tell whether two days lie in the same day, month, quarter or year."""
    if size != "day":
        got = as_day(got)
    if not DAY.match(str(got)) or not DAY.match(wanted):
        return same(got, wanted)
    a, b = (dt.date.fromisoformat(str(v)[:10]) for v in (got, wanted))
    key = {
        "day": lambda d: d,
        "week": lambda d: d.isocalendar()[:2],
        "month": lambda d: (d.year, d.month),
        "quarter": lambda d: (d.year, (d.month - 1) // 3),
        "year": lambda d: d.year,
    }[size]
    return key(a) == key(b)


def size_of(points: list[list[Any]]) -> str:
    """Return how far the points of an expected line lie apart."""
    days = [dt.date.fromisoformat(str(p[0])[:10]) for p in points if DAY.match(str(p[0]))]
    gap = min(((b - a).days for a, b in pairwise(days)), default=1)
    return next(
        name
        for name, least in (
            ("year", 300),
            ("quarter", 80),
            ("month", 26),
            ("week", 6),
            ("day", -(10**6)),
        )
        if gap >= least
    )


def has_line(shown: list[Shown], name: str, points: list[list[Any]], count: int | None) -> bool:
    """Tell whether some line has these points, at its ends those that are expected first and
    last.
    """
    size = size_of(points)
    for one in shown:
        for label, got in lines_of(one).items():
            named = (
                name.lower() in label.lower()
                or label.lower() in name.lower()
                or len(lines_of(one)) == 1
            )
            known = [p for p in got if p[1] is not None]
            wanted = [p for p in points if p[1] is not None]
            whole = len(known) in ((count,) if count else (len(wanted), len(points), len(got)))
            found = all(
                any(same_day(x, str(w[0]), size) and same(y, w[1]) for x, y in known)
                for w in wanted
            )
            if known and found and (named or len(points) > 3) and (whole or count is None):
                return True
    return False


def has_rows(shown: list[Shown], rows: list[list[Any]], ordered: bool) -> bool:
    """Tell whether some table or bars have exactly these rows, further columns aside."""
    for one in shown:
        found = [list(row) for row in one.rows]
        if one.kind == "chart":
            traces = list(lines_of(one).values())
            found = (
                [[p[0], *(t[i][1] for t in traces if i < len(t))] for i, p in enumerate(traces[0])]
                if traces
                else []
            )
        if (
            len(found) == 1 and len(rows) > 1 and len(rows[0]) == 2
        ):  # one row: mean and median beside each other
            found = [list(pair) for pair in zip(one.columns, found[0], strict=False)][-len(rows) :]
        elif len(rows) == 1 and len(found) == len(rows[0]) - 1 > 1:  # and below each other
            found = [[rows[0][0], *(row[-1] for row in found)]]
        if len(found) != len(rows):
            continue
        left = list(found)
        order: list[int] = []
        for wanted in rows:
            at = next(
                (i for i, row in enumerate(left) if row is not None and covers(row, wanted)), None
            )
            if at is None:
                break
            order.append(at)
            left[at] = None  # type: ignore[call-overload]
        if len(order) == len(rows) and (not ordered or order == sorted(order)):
            return True
    return False


def covers(row: list[Any], wanted: list[Any]) -> bool:
    """Tell whether a row has every expected cell."""
    return all(any(alike(cell, want) for cell in row) for want in wanted)


def alike(got: Any, wanted: Any) -> bool:
    """Tell whether two cells are the same, however a period is written."""
    if isinstance(wanted, str) and (days := days_of(wanted)) and DAY.match(str(got)):
        return days[0] <= dt.date.fromisoformat(str(got)[:10]) <= days[1]
    if isinstance(wanted, str) and DAY.match(wanted) and (days := days_of(str(got))):
        return days[0] <= dt.date.fromisoformat(wanted[:10]) <= days[1]
    return got is not None and same(got, wanted)


def agrees(shown: list[Shown], expected: dict[str, Any]) -> bool:
    """Tell whether what is shown has what is expected."""
    kind = expected["kind"]
    if kind == "value":
        cells = [one.value for one in shown if one.kind == "value"]
        cells += [
            c for one in shown if one.kind == "table" and len(one.rows) == 1 for c in one.rows[0]
        ]
        cells += [
            t["y"][0]
            for one in shown
            if one.kind == "chart"
            for t in one.figure["data"]
            if len(t.get("y") or []) == 1
        ]
        return any(alike(cell, expected["value"]) for cell in cells)
    if kind == "rows":
        return has_rows(shown, expected["rows"], bool(expected.get("ordered")))
    if kind == "series":
        lines = {
            name: [[as_day(x), y] for x, y in points] for name, points in expected["lines"].items()
        }
        return all(
            has_line(shown, name, points, expected.get("count")) for name, points in lines.items()
        )
    if kind == "forecast":
        tables = [one for one in shown if {"forecast", "low", "high", "naive"} <= set(one.columns)]
        return any(
            len(t.rows) == expected["count"]
            and any(same_day(t.rows[0][0], expected["first"], s) for s in ("month", "quarter"))
            for t in tables
        )
    return False


def one(asked: dict[str, Any], opened: Opened, embed: Embed | None) -> tuple[str, str]:
    """Return how a question went, and a note on it."""
    profiles = [opened[name][1] for name in asked["tables"]]
    now = dt.datetime.fromisoformat(f"{asked['today']}T23:59")
    made = plan(asked["question"], profiles, now=now, embed=embed)
    expected = asked["expected"]
    decided = decide(parse(asked["question"], profiles, today=now), None)
    first = decided.candidates[0] if decided.candidates else None
    left = list(first.unread) if first is not None and decided.decision != "answer" else []
    if made is not None and (made.serves if decided.decision == "none" else made.reads_more(left)):
        note = " > ".join(s.interface for s in made.workflow.steps)
        shown, error = run(made.workflow, opened)
        if error:
            return "error", f"{note}: {error}"
        right = expected["kind"] != "foreign" and agrees(shown, expected)
        note = f"{note} {made.unread} {made.doubts}"
        if made.asks:
            return ("right asked" if right else "asked"), note
        return ("right" if right else "wrong"), note
    if decided.decision == "none" or first is None:
        return "talk", ""
    note = f"{' · '.join(describe(first.query, 'en'))} {left}"
    tables = {name: opened[name][0] for name in query_sources(first.query)}
    try:
        result = run_query(first.query, tables)
    except KernelError as error:
        return "error", f"{note}: {error}"
    right = expected["kind"] != "foreign" and agrees(shown_of(result), expected)
    if decided.decision == "ask":
        return ("right asked" if right else "asked"), note
    flagged = " flagged" if decided.decision == "confirm" else ""
    return f"{'right' if right else 'wrong'}{flagged}", note


def main() -> None:
    """Print the outcomes by language and kind."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--failures", action="store_true")
    options.add_argument("--without-embedder", action="store_true")
    chosen = options.parse_args()
    embed = None if chosen.without_embedder else in_order(starter_embedder())
    opened = load(chosen.folder)
    counts: dict[str, Counter[str]] = {}
    seconds: list[float] = []
    for line in (chosen.folder / "questions.jsonl").read_text("utf-8").splitlines():
        asked = json.loads(line)
        start = time.perf_counter()
        went, note = one(asked, opened, embed)
        seconds.append(time.perf_counter() - start)
        kind = asked["expected"]["kind"]
        for key in [kind] if kind == "foreign" else [kind, "all"]:
            counts.setdefault(f"{asked['language']} {key}", Counter())[went] += 1
        if chosen.failures and not went.startswith("right"):
            print(f"{asked['id']} [{kind}] {went}: {asked['question']} | {note}")
    print(f"{'':16}" + "".join(f"{o:>14}" for o in (*OUTCOMES, "n")))
    for key, count in sorted(counts.items()):
        print(f"{key:16}" + "".join(f"{count[o]:14}" for o in OUTCOMES) + f"{count.total():14}")
    for language in ("en", "zh"):
        count = counts.get(f"{language} all", Counter())
        n = max(count.total(), 1)
        ran = n - count["error"]
        told = count["right asked"] + count["right flagged"]
        right, wrong = count["right"] + told, count["wrong"]
        print(
            f"{language}: executable {100 * ran / n:.1f} %, right {100 * right / n:.1f} %, wrong"
            f" and unflagged {100 * wrong / n:.1f} %, flagged of the right ones"
            f" {100 * told / max(right, 1):.0f} %"
        )
    seconds.sort()
    if seconds:
        print(
            f"seconds a question: median {seconds[len(seconds) // 2]:.3f}, longest"
            f" {seconds[-1]:.3f}"
        )


if __name__ == "__main__":
    main()
