"""Choose the requests to show to the model (new, varied and close to the user's own requests) and
the interfaces that can answer them.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

from app.data.design.ideas import (
    DesignView,
    asked,
    days,
    drafted,
    entity,
    of_whom,
    parameter,
    taken,
    words,
)
from app.data.design.phrases import as_name, wording
from backends.data.table import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from app.data.design.definition import State
    from app.data.design.ideas import Idea, InterfaceDraft
    from backends.data.values import ColumnProfile, Profile, Scalar
    from backends.data.workflow.step import Parameter

WHOM = 2  # number of entities per column for which requests are made


def read(view: DesignView, column: str, **more: Any) -> dict[str, Any]:
    """Return the step that reads a column over time."""
    arguments = {
        "source": view.uuid,
        "time": view.time,
        "columns": [column],
        **view.limits(),
        **more,
    }
    return {"id": "result1", "interface": "read_series", "arguments": arguments}


def then(interface: str, **arguments: Any) -> dict[str, Any]:
    """Return the step that uses the rows that were read."""
    return {"id": "result2", "interface": interface, "arguments": {"data": "result1", **arguments}}


def series(view: DesignView) -> Iterator[Idea]:
    """Yield requests for a column over time, within a date range."""
    if view.days is None:
        return
    first, last = view.days
    ranges = (
        [(first, last), (f"{int(last[:4]) - 1}{last[4:]}", last)]
        if first[:4] < last[:4]
        else [(first, last)]
    )
    for column in view.measures:
        step = read(view, column.name, start=taken("start"), end=taken("end"))
        made = drafted(view, "series", "acquisition", column, [step], *entity(view), *days(view))
        for whom in of_whom(view, WHOM):
            for start, end in ranges:
                yield asked(made, view, whom | {"start": start, "end": end})


def change(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the change in a column compared with a given number of rows earlier."""
    for column in view.measures[:4] if view.time else []:
        steps = [read(view, column.name), then("change", value=column.name, lag=taken("rows"))]
        given = parameter(view, "rows", "number", 1, "lag")
        made = drafted(view, "change", "processing", column, steps, *entity(view), given)
        for whom in of_whom(view, WHOM):
            for lag in (1, 4):
                yield asked(made, view, whom | {"rows": lag})


