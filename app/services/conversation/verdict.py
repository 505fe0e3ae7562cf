"""The outcome of a turn: how it ended, and which numbers in its answer appear in no result."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from app.data.readers.parts import file_name
from app.domain.database import about
from app.domain.errors import BrokenOff, CapReached, CopilotStalled, DeskpilotError
from app.domain.events import Artifact, CallResult, CopilotCall, Ended, Status
from app.domain.foreign_content import in_words, left_out
from app.domain.stream import Message
from backends.data.number_check import untraced
from backends.data.values import Result
from backends.data.workflow.report import WorkflowResult

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.services.dashboard.tiles import Boards
    from app.services.dashboard.widgets import Widgets

DIGITS = re.compile(r"\d+")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def unfounded(turn: Turn, widgets: Widgets) -> Status | None:
    """Return a warning about numbers in the answer that appear in no result, or None if there are
    no such numbers or nothing was computed.

    widgets: the widgets whose tables were used. Numbers in a table's name, such as 2023 in "Sales
    2023", and the table's first and last day are not reported.
    """
    results = computed(turn)
    names = " ".join(called(result.source, widgets) for result in results)
    spans = " ".join(span(result.source, widgets) for result in results)
    given = f"{turn.question} {asked_for(turn)} {names} {spans}"
    missing = untraced(turn.answer(), results, given) if results else []
    return (
        Status("WARNING", f"Not found in any result: {', '.join(missing[:5])}") if missing else None
    )


def called(uid: str, widgets: Widgets) -> str:
    """Return the numbers in the names of a table and its file, or an empty string if the table is
    gone."""
    if uid not in widgets:
        return ""
    widget = widgets.get(uid)
    names = widget.name if widget.backend else f"{widget.name} {file_name(Path(widget.path))}"
    return " ".join(DIGITS.findall(names))  # also in sales_2023: `untraced` treats "_" as a letter


def span(uid: str, widgets: Widgets) -> str:
    """Return a table's first and last day, which every copilot receives, or an empty result if the
    table is gone.
    """
    if not widgets.is_open(uid):
        return ""
    ends = [end for one in widgets.profile(uid).columns for end in (one.low, one.high)]
    return " ".join(end for end in ends if isinstance(end, str))


def partly(turn: Turn, widgets: Widgets, boards: Boards | None) -> Status | None:
    """Return a warning if the answer was computed from tables of which Deskpilot has only the first
    rows.
    """
    told: dict[str, str] = {}
    for uid in {result.source for result in computed(turn)}:
        copy = widgets.sources.copy_of(uid)
        if copy is not None and copy.of:
            told[uid] = f"the first {copy.rows:,} of {about(copy.of)} rows of {copy.name}"
        elif boards is None or uid not in widgets:
            continue
        elif widgets.get(uid).backend and (total := boards.live.state(uid).total):
            rows = widgets.profile(uid).rows
            told[uid] = f"the first {rows:,} of {total:,} rows of {widgets.get(uid).name}"
    return Status("WARNING", f"Computed from {' and '.join(told.values())}.") if told else None


def disarmed(turn: Turn) -> Status | None:
    """Return a warning about active content in an answer, or None if it has none."""
    found: Counter[str] = Counter()
    artifacts: list[Artifact] = []
    for item in turn.items:
        if isinstance(item, Message) and item.role == "assistant" and item.type == "message":
            found += left_out("markdown", item.content)
        elif isinstance(item, Artifact | Status):
            artifacts += [item] if isinstance(item, Artifact) else item.artifacts
    for made in artifacts:
        kind = {"html": "html", "chart": "plotly"}.get(made.type, "markdown")
        held = made.chart if kind == "plotly" else made.content
        found += left_out(kind, held) if kind == "plotly" or isinstance(held, str) else Counter()
    if not found:
        return None
    return Status("WARNING", f"Not run or loaded: {in_words(found)} in the answer.")


def computed(turn: Turn) -> list[Result]:
    """Return the results of data interfaces in a turn."""
    found: list[Result] = []
    for item in turn.items:
        if (
            isinstance(item, CallResult)
            and item.function == "execute_agent_tool"
            and not item.failed
        ):
            with contextlib.suppress(ValidationError):
                found.append(Result.model_validate_json(item.content))
            with contextlib.suppress(ValidationError):
                found += WorkflowResult.model_validate_json(item.content).as_results()
    return found


def asked_for(turn: Turn) -> str:
    """Return the dates and condition values that calls requested.

    The year that a copilot found for "October 15" is not an invented number, nor is the 0 in "below
    zero": both are in the step that the user sees.
    """
    calls = [item.arguments for item in turn.items if isinstance(item, CopilotCall)]
    days = DAY.findall(" ".join(map(str, calls)))
    given = [call.get("parameters") for call in calls]
    wheres = [p.get("where") for p in given if isinstance(p, dict)]
    conditions = [
        c for where in wheres if isinstance(where, list) for c in where if isinstance(c, dict)
    ]
    constants = [
        value for p in given if isinstance(p, dict) for value in constants_of(p.get("query"))
    ]
    return " ".join([*days, *(str(c.get("value")) for c in conditions), *constants])


def constants_of(query: Any) -> list[str]:
    """Return the constants in a query as it was sent, and the number of rows that it requests."""
    if isinstance(query, list):
        return [found for one in cast("list[Any]", query) for found in constants_of(one)]
    if not isinstance(query, dict):
        return []
    held = cast("dict[str, Any]", query)
    own = [str(held["value"])] if held.get("kind") == "value" else []
    own += [str(held["limit"])] if isinstance(held.get("limit"), int) else []
    return own + [found for one in held.values() for found in constants_of(one)]


def failure(error: DeskpilotError) -> Ended:
    """Return the outcome of a turn that failed with an error, which is `interrupted` if a retry may
    succeed."""
    if isinstance(error, CapReached):
        return Ended("interrupted", error.text, error.remedy, error.cap)
    if isinstance(error, CopilotStalled):
        return Ended("interrupted", error.text, error.remedy, "idle_seconds")
    return Ended(
        "interrupted" if isinstance(error, BrokenOff) else "failed", error.text, error.remedy
    )


def answers(item: object) -> bool:
    """Return whether an item is an answer in itself: text, or a table or chart that a copilot shows
    instead.
    """
    return isinstance(item, Artifact) or (isinstance(item, Message) and bool(item.content.strip()))


def verdict(turn: Turn) -> Ended:
    """Return the outcome of a turn that ran to its end. It failed if it has neither text nor a
    table or chart, or if an error follows the last of these.
    """
    wrong: Status | None = None
    for item in turn.items:
        if isinstance(item, Status) and item.level == "ERROR":
            wrong = item
        elif answers(item):
            wrong = None
    if wrong is not None:
        remedy = "" if "again" in wrong.message else "Send the question again."
        return Ended("failed", wrong.message, remedy)
    if any(answers(item) for item in turn.items):
        return Ended("done")
    return Ended(
        "failed",
        "The copilot returned no answer.",
        "Send the question again, or use another copilot.",
    )
