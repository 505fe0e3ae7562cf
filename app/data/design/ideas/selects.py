"""Interfaces made of a declared SELECT: runs, falls, crossings and shares that no step of the kernel computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.data.design.ideas.idea import Idea, drafted, entity, of_whom, parameter, taken
from app.data.design.ideas.view import words
from backends.kernel.table import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.data.design.ideas.idea import Draft
    from app.data.design.ideas.view import View
    from backends.kernel import ColumnProfile
    from backends.kernel.workflow.step import Parameter

WHOM, MEASURES = 2, 4

RUN = """WITH steps AS (
  SELECT {moment} AS moment, row_number() OVER (ORDER BY {order}) AS n,
    CASE WHEN {value} > lag({value}) OVER (ORDER BY {order}) THEN 0 ELSE 1 END AS broken
  FROM data WHERE {value} IS NOT NULL{limit}
), runs AS (
  SELECT moment, n, sum(broken) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) AS run FROM steps
)
SELECT min_by(moment, n) AS "from", max_by(moment, n) AS "to", CAST(count(*) - 1 AS BIGINT) AS "rises in a row"
FROM runs GROUP BY run HAVING count(*) > 1 ORDER BY 3 DESC, min(n) LIMIT 1"""

FALL = """WITH highs AS (
  SELECT {moment} AS moment, row_number() OVER (ORDER BY {order}) AS n, {value} AS value,
    max({value}) OVER (ORDER BY {order} ROWS UNBOUNDED PRECEDING) AS high
  FROM data WHERE {value} IS NOT NULL{limit}
)
SELECT moment AS "at", high AS "highest before", value AS {value}, 100.0 * (value / high - 1) AS "drawdown %"
FROM highs WHERE high > 0 ORDER BY 4, n LIMIT 1"""

ABOVE = """WITH compared AS (
  SELECT {value} AS value, row_number() OVER (ORDER BY {order}) AS n,
    avg({value}) OVER (ORDER BY {order} ROWS BETWEEN {window} PRECEDING AND 1 PRECEDING) AS mean
  FROM data WHERE {value} IS NOT NULL{limit}
)
SELECT CAST(count(*) FILTER (value > mean) AS BIGINT) AS "rows above", CAST(count(*) AS BIGINT) AS "rows",
  100.0 * count(*) FILTER (value > mean) / count(*) AS "share %"