def window(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the mean of a moving window."""
    for column in view.measures[:4] if view.time else []:
        steps = [read(view, column.name), then("rolling", value=column.name, window=taken("rows"))]
        given = parameter(view, "rows", "number", 4, "window")
        made = drafted(view, "moving_mean", "processing", column, steps, *entity(view), given)
        for whom in of_whom(view, WHOM):
            yield asked(made, view, whom | {"rows": 4})


def groups(view: DesignView) -> Iterator[Idea]:
    """Yield requests for one number per value of a category."""
    for category in view.categories:
        for column in view.measures[:3]:
            arguments = {"source": view.uuid, "columns": [category.name, column.name]}
            steps = [
                {"id": "result1", "interface": "read_rows", "arguments": arguments},
                then("combine", column=column.name, aggregate="mean", by=[category.name]),
            ]
            shape, slots = f"mean_by_{as_name(category.name)}", {"category": words(category)}
            made = drafted(view, shape, "processing", column, steps, told="mean_by", slots=slots)
            yield asked(made, view, {})


def forecast(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the next values of a column."""
    for column in view.measures[:3] if view.time else []:
        steps = [
            read(view, column.name),
            then("forecast", value=column.name, steps=taken("values")),
        ]
        given = parameter(view, "values", "number", 4)
        made = drafted(view, "forecast", "prediction", column, steps, *entity(view), given)
        for whom in of_whom(view, 1):
            yield asked(made, view, whom | {"values": 4})


def line(view: DesignView) -> Iterator[Idea]:
    """Yield requests for a chart that shows a column over time."""
    for column in view.measures[:3] if view.time else []:
        steps = [read(view, column.name), then("line", x=view.label, y=[column.name])]
        made = drafted(view, "line", "visualization", column, steps, *entity(view))
        for whom in of_whom(view, 1):
            yield asked(made, view, whom)


def ranked(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the rows in which a column is highest."""
    keys = [*view.time, *(c.name for c in view.categories)]
    for column in view.measures[:4]:
        arguments = {"source": view.uuid, "columns": [*keys, column.name]}
        steps = [
            {"id": "result1", "interface": "read_rows", "arguments": arguments},
            then("rank", by=column.name, n=taken("rows")),
        ]
        given = parameter(view, "rows", "number", 5)
        yield asked(
            drafted(view, "highest", "manipulation", column, steps, given), view, {"rows": 5}
        )


SHAPES = (series, change, groups, forecast, ranked, window, line)


SELECT_WHOM, MEASURES, WINDOW = 2, 4, 4

RUN = """WITH steps AS (
  SELECT {moment} AS moment, row_number() OVER (ORDER BY {order}) AS n,
    CASE WHEN {value} > lag({value}) OVER (ORDER BY {order}) THEN 0 ELSE 1 END AS broken
  FROM data WHERE {value} IS NOT NULL{limit}
), runs AS (
  SELECT moment, n, sum(broken) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) AS run FROM steps
)
SELECT min_by(moment, n) AS {told[from]}, max_by(moment, n) AS {told[to]}, CAST(count(*) - 1 AS BIGINT) AS {told[rises]}
FROM runs GROUP BY run HAVING count(*) > 1 ORDER BY 3 DESC, min(n) LIMIT 1"""

FALL = """WITH highs AS (
  SELECT {moment} AS moment, row_number() OVER (ORDER BY {order}) AS n, {value} AS value,
    max({value}) OVER (ORDER BY {order} ROWS UNBOUNDED PRECEDING) AS high
  FROM data WHERE {value} IS NOT NULL{limit}
)
SELECT moment AS {told[at]}, high AS {told[high]}, value AS {value}, 100.0 * (value / high - 1) AS {told[fall]}
FROM highs WHERE high > 0 ORDER BY 4, n LIMIT 1"""

ABOVE = """WITH compared AS (
  SELECT {value} AS value, row_number() OVER (ORDER BY {order}) AS n,
    avg({value}) OVER (ORDER BY {order} ROWS BETWEEN {window} PRECEDING AND 1 PRECEDING) AS mean
  FROM data WHERE {value} IS NOT NULL{limit}
)
SELECT CAST(count(*) FILTER (value > mean) AS BIGINT) AS {told[above]}, CAST(count(*) AS BIGINT) AS {told[rows]},
  100.0 * count(*) FILTER (value > mean) / count(*) AS {told[share]}
FROM compared WHERE n > {window} HAVING count(*) > 0"""

FAR = """WITH scored AS (
  SELECT {keys}, {value}, ({value} - avg({value}) OVER ()) / stddev_samp({value}) OVER () AS score
  FROM data WHERE {value} IS NOT NULL{limit}
)
SELECT {keys}, {value}, score AS {told[deviations]} FROM scored WHERE abs(score) > $deviations
ORDER BY abs(score) DESC, {keys}"""

SHARE = """WITH totals AS (
  SELECT {by} AS name, sum({value}) AS total FROM data WHERE {value} IS NOT NULL GROUP BY {by}
), ranked AS (
  SELECT total, row_number() OVER (ORDER BY total DESC, name) AS n FROM totals
)
SELECT 100.0 * sum(total) FILTER (n <= $top) / sum(total) AS {told[share]} FROM ranked HAVING sum(total) > 0"""

OWN = """WITH compared AS (
  SELECT {by} AS name, {value} AS value, avg({value}) OVER (PARTITION BY {by}) AS mean
  FROM data WHERE {value} IS NOT NULL
)
SELECT name AS {by}, CAST(count(*) FILTER (value > mean) AS BIGINT) AS {told[above]}, CAST(count(*) AS BIGINT) AS {told[rows]}
FROM compared GROUP BY name ORDER BY 2 DESC, 1"""


def selected(
    view: DesignView,
    shape: str,
    column: ColumnProfile,
    sql: str,
    *given: Parameter,
    told: str = "",
    slots: dict[str, str] | None = None,
    **parts: str,
) -> InterfaceDraft:
    """Return the draft of a SELECT statement over one column. Its parameters are bound by name."""
    order = ", ".join(quote(name) for name in view.time)
    moment = order if len(view.time) < 2 else f"concat_ws('-', {order})"
    limited = view.entity is not None and any(p.name == "entity" for p in given)
    limit = f" AND {quote(view.entity.name)} = $entity" if limited and view.entity else ""
    headings = {name: quote(text) for name, text in wording(view.language).headings.items()}
    made = sql.format(
        value=quote(column.name), order=order, moment=moment, limit=limit, told=headings, **parts
    )
    arguments: dict[str, Any] = {
        "tables": [{"name": "data", "source": view.uuid}],
        "sql": made,
        "values": {p.name: taken(p.name) for p in given if f"${p.name}" in made},
    }
    step = {"id": "result1", "interface": "query", "arguments": arguments}
    return drafted(view, shape, "processing", column, [step], *given, told=told, slots=slots)


def run(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the longest run of rises."""
    for column in view.measures[:MEASURES] if view.time else []:
        made = selected(view, "longest_rise", column, RUN, *entity(view))
        yield from (asked(made, view, whom) for whom in of_whom(view, SELECT_WHOM))


def fall(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the largest fall from an earlier high."""
    for column in view.measures[:MEASURES] if view.time else []:
        made = selected(view, "drawdown", column, FALL, *entity(view))
        yield from (asked(made, view, whom) for whom in of_whom(view, SELECT_WHOM))


def above(view: DesignView) -> Iterator[Idea]:
    """Yield requests that ask how often a column was above the mean of the preceding rows."""
    slots = {"window": str(WINDOW)}
    for column in view.measures[:2] if view.time else []:
        made = selected(
            view,
            f"above_mean_{WINDOW}",
            column,
            ABOVE,
            *entity(view),
            told="above_mean",
            slots=slots,
            window=str(WINDOW),
        )
        yield from (asked(made, view, whom) for whom in of_whom(view, SELECT_WHOM))


def far(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the rows whose values are far from the mean."""
    keys = [*view.time, *(c.name for c in view.categories)]
    for column in view.measures[:3] if keys else []:
        given = parameter(view, "deviations", "number", 2)
        listed = ", ".join(quote(name) for name in keys)
        made = selected(view, "outliers", column, FAR, given, keys=listed)
        yield asked(made, view, {"deviations": 2})


def share(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the share of the total that the largest groups account for."""
    for category in view.categories[:2]:
        slots, shape = {"category": words(category)}, f"top_share_{as_name(category.name)}"
        given = parameter(view, "top", "number", 2, category=words(category))
        for column in view.measures[:2]:
            made = selected(
                view,
                shape,
                column,
                SHARE,
                given,
                told="top_share",
                slots=slots,
                by=quote(category.name),
            )
            yield asked(made, view, {"top": 2})


def own(view: DesignView) -> Iterator[Idea]:
    """Yield requests for the number of rows in each group that are above the group's own mean."""
    for category in view.categories[:2]:
        slots, shape = {"category": words(category)}, f"above_own_mean_{as_name(category.name)}"
        for column in view.measures[:2]:
            made = selected(
                view,
                shape,
                column,
                OWN,
                told="above_own_mean",
                slots=slots,
                by=quote(category.name),
            )
            yield asked(made, view, {})


SELECTS = (run, fall, far, above, share, own)


OFFERED = 5
WORD = re.compile(r"\w+")
COLUMNS = 6  # maximum number of columns of a table that are described to a model


def ideas_over(profiles: Iterable[Profile]) -> dict[str, list[Idea]]:
    """Return all possible requests about the tables, by uuid, in an order in which successive
    requests have different shapes.
    """
    made: dict[str, list[Idea]] = {}
    for profile in profiles:
        view = DesignView(profile)
        by_shape = [list(shape(view)) for shape in (*SHAPES, *SELECTS)]
        longest = max((len(some) for some in by_shape), default=0)
        made[view.uuid] = [some[n] for n in range(longest) for some in by_shape if n < len(some)]
    return made


def offered(
    ideas: dict[str, list[Idea]], state: State
) -> tuple[str, list[tuple[Idea, str]]] | None:
    """Return the next table with requests for it that have not been made yet, or None if all have
    been made.

    Each table's turns are consecutive. All tables get the same number of turns, as long as they
    have requests left. Requests that share words with the user's request come first.
    """
    turn = len(state.requests)
    asked = {asked_as(r.key, r.values) for r in state.requests}
    left = {
        uid: rest
        for uid, some in ideas.items()
        if (rest := [i for i in some if asked_as(i.draft.key, i.values) not in asked])
    }
    if not left:
        return None
    share = -(-state.wanted // len(ideas))
    uid = min(
        left,
        key=lambda u: (
            sum(r.sources[0] == u for r in state.requests) >= share,
            list(ideas).index(u),
        ),
    )
    rest, seed = left[uid], seed_of(state)
    if seed:
        rest = sorted(rest, key=lambda i: -len(said(seed) & said(i.wordings[0])))
    chosen: list[Idea] = []
    for idea in rest:
        if all(idea.draft.shape != other.draft.shape for other in chosen):
            chosen.append(idea)
    chance = random.Random(f"{state.chance}:{turn}")
    laid = [(idea, chance.choice(idea.wordings)) for idea in chosen[:OFFERED]]
    chance.shuffle(laid)  # shuffled because a small model prefers whatever comes first
    return uid, laid


def seed_of(state: State) -> str:
    """Return the next of the user's requests, each of which is used once, or an empty string if
    none is left."""
    turn = len(state.requests)
    return state.seeds[turn] if turn < len(state.seeds) else ""


def asked_as(key: str, values: Mapping[str, Scalar]) -> str:
    """Return a key that is the same for all requests that are considered equal."""
    return f"{key}|{sorted(values.items())}"


def said(text: str) -> set[str]:
    """Return the set of words in a request."""
    return {word.lower() for word in WORD.findall(text)}


def about(profile: Profile) -> str:
    """Return a short description of a table for a model, taken from its parsing file."""
    lines = [f"Table {profile.name}, {profile.rows} rows. {profile.description}".strip()]
    for column in profile.columns[:COLUMNS]:
        held = ", ".join(map(str, column.values[:3])) or f"{column.low} to {column.high}"
        lines.append(f"- {words(column)}{f' ({column.meaning})' if column.meaning else ''}: {held}")
    return "\n".join(lines)