FROM compared WHERE n > {window}"""

FAR = """WITH scored AS (
  SELECT {keys}, {value}, ({value} - avg({value}) OVER ()) / stddev_samp({value}) OVER () AS score
  FROM data WHERE {value} IS NOT NULL{limit}
)
SELECT {keys}, {value}, score AS "deviations" FROM scored WHERE abs(score) > $deviations
ORDER BY abs(score) DESC, {keys}"""

SHARE = """WITH totals AS (
  SELECT {by} AS name, sum({value}) AS total FROM data WHERE {value} IS NOT NULL GROUP BY {by}
), ranked AS (
  SELECT total, row_number() OVER (ORDER BY total DESC, name) AS n FROM totals
)
SELECT 100.0 * sum(total) FILTER (n <= $top) / sum(total) AS "share %" FROM ranked HAVING sum(total) > 0"""

OWN = """WITH compared AS (
  SELECT {by} AS name, {value} AS value, avg({value}) OVER (PARTITION BY {by}) AS mean
  FROM data WHERE {value} IS NOT NULL
)
SELECT name AS {by}, CAST(count(*) FILTER (value > mean) AS BIGINT) AS "rows above", CAST(count(*) AS BIGINT) AS "rows"
FROM compared GROUP BY name ORDER BY 2 DESC, 1"""


def selected(
    view: View, shape: str, column: ColumnProfile, about: str, sql: str, *given: Parameter, **parts: str
) -> Draft:
    """Return the draft of a SELECT over one column; its parameters are bound by their names."""
    order = ", ".join(quote(name) for name in view.time)
    moment = order if len(view.time) < 2 else f"concat_ws('-', {order})"
    limited = view.entity is not None and any(p.name == "entity" for p in given)
    limit = f" AND {quote(view.entity.name)} = $entity" if limited and view.entity else ""
    made = sql.format(value=quote(column.name), order=order, moment=moment, limit=limit, **parts)
    arguments: dict[str, Any] = {
        "tables": [{"name": "data", "source": view.uuid}],
        "sql": made,
        "values": {p.name: taken(p.name) for p in given if f"${p.name}" in made},
    }
    step = {"id": "result1", "interface": "query", "arguments": arguments}
    return drafted(view, shape, "processing", column, about, [step], *given)


def run(view: View) -> Iterator[Idea]:
    """The longest run of rises."""
    for column in view.measures[:MEASURES] if view.time else []:
        about = f"longest run of rises of {words(column)}, row by row"
        made = selected(view, "longest_rise", column, about, RUN, *entity(view))
        for whom, values in of_whom(view, WHOM):
            name = f"{words(column)}{whom}"
            yield Idea(
                draft=made,
                values=values,
                wordings=[
                    f"What is the longest run of rises in a row of {name}?",
                    f"What is the longest streak of rises of {name}?",
                    f"How many rows in a row did {name} rise at most?",
                    f"Find the longest unbroken rise of {name}.",
                ],
            )


def fall(view: View) -> Iterator[Idea]:
    """The largest fall from an earlier high."""
    for column in view.measures[:MEASURES] if view.time else []:
        made = selected(view, "drawdown", column, f"largest drawdown of {words(column)}", FALL, *entity(view))
        for whom, values in of_whom(view, WHOM):
            name = f"{words(column)}{whom}"
            yield Idea(
                draft=made,
                values=values,
                wordings=[
                    f"What is the largest drawdown of {name}?",
                    f"What was the maximum drawdown of {name}?",
                    f"How far did {name} fall at most from an earlier high?",
                    f"Find the deepest fall of {name} below its earlier high.",
                ],
            )


def above(view: View) -> Iterator[Idea]:
    """How often a column stood above the mean of the rows before."""
    for column in view.measures[:2] if view.time else []:
        for size in (4,):
            about = f"how often {words(column)} stood above its mean of the {size} rows before"
            made = selected(view, f"above_mean_{size}", column, about, ABOVE, *entity(view), window=str(size))
            for whom, values in of_whom(view, WHOM):
                name = f"{words(column)}{whom}"
                yield Idea(
                    draft=made,
                    values=values,
                    wordings=[
                        f"How often was {name} above its own mean of the {size} rows before?",
                        f"In how many rows did {name} stand above the mean of the {size} rows before?",
                    ],
                )


def far(view: View) -> Iterator[Idea]:
    """Rows far from the mean."""
    keys = [*view.time, *(c.name for c in view.categories)]
    for column in view.measures[:3] if keys else []:
        about = f"rows in which {words(column)} lies far from its mean"
        given = parameter("deviations", "number", 2, "standard deviations from the mean")
        listed = ", ".join(quote(name) for name in keys)
        made = selected(view, "outliers", column, about, FAR, given, keys=listed)
        name = words(column)
        yield Idea(
            draft=made,
            values={"deviations": 2},
            wordings=[
                f"Which rows of {name} are outliers beyond 2 standard deviations?",
                f"Find the rows in which {name} is more than 2 standard deviations from its mean.",
            ],
        )


def share(view: View) -> Iterator[Idea]:
    """Which share of the total the largest have."""
    for category in view.categories[:2]:
        for column in view.measures[:2]:
            about = f"share of the {words(category)} with the most {words(column)} in the total"
            given = parameter("top", "number", 2, f"how many {words(category)}")
            made = selected(view, "top_share", column, about, SHARE, given, by=quote(category.name))
            what = f"total {words(column)}"
            yield Idea(
                draft=made.model_copy(update={"key": f"{made.key}:{category.name}"}),
                values={"top": 2},
                wordings=[
                    f"What share of the {what} do the top 2 {words(category)} have?",
                    f"How much of the {what} is concentrated in the 2 largest {words(category)}?",
                ],
            )


def own(view: View) -> Iterator[Idea]:
    """How many rows of each group lie above the group's own mean."""
    for category in view.categories[:2]:
        for column in view.measures[:2]:
            about = f"rows of each {words(category)} above its own mean {words(column)}"
            made = selected(view, "above_own_mean", column, about, OWN, by=quote(category.name))
            yield Idea(
                draft=made.model_copy(update={"key": f"{made.key}:{category.name}"}),
                wordings=[
                    f"How many rows of each {words(category)} have {words(column)} above its own mean?",
                    f"Count for each {words(category)} the rows whose {words(column)} is above its own mean.",
                ],
            )


SELECTS = (run, fall, far, above, share, own)
